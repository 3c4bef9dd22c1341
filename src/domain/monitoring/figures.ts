// The figures of the whole installation, for /metrics and the operators' page. One process computes them, at most every 15 seconds,
// and all others read what it stored: scrapes cost the database the same, however many processes and scrapers there are.
// They are read over a connection of their own, so that no request and no line of the request log waits for them. Times are
// those of the database's clock.

import { setTimeout as delay } from 'node:timers/promises';
import type { MonotonicClock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Backlog } from '../../base/due-rows.ts';
import type { Log } from '../../base/log.ts';
import type { Retention } from '../../base/retention.ts';
import { appliedVersion } from '../../base/schema-check.ts';
import type { SendOutcomes } from '../../base/send-outcomes.ts';
import {
  type CheckoutCount,
  countLapsingHolds,
  countLivingCheckouts,
  type FundedSince,
  fundedSince,
} from '../checkouts/figure-queries.ts';
import { countEventsSince, type EventCount } from '../events/figure-queries.ts';
import { type CapturedMoney, sumCapturedSince } from '../ledger/figure-queries.ts';
import { mailOutcomes } from '../mail/figure-queries.ts';
import { textOutcomes } from '../members/messages/figure-queries.ts';
import {
  countMovements,
  countOpenDisputes,
  type DisputeCount,
  type HeldMoney,
  type MovementCount,
  sumHeld,
  sumVenueDebts,
  type VenueDebts,
} from '../payments/figure-queries.ts';
import { countEndpoints, countWaitingDeliveries, type EndpointCounts } from '../webhooks/figure-queries.ts';
import { type Check, readLastChecks } from './check-queries.ts';
import { databaseNow, findFigures, leaseFigures, releaseFigures, storeFigures } from './figure-store-queries.ts';
import { type ProcessRow, runningProcesses } from './process-queries.ts';
import { type QueueFigures, readQueues, readReviewQueue } from './queues.ts';

/** Times are in milliseconds, by the clock of the database. */
export interface Figures {
  readonly computedAt: number;
  /** How long it took to compute them. */
  readonly seconds: number;
  readonly queues: readonly QueueFigures[];
  /** In live mode; in both if a process of an earlier release has computed the figures. */
  readonly review: Backlog;
  /** Absent: a process of an earlier release has computed the figures. */
  readonly testReview?: Backlog;
  readonly checkouts: readonly CheckoutCount[];
  readonly oldestFundedAt: number | null;
  /** The same by mode. Absent: a process of an earlier release has computed the figures. */
  readonly fundedSince?: FundedSince;
  /** Events of ends, in the last hour. */
  readonly ended: readonly EventCount[];
  readonly held: readonly (HeldMoney & { readonly lapsing: number })[];
  /** In the last hour. */
  readonly captured: readonly CapturedMoney[];
  readonly movements: readonly MovementCount[];
  readonly venueDebts: readonly VenueDebts[];
  readonly disputes: readonly DisputeCount[];
  readonly endpoints: EndpointCounts;
  readonly deliveriesWaiting: number;
  /** When the oldest of them was created. Absent: a process of an earlier release has computed the figures. */
  readonly oldestDeliveryAt?: number | null;
  readonly texts: SendOutcomes;
  readonly mails: SendOutcomes;
  readonly processes: readonly ProcessRow[];
  readonly checks: readonly Check[];
  readonly schemaVersion: number;
}

/** With the clock of the database at this moment: ages are differences from it. */
export type KnownFigures = Figures & { readonly now: number };

export interface FigureServices {
  readonly db: Db;
  /** Says how much time has passed since the clock of the database was read. */
  readonly elapsed: Pick<MonotonicClock, 'now'>;
  readonly log: Log;
  readonly retention: Retention;
}

/** Figures, and how far the clock of the database is ahead of the monotonic clock. */
interface ReadFigures {
  readonly figures: Figures;
  readonly aheadMs: number;
}

export const MAX_AGE_MS = 15_000;
/** Prometheus gives a scrape ten seconds. */
const MAX_WAIT_MS = 5_000;
/** A process that died while it computed keeps the others from computing for this long. */
const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;
export const END_EVENTS = ['checkout.completed', 'checkout.expired', 'checkout.canceled'];

export interface FiguresReader {
  /**
   * Older than 15 seconds: another process computes them now, or their statements fail. Null: there are none yet, or the
   * database does not answer.
   */
  read(): Promise<KnownFigures | null>;
}

