// For whoever runs it: /healthz (the process is up), /readyz (the database answers and is migrated), /metrics. Metrics
// are for the machine itself and the private network, or for the operator's token; elsewhere they do not exist.

import type { FastifyInstance } from 'fastify';
import { addressIn } from '../base/config.ts';
import { Problem } from '../base/errors.ts';
import { hasOperatorToken } from '../run/authorize.ts';
import type { HttpContext } from './context.ts';

const PRIVATE = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

export function registerStatus(app: FastifyInstance, http: HttpContext): void {
  const { app: context } = http;
  app.get('/healthz', async (request, reply) => {
    request.operation = 'healthz';
    return reply.send({ status: 'ok' });
  });

  app.get('/readyz', async (request, reply) => {
    request.operation = 'readyz';
    try {
      await context.db.query('select 1 from installation');
      return reply.send({ status: 'ready' });
    } catch (error) {
      throw new Problem('service_unavailable', {
        message: 'The database does not answer.',
        headers: { 'retry-after': '1' },
        cause: error,
      });
    }
  });

  app.get('/metrics', async (request, reply) => {
    request.operation = 'metrics';
    // Behind a proxy that nobody named in TRUSTED_PROXIES every caller looks near: then only the token counts.
    const proxied = request.headers['x-forwarded-for'] !== undefined && context.config.trustedProxies.length === 0;
    const near =
      (!proxied && addressIn(request.ip, PRIVATE)) ||
      hasOperatorToken(context.operatorToken, request.headers.authorization);
    if (!near) throw new Problem('not_found', { message: 'There is no such route. See /docs for all of them.' });
    return reply.type(http.metrics.contentType).send(await http.metrics.text());
  });
}
