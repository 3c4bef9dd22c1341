// Routes for the operator: /healthz (the process is up), /readyz (the database answers and has what this build calls),
// /metrics.
// Metrics are readable from the machine itself, from private networks, and with the operator's token; for others they
// are 404.

import type { FastifyInstance } from 'fastify';
import { addressIn } from '../base/config.ts';
import { Problem } from '../base/errors.ts';
import { packageRoot } from '../base/package-root.ts';
import { makeSchemaProbe } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import { hasOperatorToken } from '../run/authorize.ts';
import type { HttpContext } from './context.ts';

const PRIVATE_NETWORKS = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

export function registerStatus(app: FastifyInstance, http: HttpContext): void {
  const { app: context } = http;
  const probe = makeSchemaProbe(context.db, schemaFolders(packageRoot));
  app.get('/healthz', async (request, reply) => {
    request.operation = 'healthz';
    return reply.send({ status: 'ok' });
  });

  app.get('/readyz', async (request, reply) => {
    request.operation = 'readyz';
    const isUsable = await probe().catch((error: unknown) => {
      throw notReady('The database does not answer.', error);
    });
    if (!isUsable) throw notReady('The database is not of this release: see the guide, "Updating".');
    return reply.send({ status: 'ready' });
  });

  app.get('/metrics', async (request, reply) => {
    request.operation = 'metrics';
    // Behind a proxy that is not in TRUSTED_PROXIES every caller has a private address: then only the token counts.
    const isProxied = request.headers['x-forwarded-for'] !== undefined && context.config.trustedProxies.length === 0;
    const isAllowed =
      (!isProxied && addressIn(request.ip, PRIVATE_NETWORKS)) ||
      hasOperatorToken(context.operatorToken, request.headers.authorization);
    if (!isAllowed) throw new Problem('not_found', { message: 'There is no such route. See /docs for all of them.' });
    return reply.type(http.metrics.contentType).send(await http.metrics.text());
  });
}

function notReady(message: string, cause?: unknown): Problem {
  return new Problem('service_unavailable', { message, headers: { 'retry-after': '1' }, cause });
}
