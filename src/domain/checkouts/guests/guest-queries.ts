// The reads for guests, whose requests carry the id of a checkout or share but no venue.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import { payersOf } from '../../payments/queries.ts';
import { overdueSql } from '../expire-queries.ts';
import { pendingShareSql } from './accept-queries.ts';

export interface Route {
  readonly venueId: string;
}

/** The format of our ids. A URL may hold anything, also a NUL that PostgreSQL rejects. */
const ID = /^(chk|shr)_[0-9a-z]{26}$/;

/** The venue of a checkout or share; null: there is no such id. */
export async function venueOf(db: Queryable, id: string): Promise<string | null> {
  if (!ID.test(id)) return null;
  const rows = await db.query<Route>('select venue_id as "venueId" from checkout_routes where id = $1', [id]);
  return rows[0]?.venueId ?? null;
}

/** The mode of a checkout, which never changes; null: the venue has no such checkout. */
export async function modeOfCheckout(db: Queryable, venueId: string, checkoutId: string): Promise<Mode | null> {
  const rows = await db.query<{ mode: Mode }>('select mode from checkouts where venue_id = $1 and checkout_id = $2', [
    venueId,
    checkoutId,
  ]);
  return rows[0]?.mode ?? null;
}

export async function checkoutOfShare(db: Queryable, venueId: string, shareId: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    'select checkout_id as "id" from shares where venue_id = $1 and share_id = $2',
    [venueId, shareId],
  );
  return rows[0]?.id ?? null;
}

export interface ShareMember {
  readonly memberId: string;
  readonly displayName: string | null;
  readonly isNamedByPhone: boolean;
  /** The guest of this share said no. */
  readonly hasDeclined: boolean;
}

/** The member of a share and the name that the share shows, also of a dropped one. */
export async function memberOfShare(db: Queryable, venueId: string, shareId: string): Promise<ShareMember | null> {
  const rows = await db.query<ShareMember>(
    `select member_id as "memberId", share_name(shares) as "displayName", invited_phone_hash is not null as "isNamedByPhone",
       drop_reason is not distinct from 'declined' as "hasDeclined"
     from shares where venue_id = $1 and share_id = $2`,
    [venueId, shareId],
  );
  return rows[0] ?? null;
}

/** Whether the share was held once and its hold was lost since. */
export async function wasLost(db: Queryable, venueId: string, shareId: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from shares where venue_id = $1 and share_id = $2 and status = 'failed' and lost_at is not null`,
    [venueId, shareId],
  );
  return rows.length > 0;
}

export interface GuestView {
  readonly json: string;
  readonly mode: Mode;
  readonly organizerId: string | null;
  /** The offering that is booked; guests do not see its id. */
  readonly offeringExternalId: string | null;
  readonly myShareId: string | null;
  /** The member's share that the member has not acted on yet. */
  readonly pendingShareId: string | null;
  readonly overdue: boolean;
}

export async function viewForGuest(
  db: Queryable,
  venueId: string,
  id: string,
  memberId: string | null,
  now: number,
): Promise<GuestView | null> {
  const rows = await db.query<GuestView>(
    `select guest_view(c)::text as "json", c.mode, c.organizer_id as "organizerId",
       c.offering_external_id as "offeringExternalId",
       (select s.share_id from shares s where s.venue_id = c.venue_id and s.checkout_id = c.checkout_id
          and s.dropped_at is null and s.member_id = $3::uuid) as "myShareId",
       ${pendingShareSql('c.venue_id', 'c.checkout_id', '$3::uuid')} as "pendingShareId",
       ${overdueSql('$4', 'c')} as "overdue"
     from checkouts c where c.venue_id = $1 and c.checkout_id = $2`,
    [venueId, id, memberId, now],
  );
  return rows[0] ?? null;
}

/** A share that a member's card was held for. */
export interface PaidShare {
  readonly shareId: string;
  readonly amount: number;
  readonly status: 'held' | 'captured' | 'released' | 'refunded';
  /** Without what failed to reach the guest. */
  readonly refundedAmount: number;
}

/** The shares of the current party that this member's card was held for, own or covered, the organizer's first. */
export async function sharesPaidBy(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  memberId: string,
): Promise<PaidShare[]> {
  const [shares, payers] = await Promise.all([
    db.query<PaidShare & { memberId: string }>(
      `select share_id as "shareId", amount, status, member_id as "memberId",
         refunded_amount - failed_refund_amount as "refundedAmount" from shares
       where venue_id = $1 and checkout_id = $2 and dropped_at is null and amount > 0
         and status in ('held', 'captured', 'released', 'refunded') order by position`,
      [venueId, checkoutId],
    ),
    payersOf(db, venueId, checkoutId),
  ]);
  return shares
    .filter((share) => (payers.get(share.shareId) ?? share.memberId) === memberId)
    .map(({ shareId, amount, status, refundedAmount }) => ({ shareId, amount, status, refundedAmount }));
}

/** What the venue has given back to the guests of a checkout. */
export async function refundedTotal(db: Queryable, venueId: string, checkoutId: string): Promise<number> {
  const rows = await db.query<{ refunded: number }>(
    'select refunded_amount as "refunded" from checkouts where venue_id = $1 and checkout_id = $2',
    [venueId, checkoutId],
  );
  return rows[0]?.refunded ?? 0;
}
