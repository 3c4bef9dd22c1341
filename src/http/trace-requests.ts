// One span for each request, from its headers to the end of its answer. A caller's traceparent makes it part of the
// caller's trace. It has the name of the operation, never the address with its ids and tokens.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Tracing } from '../base/tracing/tracing.ts';

export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    const attributes = { 'http.request.method': request.method, 'everyshare.request_id': request.id };
    const parent = typeof traceparent === 'string' ? traceparent : null;
    tracing.run({ name: 'request', kind: 'server', attributes, parent }, (span) => {
      spans.set(request, span);
      done();
    });
  });
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    const attributes = { 'everyshare.operation': request.operation, 'http.response.status_code': status };
    const span = spans.get(request);
    span?.rename(request.operation);
    span?.end(attributes, status >= 500 ? new Error() : null);
    done();
  });
}
