// The SQL of checkouts and checkout_routes. The database builds the partner’s view of a checkout
// (checkout_object), so that responses, lists and events cannot differ.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { withKeptPlans } from '../../base/kept-plans.ts';
import { type PageQuery, pageRowsSql } from '../../base/page.ts';
import { DAY_MS, DEFAULT_RETENTION } from '../../base/retention.ts';
import { payableSql } from '../payments/payout-account-queries.ts';
import { activeHolds } from '../payments/queries.ts';
import { overdueSql } from './expire-queries.ts';
import type { LockedCheckout, ShareState } from './locked-checkout.ts';
import { shareName } from './share-name.ts';

import type { CheckoutStatus } from './transitions.ts';

export interface CreateRequest {
  readonly venueId: string;
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly eventId: string;
  readonly key: string | null;
  readonly fingerprint: Buffer;
  readonly content: string;
  readonly url: string;
  readonly now: number;
  readonly mayCreate: boolean;
}

export interface CreateOutcome {
  readonly outcome:
    | 'created'
    | 'replayed'
    | 'key_reused'
    | 'booking_in_progress'
    | 'overdue'
    | 'suspended'
    | 'not_payable'
    | 'refused'
    | 'unknown_offering';
  readonly response: string | null;
  readonly found_id: string | null;
}

/** Idempotency, the checkout, its route and its event in one round trip. `retentionMs`: how long an idempotency key is used. */
export async function insertCheckout(
  db: Queryable,
  request: CreateRequest,
  retentionMs: number = DEFAULT_RETENTION.idempotencyKeyDays * DAY_MS,
): Promise<CreateOutcome> {
  const rows = await db.query<CreateOutcome>(
    `select * from create_checkout($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0), $10,
       $11 * interval '1 millisecond')`,
    [
      request.venueId,
      request.mode,
      request.checkoutId,
      request.eventId,
      request.key,
      request.fingerprint,
      request.content,
      request.url,
      request.now,
      request.mayCreate,
      retentionMs,
    ],
  );
  if (rows[0] === undefined) throw new Error('create_checkout() returned no row');
  return rows[0];
}

export interface CheckoutView {
  readonly id: string;
  /** The partner's view as JSON text. */
  readonly json: string;
  readonly createdAt: string;
  /** pay_by has passed, and the checkout is not expired yet. */
  readonly overdue: boolean;
}

const VIEW_COLUMNS = `c.checkout_id as "id", checkout_object(c)::text as "json", c.created_at as "createdAt"`;

export async function viewCheckout(
  db: Queryable,
  venueId: string,
  mode: Mode,
  id: string,
  now: number,
): Promise<CheckoutView | null> {
  const rows = await db.query<CheckoutView>(
    `select ${VIEW_COLUMNS}, ${overdueSql('$4', 'c')} as "overdue" from checkouts c
     where c.venue_id = $1 and c.checkout_id = $2 and c.mode = $3`,
    [venueId, id, mode, now],
  );
  return rows[0] ?? null;
}

/** The partner's view of what this transaction has just written. */
export async function viewWrittenCheckout(tx: Queryable, venueId: string, id: string): Promise<string> {
  const rows = await tx.query<{ json: string }>(
    'select checkout_object(c)::text as "json" from checkouts c where c.venue_id = $1 and c.checkout_id = $2',
    [venueId, id],
  );
  if (rows[0] === undefined) throw new Error(`checkout ${id} was just written but is not found`);
  return rows[0].json;
}

export async function listCheckoutViews(
  db: Queryable,
  venueId: string,
  mode: Mode,
  page: PageQuery,
  now: number,
): Promise<CheckoutView[]> {
  const narrowed = page.status === null ? [] : [page.status];
  const hasStatus = narrowed.length > 0 ? `and status = $6 and not ${overdueSql('$5')}` : '';
  const newest = `select ${VIEW_COLUMNS}, ${overdueSql('$5', 'c')} as "overdue" from (
       select * from checkouts where venue_id = $1 and mode = $2 ${hasStatus}
         and created_at < coalesce($3::timestamptz, 'infinity')
       order by created_at desc limit $4) c`;
  return db.query<CheckoutView>(
    pageRowsSql('"id", "json", "createdAt", "overdue"', newest, '"createdAt"', 'octet_length("json")'),
    [venueId, mode, page.before, page.limit + 1, now, ...narrowed],
  );
}

const CHECKOUT_COLUMNS = `venue_id as "venueId", checkout_id as "id", mode, status, amount, currency, fee_amount as "feeAmount",
  refunded_amount as "refundedAmount", party_size as "partySize",
  (extract(epoch from expires_at at time zone 'UTC') * 1000)::float8 as "expiresAt", (extract(epoch from pay_by at time zone 'UTC') * 1000)::float8 as "payBy",
  (extract(epoch from clock_ahead) * 1000)::float8 as "clockAhead", description,
  (extract(epoch from starts_at at time zone 'UTC') * 1000)::float8 as "startsAt",
  offering_external_id as "offeringExternalId", organizer_id as "organizerId", lease_token as "leaseToken",
  ${payableSql('checkouts')} as "isVenuePayable"`;

/**
 * Locks the checkout's row, then reads its shares and holds, in one round trip. The snapshot of a single statement is
 * older than its wait for the lock, so two concurrent last holds would each see the other share unpaid.
 */
export async function lockCheckout(tx: Queryable, venueId: string, id: string): Promise<LockedCheckout | null> {
  return withKeptPlans(tx, () => readRows(tx, venueId, id, 'for no key update'));
}

