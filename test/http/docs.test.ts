// The documentation pages: complete, in their order, safe against malformed paths, readable without a script, and
// without resources of other origins.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { GUIDE_GROUPS } from '../../src/http/docs/site-map.ts';
import { withFutureDates } from '../../src/http/docs/site-pages.ts';
import { partnerOperations } from '../../src/run/operations.ts';
import { rateLimited } from '../../src/run/rate-limited.ts';
import { readCommands, readCurl } from '../docs/shell.ts';
import { makeDocsSite } from '../support/docs-site.ts';

const BASE = 'https://pay.harbor.example';

let app: FastifyInstance;
beforeAll(async () => {
  app = makeDocsSite(BASE);
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

const GUIDES = GUIDE_GROUPS.flatMap(({ guides }) => guides);

/** Every page that has a twin in Markdown. */
const pagePaths = (): string[] => [
  '/docs',
  '/docs/reference',
  '/docs/errors',
  '/docs/providers',
  '/docs/changelog',
  '/docs/sdk',
  '/docs/examples',
  '/docs/scaling',
  '/docs/performance',
  ...GUIDES.map((name) => `/docs/guides/${name}`),
  ...namesIn('errors').map((name) => `/docs/errors/${name}`),
  ...namesIn('providers').map((name) => `/docs/providers/${name}`),
  ...partnerOperations.map(({ id }) => `/docs/reference/${id}`),
];

/** Paths outside the documentation that its pages may link to; test/agreement requests them from a whole server. */
const isOutside = (link: string): boolean => link.startsWith('/schemas/v1/') || link === '/v1/openapi.json';

const linksOf = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '');
const mainOf = (html: string): string => /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '';

describe('the pages of error codes', () => {
  it('serves every file of docs/errors as HTML under its code, with the code as its title', async () => {
    for (const code of namesIn('errors')) {
      const response = await get(`/docs/errors/${code}`);
      expect(response.statusCode, code).toBe(200);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.payload).toContain(`<title>${code} · Everyshare</title>`);
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
      expect(payload).toContain(`id="${status}-`);
    }
  });
});

