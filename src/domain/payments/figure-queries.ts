// The figures of money that monitoring shows: held, owed, on its way, disputed. They read what is not finished through
// partial indexes, so that what is finished does not make them slower.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface HeldMoney {
  readonly mode: Mode;
  readonly currency: string;
  readonly amount: number;
  readonly holds: number;
}

const MAX_ROWS = 200_000;

export async function sumHeld(db: Queryable): Promise<HeldMoney[]> {
  return db.query<HeldMoney>(
    `select mode, currency, sum(amount)::bigint as amount, count(*)::integer as holds
     from (select mode, currency, amount from holds where status = 'held' limit ${MAX_ROWS}) held group by mode, currency`,
  );
}

/**
 * SQL: the holds that end within 24 hours of $1 and are not to be renewed. A hold that is to be renewed is due at that time,
 * and a worker renews it within seconds: its renewal was refused, is not due before the hold ends, or has been due for long.
 */
export const LAPSING_HOLDS = `select mode, currency, venue_id, checkout_id, capture_before from holds
  where status = 'held' and capture_before < to_timestamp($1 / 1000.0) + interval '24 hours'
    and (renewal_refused_at is not null or due_at is null or due_at >= capture_before
      or due_at < to_timestamp($1 / 1000.0) - interval '15 minutes')
  limit ${MAX_ROWS}`;

export interface MovementCount {
  readonly mode: Mode;
  readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
  readonly status: 'waiting' | 'sending' | 'pending' | 'frozen' | 'owed' | 'failed';
  readonly currency: string;
  readonly count: number;
  readonly amount: number;
  /** When the first of them was due for the first time, in milliseconds; null: none is sent yet. Absent: of an earlier release. */
  readonly firstDueAt?: number | null;
}

/**
 * Movements that are not finished: done, dropped and closed ones are not counted. The bound is for waiting ones alone: most
 * are transfers before their payout time, and however many there are, every failed movement is counted.
 */
export async function countMovements(db: Queryable, maxWaiting = MAX_ROWS): Promise<MovementCount[]> {
  return db.query<MovementCount>(
    `select mode, kind, status, currency, count(*)::integer as count, sum(amount)::bigint as amount,
       (extract(epoch from min(first_due_at)) * 1000)::float8 as "firstDueAt" from (
       (select mode, kind, status, currency, amount, null::timestamptz as first_due_at from movements
         where status = 'waiting' limit $1)
       union all (select mode, kind, status, currency, amount, first_due_at from movements
         where status in ('sending', 'pending', 'frozen', 'owed', 'failed'))) unfinished
     group by mode, kind, status, currency`,
    [maxWaiting],
  );
}

export interface VenueDebts {
  readonly mode: Mode;
  readonly currency: string;
  readonly amount: number;
}

/** What venues owe because a transfer could not be taken back. */
export async function sumVenueDebts(db: Queryable): Promise<VenueDebts[]> {
  return db.query<VenueDebts>(
    `select mode, currency, sum(debt)::bigint as amount from (
       select mode, currency, owed_amount - settled_amount as debt from movements
       where owed_amount > settled_amount limit ${MAX_ROWS}) debts
     group by mode, currency`,
  );
}

export interface DisputeCount {
  readonly mode: Mode;
  readonly currency: string;
  readonly count: number;
  readonly amount: number;
  /** Those that wait for an answer, which the processor takes for less than two days. Absent: of an earlier release. */
  readonly due?: number;
}

/** The processor waits for our answer. */
const NEEDS_ANSWER = `status in ('needs_response', 'warning_needs_response', 'appeal_needs_response')`;

export async function countOpenDisputes(db: Queryable): Promise<DisputeCount[]> {
  return db.query<DisputeCount>(
    `select mode, currency, count(*)::integer as count, sum(amount)::bigint as amount,
       count(*) filter (where ${NEEDS_ANSWER} and evidence_due_at < now() + interval '2 days')::integer as due from (
       select mode, currency, amount, status, evidence_due_at from disputes
       where status not in ('won', 'lost', 'warning_closed', 'prevented') limit ${MAX_ROWS}) open
     group by mode, currency`,
  );
}
