// The figures of money that monitoring shows: held, owed, on its way, disputed. They read what is not finished through
// partial indexes, so that what is finished does not make them slower.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface HeldMoney {
  readonly mode: Mode;
  readonly currency: string;
  readonly amount: number;
  readonly holds: number;
  /** How many of the holds end within `LAPSE_SOON_HOURS`, before their checkouts, and are not to be renewed. */
  readonly lapsing: number;
}

export const LAPSE_SOON_HOURS = 24;
const MAX_ROWS = 200_000;
/** A worker renews a hold within seconds of its time. */
const RENEWAL_LATE = "interval '15 minutes'";
/**
 * SQL: the hold's renewal was refused, it is not due before the hold ends, or it has been due for long. A hold that is to
 * be renewed is due at that time. $1: now.
 */
const IS_NOT_RENEWED = `(renewal_refused_at is not null or due_at is null or due_at >= capture_before
           or due_at < to_timestamp($1 / 1000.0) - ${RENEWAL_LATE})`;

export async function sumHeld(db: Queryable, now: number): Promise<HeldMoney[]> {
  return db.query<HeldMoney>(
    `with held as (
       select mode, currency, sum(amount)::bigint as amount, count(*)::integer as holds
       from (select mode, currency, amount from holds where status = 'held' limit ${MAX_ROWS}) h group by mode, currency
     ), lapsing as (
       select h.mode, h.currency, count(*)::integer as lapsing from (
         select mode, currency, venue_id, checkout_id, capture_before from holds
         where status = 'held' and capture_before < to_timestamp($1 / 1000.0) + make_interval(hours => $2)
           and ${IS_NOT_RENEWED} limit ${MAX_ROWS}) h
       join checkouts c on c.venue_id = h.venue_id and c.checkout_id = h.checkout_id
       where c.status in ('collecting', 'funded') and c.expires_at > h.capture_before group by h.mode, h.currency
     )
     select held.*, coalesce(lapsing.lapsing, 0) as lapsing from held left join lapsing using (mode, currency)`,
    [now, LAPSE_SOON_HOURS],
  );
}

export interface MovementCount {
  readonly mode: Mode;
  readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
  readonly status: 'waiting' | 'sending' | 'pending' | 'frozen' | 'owed' | 'failed';
  readonly currency: string;
  readonly count: number;
  readonly amount: number;
}

/** Movements that are not finished: done, dropped and closed ones are not counted. */
export async function countMovements(db: Queryable): Promise<MovementCount[]> {
  return db.query<MovementCount>(
    `select mode, kind, status, currency, count(*)::integer as count, sum(amount)::bigint as amount from (
       select mode, kind, status, currency, amount from movements
       where status in ('waiting', 'sending', 'pending', 'frozen', 'owed', 'failed') limit ${MAX_ROWS}) unfinished
     group by mode, kind, status, currency`,
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
}

export async function countOpenDisputes(db: Queryable): Promise<DisputeCount[]> {
  return db.query<DisputeCount>(
    `select mode, currency, count(*)::integer as count, sum(amount)::bigint as amount from (
       select mode, currency, amount from disputes
       where status not in ('won', 'lost', 'warning_closed', 'prevented') limit ${MAX_ROWS}) open
     group by mode, currency`,
  );
}
