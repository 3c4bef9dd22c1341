// Hands finished requests to the request log: those with a partner's key. A request that was refused before its key was
// known (no such route, a revoked or expired key, no database) is logged by the hash of its key, and kept only if there
// is such a key. A guest's call with a publishable key is logged too. Sessions of the console, other guests and venue systems
// have no key, and are not logged.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearer } from '../base/bearer-token.ts';
import { hashTextOfKey } from '../domain/keys/key.ts';
import type { FinishedCall } from '../domain/requests/request-line.ts';
import { toolServerOperation } from '../run/operations/agents.ts';
import { operations } from '../run/operations.ts';
import { isPartner } from '../run/principal.ts';
import type { HttpContext } from './context.ts';

const byId = new Map(operations.map((operation) => [operation.id, operation]));

const KEY = /^(?:svc|pk)_(?:test|live)_/;

export function logRequest(
  { requestLog }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  durationMs: number,
): void {
  if (requestLog === null) return;
  const key = loggedKey(request, reply);
  if (key === null) return;
  const { toolCall, problem } = request;
  const status = request.toolStatus ?? reply.statusCode;
  requestLog.record({
    requestId: request.id,
    key,
    method: request.method,
    url: request.url,
    operation: toolCall === null ? (byId.get(request.operation) ?? null) : toolServerOperation,
    tool: toolCall?.tool ?? null,
    status,
    durationMs,
    isReplayed: toolCall?.isReplayed === true || reply.getHeader('idempotent-replayed') === 'true',
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    problem: status < 400 ? null : problem,
    body: status < 400 ? null : bodyOf(request),
  });
}

function loggedKey({ caller, headers }: FastifyRequest, { statusCode }: FastifyReply): FinishedCall['key'] | null {
  if (isPartner(caller)) {
    const { venue, mode, key } = caller;
    return key === null ? null : { venueId: venue.id, mode, keyId: key.id };
  }
  if (caller !== null || statusCode < 400) return null;
  const token = bearer(headers.authorization);
  return token === null || !KEY.test(token) ? null : { hash: hashTextOfKey(token) };
}

/** Of a tool its arguments, to which the pointers of its problems lead. */
function bodyOf({ toolCall, body }: FastifyRequest): Buffer | null {
  if (toolCall?.tool != null) return Buffer.from(JSON.stringify(toolCall.arguments ?? {}));
  return Buffer.isBuffer(body) ? body : null;
}
