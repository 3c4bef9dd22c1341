// The documentation pages: complete, safe against malformed paths, and without resources of other origins.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue, Problem } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { FOLDERS, renderMarkdown } from '../../src/http/docs/markdown.ts';
import { registerDocs } from '../../src/http/docs.ts';

let app: FastifyInstance;
beforeAll(async () => {
  app = Fastify({ routerOptions: { maxParamLength: 2048 } });
  app.decorateRequest('operation', 'unknown');
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Problem ? error.status : 500).send(String(error)),
  );
  registerDocs(app, { app: { random: systemRandom } } as unknown as HttpContext);
  await app.ready();
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers });

const namesIn = (folder: string): string[] =>
  readdirSync(join(packageRoot, 'docs', folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace(/\.md$/, ''))
    .sort();

const markdownPaths = (): string[] =>
  FOLDERS.flatMap((folder) => [`/docs/${folder}`, ...namesIn(folder).map((name) => `/docs/${folder}/${name}`)]);

/** Paths outside the documentation that its pages may link to; test/agreement requests them from a whole server. */
const OTHER_PATHS = ['/v1/openapi.json', ...PROVIDERS.map((provider) => `/schemas/v1/mappings/${provider}.json`)];

const linksOf = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '');

describe('the pages of error codes', () => {
  it('serves every file of docs/errors as HTML under its code, with the code as its title', async () => {
    for (const code of namesIn('errors')) {
      const response = await get(`/docs/errors/${code}`);
      expect(response.statusCode, code).toBe(200);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.payload).toContain(`<title>${code} · Errors · Everyshare</title>`);
      expect(response.payload).toContain('<html lang="en">');
    }
  });

  it('has a page for every code of the catalogue and a code for every page', () => {
    expect(namesIn('errors')).toEqual(Object.keys(catalogue).sort());
  });

  it('lists every code with its status in the index', async () => {
    const { payload } = await get('/docs/errors');
    for (const [code, { status }] of Object.entries(catalogue)) {
      expect(payload).toContain(`<a href="/docs/errors/${code}"><code>${code}</code></a>`);
      expect(payload).toContain(`id="status-${status}"`);
    }
  });
});

describe('the guides', () => {
  it('lists every guide and serves it', async () => {
    const { payload } = await get('/docs/guides');
    expect(namesIn('guides').length).toBeGreaterThan(0);
    for (const name of namesIn('guides')) {
      expect(payload).toContain(`href="/docs/guides/${name}"`);
      expect((await get(`/docs/guides/${name}`)).statusCode).toBe(200);
    }
  });
});

describe('the pages of the venue systems', () => {
  it('are one for each provider, listed and served', async () => {
    expect(namesIn('providers')).toEqual([...PROVIDERS].sort());
    const { payload } = await get('/docs/providers');
    for (const provider of PROVIDERS) {
      expect(payload).toContain(`href="/docs/providers/${provider}"`);
      const page = await get(`/docs/providers/${provider}`);
      expect(page.statusCode, provider).toBe(200);
      expect(linksOf(page.payload), provider).toContain(`/schemas/v1/mappings/${provider}.json`);
    }
  });

  it('are each linked from the guide', async () => {
    const links = linksOf((await get('/docs/guides/venue-systems')).payload);
    for (const provider of PROVIDERS) expect(links).toContain(`/docs/providers/${provider}`);
  });
});

