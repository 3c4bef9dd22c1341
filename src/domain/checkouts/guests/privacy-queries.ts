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
  readonly bookingId: string;
  readonly description: string;
  readonly currency: string;
  readonly mode: string;
}

export async function sharesOfMembers(db: Queryable, memberIds: readonly string[]): Promise<GuestShare[]> {
  return db.query<GuestShare>(
    `select s.venue_id as "venueId", s.checkout_id as "checkoutId", s.share_id as "shareId", s.member_id as "memberId",
       s.display_name as "displayName", s.is_organizer as "isOrganizer", s.amount, s.refunded_amount as "refundedAmount",
       s.status, utc_text(s.invited_at) as "invitedAt", utc_text(s.held_at) as "heldAt", c.status as "checkoutStatus",
       c.external_booking_id as "bookingId", c.description, c.currency, c.mode
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

export interface MentioningCheckout {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly checkoutStatus: string;
  readonly bookingId: string;
  /** All its free text. */
  readonly text: string;
}

/**
 * Checkouts whose free text may have one of the mail addresses or the digits. It reads every checkout: an operator asks, and
 * not often.
 */
export async function checkoutsMentioning(
  db: Queryable,
  mails: readonly string[],
  digits: string | null,
): Promise<MentioningCheckout[]> {
  return db.query<MentioningCheckout>(
    `select venue_id as "venueId", checkout_id as "checkoutId", status as "checkoutStatus",
       external_booking_id as "bookingId", text
     from (select c.venue_id, c.checkout_id, c.status, c.external_booking_id,
         concat_ws(E'\n', c.description, c.location, c.metadata::text, c.return_url, c.cancel_url) as text
       from checkouts c) t
     where exists (select 1 from unnest($1::text[]) as m(mail) where strpos(replace(lower(text), '%40', '@'), m.mail) > 0)
       or strpos(regexp_replace(text, '[^0-9]', '', 'g'), $2) > 0
     order by venue_id, checkout_id`,
    [mails, digits],
  );
}

export interface CheckoutText {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly status: string;
  readonly description: string;
  readonly location: string | null;
  readonly returnUrl: string;
  readonly cancelUrl: string | null;
  /** JSON. */
  readonly metadata: string;
}

/** Locked, so that no card is held and no capture begins while the person is taken out. */
export async function lockCheckoutTexts(
  tx: Queryable,
  places: readonly { readonly venueId: string; readonly checkoutId: string }[],
): Promise<CheckoutText[]> {
  return tx.query<CheckoutText>(
    `select c.venue_id as "venueId", c.checkout_id as "checkoutId", c.status, c.description, c.location,
       c.return_url as "returnUrl", c.cancel_url as "cancelUrl", c.metadata::text as metadata
     from checkouts c where (c.venue_id, c.checkout_id) in (select n.venue_id, n.checkout_id from ${PLACES})
     order by c.venue_id, c.checkout_id for update`,
    [places.map(({ venueId }) => venueId), places.map(({ checkoutId }) => checkoutId)],
  );
}

export async function replaceCheckoutText(tx: Queryable, text: CheckoutText): Promise<void> {
  await tx.query(
    `update checkouts set description = $3, location = $4, metadata = $5::json, return_url = $6, cancel_url = $7
     where venue_id = $1 and checkout_id = $2`,
    [text.venueId, text.checkoutId, text.description, text.location, text.metadata, text.returnUrl, text.cancelUrl],
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
