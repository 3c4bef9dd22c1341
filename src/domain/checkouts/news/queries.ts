// When the guests of a checkout are told something next, and what they were told of.

import type { Queryable } from '../../../base/db.ts';

/** Something has happened that guests are told of, or another moment is the next one: it is looked at now. */
export async function tellSoon(tx: Queryable, venueId: string, checkoutId: string): Promise<void> {
  await tx.query(`update checkouts set tell_at = '-infinity' where venue_id = $1 and checkout_id = $2`, [
    venueId,
    checkoutId,
  ]);
}
