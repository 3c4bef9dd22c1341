// The reads for guests, whose requests carry the id of a checkout or share but no venue.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { HeldCard } from '../../payments/processor.ts';
import { lastHoldsOf, lastPayerOf } from '../../payments/queries.ts';
import { overdueSql } from '../expire-queries.ts';
import { shareName } from '../share-name.ts';
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

/** The mode of a checkout, or of the checkout of a share; null: the venue has no such id. */
export async function modeOfRoute(db: Queryable, venueId: string, id: string): Promise<Mode | null> {
  const rows = await db.query<{ mode: Mode }>(
    `select mode from checkouts where venue_id = $1
       and checkout_id = coalesce((select checkout_id from shares where venue_id = $1 and share_id = $2), $2)`,
    [venueId, id],
  );
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
    `select member_id as "memberId", ${shareName('shares')} as "displayName", invited_phone_hash is not null as "isNamedByPhone",
       drop_reason is not distinct from 'declined' as "hasDeclined"
     from shares where venue_id = $1 and share_id = $2`,
    [venueId, shareId],
  );
  return rows[0] ?? null;
}

/** Why a failed share must be paid again; null: because of the card of another member, who covered it. */
export async function problemOfCard(
  db: Queryable,
  venueId: string,
  shareId: string,
  memberId: string | null,
): Promise<'lost' | 'declined' | null> {
  const [payerId, [row]] = await Promise.all([
    lastPayerOf(db, venueId, shareId),
    db.query<{ wasLost: boolean }>(
      'select lost_at is not null as "wasLost" from shares where venue_id = $1 and share_id = $2',
      [venueId, shareId],
    ),
  ]);
  if (row === undefined || (payerId !== null && payerId !== memberId)) return null;
  return row.wasLost ? 'lost' : 'declined';
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
    `select guest_object(c)::text as "json", c.mode, c.organizer_id as "organizerId",
       c.offering_external_id as "offeringExternalId",
       (select s.share_id from shares s where s.venue_id = $1 and s.checkout_id = $2
          and s.dropped_at is null and s.member_id = $3::uuid) as "myShareId",
       ${pendingShareSql('$1', '$2', '$3::uuid')} as "pendingShareId",
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
  /** What was refunded and did not reach the guest. */
  readonly failedRefundAmount: number;
  /** The card that was held; null: it is not known, or the guest paid without one. */
  readonly card: HeldCard | null;
}

/** The shares of the current party that this member's card was held for, own or covered, the organizer's first. */
export async function sharesPaidBy(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  memberId: string,
): Promise<PaidShare[]> {
  const [shares, holds] = await Promise.all([
    db.query<Omit<PaidShare, 'card'> & { memberId: string }>(
      `select share_id as "shareId", amount, status, member_id as "memberId",
         greatest(refunded_amount - failed_refund_amount, 0) as "refundedAmount",
         failed_refund_amount as "failedRefundAmount" from shares
       where venue_id = $1 and checkout_id = $2 and dropped_at is null and amount > 0
         and status in ('held', 'captured', 'released', 'refunded') order by position`,
      [venueId, checkoutId],
    ),
    lastHoldsOf(db, venueId, checkoutId),
  ]);
  const lastHolds = new Map(holds.map((hold) => [hold.shareId, hold]));
  return shares
    .filter((share) => (lastHolds.get(share.shareId)?.payerId ?? share.memberId) === memberId)
    .map(({ shareId, amount, status, refundedAmount, failedRefundAmount }) => ({
      shareId,
      amount,
      status,
      refundedAmount,
      failedRefundAmount,
      card: lastHolds.get(shareId)?.card ?? null,
    }));
}

export interface RefundTotals {
  /** What the venue has given back, without what failed to reach a guest. */
  readonly refunded: number;
  /** What guests have got back from their banks by disputes. */
  readonly lost: number;
}

/** What guests got back from their banks counts as well: no more of the payment can go back. */
export function isRefundedInFull({ refunded, lost }: RefundTotals, amount: number): boolean {
  return refunded > 0 && refunded + lost >= amount;
}

export async function refundTotalsOf(db: Queryable, venueId: string, checkoutId: string): Promise<RefundTotals> {
  const rows = await db.query<RefundTotals>(
    `select greatest(refunded_amount - failed_refund_amount, 0) as "refunded",
       (select coalesce(sum(lost_amount), 0)::integer from shares where venue_id = $1 and checkout_id = $2) as "lost"
     from checkouts where venue_id = $1 and checkout_id = $2`,
    [venueId, checkoutId],
  );
  return rows[0] ?? { refunded: 0, lost: 0 };
}
