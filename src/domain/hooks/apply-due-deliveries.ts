// The worker's side of inbound deliveries: interprets each by its provider's mapping, merges it with the stored
// offering, and upserts it through the command and the validation of POST /v1/offerings. The changes of one delivery
// and its outcome are one transaction: after a crash it is still due, and the lock on the integration's queue excludes
// other workers. Deliveries of one integration are applied in the order of their arrival.

import type { Clock } from '../../base/clock.ts';
import { type Db, isUnavailable, type Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { findVenue } from '../venues/queries.ts';
import { venueInMode } from '../venues/venue.ts';
import { outcomeOfInvalidBody } from './apply-custom.ts';
import { applyDelivery } from './apply-delivery.ts';
import {
  type DueDelivery,
  dueQueues,
  type IntegrationQueue,
  lockQueue,
  oldestDue,
  recordFailure,
  recordOutcome,
} from './deliveries/queries.ts';
import { requestReads, requestUnknown } from './readers/request-reads.ts';
import { bodyRow } from './receive.ts';
import type { HookServices, Outcome } from './upsert-from-hook.ts';

export interface ApplyServices extends HookServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
}

const MAX_QUEUES = 200;
const MAX_CONCURRENT_QUEUES = 4;
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 1_000;

/**
 * One step of the worker: applies one delivery of each integration whose oldest delivery is due, sweep after sweep,
 * until `batch` are done or a sweep finds none. A queue that waits, or that another worker has locked, does not delay
 * the others.
 */
export async function applyDueDeliveries(services: ApplyServices, batch: number): Promise<number> {
  let done = 0;
  for (let found = 1; found > 0 && done < batch; done += found) found = await sweep(services, batch - done);
  return done;
}

async function sweep(services: ApplyServices, limit: number): Promise<number> {
  let done = 0;
  let after: IntegrationQueue | null = null;
  while (done < limit) {
    const queues: IntegrationQueue[] = await dueQueues(
      services.db,
      services.clock.now(),
      after,
      Math.min(MAX_QUEUES, limit - done),
    );
    const waiting = [...queues];
    const runQueues = async (): Promise<void> => {
      for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift()) {
        const applied = await applyOldest(services, queue);
        done += applied;
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_QUEUES }, runQueues));
    after = queues.at(-1) ?? null;
    if (after === null) break;
  }
  return done;
}

/** Returns how many deliveries were processed: one or none. */
async function applyOldest(services: ApplyServices, queue: IntegrationQueue): Promise<number> {
  let delivery: DueDelivery | null = null;
  try {
    return await services.db.transaction(async (tx) => {
      delivery = null;
      if (!(await lockQueue(tx, queue))) return 0;
      delivery = await oldestDue(tx, queue, services.clock.now());
      if (delivery === null) return 0;
      const outcome = await applyOne(tx, services, delivery);
      await recordOutcome(tx, delivery, outcome, services.clock.now());
      return 1;
    });
  } catch (error) {
    if (delivery === null) throw error;
    await retryLater(services, delivery, error);
    return 1;
  }
}

/**
 * Retries an internal error a few times, then marks the delivery as failed, so that it cannot block its queue forever.
 */
async function retryLater({ db, clock, log }: ApplyServices, delivery: DueDelivery, error: unknown): Promise<void> {
  // An unavailable database is not the delivery's fault and does not count as an attempt.
  const isDatabaseUnavailable = isUnavailable(error);
  const attempts = delivery.attempts + (isDatabaseUnavailable ? 0 : 1);
  log[isDatabaseUnavailable ? 'warn' : 'error'](
    { delivery: delivery.id, attempts, err: error },
    'the worker could not apply an inbound delivery',
  );
  const dueAt = attempts < MAX_ATTEMPTS ? clock.now() + FIRST_RETRY_MS * 2 ** delivery.attempts : null;
  await recordFailure(db, delivery, attempts, dueAt, 'An internal error occurred: replay the delivery, or contact us.');
}

async function applyOne(tx: Queryable, services: ApplyServices, delivery: DueDelivery): Promise<Outcome> {
  const row = await findVenue(tx, delivery.venue_id);
  if (row === null) throw new Error(`venue ${delivery.venue_id} of an inbound delivery does not exist`);
  const text = services.seal.open(delivery.body, bodyRow(delivery.venue_id, delivery.id));
  const { ids, contract, mappings, readers } = services;
  const { mode, provider } = delivery;
  const venue = venueInMode(row, mode);
  const context = { ids, contract, mappings, readers, venue, mode, provider, now: services.clock.now() };
  try {
    const outcome = await applyDelivery(tx, context, delivery, text);
    const { status } = outcome;
    if (status === 'needs_api_read') return await requestReads(tx, context, delivery, text, outcome);
    const isDone = status === 'applied' || status === 'ignored';
    return isDone ? await requestUnknown(tx, context, delivery, text, outcome) : outcome;
  } catch (error) {
    const outcome = outcomeOfInvalidBody(error);
    if (outcome === null) throw error;
    return outcome;
  }
}
