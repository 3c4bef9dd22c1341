// Funded checkouts of all venues whose cards are not all charged after a while.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';

export interface StuckCapture {
  readonly id: string;
  readonly venueId: string;
  readonly amount: number;
  readonly currency: string;
  /** When the last share was held. */
  readonly since: string;
  /** How many shares are charged, of how many. */
  readonly captured: number;
  readonly shares: number;
  /** How often a worker has claimed it. */
  readonly tries: number;
  readonly dueAt: string;
  /** Why the last try did not end; null: no try has failed. */
  readonly error: string | null;
}

export interface Stuck {
  readonly now: number;
  /** For how long a checkout is funded before it counts as stuck. */
  readonly minutes: number;
}

/** Funded checkouts of the mode $1, with their shares. The index checkouts_to_capture holds the funded ones alone. */
const STUCK = `from checkouts c join shares s on s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.dropped_at is null
     where c.status = 'funded' and c.mode = $1
     group by c.venue_id, c.checkout_id
     having max(s.held_at) < to_timestamp($2 / 1000.0) - $3 * interval '1 minute'`;

/** Funded for longer than `minutes`, the oldest first. */
export async function stuckCaptures(
  db: Queryable,
  mode: Mode,
  { now, minutes }: Stuck,
  limit: number,
): Promise<StuckCapture[]> {
  return db.query<StuckCapture>(
    `select c.checkout_id as "id", c.venue_id as "venueId", c.amount, c.currency, utc_micros(max(s.held_at)) as "since",
       (count(*) filter (where s.status = 'captured'))::integer as "captured", count(*)::integer as "shares",
       c.lease_token as "tries", utc_micros(c.capture_due_at) as "dueAt",
       c.capture_error as "error" ${STUCK} order by max(s.held_at), c.checkout_id limit $4`,
    [mode, now, minutes, limit],
  );
}

/** All of them, however many. */
export async function countStuckCaptures(
  db: Queryable,
  mode: Mode,
  { now, minutes }: Stuck,
): Promise<{ readonly count: number; readonly oldestAt: string | null }> {
  const [row] = await db.query<{ count: number; oldestAt: string | null }>(
    `select count(*)::integer as "count", utc_micros(min(since)) as "oldestAt" from (select max(s.held_at) as since ${STUCK}) stuck`,
    [mode, now, minutes],
  );
  return row ?? { count: 0, oldestAt: null };
}

/** Why the last try to charge a funded checkout did not end; null: no try has failed. */
export async function captureError(db: Queryable, venueId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ error: string | null }>(
    `select capture_error as "error" from checkouts where venue_id = $1 and checkout_id = $2 and status = 'funded'`,
    [venueId, id],
  );
  return row?.error ?? null;
}