describe('the guides', () => {
  it('are in the order of the site map, each once, and none is left out', () => {
    expect([...GUIDES].sort()).toEqual(namesIn('guides'));
    expect(GUIDES[0]).toBe('quickstart');
  });

  it('are listed in that order on the home page and in the sidebar of every page', async () => {
    const addresses = GUIDES.map((name) => `/docs/guides/${name}`);
    const guidesIn = (html: string): string[] => linksOf(html).filter((link) => /^\/docs\/guides\/[\w-]+$/.test(link));
    const home = await get('/docs');
    expect([...new Set(guidesIn(mainOf(home.payload)))]).toEqual(addresses);
    for (const path of ['/docs', '/docs/guides/payments', '/docs/errors/conflict', '/docs/changelog']) {
      const { payload } = await get(path);
      expect(guidesIn(/<nav id="menu"[\s\S]*?<\/nav>/.exec(payload)?.[0] ?? ''), path).toEqual(addresses);
    }
  });

  it('lead to the previous and the next one, through all of them', async () => {
    const walked: string[] = [];
    let path: string | undefined = `/docs/guides/${GUIDES[0]}`;
    while (path !== undefined && walked.length <= GUIDES.length) {
      const { payload }: LightMyRequestResponse = await get(path);
      const previous = /rel="prev" href="([^"]*)"/.exec(payload)?.[1];
      expect(previous, path).toBe(walked.at(-1));
      walked.push(path);
      path = /rel="next" href="([^"]*)"/.exec(payload)?.[1];
    }
    expect(walked).toEqual(GUIDES.map((name) => `/docs/guides/${name}`));
  });

  it('have a table of contents that names each section, and mark their own page in the sidebar', async () => {
    const { payload } = await get('/docs/guides/payments');
    const contents = /<nav class="sections"[\s\S]*?<\/nav>/.exec(payload)?.[0] ?? '';
    const sections = [...mainOf(payload).matchAll(/<h2 id="([^"]*)"/g)].map((match) => `#${match[1]}`);
    expect(linksOf(contents)).toEqual(sections.filter((id) => id !== '#sections'));
    const forPhones = /<details class="contents"[\s\S]*?<\/details>/.exec(payload)?.[0] ?? '';
    expect(linksOf(forPhones)).toEqual(linksOf(contents));
    expect(payload).toContain('<a href="/docs/guides/payments" aria-current="page">');
  });

  it('show the address of this server in every example', async () => {
    for (const name of GUIDES) {
      const { payload } = await get(`/docs/guides/${name}`);
      expect(payload, name).not.toMatch(/(api|pay)\.everyshare\.example|\$BASE_URL/);
    }
    expect((await get('/docs/guides/payments')).payload).toContain(`${BASE}/v1/checkouts`);
    expect((await get('/docs/guides/payments.md')).payload).toContain(`curl ${BASE}/v1/checkouts`);
  });

  it('keep the address of the service that the reader starts, except where this server is on that machine', async () => {
    const shown = async (site: FastifyInstance, path: string): Promise<string> => (await site.inject(path)).payload;
    expect(await shown(app, '/docs/guides/quickstart.md')).toContain('curl http://127.0.0.1:8080/v1/checkouts');
    expect(await shown(app, '/docs/guides/quickstart.md')).toContain(`login --url ${BASE}`);
    expect(await shown(app, '/docs/examples.md')).toContain('another server than http://127.0.0.1:8080');
    for (const base of ['http://127.0.0.1:9090', 'http://localhost:9090', 'http://[::1]:9090']) {
      const local = makeDocsSite(base);
      expect(await shown(local, '/docs/guides/quickstart.md')).toContain(`curl ${base}/v1/checkouts`);
      expect(await shown(local, '/docs/examples.md')).not.toContain('127.0.0.1:8080');
      await local.close();
    }
  });

  it('have dates of the next year where a call accepts no date that is farther away', async () => {
    expect(withFutureDates('"starts_at": "2027-06-12T18:30:00Z"', Date.UTC(2031, 0, 1))).toContain('"2032-06-12T');
    const nextYear = new Date().getUTCFullYear() + 1;
    expect((await get('/docs/guides/publish.md')).payload).toContain(`"starts_at": "${nextYear}-06-12T18:30:00-04:00"`);
  });

  it('create each checkout for a booking of their own, so that one page does not disturb the next', () => {
    const pages = ['README.md', ...GUIDES.map((name) => `docs/guides/${name}.md`)];
    const bookings = pages.flatMap((page) => {
      const text = readFileSync(join(packageRoot, page), 'utf8');
      return [...new Set([...text.matchAll(/external_booking_id"?: ["'](bk-\d+)["']/g)].map(([, id]) => id))];
    });
    expect(bookings.length).toBeGreaterThan(5);
    expect(new Set(bookings).size).toBe(bookings.length);
  });
});

describe('addresses of earlier releases', () => {
  it('lead to their pages', async () => {
    const moved = await get('/docs/guides');
    expect([moved.statusCode, moved.headers.location]).toEqual([301, '/docs']);
    for (const path of ['/docs', '/docs/guides/going-live', '/docs/errors', '/docs/providers', '/docs/scalar.js'])
      expect((await get(path)).statusCode, path).toBe(200);
  });
});

