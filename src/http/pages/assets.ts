// The style and the scripts of the hosted pages, as files of web/guest. A page names them with their content's hash, so
// that a browser keeps them for a year and never mixes two versions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../base/errors.ts';
import { packageRoot } from '../../base/package-root.ts';
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

const FOR_A_YEAR = 'public, max-age=31536000, immutable';
const REVALIDATED = 'public, no-cache';

interface Kept {
  readonly asset: Asset;
  readonly url: string;
}

let kept: ReadonlyMap<string, Kept> | null = null;

/** Read once, before the first page is made. */
export async function readAssets(): Promise<void> {
  if (kept !== null) return;
  const made = new Map<string, Kept>();
  for (const [name, type] of Object.entries(FILES)) {
    const asset = await makeAsset(type, readFileSync(join(packageRoot, 'web', 'guest', name), 'utf8'));
    made.set(name, { asset, url: `/guest/${name}?v=${asset.etag.slice(3, 15)}` });
  }
  kept = made;
}

export function assetUrl(name: string): string {
  const url = kept?.get(name)?.url;
  if (url === undefined) throw new Error(`there is no file web/guest/${name}, or it is not read yet`);
  return url;
}

export function registerAssets(app: FastifyInstance): void {
  app.get('/guest/:name', async (request, reply) => {
    request.operation = 'guestAsset';
    const found = kept?.get((request.params as { name: string }).name);
    if (found === undefined) throw new Problem('not_found', { message: 'There is no such file.' });
    const isNamed = `/guest/${request.url.split('/').at(-1)}` === found.url;
    return sendAsset(request, reply, found.asset, isNamed ? FOR_A_YEAR : REVALIDATED);
  });
}
