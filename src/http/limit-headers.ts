// The limit's headers, which every answer under /v1 carries, and the count of requests that come without a key.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Allowance } from '../run/admission.ts';
import type { Door } from './server.ts';

export function showAllowance(reply: FastifyReply, allowance: Allowance): void {
  reply
    .header('x-ratelimit-limit', allowance.limit)
    .header('x-ratelimit-remaining', allowance.remaining)
    .header('x-ratelimit-reset', allowance.reset);
}

/** Counts a request that no key is asked of for the address it comes from. */
export async function countForAddress(door: Door, request: FastifyRequest, reply: FastifyReply): Promise<Allowance> {
  const effect = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write';
  const { allowance } = await door.gate({ hash: null, effect, address: request.ip, origin: '' });
  request.allowance = allowance;
  showAllowance(reply, allowance);
  return allowance;
}