describe('the reference', () => {
  it('has a page for each operation, in the list by tag, with its address and its errors', async () => {
    const { payload: index } = await get('/docs/reference');
    for (const { id, method, path, summary } of partnerOperations) {
      expect(linksOf(mainOf(index)), id).toContain(`/docs/reference/${id}`);
      const { statusCode, payload } = await get(`/docs/reference/${id}`);
      expect(statusCode, id).toBe(200);
      expect(payload, id).toContain(`<code>${method} ${path}</code>`);
      expect(/<h1[^>]*>(.*)<\/h1>/.exec(payload)?.[1]?.replace(/<\/?code>/g, ''), id).toBe(summary.replaceAll('`', ''));
      expect(linksOf(mainOf(payload)), id).toContain('/docs/errors/internal_error');
    }
  });

  it('shows a request that a shell runs, to the address of the operation, with the example of the document', async () => {
    for (const { id, method, path } of partnerOperations) {
      const source = /```sh tab=curl\n([\s\S]*?)```/.exec((await get(`/docs/reference/${id}.md`)).payload)?.[1] ?? '';
      const request = readCurl(readCommands(source)[0] ?? []);
      const pattern = new RegExp(`^${BASE}${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`);
      expect([id, request.method, pattern.test(request.url)]).toEqual([id, method, true]);
      if (request.body !== undefined) expect(typeof JSON.parse(request.body), id).toBe('object');
    }
  });

  it('reads a stream to its end, and shows a publishable key with the origin that it needs', async () => {
    const { payload } = await get('/docs/reference/streamProgress.md');
    expect(payload).toContain('for await (const one of everyshare.guests.checkouts.streamProgress(');
    expect(payload).toContain('-H "Authorization: Bearer $PUBLISHABLE_KEY" \\\n  -H \'Origin: https://example.com\'');
    expect(payload).toContain('process.env.TOKEN');
  });

  it('shows the fields of a body and of an answer, inner ones too, with what is valid', async () => {
    const { payload } = await get('/docs/reference/createCheckout.md');
    expect(payload).toContain('| `party_size` | an integer from 2 to 50 |');
    expect(payload).toContain('| `shares[].status` |');
    expect(payload).toContain(', optional |');
    expect(payload).toContain(`curl ${BASE}/v1/checkouts \\\n  -H "Authorization: Bearer $KEY"`);
    expect(payload).toContain('everyshare.checkouts.create({\n  amount: 24000,');
    expect(payload).toContain('"name": "create_checkout"');
  });
});

describe('the twin of a page in Markdown', () => {
  it('is at its address with .md, for every page, and every page links to it', async () => {
    for (const path of pagePaths()) {
      const twin = await get(`${path}.md`);
      expect(twin.statusCode, path).toBe(200);
      expect(twin.headers['content-type']).toBe('text/markdown; charset=utf-8');
      expect(twin.payload, path).toMatch(/^# \S/);
      expect(linksOf((await get(path)).payload), path).toContain(`${path}.md`);
    }
  });

  it('is listed in /llms.txt for every guide, list and call', async () => {
    const { payload, headers } = await get('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(payload).toMatch(/^# Everyshare\n\n> /);
    const listed = [...payload.matchAll(/\]\(([^)]*)\)/g)].map((match) => match[1]);
    const paths = pagePaths().filter((path) => path !== '/docs' && !/^\/docs\/(errors|providers)\/./.test(path));
    expect(listed.sort()).toEqual(paths.map((path) => `${BASE}${path}.md`).sort());
  });
});

describe('the changelog', () => {
  it('is the file CHANGELOG.md', async () => {
    const file = readFileSync(join(packageRoot, 'CHANGELOG.md'), 'utf8');
    expect((await get('/docs/changelog.md')).payload.slice(0, 200)).toBe(file.slice(0, 200));
    expect((await get('/docs/changelog')).payload).toContain('<title>Changelog · Everyshare</title>');
  });
});

