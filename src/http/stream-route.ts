// The route of an operation that answers with server-sent events. The caller is authorized when the stream opens, and again
// at each heartbeat: a key that was revoked, or lost its scope, reads nothing more.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppStreamOperation } from '../run/app-operation.ts';
import { authorize } from '../run/authorize.ts';
import { openStream } from '../run/open-stream.ts';
import { isPartner } from '../run/principal.ts';
import { incomingRequest } from './console-headers.ts';
import type { HttpContext } from './context.ts';
import type { EventStreams, StreamLimit } from './event-stream.ts';
import { embedStreamLimits, withPageLifetime } from './page-streams.ts';
import { routerPath } from './routes.ts';

export type AdmitRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function registerStream(
  app: FastifyInstance,
  http: HttpContext,
  operation: AppStreamOperation,
  admit: AdmitRequest,
): void {
  app.route({
    method: 'GET',
    url: routerPath(operation.path),
    onRequest: admit,
    handler: async (request, reply) => {
      const { caller } = request;
      const input = {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string | string[]>,
        body: null,
        contentType: undefined,
        idempotencyKey: undefined,
        headers: request.headers,
      };
      if (request.method === 'HEAD') {
        const source = await openStream(http.app, operation, caller, input, AbortSignal.abort());
        await source[Symbol.asyncIterator]().next(); // It ends at once, and frees what it holds.
        return reply.type('text/event-stream; charset=utf-8').send();
      }
      const { streams, limits, lifetime } = boundsOf(http, operation, request);
      const sent = await streams.send(reply, {
        limits,
        open: (signal) => openStream(http.app, operation, caller, input, lifetime(signal)),
        isStillAllowed: () => isStillAllowed(http, operation, request),
      });
      request.streamBeganMs = reply.elapsedTime;
      return sent;
    },
  });
}

interface StreamBounds {
  readonly streams: EventStreams;
  readonly limits: readonly StreamLimit[];
  readonly lifetime: (signal: AbortSignal) => AbortSignal;
}

function boundsOf(http: HttpContext, operation: AppStreamOperation, request: FastifyRequest): StreamBounds {
  const { caller, ip } = request;
  if (operation.auth === 'guest') {
    const { id = '' } = request.params as { readonly id?: string };
    return { streams: http.pageStreams, limits: embedStreamLimits(id, ip), lifetime: withPageLifetime };
  }
  const { maxPerKey: max } = operation;
  const message = `This key has ${max} streams open, which is the limit: close one, or read one stream for all.`;
  const limits = [{ subject: isPartner(caller) ? (caller.key?.id ?? caller.actor.name) : ip, max, message }];
  return { streams: http.streams, limits, lifetime: (signal) => signal };
}

/** Uncounted: the caller sends nothing. If it cannot be known, the stream ends, and the client opens another. */
async function isStillAllowed(
  http: HttpContext,
  operation: AppStreamOperation,
  request: FastifyRequest,
): Promise<boolean> {
  try {
    const { refusal } = await authorize(http.app, http.admit, {
      ...incomingRequest(http, operation, request),
      isUncounted: true,
    });
    return refusal === null;
  } catch (error) {
    http.app.log.warn({ request_id: request.id, err: error }, 'the server could not check the key of a stream');
    return false;
  }
}
