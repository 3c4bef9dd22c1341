// A static text in memory, hashed for its etag and compressed once.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** Below this size, compression saves almost nothing. */
const MIN_COMPRESSED_BYTES = 1024;

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer | null;
  readonly etag: string;
}

export async function makeAsset(type: string, text: string): Promise<Asset> {
  const plain = Buffer.from(text);
  const gzipped = plain.length < MIN_COMPRESSED_BYTES ? null : await compress(plain, { level: 9 });
  // Weak, because the plain and the compressed response share it.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { type, plain, gzipped, etag };
}

export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  cacheControl: string,
): FastifyReply {
  reply.header('cache-control', cacheControl).header('etag', asset.etag).header('vary', 'accept-encoding');
  if (matchesEtag(request.headers['if-none-match'] ?? '', asset.etag)) return reply.code(304).send();
  reply.type(asset.type);
  if (asset.gzipped === null || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(asset.plain);
  return reply.header('content-encoding', 'gzip').send(asset.gzipped);
}

function matchesEtag(header: string, etag: string): boolean {
  return header.split(',').some((one) => one.trim() === etag);
}

/** `gzip` or `*`, unless its weight is zero. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',');
  const weights = new Map(
    offers.map((offer) => [offer.split(';')[0]?.trim(), /;\s*q=0(\.0*)?\s*$/.test(offer) ? 0 : 1]),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
