// The script of the API reference. Its package holds it as one string of 4 MB and hands it out only by a Fastify plugin,
// so a throw-away Fastify is asked for it: on the first request and never at the start, which it would make slow.

import Fastify from 'fastify';
import { type Asset, makeAsset } from './asset.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

export async function loadScalar(): Promise<Asset> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  try {
    await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/v1/openapi.json' } });
    const answer = await app.inject('/reference/js/scalar.js');
    if (answer.statusCode !== 200)
      throw new Error(`the package of the API reference answers ${answer.statusCode} for its script`);
    return await makeAsset(JAVASCRIPT, answer.payload);
  } finally {
    await app.close();
  }
}
