// The page and the files of the console and the desk, and the way to them from `/`. Every address under /console and /desk
// but those of the API gets the same page, whose script shows the screen. Files have a hash in their names, so browsers cache them for a year.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/errors.ts';
import { packageRoot } from '../base/package-root.ts';
import { type Asset, makeAsset, sendAsset } from './docs/asset.ts';
import { memoize } from './docs/memoize.ts';
import { acceptsHtml } from './request-headers.ts';

const FOLDER = join(packageRoot, 'dist', 'console');
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';

/** As the guests' pages: nothing inline, nothing from another origin, and no text becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** What build.js writes: the first two files that the page loads, and all files. */
interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

export function registerConsole(app: FastifyInstance): void {
  const manifest = memoize(readManifest);
  const assets = new Map<string, Promise<Asset>>();
  app.get('/console/assets/:file', async (request, reply) => {
    request.operation = 'consoleAsset';
    const { file } = request.params as { readonly file: string };
    const type = TYPES[/\.(\w+)$/.exec(file)?.[1] ?? ''];
    if (type === undefined || !(await manifest()).files.includes(file))
      throw new Problem('not_found', { message: 'There is no such file: reload the page of the console.' });
    const asset = assets.get(file) ?? readFile(join(FOLDER, file), 'utf8').then((text) => makeAsset(type, text));
    assets.set(file, asset);
    return sendAsset(request, reply, await asset, IMMUTABLE_CACHE);
  });
  for (const path of ['/console', '/console/*', '/desk', '/desk/*'])
    app.get(path, async (request, reply) => {
      const { '*': rest = '' } = request.params as { readonly '*'?: string };
      // An address of the API that is not an operation is 404 or 405, as under /v1: a program must not get a page.
      if (/^api\b/.test(rest)) return reply.callNotFound();
      return sendPage(request, reply, await manifest());
    });
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept');
    return acceptsHtml(request) ? reply.redirect('/console', 302) : reply.callNotFound();
  });
}

async function readManifest(): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(join(FOLDER, 'manifest.json'), 'utf8')) as Manifest;
  } catch (error) {
    throw new Error('the console is not built: run `npm run build`', { cause: error });
  }
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { script, style }: Manifest): FastifyReply {
  request.operation = 'console';
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="robots" content="noindex">',
    '<title>Console · Everyshare</title>',
    '<link rel="icon" href="/docs/icon.svg">',
    `<link rel="stylesheet" href="/console/assets/${style}">`,
    `<script type="module" src="/console/assets/${script}"></script>`,
    '</head>',
    '<body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>',
    '</html>',
  ];
  return reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'same-origin')
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(`${lines.join('\n')}\n`);
}
