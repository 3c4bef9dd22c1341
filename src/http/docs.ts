// The documentation for partners' developers and operators, all from this origin: guides, the API reference, the error
// codes, the venue systems, the changelog, and a search over them. A page is rendered at its first request and cached.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/errors.ts';
import { packageRoot } from '../base/package-root.ts';
import type { HttpContext } from './context.ts';
import type { ApiDocument } from './docs/api-document.ts';
import { type Asset, makeAsset, sendAsset } from './docs/asset.ts';
import { renderExplorer, renderOtherPage, renderRefusal, renderSitePage } from './docs/layout.ts';
import { renderLlms } from './docs/llms.ts';
import { memoize } from './docs/memoize.ts';
import { loadScalar } from './docs/scalar.ts';
import { makeSearchIndex, publishedIndex, readQuery, renderResults, searchForm } from './docs/search.ts';
import { MOVED } from './docs/site-map.ts';
import { loadPages } from './docs/site-pages.ts';
import { acceptsHtml } from './request-headers.ts';

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

const ASSET_TYPES: Readonly<Record<string, string>> = {
  'site.css': 'text/css; charset=utf-8',
  'site.js': 'text/javascript; charset=utf-8',
  'search-rank.js': 'text/javascript; charset=utf-8',
  'explorer.css': 'text/css; charset=utf-8',
  'explorer.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml; charset=utf-8',
};

/** The browser asks each time, and gets 304 while the page is unchanged. */
const CACHE_REVALIDATE = 'public, no-cache';
/** A file whose address changes with its content. */
const CACHE_ONE_DAY = 'public, max-age=86400';

const NO_FRAMES = "base-uri 'none'; frame-ancestors 'none'";
const PAGE_POLICY = `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; ${NO_FRAMES}`;

/**
 * The script of the explorer creates style elements: a nonce allows them (web/docs/explorer.js passes it on). It also
 * writes style attributes into its code samples, which a nonce cannot allow and which show the line numbers. So this
 * one page allows style attributes.
 */
function explorerPolicy(nonce: string): string {
  const sources = "script-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'";
  return `default-src 'none'; ${sources}; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; ${NO_FRAMES}`;
}

/** `document` makes the OpenAPI document, from which the reference is made. */
export function registerDocs(app: FastifyInstance, http: HttpContext, document: () => ApiDocument): void {
  registerRefusal(app);
  const assets = memoize(loadAssets);
  const site = memoize(() => loadSite(http, document(), assets));
  registerPages(app, site);
  registerSlashes(app, site);
  registerSearch(app, site);
  registerExplorer(app, http, assets);
  for (const file of Object.keys(ASSET_TYPES)) {
    app.get(`/docs/${file}`, async (request, reply) => {
      const asset = (await assets()).get(file) as Asset;
      return send(request, reply, asset, cacheControlOf(request, versionOf(await assets())));
    });
  }
}

/** Over its limit, a browser gets a page. It loads no style and no script, because those would be refused too. */
function registerRefusal(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Problem) || error.code !== 'rate_limited' || !acceptsHtml(request)) throw error;
    request.operation = 'docs';
    return setSecurityHeaders(reply, PAGE_POLICY)
      .headers({ ...error.detail.headers, 'cache-control': 'no-store' })
      .code(error.status)
      .type(HTML)
      .send(renderRefusal(error.message));
  });
}

/** An address with another version is of another release: what it answers now must not be kept under it. */
function cacheControlOf({ query }: FastifyRequest, version: string): string {
  return (query as { v?: unknown }).v === version ? CACHE_ONE_DAY : CACHE_REVALIDATE;
}

type Assets = ReadonlyMap<string, Asset>;

async function loadAssets(): Promise<Assets> {
  const assets = new Map<string, Asset>();
  for (const [file, type] of Object.entries(ASSET_TYPES))
    assets.set(file, makeAsset(type, await readFile(join(packageRoot, 'web', 'docs', file), 'utf8')));
  return assets;
}

/** The version in an address is of all files, because one script imports another. */
const versionOf = (assets: Assets): string => [...assets.values()].map(({ etag }) => etag.slice(3, 7)).join('');

function assetPaths(assets: Assets): (file: string) => string {
  const version = versionOf(assets);
  return (file) => `/docs/${file}?v=${version}`;
}

interface Site {
  /** By its address, `.md` included; made at its first request. */
  readonly documents: ReadonlyMap<string, () => Promise<Asset>>;
  readonly searchPage: (query: string) => Promise<string>;
  readonly missingPage: string;
  readonly searchIndex: () => Promise<Asset>;
}

