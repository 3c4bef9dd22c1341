// Loads the script of the API reference. Its package exposes the script (4 MB) only through a Fastify plugin, so we
// request it from a temporary Fastify instance, on the first request, because at startup it would cost time.

import Fastify from 'fastify';
import { type Asset, makeAsset } from './asset.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

export async function loadScalar(): Promise<Asset> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  try {
    await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/v1/openapi.json' } });
    const response = await app.inject('/reference/js/scalar.js');
    if (response.statusCode !== 200)
      throw new Error(`the package of the API reference answers ${response.statusCode} for its script`);
    return makeAsset(JAVASCRIPT, response.payload);
  } finally {
    await app.close();
  }
}