describe('the search', () => {
  const find = async (query: string): Promise<string[]> => {
    const { payload } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
    return linksOf(/<ul class="results">[\s\S]*?<\/ul>/.exec(payload)?.[0] ?? '');
  };

  it('finds guides, calls and error codes, the best first, on a page without a script', async () => {
    expect((await find('create checkout party'))[0]).toBe('/docs/reference/createCheckout');
    expect(await find('rotate secret')).toContain('/docs/reference/rotateSecret');
    expect(await find('verify signature')).toContain('/docs/guides/webhooks#verify-the-signature');
    expect((await find('idempotency_key_reused')).length).toBeGreaterThan(1);
    expect(await find('ip_not_allowed')).toContain('/docs/errors/ip_not_allowed');
    expect((await find('refunds'))[0]).toBe('/docs/guides/payments#refunds');
    expect(await find('Square')).toContain('/docs/providers/square');
  });

  it('needs every word, takes the start of a word, and says when there is nothing', async () => {
    expect(await find('payout statem')).toContain('/docs/guides/payments#what-the-venue-is-paid');
    expect(await find('refunds zeppelin')).toEqual([]);
    expect((await get('/docs/search?q=zeppelin')).payload).toContain('Nothing was found');
  });

  it('shows a query as text, and takes any query', async () => {
    const { payload } = await get(`/docs/search?q=${encodeURIComponent('<script>"x"(')}`);
    expect(mainOf(payload)).not.toContain('<script');
    expect(payload).toContain('value="&lt;script&gt;&quot;x&quot;("');
    for (const query of ['q=a&q=b', 'q=', '', 'q=%00', `q=${'x'.repeat(5000)}`, 'q=((((', 'q=%F0%9F%98%80'])
      expect((await get(`/docs/search?${query}`)).statusCode, query).toBe(200);
  });

  it('has an index for browsers that is small, and has every page but the list of pages and the changelog', async () => {
    const response = await get('/docs/search-index.json', { 'accept-encoding': 'gzip' });
    expect(response.rawPayload.length).toBeLessThan(150_000);
    const sections = JSON.parse(gunzipSync(response.rawPayload).toString()) as { path: string }[];
    const found = new Set(sections.map(({ path }) => path.replace(/#.*/, '')));
    const unsearched = ['/docs', '/docs/changelog'];
    expect([...found].sort()).toEqual(
      pagePaths()
        .filter((path) => !unsearched.includes(path))
        .sort(),
    );
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
    const waiting = ['/docs', '/docs/search', '/docs/explorer', ...pagePaths()];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const response = await get(path);
      expect(response.statusCode, path).toBe(200);
      pages.set(path, response.payload);
      if (!String(response.headers['content-type']).startsWith('text/html')) continue;
      for (const link of linksOf(response.payload))
        if (link.startsWith('/') && !isOutside(link)) waiting.push(link.replace(/#.*/, ''));
    }
    for (const [path, html] of pages) {
      for (const link of linksOf(html).filter((one) => one.includes('#') && !one.startsWith('http'))) {
        const [target, id] = link.split('#');
        expect(pages.get(target || path), `${path} to ${link}`).toContain(`id="${id}"`);
      }
    }
  });

  it('lead from a page in Markdown to Markdown that exists', { tags: ['slow'] }, async () => {
    const known = new Set(pagePaths().flatMap((path) => [path, `${path}.md`]));
    const dead: string[] = [];
    for (const path of pagePaths()) {
      const { payload } = await get(`${path}.md`);
      for (const [, href = ''] of payload.matchAll(/\]\(([^()\s]+)\)/g)) {
        const { origin, pathname } = new URL(href, `${BASE}${path}.md`);
        if (origin !== BASE || isOutside(pathname) || ['/docs/explorer', '/docs/search'].includes(pathname)) continue;
        if (!known.has(pathname)) dead.push(`${path}.md to ${href}`);
      }
    }
    expect(dead).toEqual([]);
  });

  it('name a Markdown file only as the twin of the page', async () => {
    for (const path of pagePaths()) {
      const links = linksOf((await get(path)).payload).filter((link) => /\.md($|#)/.test(link));
      expect(new Set(links), path).toEqual(new Set([`${path}.md`]));
    }
  });
});

describe('what a page may load', () => {
  it('is our own style and script, nothing inline and nothing of another origin', async () => {
    for (const path of [...pagePaths(), '/docs/search?q=hold']) {
      const { headers, payload } = await get(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|nonce|https?:/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect([...payload.matchAll(/<script([^>]*)>([^<]*)/g)].map((match) => [match[1], match[2]])).toEqual([
        [expect.stringMatching(/^ type="module" src="\/docs\/site\.js\?v=[\w-]+"$/), ''],
      ]);
      expect(payload, path).not.toMatch(/<style|\sstyle=|\son\w+=/);
    }
  });

  it('is cached for a day where its address has its version, and asked for each time where it has none', async () => {
    const style = linksOf((await get('/docs')).payload).find((link) => link.startsWith('/docs/site.css')) ?? '';
    expect((await get(style)).headers['cache-control']).toBe('public, max-age=86400');
    for (const path of ['/docs/site.css', '/docs/site.css?v=', '/docs/site.css?v=older', '/docs/scalar.js?v=older'])
      expect((await get(path)).headers['cache-control'], path).toBe('public, no-cache');
    const script = linksOf((await get('/docs/explorer')).payload).find((link) => link.startsWith('/docs/scalar.js'));
    expect((await get(script ?? '')).headers['cache-control']).toBe('public, max-age=86400');
  });

  it('is only our own scripts on the explorer, none of them inline', async () => {
    const { headers, payload } = await get('/docs/explorer');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/style-src 'self' 'nonce-[\w-]{22}';/);
    expect([...payload.matchAll(/<script([^>]*)>([^<]*)/g)].map((match) => [match[1], match[2]])).toEqual([
      [expect.stringMatching(/^ src="\/docs\/explorer\.js\?v=[\w-]+" defer$/), ''],
      [expect.stringMatching(/^ src="\/docs\/scalar\.js\?v=[\w-]{8}" defer$/), ''],
    ]);
    expect(payload).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(linksOf(payload).filter((link) => !/^[/#]/.test(link))).toEqual([]);
  });

  it('gets a new nonce for every view of the explorer', async () => {
    const policies = await Promise.all([get('/docs/explorer'), get('/docs/explorer')]);
    expect(new Set(policies.map(({ headers }) => headers['content-security-policy'])).size).toBe(2);
    for (const { headers } of policies) expect(headers['cache-control']).toBe('no-store');
  });
});

describe('paths that are not pages', () => {
  const malformed = [
    '/docs/errors/nothing_such',
    '/docs/errors/conflict.md.md',
    '/docs/nothing_such',
    '/docs/reference/nothing_such',
    '/docs/nothing_such/',
    '/docs/guides/nothing_such/',
    '/docs//example.com/',
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

  it('show a browser a page with the search, and still answer 404', async () => {
    const { statusCode, payload } = await get('/docs/guides/nothing_such', { accept: 'text/html,*/*;q=0.8' });
    expect(statusCode).toBe(404);
    expect(mainOf(payload)).toContain('<form class="search-page"');
    expect(linksOf(mainOf(payload))).toContain('/docs');
  });
});

describe('addresses with a slash at their end', () => {
  it.each([
    ['/docs/', '/docs'],
    ['/docs/errors/', '/docs/errors'],
    ['/docs/guides/', '/docs'],
    ['/docs/guides/payments/', '/docs/guides/payments'],
    ['/docs/search/?q=hold', '/docs/search?q=hold'],
  ])('%s leads to %s', async (from, to) => {
    const { statusCode, headers } = await get(from);
    expect([statusCode, headers.location]).toEqual([301, to]);
  });
});

describe('a reader over the limit', () => {
  it('gets a page that loads nothing, and a program gets the error', async () => {
    const limit = { of: 'address', limit: 600, remaining: 0, reset: 0, retryAfter: 7 } as const;
    const site = makeDocsSite(BASE, () => Promise.reject(rateLimited(limit, 'read')));
    const page = await site.inject({ url: '/docs/guides/payments', headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.statusCode, page.headers['retry-after']]).toEqual([429, '7']);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.payload).toContain('<h1>Too many requests</h1>');
    expect(page.payload).toContain('Try again in 7 seconds.');
    expect(linksOf(page.payload)).toEqual([]);
    const error = await site.inject('/docs/guides/payments');
    expect(error.statusCode).toBe(429);
    expect(error.payload).not.toContain('<');
    await site.close();
  });
});

describe('the script of the explorer', () => {
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
