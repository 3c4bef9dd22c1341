// The checkouts that the console's first steps are about. Each is found by an index, because a page polls them.

import type { Queryable } from '../../../base/db.ts';

export interface FirstCheckout {
  readonly id: string;
  readonly at: string;
  readonly createdBy: string | null;
}

/** The oldest test checkout of a venue. */
export async function firstCheckout(db: Queryable, venueId: string): Promise<FirstCheckout | null> {
  const rows = await db.query<FirstCheckout>(
    `select checkout_id as "id", utc_micros(created_at) as "at", created_by as "createdBy" from checkouts
     where venue_id = $1 and mode = 'test' order by created_at limit 1`,
    [venueId],
  );
  return rows[0] ?? null;
}

export interface PaidCheckout {
  readonly id: string;
  /** When its last share was held; null: no share has a card. */
  readonly heldAt: string | null;
  readonly isHeld: boolean;
}

/** The oldest test checkout whose every share is held; without one, the newest that its guests can pay. */
export async function checkoutToPay(db: Queryable, venueId: string): Promise<PaidCheckout | null> {
  const rows = await db.query<PaidCheckout>(
    `select c.checkout_id as "id", c.status in ('funded', 'completed') as "isHeld",
       (select utc_micros(max(s.held_at)) from shares s
        where s.venue_id = $1 and s.checkout_id = c.checkout_id and s.dropped_at is null) as "heldAt"
     from (
       (select * from checkouts where venue_id = $1 and mode = 'test' and status = 'completed' order by created_at limit 1)
       union all
       (select * from checkouts where venue_id = $1 and mode = 'test' and status = 'funded' order by created_at limit 1)
       union all
       (select * from checkouts where venue_id = $1 and mode = 'test' and status = 'collecting' order by created_at desc limit 1)
       union all
       (select * from checkouts where venue_id = $1 and mode = 'test' and status = 'open' order by created_at desc limit 1)) c
     order by array_position(array['completed', 'funded'], c.status), c.created_at desc limit 1`,
    [venueId],
  );
  return rows[0] ?? null;
}
