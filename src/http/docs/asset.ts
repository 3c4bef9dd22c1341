// A text that is served as it is: hashed for its etag and compressed once, kept in memory from then on.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** Below this a compressed answer is hardly smaller than the plain one. */
const WORTH_COMPRESSING = 1024;

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer | null;
  readonly etag: string;
}

export async function makeAsset(type: string, text: string): Promise<Asset> {
  const plain = Buffer.from(text);
  const gzipped = plain.length < WORTH_COMPRESSING ? null : await compress(plain, { level: 9 });
  // Weak, because the plain and the compressed answer share it.
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
  if (isKnown(request.headers['if-none-match'] ?? '', asset.etag)) return reply.code(304).send();
  reply.type(asset.type);
  if (asset.gzipped === null || !takesGzip(request.headers['accept-encoding'])) return reply.send(asset.plain);
  return reply.header('content-encoding', 'gzip').send(asset.gzipped);
}

function isKnown(header: string, etag: string): boolean {
  return header.split(',').some((one) => one.trim() === etag);
}

/** `gzip` or `*`, unless its weight is zero. */
function takesGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',');
  const weights = new Map(
    offers.map((offer) => [offer.split(';')[0]?.trim(), /;\s*q=0(\.0*)?\s*$/.test(offer) ? 0 : 1]),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
