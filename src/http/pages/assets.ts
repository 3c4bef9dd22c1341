// Serves the styles and scripts of the hosted pages from web/guest, with the tokens from web/ui. Pages link to them with a content hash, so browsers
// cache them for a year and never mix two versions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BoundedCache } from '../../base/bounded-cache.ts';
import { Problem } from '../../base/errors.ts';
import { packageRoot } from '../../base/package-root.ts';
import { themeStylesheet } from '../../base/theme.ts';
import { type Asset, makeAsset, makeSmallAsset, sendAsset } from '../docs/asset.ts';

const JS = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const FILES: Readonly<Record<string, string>> = {
  'guest.css': CSS,
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
export function readAssets(): void {
  if (loaded !== null) return;
  const made = new Map<string, LoadedAsset>();
  for (const [name, type] of Object.entries(FILES)) {
    const asset = makeAsset(type, textOf(name));
    made.set(name, loadedAsset(`/guest/${name}`, asset));
  }
  loaded = made;
}

const readText = (...path: readonly string[]): string => readFileSync(join(packageRoot, 'web', ...path), 'utf8');

/** The stylesheet begins with its tokens, which stand beside those of the console. */
function textOf(name: string): string {
  const text = readText('guest', name);
  return name === 'guest.css' ? `${readText('ui', 'guest-tokens.css')}\n${text}` : text;
}

export function assetUrl(name: string): string {
  const url = loaded?.get(name)?.url;
  if (url === undefined) throw new Error(`there is no file web/guest/${name}, or it is not read yet`);
  return url;
}

function loadedAsset(path: string, asset: Asset): LoadedAsset {
  return { asset, url: `${path}?v=${asset.etag.slice(3, 15)}` };
}

/** Any caller may ask for any colour. */
const MAX_THEMES = 200;
const themes = new BoundedCache<LoadedAsset>(MAX_THEMES);

/** The stylesheet of a venue's colour, `#rrggbb`. It is too small to be compressed. */
function themeOf(color: string): LoadedAsset {
  return themes.get(color, () =>
    loadedAsset(`/guest/theme/${color.slice(1)}.css`, makeSmallAsset(CSS, themeStylesheet(color))),
  );
}

export function themeUrl(color: string): string {
  return themeOf(color).url;
}

function sendTheme(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  request.operation = 'guestTheme';
  const color = /^([0-9a-f]{6})\.css$/.exec((request.params as { file: string }).file)?.[1];
  if (color === undefined) throw new Problem('not_found', { message: 'There is no such file.' });
  return sendLoaded(request, reply, themeOf(`#${color}`));
}

/** Under the address with its hash a text never changes. */
function sendLoaded(request: FastifyRequest, reply: FastifyReply, { asset, url }: LoadedAsset): Promise<FastifyReply> {
  return sendAsset(request, reply, asset, request.url === url ? IMMUTABLE_CACHE : REVALIDATE_CACHE);
}

export function registerAssets(app: FastifyInstance): void {
  app.get('/guest/theme/:file', async (request, reply) => sendTheme(request, reply));
  app.get('/guest/:name', async (request, reply) => {
    request.operation = 'guestAsset';
    const found = loaded?.get((request.params as { name: string }).name);
    if (found === undefined) throw new Problem('not_found', { message: 'There is no such file.' });
    return sendLoaded(request, reply, found);
  });
}
