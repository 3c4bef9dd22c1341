// Reads what tells an open page that its checkout has changed, for many checkouts in one statement.

import type { Queryable } from '../../../base/db.ts';

export interface FollowedCheckout {
  readonly venueId: string;
  readonly checkoutId: string;
}

/** The state of a checkout in a few characters. */
export interface CheckoutMark {
  readonly checkoutId: string;
  /** Another text after each change of the checkout, its party or a share. It says nothing about them. */
  readonly mark: string;
  /** The checkout has ended: its page does not look for changes any more. */
  readonly isOver: boolean;
}

/**
 * The marks of the given checkouts, in any order. What guests get a text about, such as a refused renewal, makes
 * notifications due (`notify_at`).
 */
export async function readMarks(db: Queryable, followed: readonly FollowedCheckout[]): Promise<CheckoutMark[]> {
  return db.query<CheckoutMark>(
    `select c.checkout_id as "checkoutId", c.status in ('completed', 'expired', 'canceled') as "isOver",
       md5(concat_ws(' ', c.checkout_id, c.status, c.refunded_amount, c.notify_at, string_agg(concat_ws(' ', s.share_id, s.status,
         s.member_id, s.accepted_at, s.held_at, s.lost_at, s.reminded_at, s.refunded_amount), ',' order by s.share_id))) as "mark"
     from unnest($1::uuid[], $2::text[]) w (venue_id, checkout_id)
     join checkouts c on c.venue_id = w.venue_id and c.checkout_id = w.checkout_id
     left join shares s on s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.dropped_at is null
     group by c.venue_id, c.checkout_id`,
    [followed.map(({ venueId }) => venueId), followed.map(({ checkoutId }) => checkoutId)],
  );
}
