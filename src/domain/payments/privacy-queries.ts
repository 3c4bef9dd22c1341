// The SQL of what is stored about the cards of a person: the brand and the last four digits, never the number.

import type { Queryable } from '../../base/db.ts';

export interface StoredCard {
  readonly shareId: string;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly status: string;
  readonly createdAt: string;
}

export async function findHolds(
  db: Queryable,
  shares: readonly { readonly venueId: string; readonly checkoutId: string; readonly shareId: string }[],
): Promise<StoredCard[]> {
  return db.query<StoredCard>(
    `select h.share_id as "shareId", h.card_brand as brand, h.card_last4 as last4, h.status,
       utc_text(h.created_at) as "createdAt"
     from unnest($1::uuid[], $2::text[], $3::text[]) as n(venue_id, checkout_id, share_id)
     join holds h on h.venue_id = n.venue_id and h.checkout_id = n.checkout_id and h.share_id = n.share_id
     order by h.created_at, h.hold_id`,
    [
      shares.map(({ venueId }) => venueId),
      shares.map(({ checkoutId }) => checkoutId),
      shares.map(({ shareId }) => shareId),
    ],
  );
}

export interface MovementReason {
  readonly venueId: string;
  readonly movementId: string;
  readonly reason: string;
}

/** Why the venue refunded, in its own words. */
export async function reasonsOf(tx: Queryable, venueId: string, checkoutId: string): Promise<MovementReason[]> {
  return tx.query<MovementReason>(
    `select venue_id as "venueId", movement_id as "movementId", reason from movements
     where venue_id = $1 and checkout_id = $2 and reason is not null order by movement_id`,
    [venueId, checkoutId],
  );
}

export async function replaceReason(tx: Queryable, { venueId, movementId, reason }: MovementReason): Promise<void> {
  await tx.query('update movements set reason = $3 where venue_id = $1 and movement_id = $2', [
    venueId,
    movementId,
    reason,
  ]);
}
