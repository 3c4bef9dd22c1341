// The rate limit headers, which every response under /v1 has, and the counting of requests without a key.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../run/admission.ts';
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
