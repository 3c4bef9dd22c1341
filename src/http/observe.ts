// What the server does about a request after its answer: metrics, the line of the log, the request log, and the signal for
// the workers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../domain/keys/caller.ts';
import { isPartner } from '../run/principal.ts';
import type { HttpContext } from './context.ts';
import { logRequest } from './log-request.ts';

/** They leave no work. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function observe(http: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  const ms = request.streamBeganMs ?? reply.elapsedTime;
  logRequest(http, request, reply, ms);
  const seconds = ms / 1000;
  const { toolStatus } = request;
  const status = toolStatus ?? reply.statusCode;
  http.metrics.observe(request.operation, status, seconds);
  if (!READS.has(request.method) && status < 400 && !request.leavesNoWork) http.app.workSignal.notify();
  if (status === 429) http.metrics.countRefusal(limitOf(request));
  if (!http.app.log.isLevelEnabled('info')) return;
  http.app.log.info(
    {
      request_id: request.id,
      operation: request.operation,
      method: request.method,
      status: reply.statusCode,
      ...(toolStatus === null ? {} : { tool_status: toolStatus }),
      ms: Math.round(seconds * 1e5) / 100,
      ...(isPartner(request.caller) ? callerLogFields(request.caller) : {}),
    },
    'request',
  );
}

/** Whose rolling hour is used up; `other`: another limit refused the call. */
function limitOf({ rateLimit }: FastifyRequest): string {
  if (rateLimit === null || rateLimit.retryAfter === null) return 'other';
  return rateLimit.of.replace(' ', '_');
}

/** The fields of the log line that name the caller and the entry point. */
function callerLogFields({ key, venue, actor: by }: Caller): object {
  return { key: key?.id ?? by.name, venue: venue.id, via: by.via };
}
