// The route to the tool server: POST /mcp. The body is read before the caller is authorized, since it decides how the
// call is counted (a read, a write, not at all). A body that is too large is handed on as a problem and reported after
// authorization.

import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/errors.ts';
import type { OpenToolServer, ToolRequest, ToolServer } from '../run/tool-server.ts';
import type { HttpContext } from './context.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

/** In the configuration of a route: a body that is too large is handed on as a problem. */
export const PASSES_BODY_PROBLEM = { passesBodyProblem: true } as const;

export function registerTools(app: FastifyInstance, http: HttpContext, path: string, open: OpenToolServer): void {
  let opened: Promise<ToolServer> | null = null;
  // With a slash at its end too, since people paste addresses.
  for (const url of [path, `${path}/`])
    app.route({
      method: 'POST',
      url,
      config: PASSES_BODY_PROBLEM,
      handler: async (request, reply) => {
        request.operation = 'callTool';
        reply.header('cache-control', 'no-store');
        opened ??= open({ ...http, schemaUrl: () => http.urls().schemas }).catch((error: unknown) => {
          opened = null;
          throw error;
        });
        const toolServer = await opened;
        const response = await toolServer({
          headers: request.headers,
          body: (request.body as ToolRequest['body'] | null | undefined) ?? Buffer.alloc(0),
          address: request.ip,
          requestId: request.id,
        });
        request.caller = response.caller;
        request.rateLimit = response.rateLimit;
        request.operation = response.operation;
        request.toolStatus = response.toolStatus;
        request.toolCall = response.posted;
        request.problem = response.toolProblem;
        if (response.rateLimit !== null) setRateLimitHeaders(reply, response.rateLimit);
        if (response.retryAfter !== null) reply.header('retry-after', response.retryAfter);
        if (response.refusal !== null) throw response.refusal;
        if (response.json === null) return reply.code(response.status).send();
        return reply.code(response.status).type('application/json; charset=utf-8').send(response.json);
      },
    });
}

/** The problem to hand on instead of the body, on a route that takes it; null: the problem is the response. */
export function bodyProblemFor(config: object, error: unknown): Problem | null {
  return 'passesBodyProblem' in config && error instanceof Problem ? error : null;
}
