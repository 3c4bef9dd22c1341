// Starts the worker's loops in this process, and the address at which they are monitored (WORKER_PORT).

import { readPollInterval } from '../base/distribution/poll-interval.ts';
import type { Log } from '../base/log.ts';
import { startMonitoringServer } from '../base/monitoring/monitoring-server.ts';
import { packageRoot } from '../base/package-root.ts';
import { makeSchemaProbe } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { listenForWork } from '../base/work-signal.ts';
import { makeTraceMovement } from '../domain/payments/trace-movement.ts';
import { DispatchSignal } from '../domain/webhooks/deliveries/dispatch-signal.ts';
import { makeTraceAttempt } from '../domain/webhooks/deliveries/trace-attempt.ts';
import { type AppContext, readServicesOf } from '../run/context.ts';
import type { RunningWorker } from '../worker/worker.ts';
import { asListenError } from './listen-error.ts';
import { mailSender } from './mail-sender.ts';
import type { Monitoring } from './monitoring.ts';
import { smsSender } from './sms-sender.ts';

/** Returns the port of its monitoring; null: WORKER_PORT is not set. */
export async function runWorker(
  context: AppContext,
  monitoring: Monitoring,
  log: Log,
  shutdown: Shutdown,
): Promise<number | null> {
  const { startWorker } = await import('../worker/worker.ts');
  const { makeLoopMetrics, registerLoopHeartbeats } = await import('../worker/loop-metrics.ts');
  const { services, config, db, clock, workSignal } = context;
  listenForWork(db, workSignal);
  // Behind a pooler this process cannot listen for notifications, so it must look often.
  const pace = db.listen === undefined ? null : await readPollInterval(db);
  const pollInterval = pace === null ? {} : { pollInterval: pace };
  const idlePolling = pace === null ? {} : { idlePolling: { pace, workSignal } };
  const { onAttempt, countTexts, countMails, countReconcile } = monitoring.services;
  const { tracing } = monitoring;
  const traceAttempt = tracing === null ? {} : { traceAttempt: makeTraceAttempt(db, tracing) };
  const traceMovement = tracing === null ? {} : { traceMovement: makeTraceMovement(db, tracing) };
  const worker = startWorker(
    {
      db,
      log,
      clock,
      outbound: services.outbound,
      payments: { ...services, ...traceMovement },
      deliveries: { ...services, dispatchSignal: new DispatchSignal(), onAttempt, ...traceAttempt, ...idlePolling },
      hooks: context,
      reads: readServicesOf(context),
      retention: config.retention,
      ledgerCheckHours: config.ledgerCheckHours,
      workSignal,
      ...pollInterval,
      countReconcile,
      sender: countTexts(smsSender(config)),
      mailSender: countMails(mailSender(config)),
    },
    makeLoopMetrics(monitoring.metrics),
  );
  registerLoopHeartbeats(monitoring.metrics, worker);
  await shutdown.add(() => worker.close());
  return openMonitoring(context, monitoring, worker, shutdown);
}

async function openMonitoring(
  context: AppContext,
  { metrics }: Monitoring,
  worker: RunningWorker,
  shutdown: Shutdown,
): Promise<number | null> {
  const { workerPort, workerHost } = context.config;
  if (workerPort === null) return null;
  const problem = makeReadiness(context, worker);
  const server = await startMonitoringServer({ ...context, metrics, problem }, workerHost, workerPort).catch(
    (error: unknown) => {
      throw asListenError(error, context.config);
    },
  );
  await shutdown.add(() => server.close());
  return server.port;
}

/** Why a worker is not ready: its database, or a loop that has not turned for long. Null: it is ready. */
export function makeReadiness(
  { db, log }: Pick<AppContext, 'db' | 'log'>,
  worker: Pick<RunningWorker, 'stalledLoops'>,
): () => Promise<string | null> {
  const probe = makeSchemaProbe(db, schemaFolders(packageRoot));
  return async () => {
    try {
      if (!(await probe())) return 'The database is not of this release: see the guide "Upgrade".';
    } catch (error) {
      log.warn({ err: error }, 'the worker is not ready: the database does not answer');
      return 'The database does not answer.';
    }
    const stalled = worker.stalledLoops();
    return stalled.length === 0 ? null : `These loops have not turned for long: ${stalled.join(', ')}.`;
  };
}
