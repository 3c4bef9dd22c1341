// A static text in memory, hashed for its etag and compressed once, when the first caller wants it.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type ContentEncoding } from '../content-encoding.ts';
import { memoize } from './memoize.ts';

const gzipText = promisify(gzip);
const brotliText = promisify(brotliCompress);

/** Below this size, compression saves almost nothing. */
const MIN_COMPRESSED_BYTES = 1024;
/** Above this size, brotli at its best takes seconds. */
const MAX_BROTLI_BYTES = 200_000;
const BROTLI = {
  best: { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } },
  /** Measured on five pages: 13 to 19 % larger than the best, in about a fiftieth of the time. */
  quick: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } },
};

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  /** Compressed at the first call: compressing all assets took 110 ms of the start. */
  readonly compressed: Readonly<Partial<Record<ContentEncoding, () => Promise<Buffer>>>>;
  readonly etag: string;
}

/** Not compressed: for a text below `MIN_COMPRESSED_BYTES`. */
export function makeSmallAsset(type: string, text: string): Asset {
  const plain = Buffer.from(text);
  // Weak, because the plain and the compressed response share it.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { type, plain, compressed: {}, etag };
}

/** `effort`: the best compression for what every visitor loads, a quick one for a page among many. */
export function makeAsset(type: string, text: string, effort: keyof typeof BROTLI = 'best'): Asset {
  const small = makeSmallAsset(type, text);
  const { plain } = small;
  if (plain.length < MIN_COMPRESSED_BYTES) return small;
  const br = memoize(() => brotliText(plain, BROTLI[effort]));
  const gzipped = memoize(() => gzipText(plain, { level: effort === 'best' ? 9 : 6 }));
  return { ...small, compressed: { ...(plain.length <= MAX_BROTLI_BYTES ? { br } : {}), gzip: gzipped } };
}

export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  cacheControl: string,
): Promise<FastifyReply> {
  reply.header('cache-control', cacheControl).header('etag', asset.etag).header('vary', 'accept-encoding');
  if (matchesEtag(request.headers['if-none-match'] ?? '', asset.etag)) return reply.code(304).send();
  reply.type(asset.type);
  const offered = Object.keys(asset.compressed) as ContentEncoding[];
  const encoding = acceptedEncoding(request.headers['accept-encoding'], offered);
  const compressed = encoding === null ? undefined : await asset.compressed[encoding]?.();
  if (encoding === null || compressed === undefined) return reply.send(asset.plain);
  return reply.header('content-encoding', encoding).send(compressed);
}

function matchesEtag(header: string, etag: string): boolean {
  return header.split(',').some((one) => one.trim() === etag);
}
