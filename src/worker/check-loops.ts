// The loops that compare our records with the card processor and check the ledger. Each check has its time in the database:
// of any number of workers one runs it, and an operator can make it due.

import type { Mode } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import { type Check, claimCheck, readLastChecks, scheduleCheck } from '../domain/monitoring/check-queries.ts';
import { runLedgerCheck, runReconcile } from '../domain/monitoring/run-checks.ts';
import type { Loop, WorkerServices } from './loop.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RECONCILE_EVERY_MS = 6 * HOUR_MS;
/** A check that failed is tried again after this. */
const RETRY_MS = HOUR_MS / 2;
/** It lists days of the processor's records, page by page, or reads every entry of the ledger. */
const MAX_STEP_SECONDS = 2 * 3_600;

const SHARED = { intervalSeconds: 10, batchSize: 1, maxStepSeconds: MAX_STEP_SECONDS } as const;

export const CHECK_LOOPS: readonly Loop[] = [
  {
    name: 'reconcile',
    ...SHARED,
    step: (services, _batch, signal, onTurn) => reconcileModes(services, progressOf(signal, onTurn)),
  },
  {
    name: 'check-ledger',
    ...SHARED,
    step: (services, _batch, signal, onTurn) => checkLedgerWhenDue(services, progressOf(signal, onTurn)),
  },
];

interface Progress {
  readonly isStopped: () => boolean;
  /** Throws when the worker stops, so that another worker runs the check. */
  readonly onProgress: () => void;
}

function progressOf(signal: AbortSignal, onTurn: () => void): Progress {
  return {
    isStopped: () => signal.aborted,
    onProgress: () => {
      onTurn();
      signal.throwIfAborted();
    },
  };
}

/** Releases holds that belong to no checkout, and logs every difference between the processor's records and ours. */
async function reconcileModes(services: WorkerServices, progress: Progress): Promise<number> {
  const { payments, log, countReconcile } = services;
  for (const mode of ['test', 'live'] as const) {
    if (payments.processors[mode] === undefined || progress.isStopped()) continue;
    const check = { name: 'reconcile', mode, everyMs: RECONCILE_EVERY_MS } as const;
    try {
      const isDone = await whenDue(services, check, progress, () => reconcileMode(services, mode, progress));
      if (isDone) countReconcile(mode, 'done');
    } catch (error) {
      // A processor that fails for one mode must not keep the other from being compared.
      countReconcile(mode, 'failed');
      log.error({ err: error, mode }, 'the worker could not compare the processor’s records with ours');
    }
  }
  return 0;
}

const DAYS = 2;
/** As many as the command compares: a difference that is not settled is found again, however old it is by then. */
const DAYS_AFTER_DIFFERENCES = 30;

async function hasOpenDifferences(db: Db, mode: Mode): Promise<boolean> {
  const checks = await readLastChecks(db);
  return checks.some((check) => check.name === 'reconcile' && check.mode === mode && check.differences > 0);
}

async function reconcileMode({ payments, log }: WorkerServices, mode: Mode, { onProgress }: Progress): Promise<void> {
  const days = (await hasOpenDifferences(payments.db, mode)) ? DAYS_AFTER_DIFFERENCES : DAYS;
  const since = payments.clock.now() - days * DAY_MS;
  const { differences } = await runReconcile(payments, { mode, since, apply: null, onProgress });
  for (const difference of differences)
    log[difference.done === null ? 'error' : 'warn'](
      difference,
      'the worker found a difference between the processor’s records and ours',
    );
}

async function checkLedgerWhenDue(services: WorkerServices, progress: Progress): Promise<number> {
  const { payments, log, ledgerCheckHours } = services;
  const check = { name: 'ledger', mode: 'all', everyMs: ledgerCheckHours * HOUR_MS } as const;
  await whenDue(services, check, progress, async () => {
    const { problems } = await runLedgerCheck(payments, progress.onProgress);
    for (const problem of problems)
      log.error(problem, 'the worker found a difference between the ledger and the checkouts');
  });
  return 0;
}

/** False: it is not due, another worker runs it, or this worker stops. */
async function whenDue(
  { payments: { db, clock } }: WorkerServices,
  check: Pick<Check, 'name' | 'mode'> & { readonly everyMs: number },
  { isStopped }: Progress,
  run: () => Promise<void>,
): Promise<boolean> {
  const now = clock.now();
  const leaseToken = await claimCheck(db, check, now, now + MAX_STEP_SECONDS * 1000);
  if (leaseToken === null) return false;
  const nextIn = (ms: number): Promise<void> => scheduleCheck(db, check, leaseToken, clock.now() + ms);
  try {
    await run();
  } catch (error) {
    await nextIn(isStopped() ? 0 : RETRY_MS);
    if (isStopped()) return false;
    throw error;
  }
  await nextIn(check.everyMs);
  return true;
}
