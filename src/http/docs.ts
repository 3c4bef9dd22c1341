// The documentation for a partner's developers, all from this origin: the API reference, the guides, a page for every
// venue system and for every error code. Each page is rendered at its first request and cached.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../base/errors.ts';
import { packageRoot } from '../base/package-root.ts';
import type { HttpContext } from './context.ts';
import { type Asset, makeAsset, sendAsset } from './docs/asset.ts';
import { renderReference } from './docs/layout.ts';
import { FOLDERS, type Folder } from './docs/markdown.ts';
import { memoize } from './docs/memoize.ts';
import { renderFolder } from './docs/pages.ts';
import { loadScalar } from './docs/scalar.ts';

const HTML = 'text/html; charset=utf-8';

const ASSET_TYPES: Readonly<Record<string, string>> = {
  'site.css': 'text/css; charset=utf-8',
  'reference.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml; charset=utf-8',
};

/** The browser asks each time, and gets 304 while the page is unchanged. */
const CACHE_REVALIDATE = 'public, no-cache';
/** A large file that changes only with the version of its package. */
const CACHE_ONE_DAY = 'public, max-age=86400';

const NO_FRAMES_OR_FORMS = "base-uri 'none'; frame-ancestors 'none'; form-action 'none'";
const PAGE_POLICY = `default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; ${NO_FRAMES_OR_FORMS}`;

/**
 * The script of the reference creates style elements: a nonce allows them (web/docs/reference.js passes it on). It also
 * writes style attributes into its code samples, which a nonce cannot allow and which show the line numbers. So this
 * one page allows style attributes.
 */
function referencePolicy(nonce: string): string {
  const sources = "script-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'";
  return `default-src 'none'; ${sources}; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; ${NO_FRAMES_OR_FORMS}`;
}

export function registerDocs(app: FastifyInstance, http: HttpContext): void {
  app.get('/docs', async (request, reply) => {
    request.operation = 'docs';
    const nonce = http.app.random.bytes(16).toString('base64url');
    setSecurityHeaders(reply, referencePolicy(nonce));
    return reply.type(HTML).header('cache-control', 'no-store').send(renderReference(nonce));
  });

  const scalar = memoize(loadScalar);
  app.get('/docs/scalar.js', async (request, reply) => {
    request.operation = 'docs';
    return sendAsset(request, setSecurityHeaders(reply, PAGE_POLICY), await scalar(), CACHE_ONE_DAY);
  });

  for (const [file, type] of Object.entries(ASSET_TYPES)) {
    const asset = memoize(async () => makeAsset(type, await readFile(join(packageRoot, 'web', 'docs', file), 'utf8')));
    app.get(`/docs/${file}`, async (request, reply) => {
      request.operation = 'docs';
      return sendAsset(request, setSecurityHeaders(reply, PAGE_POLICY), await asset(), CACHE_REVALIDATE);
    });
  }

  for (const folder of FOLDERS) registerFolder(app, folder);
}

function registerFolder(app: FastifyInstance, folder: Folder): void {
  const pages = memoize(async () => {
    const assets = new Map<string, Asset>();
    for (const [name, html] of await renderFolder(folder)) assets.set(name, await makeAsset(HTML, html));
    return assets;
  });
  for (const path of [`/docs/${folder}`, `/docs/${folder}/:name`]) {
    app.get(path, async (request, reply) => {
      request.operation = 'docs';
      const { name } = request.params as { name?: string };
      const page = name === '' ? undefined : (await pages()).get(name ?? '');
      if (page === undefined)
        throw new Problem('not_found', { message: `There is no such page. See /docs/${folder} for all of them.` });
      return sendAsset(request, setSecurityHeaders(reply, PAGE_POLICY), page, CACHE_REVALIDATE);
    });
  }
}

function setSecurityHeaders(reply: FastifyReply, policy: string): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff');
}