export function makeFiguresReader(services: FigureServices): FiguresReader {
  const { elapsed, log } = services;
  let last: ReadFigures | null = null;
  let reading: Promise<ReadFigures | null> | null = null;
  const known = (read: ReadFigures | null): KnownFigures | null =>
    read === null ? null : { ...read.figures, now: elapsed.now() + read.aheadMs };
  const refresh = async (): Promise<ReadFigures | null> => {
    try {
      last = await readOrCompute(services);
    } catch (error) {
      // The other series are served while the database does not answer, when an operator needs them most.
      log.warn({ err: error }, 'the process could not read the figures for its metrics');
      last = null;
    }
    return last;
  };
  return {
    async read() {
      const cached = known(last);
      if (cached !== null && cached.now - cached.computedAt < MAX_AGE_MS) return cached;
      reading ??= refresh().finally(() => {
        reading = null;
      });
      return known(await Promise.race([reading, lateAfter(MAX_WAIT_MS, last)]));
    },
  };
}

/** A scrape does not wait for a database that is slow or silent: the process's own series are wanted most then. */
function lateAfter(milliseconds: number, last: ReadFigures | null): Promise<ReadFigures | null> {
  return delay(milliseconds, last, { ref: false });
}

async function readOrCompute({
  db: { monitoring: db },
  elapsed,
  retention,
  log,
}: FigureServices): Promise<ReadFigures | null> {
  const { figures: stored, computedAt, now } = await findFigures<Figures>(db);
  const aheadMs = now - elapsed.now();
  const known = stored === null || computedAt === null ? null : { figures: { ...stored, computedAt }, aheadMs };
  if (known !== null && now - known.figures.computedAt < MAX_AGE_MS) return known;
  if (!(await leaseFigures(db, MAX_AGE_MS, LEASE_MS))) return known;
  try {
    const figures = await computeFigures(db, retention);
    await storeFigures(db, figures, figures.computedAt);
    return { figures, aheadMs };
  } catch (error) {
    // The next scrape tries again, here or in another process. If this fails too, the lease runs out by itself.
    await releaseFigures(db).catch(() => undefined);
    if (known === null) throw error;
    // An alert says how old they are. Without them every other alert about figures would end.
    log.warn({ err: error }, 'the process could not compute the figures for its metrics; it shows the last ones');
    return known;
  }
}

/** One statement after the other: the figures must not take more than one connection from the database. */
export async function computeFigures(db: Queryable, retention: Retention): Promise<Figures> {
  const computedAt = await databaseNow(db);
  const beganAt = performance.now();
  const deliveries = await countWaitingDeliveries(db);
  const funded = await fundedSince(db);
  const figures = {
    computedAt,
    queues: await readQueues(db, computedAt, retention),
    review: await readReviewQueue(db, 'live', computedAt),
    testReview: await readReviewQueue(db, 'test', computedAt),
    checkouts: await countLivingCheckouts(db),
    oldestFundedAt: Object.values(funded).sort((a, b) => a - b)[0] ?? null,
    fundedSince: funded,
    ended: await countEventsSince(db, END_EVENTS, computedAt - HOUR_MS),
    held: await readHeld(db, computedAt),
    captured: await sumCapturedSince(db, computedAt - HOUR_MS),
    movements: await countMovements(db),
    venueDebts: await sumVenueDebts(db),
    disputes: await countOpenDisputes(db),
    endpoints: await countEndpoints(db, computedAt),
    deliveriesWaiting: deliveries.count,
    oldestDeliveryAt: deliveries.oldestAt,
    texts: await textOutcomes(db, computedAt),
    mails: await mailOutcomes(db, computedAt),
    processes: await runningProcesses(db),
    checks: await readLastChecks(db),
    schemaVersion: await appliedVersion(db),
  };
  return { ...figures, seconds: (performance.now() - beganAt) / 1000 };
}

async function readHeld(db: Queryable, now: number): Promise<Figures['held']> {
  const [held, lapsing] = [await sumHeld(db), await countLapsingHolds(db, now)];
  return held.map((row) => {
    const found = lapsing.find(({ mode, currency }) => mode === row.mode && currency === row.currency);
    return { ...row, lapsing: found?.lapsing ?? 0 };
  });
}