async function loadSite(http: HttpContext, document: ApiDocument, loadedAssets: () => Promise<Assets>): Promise<Site> {
  const { base } = http.urls();
  const pages = await loadPages({ base, now: http.app.clock.now(), document });
  const frame = { pages, assetPath: assetPaths(await loadedAssets()) };
  const documents = new Map<string, () => Promise<Asset>>();
  for (const page of pages) {
    documents.set(
      page.path,
      memoize(async () => makeAsset(HTML, renderSitePage(page, await page.rendered(), frame), 'quick')),
    );
    documents.set(
      `${page.path}.md`,
      memoize(async () => makeAsset(MARKDOWN, page.markdown, 'quick')),
    );
  }
  documents.set(
    '/llms.txt',
    memoize(async () => makeAsset('text/plain; charset=utf-8', renderLlms(pages, base), 'quick')),
  );
  const index = memoize(() => makeSearchIndex(pages));
  return {
    documents,
    searchPage: async (query) =>
      renderOtherPage(frame, {
        path: '/docs/search',
        title: query === '' ? 'Search' : `Search: ${query}`,
        description: 'Search over the guides and the reference of Everyshare.',
        body: renderResults(query === '' ? [] : await index(), query),
      }),
    missingPage: renderOtherPage(frame, {
      path: '/docs/search',
      title: 'No such page',
      description: 'This page does not exist.',
      body: `<h1>No such page</h1>\n<p>This address has no page. Look for it, or start at the <a href="/docs">list of all pages</a>.</p>\n${searchForm('')}`,
    }),
    searchIndex: memoize(async () =>
      makeAsset('application/json; charset=utf-8', publishedIndex(await index()), 'quick'),
    ),
  };
}

function registerPages(app: FastifyInstance, site: () => Promise<Site>): void {
  for (const [from, to] of Object.entries(MOVED)) {
    app.get(from, async (request, reply) => {
      request.operation = 'docs';
      return setSecurityHeaders(reply, PAGE_POLICY).redirect(to, 301);
    });
  }
  for (const path of ['/docs', '/docs.md', '/llms.txt', '/docs/:page', '/docs/:folder/:name']) {
    app.get(path, async (request, reply) => {
      const { page, folder, name } = request.params as { page?: string; folder?: string; name?: string };
      const named = page === undefined ? `/docs/${folder}/${name}` : `/docs/${page}`;
      const { documents, missingPage } = await site();
      const document = documents.get(path.includes(':') ? named : path);
      if (document === undefined) return replyMissing(request, reply, missingPage);
      return send(request, reply, await document(), CACHE_REVALIDATE);
    });
  }
}

/** An address with a slash at its end leads to the page without it. */
function registerSlashes(app: FastifyInstance, site: () => Promise<Site>): void {
  for (const path of ['/docs/', '/docs/:page/', '/docs/:folder/:name/']) {
    app.get(path, async (request, reply) => {
      const [, address = '', query = ''] = /^([^?]*)\/(\?.*)?$/.exec(request.url) ?? [];
      const { documents, missingPage } = await site();
      const isPage = documents.has(address) || ['/docs/search', '/docs/explorer'].includes(address);
      const target = Object.hasOwn(MOVED, address) ? MOVED[address] : isPage ? `${address}${query}` : undefined;
      if (target === undefined) return replyMissing(request, reply, missingPage);
      request.operation = 'docs';
      return setSecurityHeaders(reply, PAGE_POLICY).redirect(target, 301);
    });
  }
}

function replyMissing(request: FastifyRequest, reply: FastifyReply, missingPage: string): FastifyReply {
  if (!acceptsHtml(request))
    throw new Problem('not_found', { message: 'There is no such page. See /docs for all of them, or /docs/search.' });
  request.operation = 'docs';
  return setSecurityHeaders(reply, PAGE_POLICY).code(404).type(HTML).send(missingPage);
}

function registerSearch(app: FastifyInstance, site: () => Promise<Site>): void {
  app.get('/docs/search', async (request, reply) => {
    request.operation = 'docs';
    const { searchPage } = await site();
    const page = await searchPage(readQuery((request.query as { q?: unknown }).q));
    return setSecurityHeaders(reply, PAGE_POLICY).type(HTML).header('cache-control', CACHE_REVALIDATE).send(page);
  });
  app.get('/docs/search-index.json', async (request, reply) =>
    send(request, reply, await (await site()).searchIndex(), CACHE_REVALIDATE),
  );
}

function registerExplorer(app: FastifyInstance, http: HttpContext, assets: () => Promise<Assets>): void {
  const scalar = memoize(loadScalar);
  const versionOfScript = (script: Asset): string => script.etag.slice(3, 11);
  app.get('/docs/explorer', async (request, reply) => {
    request.operation = 'docs';
    const nonce = http.app.random.bytes(16).toString('base64url');
    const scriptPath = `/docs/scalar.js?v=${versionOfScript(await scalar())}`;
    const page = renderExplorer({ assetPath: assetPaths(await assets()) }, { nonce, scriptPath });
    return setSecurityHeaders(reply, explorerPolicy(nonce)).type(HTML).header('cache-control', 'no-store').send(page);
  });
  app.get('/docs/scalar.js', async (request, reply) => {
    const script = await scalar();
    return send(request, reply, script, cacheControlOf(request, versionOfScript(script)));
  });
}

function send(request: FastifyRequest, reply: FastifyReply, asset: Asset, cacheControl: string): Promise<FastifyReply> {
  request.operation = 'docs';
  return sendAsset(request, setSecurityHeaders(reply, PAGE_POLICY), asset, cacheControl);
}

function setSecurityHeaders(reply: FastifyReply, policy: string): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff');
}
