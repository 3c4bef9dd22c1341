// Routes for the operator: /healthz (the process is up), /readyz (the database answers and has what this build calls),
// /metrics.
// For callers who may not read the metrics they are 404. With METRICS_PORT they have an address of their own. With PROCESSES
// they have no other: at the shared port a scrape would reach any of the processes, each of which has its own series.

import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/errors.ts';
import { mayReadMetrics } from '../base/monitoring/metrics-access.ts';
import { packageRoot } from '../base/package-root.ts';
import { makeSchemaProbe } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import type { HttpContext } from './context.ts';

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
    if (!isUsable) throw notReady('The database is not of this release: see the guide "Upgrade".');
    return reply.send({ status: 'ready' });
  });

  if (context.config.metricsPort !== null || cluster.isWorker) return;
  app.get('/metrics', async (request, reply) => {
    request.operation = 'metrics';
    if (!mayReadMetrics(context.operatorToken, { address: request.ip, headers: request.headers }))
      throw new Problem('not_found', { message: 'There is no such route. See /docs for all of them.' });
    return reply.type(http.metrics.contentType).send(await http.metrics.text());
  });
}

function notReady(message: string, cause?: unknown): Problem {
  return new Problem('service_unavailable', { message, headers: { 'retry-after': '1' }, cause });
}
