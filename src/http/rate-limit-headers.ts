// The rate limit headers, which every response under /v1 has, and the counting of requests without a key.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../run/admission.ts';
import { rateLimited } from '../run/authorize.ts';
import type { HttpContext } from './context.ts';

export function setRateLimitHeaders(reply: FastifyReply, rateLimit: RateLimit): void {
  reply
    .header('x-ratelimit-limit', rateLimit.limit)
    .header('x-ratelimit-remaining', rateLimit.remaining)
    .header('x-ratelimit-reset', rateLimit.reset);
}

/** Counts a request to a route that needs no key, for its address. */
export async function countCallByAddress(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<RateLimit> {
  const effect = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write';
  const { rateLimit } = await http.admit({ hash: null, effect, address: request.ip, origin: '' });
  request.rateLimit = rateLimit;
  setRateLimitHeaders(reply, rateLimit);
  return rateLimit;
}

/**
 * Counts a read of documentation or schemas for its address, with the other calls without a key: 429 beyond the limit.
 * The document does not need the database, so it is sent even when counting fails.
 */
export async function countDocumentRead(http: HttpContext, request: FastifyRequest): Promise<void> {
  let rateLimit: RateLimit;
  try {
    ({ rateLimit } = await http.admit({ hash: null, effect: 'read', address: request.ip, origin: '' }));
  } catch (error) {
    http.app.log.warn({ request_id: request.id, err: error }, 'the server could not count the read of a document');
    return;
  }
  if (rateLimit.retryAfter !== null) throw rateLimited(rateLimit);
}
