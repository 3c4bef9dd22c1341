// The SQL that finds the shares of a person, and takes the person out of them: amounts, states and times stay for the books.

import type { Queryable } from '../../../base/db.ts';

export interface GuestShare {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly memberId: string;
  readonly displayName: string | null;
  readonly isOrganizer: boolean;
  readonly amount: number;
  readonly refundedAmount: number;
  readonly status: string;
  readonly invitedAt: string;
  readonly heldAt: string | null;
  readonly checkoutStatus: string;
  readonly description: string;
  readonly currency: string;
  readonly mode: string;
}

export async function sharesOfMembers(db: Queryable, memberIds: readonly string[]): Promise<GuestShare[]> {
  return db.query<GuestShare>(
    `select s.venue_id as "venueId", s.checkout_id as "checkoutId", s.share_id as "shareId", s.member_id as "memberId",
       s.display_name as "displayName", s.is_organizer as "isOrganizer", s.amount, s.refunded_amount as "refundedAmount",
       s.status, utc_text(s.invited_at) as "invitedAt", utc_text(s.held_at) as "heldAt", c.status as "checkoutStatus",
       c.description, c.currency, c.mode
     from shares s join checkouts c on c.venue_id = s.venue_id and c.checkout_id = s.checkout_id
     where s.member_id = any($1) order by s.invited_at, s.share_id`,
    [memberIds],
  );
}

const PLACES = 'unnest($1::uuid[], $2::text[]) as n(venue_id, checkout_id)';

/** Everyone who was in these parties. */
export async function membersOfParties(
  db: Queryable,
  places: readonly { readonly venueId: string; readonly checkoutId: string }[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select distinct s.member_id as id from shares s
     where (s.venue_id, s.checkout_id) in (select n.venue_id, n.checkout_id from ${PLACES})`,
    [places.map(({ venueId }) => venueId), places.map(({ checkoutId }) => checkoutId)],
  );
  return rows.map(({ id }) => id);
}

export interface CheckoutText {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly status: string;
  readonly description: string;
  readonly location: string | null;
  /** JSON. */
  readonly metadata: string | null;
}

/** Locked, so that no card is held and no capture begins while the person is taken out. */
export async function lockCheckoutTexts(
  tx: Queryable,
  places: readonly { readonly venueId: string; readonly checkoutId: string }[],
): Promise<CheckoutText[]> {
  return tx.query<CheckoutText>(
    `select c.venue_id as "venueId", c.checkout_id as "checkoutId", c.status, c.description, c.location,
       c.metadata::text as metadata
     from checkouts c where (c.venue_id, c.checkout_id) in (select n.venue_id, n.checkout_id from ${PLACES})
     order by c.venue_id, c.checkout_id for update`,
    [places.map(({ venueId }) => venueId), places.map(({ checkoutId }) => checkoutId)],
  );
}

export async function replaceCheckoutText(tx: Queryable, text: CheckoutText): Promise<void> {
  await tx.query(
    `update checkouts set description = $3, location = $4, metadata = $5::json where venue_id = $1 and checkout_id = $2`,
    [text.venueId, text.checkoutId, text.description, text.location, text.metadata],
  );
}

/** Also the parties that the person had begun to choose. */
export async function eraseShares(tx: Queryable, memberIds: readonly string[]): Promise<number> {
  const drafts = await tx.query('delete from party_drafts where member_id = any($1) returning 1', [memberIds]);
  const shares = await tx.query(
    `update shares set display_name = null, invited_phone_hash = null
     where member_id = any($1) and (display_name is not null or invited_phone_hash is not null) returning 1`,
    [memberIds],
  );
  return drafts.length + shares.length;
}
