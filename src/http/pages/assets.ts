// Serves the styles and scripts of the hosted pages from web/guest. Pages link to them with a content hash, so browsers
// cache them for a year and never mix two versions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/errors.ts';
import { packageRoot } from '../../base/package-root.ts';
import { themeStylesheet } from '../../base/theme.ts';
import { type Asset, makeAsset, sendAsset } from '../docs/asset.ts';

const JS = 'text/javascript; charset=utf-8';
const FILES: Readonly<Record<string, string>> = {
  'guest.css': 'text/css; charset=utf-8',
  'guest.js': JS,
  'party.js': JS,
  'pay.js': JS,
  'pay-sandbox.js': JS,
  'pay-stripe.js': JS,
};

const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';
const REVALIDATE_CACHE = 'public, no-cache';

interface LoadedAsset {
  readonly asset: Asset;
  readonly url: string;
}

let loaded: ReadonlyMap<string, LoadedAsset> | null = null;

/** Reads the files once, before the first page is rendered. */
export async function readAssets(): Promise<void> {
  if (loaded !== null) return;
  const made = new Map<string, LoadedAsset>();
  for (const [name, type] of Object.entries(FILES)) {
    const asset = await makeAsset(type, readFileSync(join(packageRoot, 'web', 'guest', name), 'utf8'));
    made.set(name, { asset, url: `/guest/${name}?v=${asset.etag.slice(3, 15)}` });
  }
  loaded = made;
}

export function assetUrl(name: string): string {
  const url = loaded?.get(name)?.url;
  if (url === undefined) throw new Error(`there is no file web/guest/${name}, or it is not read yet`);
  return url;
}

/** The stylesheet of a venue's colour. It follows from the colour alone, so browsers keep it. */
export function themeUrl(color: string): string {
  return `/guest/theme/${color.slice(1)}.css`;
}

function sendTheme(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.operation = 'guestTheme';
  const color = /^([0-9a-f]{6})\.css$/.exec((request.params as { file: string }).file)?.[1];
  if (color === undefined) throw new Problem('not_found', { message: 'There is no such file.' });
  return reply
    .type('text/css; charset=utf-8')
    .header('cache-control', IMMUTABLE_CACHE)
    .send(themeStylesheet(`#${color}`));
}

export function registerAssets(app: FastifyInstance): void {
  app.get('/guest/theme/:file', async (request, reply) => sendTheme(request, reply));
  app.get('/guest/:name', async (request, reply) => {
    request.operation = 'guestAsset';
    const found = loaded?.get((request.params as { name: string }).name);
    if (found === undefined) throw new Problem('not_found', { message: 'There is no such file.' });
    const isHashedUrl = `/guest/${request.url.split('/').at(-1)}` === found.url;
    return sendAsset(request, reply, found.asset, isHashedUrl ? IMMUTABLE_CACHE : REVALIDATE_CACHE);
  });
}
