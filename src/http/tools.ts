// The way to the tool server: POST /mcp. Its body is read before anybody is asked who they are, since what a call counts as
// (a read, a write, nothing) stands in it; a body that is too large is not kept, and told in its turn.

import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/errors.ts';
import type { OpenToolServer, ToolRequest, ToolServer } from '../run/tool-server.ts';
import type { HttpContext } from './context.ts';
import { setRateLimitHeaders } from './limit-headers.ts';

/** On the route's own configuration: a body that is too large is handed on as a problem. */
export const KEEPS_PROBLEM = { keepsProblem: true } as const;

export function registerTools(app: FastifyInstance, http: HttpContext, path: string, open: OpenToolServer): void {
  let opened: Promise<ToolServer> | null = null;
  // With a slash at its end too: addresses are pasted, and it can mean nothing else.
  for (const url of [path, `${path}/`])
    app.route({
      method: 'POST',
      url,
      config: KEEPS_PROBLEM,
      handler: async (request, reply) => {
        request.operation = 'callTool';
        reply.header('cache-control', 'no-store');
        opened ??= open({ ...http, schemaUrl: () => http.urls().schemas }).catch((error: unknown) => {
          opened = null;
          throw error;
        });
        const toolServer = await opened;
        const answer = await toolServer({
          headers: request.headers,
          body: (request.body as ToolRequest['body'] | null | undefined) ?? Buffer.alloc(0),
          address: request.ip,
          requestId: request.id,
        });
        request.caller = answer.caller;
        request.rateLimit = answer.rateLimit;
        request.operation = answer.operation;
        request.toolStatus = answer.toolStatus;
        if (answer.rateLimit !== null) setRateLimitHeaders(reply, answer.rateLimit);
        if (answer.retryAfter !== null) reply.header('retry-after', answer.retryAfter);
        if (answer.refusal !== null) throw answer.refusal;
        if (answer.json === null) return reply.code(answer.status).send();
        return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.json);
      },
    });
}

/** What the reader of bodies gives where a body cannot be kept. */
export function asBody(config: object, error: unknown): Problem | null {
  return 'keepsProblem' in config && error instanceof Problem ? error : null;
}
