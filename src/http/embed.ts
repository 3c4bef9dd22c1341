// GET /embed/v1.js: the script of the embed, which pages of partners load. Every origin may read it. It keeps its address, so
// browsers look for a new one after an hour, and learn by its etag whether there is one.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/errors.ts';
import { packageRoot } from '../base/package-root.ts';
import { makeAsset, sendAsset } from './docs/asset.ts';

const FILE = join(packageRoot, 'web', 'embed', 'v1.gen.js');
/** A week longer while the server cannot be reached or is asked in the background. */
const CACHE = 'public, max-age=3600, stale-while-revalidate=604800, stale-if-error=604800';

export function registerEmbed(app: FastifyInstance): void {
  const script = makeAsset('text/javascript; charset=utf-8', readFileSync(FILE, 'utf8'));
  app.get('/embed/:name', async (request, reply) => {
    request.operation = 'embed';
    const { name } = request.params as { readonly name: string };
    if (name !== 'v1.js')
      throw new Problem('not_found', { message: 'There is no such file. The embed is /embed/v1.js.' });
    reply
      .header('access-control-allow-origin', '*')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('timing-allow-origin', '*');
    return sendAsset(request, reply, script, CACHE);
  });
}