/** Reads without the lock. Never decide on this: another transaction may change the checkout. */
export async function readCheckout(db: Queryable, venueId: string, id: string): Promise<LockedCheckout | null> {
  return readRows(db, venueId, id, '');
}

async function readRows(tx: Queryable, venueId: string, id: string, lock: string): Promise<LockedCheckout | null> {
  const [rows, shares, holds] = await Promise.all([
    tx.query<Omit<LockedCheckout, 'shares' | 'holds'>>(
      `select ${CHECKOUT_COLUMNS} from checkouts where venue_id = $1 and checkout_id = $2 ${lock}`,
      [venueId, id],
    ),
    tx.query<ShareState>(
      `select share_id as "id", position, amount, status, is_organizer as "isOrganizer", member_id as "memberId",
         ${shareName('shares')} as "displayName", refunded_amount as "refundedAmount", lost_amount as "lostAmount"
       from shares where venue_id = $1 and checkout_id = $2 and dropped_at is null order by position`,
      [venueId, id],
    ),
    activeHolds(tx, venueId, id),
  ]);
  const row = rows[0];
  return row === undefined ? null : { ...row, shares, holds };
}

export interface CheckoutTransition {
  readonly from: CheckoutStatus;
  readonly to: CheckoutStatus;
  readonly reason: string | null;
  readonly organizerId: string | null;
  readonly now: number;
}

export async function transitionCheckout(
  tx: Queryable,
  venueId: string,
  id: string,
  transition: CheckoutTransition,
): Promise<number> {
  const rows = await tx.query(
    `update checkouts set status = $4, cancellation_reason = $5, organizer_id = coalesce($6, organizer_id),
       completed_at = case when $4 = 'completed' then to_timestamp($7 / 1000.0) end,
       capture_due_at = case when $4 = 'funded' then to_timestamp($7 / 1000.0) end, capture_error = null,
       notify_at = case when notify_at is not null and $4 in ('completed', 'expired', 'canceled') then '-infinity' else notify_at end
     where venue_id = $1 and checkout_id = $2 and status = $3 returning 1`,
    [venueId, id, transition.from, transition.to, transition.reason, transition.organizerId, transition.now],
  );
  return rows.length;
}

/** Leases a funded checkout, due or not. Returns its lease token; null: it is not funded. */
export async function leaseCaptures(db: Queryable, venueId: string, id: string, until: number): Promise<number | null> {
  const rows = await db.query<{ leaseToken: number }>(
    `update checkouts set lease_token = lease_token + 1, capture_due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and checkout_id = $2 and status = 'funded' returning lease_token as "leaseToken"`,
    [venueId, id, until],
  );
  return rows[0]?.leaseToken ?? null;
}

const MAX_CAPTURE_ERROR_LENGTH = 200;

export async function scheduleRetry(
  tx: Queryable,
  venueId: string,
  id: string,
  { at, reason }: { readonly at: number; readonly reason: string },
): Promise<number> {
  const rows = await tx.query(
    `update checkouts set capture_due_at = to_timestamp($3 / 1000.0), capture_error = $4
     where venue_id = $1 and checkout_id = $2 and status = 'funded' returning 1`,
    [venueId, id, at, reason.slice(0, MAX_CAPTURE_ERROR_LENGTH)],
  );
  return rows.length;
}

export async function refundCheckoutBy(tx: Queryable, venueId: string, id: string, amount: number): Promise<number> {
  const rows = await tx.query(
    `update checkouts set refunded_amount = refunded_amount + $3 where venue_id = $1 and checkout_id = $2 returning 1`,
    [venueId, id, amount],
  );
  return rows.length;
}

/** Sets how far the checkout's own clock is ahead. It never goes back. */
export async function advanceClock(tx: Queryable, venueId: string, id: string, aheadMs: number): Promise<number> {
  const rows = await tx.query(
    `update checkouts set clock_ahead = $3 * interval '1 millisecond', 
       expires_at = (pay_by at time zone 'UTC' - $3 * interval '1 millisecond') at time zone 'UTC',
       notify_at = case when notify_at is not null and status = 'collecting' then '-infinity' else notify_at end
     where venue_id = $1 and checkout_id = $2 and mode = 'test' and clock_ahead <= $3 * interval '1 millisecond' returning 1`,
    [venueId, id, aheadMs],
  );
  return rows.length;
}

/** The partner's own booking ids, by checkout. */
export async function bookingIds(
  db: Queryable,
  venueId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; bookingId: string }>(
    `select checkout_id as "id", external_booking_id as "bookingId" from checkouts
     where venue_id = $1 and checkout_id = any($2)`,
    [venueId, ids],
  );
  return new Map(rows.map(({ id, bookingId }) => [id, bookingId]));
}

/** Makes the checkout's notifications due now, because its party or its state has changed. */
export async function scheduleNotifications(tx: Queryable, venueId: string, checkoutId: string): Promise<void> {
  await tx.query(`update checkouts set notify_at = '-infinity' where venue_id = $1 and checkout_id = $2`, [
    venueId,
    checkoutId,
  ]);
}

/** Like scheduleNotifications, unless the checkout has no guests to notify: a null notify_at stays null. */
export async function scheduleNotificationsIfParty(tx: Queryable, venueId: string, checkoutId: string): Promise<void> {
  await tx.query(
    `update checkouts set notify_at = '-infinity' where venue_id = $1 and checkout_id = $2 and notify_at is not null`,
    [venueId, checkoutId],
  );
}

/** Whether the venue has a checkout, of either mode. */
export async function hasCheckouts(db: Queryable, venueId: string): Promise<boolean> {
  return (await db.query('select 1 from checkouts where venue_id = $1 limit 1', [venueId])).length > 0;
}
