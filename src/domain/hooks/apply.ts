// The worker's side of a delivery: read by its provider's mapping, merged with what is known, and upserted through the command
// and the validation of POST /v1/offerings. Everything that one delivery changes, and what became of it, is one transaction:
// a crash leaves it due, a twin waits for the lane. Deliveries of an integration are applied in the order in which they came.

import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { findVenue } from '../venues/queries.ts';
import {
  type DueDelivery,
  type Lane,
  lanesDue,
  oldestDue,
  recordOutcome,
  recordTrouble,
  takeLane,
} from './deliveries/queries.ts';
import { MappingTrouble } from './mapping/convert.ts';
import { type Outcome, outcomeOf, refusedBody, type SellerParts } from './outcome.ts';
import { bodyRow } from './receive.ts';

export interface ApplyParts extends SellerParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
}

const MOST_LANES = 200;
const LANES_AT_ONCE = 4;
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 1_000;

/** The explicit step of the worker: one delivery of each integration that has one, until `batch` are done or nothing is due. */
export async function applyDueDeliveries(parts: ApplyParts, batch: number): Promise<number> {
  let done = 0;
  while (done < batch) {
    const lanes = await lanesDue(parts.db, Math.min(MOST_LANES, batch - done));
    let applied = 0;
    for (let i = 0; i < lanes.length; i += LANES_AT_ONCE) {
      const counts = await Promise.all(lanes.slice(i, i + LANES_AT_ONCE).map((lane) => applyOldest(parts, lane)));
      applied += counts.reduce((sum, count) => sum + count, 0);
    }
    done += applied;
    if (applied === 0) break;
  }
  return done;
}

/** Answers how many were looked at: one, or none. */
async function applyOldest(parts: ApplyParts, lane: Lane): Promise<number> {
  let taken: DueDelivery | null = null;
  try {
    return await parts.db.transaction(async (tx) => {
      taken = null;
      if (!(await takeLane(tx, lane))) return 0;
      taken = await oldestDue(tx, lane, parts.clock.now());
      if (taken === null) return 0;
      const outcome = await applied(tx, parts, taken);
      await recordOutcome(tx, taken, outcome, parts.clock.now());
      return 1;
    });
  } catch (error) {
    if (taken === null) throw error;
    await postpone(parts, taken, error);
    return 1;
  }
}

/** What went wrong with us is tried again a few times; it never holds up a lane for good. */
async function postpone({ db, clock, log }: ApplyParts, delivery: DueDelivery, error: unknown): Promise<void> {
  const attempts = delivery.attempts + 1;
  log.error({ delivery: delivery.id, attempts, err: error }, 'an inbound delivery was not applied');
  const dueAt = attempts < MOST_TRIES ? clock.now() + FIRST_PAUSE_MS * 2 ** delivery.attempts : null;
  await recordTrouble(db, delivery, dueAt, 'Something went wrong with us: apply it again, or ask us.');
}

async function applied(tx: Queryable, parts: ApplyParts, delivery: DueDelivery): Promise<Outcome> {
  const venue = await findVenue(tx, delivery.venue_id);
  if (venue === null) throw new Error(`there is no venue ${delivery.venue_id}`);
  const text = parts.seal.open(delivery.body, bodyRow(delivery.venue_id, delivery.id));
  const { ids, contract, mappings } = parts;
  const seller = { ids, contract, mappings, venue, mode: delivery.mode, now: parts.clock.now() };
  try {
    return await outcomeOf(tx, seller, delivery, text);
  } catch (error) {
    if (error instanceof MappingTrouble) return { status: 'unmapped', reason: error.message, offering: null };
    const refused = refusedBody(error);
    if (refused === null) throw error;
    return refused;
  }
}
