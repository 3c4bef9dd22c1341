// What a venue is paid, and what about its money needs a person: for the first page of the console.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { ENDED_DISPUTE_STATUSES } from './dispute-queries.ts';

export interface PaidOut {
  readonly currency: string;
  readonly amount: number;
  readonly payouts: number;
}

/** What was sent to the venue in the last `days` days, today included, in its time zone. */
export async function paidInDays(
  db: Queryable,
  venueId: string,
  mode: Mode,
  timezone: string,
  now: number,
  days: number,
): Promise<PaidOut[]> {
  return db.query<PaidOut>(
    `select currency, sum(coalesce(sent_amount, amount))::bigint as amount, count(distinct checkout_id)::integer as payouts
     from movements
     where venue_id = $1 and mode = $2 and kind = 'transfer' and done_at is not null
       and done_at >= (date_trunc('day', to_timestamp($4 / 1000.0) at time zone $3) - $5 * interval '1 day') at time zone $3
     group by currency order by amount desc, currency`,
    [venueId, mode, timezone, now, days - 1],
  );
}

export interface OnItsWay extends PaidOut {
  readonly nextAt: string | null;
  /** Of `amount`: held back because a charge is disputed. */
  readonly heldBack: number;
  /** Transfers that the processor refused. They are not in `amount`. */
  readonly failed: number;
}

const TO_SEND = `kind = 'transfer' and status in ('waiting', 'sending', 'pending', 'frozen', 'failed')`;

export async function onItsWay(db: Queryable, venueId: string, mode: Mode): Promise<OnItsWay[]> {
  return db.query<OnItsWay>(
    `select currency, coalesce(sum(amount) filter (where status <> 'failed'), 0)::bigint as amount,
       (count(distinct checkout_id) filter (where status <> 'failed'))::integer as payouts,
       utc_text(min(due_at) filter (where status in ('waiting', 'sending', 'pending'))) as "nextAt",
       coalesce(sum(amount) filter (where status = 'frozen'), 0)::bigint as "heldBack",
       coalesce(sum(amount) filter (where status = 'failed'), 0)::bigint as "failed"
     from movements where venue_id = $1 and mode = $2 and ${TO_SEND} group by currency order by amount desc, currency`,
    [venueId, mode],
  );
}

export interface MoneyNeedingAttention {
  readonly kind: 'payout_failed' | 'refund_failed' | 'dispute_open' | 'hold_not_renewed';
  readonly checkoutId: string;
  readonly shareId: string;
  readonly subjectId: string;
  readonly at: string;
  readonly reason: string | null;
}

/** Of each kind at most `limit`. */
export async function moneyInNeed(
  db: Queryable,
  venueId: string,
  mode: Mode,
  limit: number,
): Promise<MoneyNeedingAttention[]> {
  const lists = await Promise.all([
    db.query<MoneyNeedingAttention>(
      `select 'payout_failed' as kind, checkout_id as "checkoutId", min(share_id) as "shareId", checkout_id as "subjectId",
         utc_micros(min(first_due_at)) as "at", min(last_error) as reason
       from movements where venue_id = $1 and mode = $2 and ${TO_SEND} and status = 'failed'
       group by checkout_id order by min(first_due_at) limit $3`,
      [venueId, mode, limit],
    ),
    db.query<MoneyNeedingAttention>(
      `select 'refund_failed' as kind, checkout_id as "checkoutId", share_id as "shareId", movement_id::text as "subjectId",
         utc_micros(created_at) as "at", last_error as reason
       from movements where venue_id = $1 and mode = $2 and status in ('sending', 'pending', 'failed') and status = 'failed'
         and kind in ('refund', 'return')
       order by created_at limit $3`,
      [venueId, mode, limit],
    ),
    db.query<MoneyNeedingAttention>(
      `select 'dispute_open' as kind, checkout_id as "checkoutId", share_id as "shareId", dispute_id as "subjectId",
         utc_micros(opened_at) as "at", reason
       from disputes where venue_id = $1 and mode = $2 and status <> all($4) order by opened_at limit $3`,
      [venueId, mode, limit, ENDED_DISPUTE_STATUSES],
    ),
  ]);
  return lists.flat();
}

/** Holds of living checkouts that could not be renewed and will lapse. */
export async function unrenewedHolds(
  db: Queryable,
  venueId: string,
  checkoutIds: readonly string[],
): Promise<MoneyNeedingAttention[]> {
  return db.query<MoneyNeedingAttention>(
    `select 'hold_not_renewed' as kind, checkout_id as "checkoutId", share_id as "shareId", hold_id::text as "subjectId",
       utc_micros(capture_before) as "at", refusal as reason
     from holds where venue_id = $1 and checkout_id = any($2) and status = 'held' and renewal_refused_at is not null
     order by capture_before`,
    [venueId, checkoutIds],
  );
}