describe('links', () => {
  it('lead to pages and sections that exist, from every page', { tags: ['slow'] }, async () => {
    const pages = new Map<string, string>();
    const waiting = ['/docs', ...markdownPaths()];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const response = await get(path);
      expect(response.statusCode, path).toBe(200);
      pages.set(path, response.payload);
      if (!String(response.headers['content-type']).startsWith('text/html')) continue;
      for (const link of linksOf(response.payload)) {
        if (link.startsWith('/') && !OTHER_PATHS.includes(link)) waiting.push(link.replace(/#.*/, ''));
      }
    }
    for (const [path, html] of pages) {
      for (const link of linksOf(html).filter((one) => one.includes('#') && !one.startsWith('http'))) {
        const [target, id] = link.split('#');
        expect(pages.get(target || path), `${path} to ${link}`).toContain(`id="${id}"`);
      }
    }
  });

  it('never name a Markdown file', async () => {
    for (const path of markdownPaths()) {
      expect(
        linksOf((await get(path)).payload).filter((link) => /\.md($|#)/.test(link)),
        path,
      ).toEqual([]);
    }
  });
});

describe('Markdown', () => {
  it('shows raw HTML as text', async () => {
    const { html } = await renderMarkdown('# T\n\n<script>alert(1)</script>\n\na <b onclick="x">b</b>', 'guides');
    expect(html).not.toMatch(/<script|<b /);
    expect(html).toContain('&lt;script&gt;');
  });

  it('turns links between files into links between pages, and drops links that would run code', async () => {
    const { html } = await renderMarkdown(
      '[a](x.md) [b](../errors/y.md#z) [c](javascript:alert(1)) [d](https://a.example/)',
      'guides',
    );
    expect(linksOf(html)).toEqual(['/docs/guides/x', '/docs/errors/y#z', 'https://a.example/']);
  });

  it('gives every heading its own id', async () => {
    const { html } = await renderMarkdown('# One two\n\n## Same\n\n## Same\n\n## `code`, and more', 'guides');
    expect([...html.matchAll(/<h\d id="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'one-two',
      'same',
      'same-1',
      'code-and-more',
    ]);
  });
});

describe('what a page may load', () => {
  it('is nothing inline, no script and nothing of another origin on the Markdown pages', async () => {
    for (const path of markdownPaths()) {
      const { headers, payload } = await get(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|script-src/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(payload, path).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
    }
  });

  it('is only our own scripts on the reference, none of them inline', async () => {
    const { headers, payload } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/style-src 'self' 'nonce-[\w-]{22}';/);
    expect([...payload.matchAll(/<script([^>]*)>([^<]*)/g)].map((match) => [match[1], match[2]])).toEqual([
      [' src="/docs/reference.js" defer', ''],
      [' src="/docs/scalar.js" defer', ''],
    ]);
    expect(payload).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(linksOf(payload).filter((link) => !/^[/#]/.test(link))).toEqual([]);
  });

  it('gets a new nonce for every view of the reference', async () => {
    const policies = await Promise.all([get('/docs'), get('/docs')]);
    expect(new Set(policies.map(({ headers }) => headers['content-security-policy'])).size).toBe(2);
    for (const { headers } of policies) expect(headers['cache-control']).toBe('no-store');
  });
});

describe('paths that are not pages', () => {
  const malformed = [
    '/docs/errors/nothing_such',
    '/docs/errors/conflict.md',
    '/docs/errors/',
    '/docs/errors/..%2fguides%2ferrors',
    '/docs/errors/%2e%2e%2fguides%2ferrors',
    '/docs/guides/..%2f..%2fpackage.json',
    '/docs/guides/..%5c..%5cpackage.json',
    '/docs/guides/%2fetc%2fpasswd',
    '/docs/guides/errors%00',
    '/docs/guides/constructor',
    '/docs/providers/..%2fguides%2ferrors',
    '/docs/providers/nobody',
    '/docs/..%2fpackage.json',
    '/docs/site.css%00',
  ];
  it.each(malformed)('answers 404 for %s', async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });
});

describe('the script of the reference', () => {
  it('is compressed for clients that accept it, and uncompressed for others', async () => {
    const [small, large] = [
      await get('/docs/scalar.js', { 'accept-encoding': 'br, gzip' }),
      await get('/docs/scalar.js'),
    ];
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(small.headers.vary).toBe('accept-encoding');
    expect(small.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(small.rawPayload.length).toBeLessThan(1_500_000);
    expect(large.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(small.rawPayload).equals(large.rawPayload)).toBe(true);
    expect(large.payload).toContain('createApiReference');
    const refused = await get('/docs/scalar.js', { 'accept-encoding': 'gzip;q=0, *' });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  it.each(['/docs/scalar.js', '/docs/site.css', '/docs/errors/conflict'])(
    'answers 304 when it is unchanged, like every other file: %s',
    async (path) => {
      const first = await get(path);
      const etag = String(first.headers.etag);
      const repeated = await get(path, { 'if-none-match': `"other", ${etag}` });
      expect(repeated.statusCode).toBe(304);
      expect(repeated.payload).toBe('');
      expect((await get(path, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    },
  );
});
