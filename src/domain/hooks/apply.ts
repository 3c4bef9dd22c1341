// The worker's side of a delivery: read by its provider's mapping, merged with what is known, and upserted through the command
// and the validation of POST /v1/offerings. Everything that one delivery changes, and what became of it, is one transaction:
// a crash leaves it due, a twin waits for the lane. Deliveries of an integration are applied in the order in which they came.

import type { Clock } from '../../base/clock.ts';
import { type Db, isUnavailable, type Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { findVenue } from '../venues/queries.ts';
import {
  type DueDelivery,
  dueQueues,
  type IntegrationQueue,
  lockQueue,
  oldestDue,
  recordFailure,
  recordOutcome,
} from './deliveries/queries.ts';
import { applyDelivery, outcomeOfInvalidBody } from './outcome.ts';
import { bodyRow } from './receive.ts';
import type { Outcome, SellerServices } from './upsert-from-hook.ts';

export interface ApplyServices extends SellerServices {
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
 * The explicit step of the worker: one delivery of each integration whose oldest is due, sweep after sweep, until `batch` are
 * done or a whole sweep finds nothing to do. No lane that waits, or that somebody else has, keeps others from their turn.
 */
export async function applyDueDeliveries(services: ApplyServices, batch: number): Promise<number> {
  let done = 0;
  for (let found = 1; found > 0 && done < batch; done += found) found = await sweep(services, batch - done);
  return done;
}

async function sweep(services: ApplyServices, most: number): Promise<number> {
  let done = 0;
  let after: IntegrationQueue | null = null;
  while (done < most) {
    const lanes: IntegrationQueue[] = await dueQueues(
      services.db,
      services.clock.now(),
      after,
      Math.min(MAX_QUEUES, most - done),
    );
    const waiting = [...lanes];
    const serve = async (): Promise<void> => {
      for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
        const applied = await applyOldest(services, lane);
        done += applied;
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_QUEUES }, serve));
    after = lanes.at(-1) ?? null;
    if (after === null) break;
  }
  return done;
}

/** Answers how many were looked at: one, or none. */
async function applyOldest(services: ApplyServices, lane: IntegrationQueue): Promise<number> {
  let taken: DueDelivery | null = null;
  try {
    return await services.db.transaction(async (tx) => {
      taken = null;
      if (!(await lockQueue(tx, lane))) return 0;
      taken = await oldestDue(tx, lane, services.clock.now());
      if (taken === null) return 0;
      const outcome = await applyOne(tx, services, taken);
      await recordOutcome(tx, taken, outcome, services.clock.now());
      return 1;
    });
  } catch (error) {
    if (taken === null) throw error;
    await postpone(services, taken, error);
    return 1;
  }
}

/** What went wrong with us is tried again a few times; it never holds up a lane for good. */
async function postpone({ db, clock, log }: ApplyServices, delivery: DueDelivery, error: unknown): Promise<void> {
  // A database that is gone or too busy is no fault of the delivery's: that spends none of its tries.
  const isBusy = isUnavailable(error);
  const attempts = delivery.attempts + (isBusy ? 0 : 1);
  log[isBusy ? 'warn' : 'error'](
    { delivery: delivery.id, attempts, err: error },
    'an inbound delivery was not applied',
  );
  const dueAt = attempts < MAX_ATTEMPTS ? clock.now() + FIRST_RETRY_MS * 2 ** delivery.attempts : null;
  await recordFailure(db, delivery, attempts, dueAt, 'Something went wrong with us: apply it again, or ask us.');
}

async function applyOne(tx: Queryable, services: ApplyServices, delivery: DueDelivery): Promise<Outcome> {
  const venue = await findVenue(tx, delivery.venue_id);
  if (venue === null) throw new Error(`there is no venue ${delivery.venue_id}`);
  const text = services.seal.open(delivery.body, bodyRow(delivery.venue_id, delivery.id));
  const { ids, contract, mappings } = services;
  const { mode, provider } = delivery;
  const seller = { ids, contract, mappings, venue, mode, provider, now: services.clock.now() };
  try {
    return await applyDelivery(tx, seller, delivery, text);
  } catch (error) {
    const refused = outcomeOfInvalidBody(error);
    if (refused === null) throw error;
    return refused;
  }
}
