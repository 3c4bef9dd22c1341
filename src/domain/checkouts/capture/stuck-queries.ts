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
}

/** Funded for longer than `minutes`, the oldest first. */
export async function stuckCaptures(
  db: Queryable,
  mode: Mode,
  { now, minutes, limit }: { readonly now: number; readonly minutes: number; readonly limit: number },
): Promise<StuckCapture[]> {
  return db.query<StuckCapture>(
    `select c.checkout_id as "id", c.venue_id as "venueId", c.amount, c.currency, utc_micros(max(s.held_at)) as "since",
       (count(*) filter (where s.status = 'captured'))::integer as "captured", count(*)::integer as "shares",
       c.lease_token as "tries", utc_micros(c.capture_due_at) as "dueAt"
     from checkouts c join shares s on s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.dropped_at is null
     where c.status = 'funded' and c.mode = $1
     group by c.venue_id, c.checkout_id
     having max(s.held_at) < to_timestamp($2 / 1000.0) - $3 * interval '1 minute'
     order by max(s.held_at) limit $4`,
    [mode, now, minutes, limit],
  );
}
