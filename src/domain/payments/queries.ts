// The SQL of holds. Transitions are compare-and-set: a statement returns how many rows it changed, and the caller
// requires the expected number.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { HoldState } from './hold.ts';
import type { HeldCard } from './processor.ts';
import { ENDED_HOLD_STATUSES, type HoldStatus } from './transitions.ts';

export const HOLD_COLUMNS = `hold_id as "id", venue_id as "venueId", checkout_id as "checkoutId", share_id as "shareId", mode, status, amount,
  currency, renews, saves_card as "savesCard", intent_id as "intentId", customer_id as "customerId",
  payment_method_id as "paymentMethodId", charge_id as "chargeId",
  (extract(epoch from held_at at time zone 'UTC') * 1000)::float8 as "heldAt", (extract(epoch from capture_before at time zone 'UTC') * 1000)::float8 as "captureBefore", lease_token as "leaseToken",
  (extract(epoch from renewal_refused_at at time zone 'UTC') * 1000)::float8 as "renewalRefusedAt", key_number as "keyNumber",
  (extract(epoch from created_at at time zone 'UTC') * 1000)::float8 as "createdAt", payer_id as "payerId"`;

/** How much work is due at one venue. Each transaction concerns one venue. */
export interface DueAtVenue {
  readonly venueId: string;
  readonly due: number;
}

/** The holds that have not ended. */
export async function activeHolds(tx: Queryable, venueId: string, checkoutId: string): Promise<HoldState[]> {
  return tx.query<HoldState>(
    `select ${HOLD_COLUMNS} from holds where venue_id = $1 and checkout_id = $2 and status <> all($3)
     order by created_at, hold_id`,
    [venueId, checkoutId, ENDED_HOLD_STATUSES],
  );
}

export interface HoldWithSecret extends HoldState {
  readonly clientSecret: Buffer | null;
}

export async function findHold(db: Queryable, venueId: string, holdId: string): Promise<HoldWithSecret | null> {
  const rows = await db.query<HoldWithSecret>(
    `select ${HOLD_COLUMNS}, client_secret as "clientSecret" from holds where venue_id = $1 and hold_id = $2`,
    [venueId, holdId],
  );
  return rows[0] ?? null;
}

export interface HoldScope {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly now: number;
}

export async function insertHold(
  tx: Queryable,
  scope: HoldScope,
  hold: {
    readonly id: string;
    readonly shareId: string;
    readonly amount: number;
    readonly renews: string | null;
    readonly savesCard: boolean;
    readonly customerId: string | null;
    readonly payerId: string | null;
  },
  dueAt: number,
): Promise<void> {
  await tx.query(
    `insert into holds (venue_id, hold_id, checkout_id, share_id, mode, status, amount, currency, renews, saves_card,
       customer_id, due_at, created_at, payer_id)
     values ($1, $2, $3, $4, $5, 'requested', $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0), to_timestamp($12 / 1000.0), $13)`,
    [
      scope.venueId,
      hold.id,
      scope.checkoutId,
      hold.shareId,
      scope.mode,
      hold.amount,
      scope.currency,
      hold.renews,
      hold.savesCard,
      hold.customerId,
      dueAt,
      scope.now,
      hold.payerId,
    ],
  );
}

/** New facts of a hold. Absent or null members keep their stored value. Times are in milliseconds. */
export interface HoldUpdate {
  readonly intentId?: string;
  readonly clientSecret?: Buffer;
  readonly customerId?: string | null;
  readonly paymentMethodId?: string | null;
  readonly chargeId?: string | null;
  readonly heldAt?: number | null;
  readonly captureBefore?: number | null;
  readonly card?: HeldCard | null;
  readonly renewalRefusedAt?: number | null;
  readonly refusal?: string | null;
}

/** Changes the status of one hold and stores new facts; without a transition only the facts. */
export async function transitionHold(
  tx: Queryable,
  venueId: string,
  id: string,
  transition: { readonly from: HoldStatus; readonly to: HoldStatus } | null,
  update: HoldUpdate,
  dueAt: number | null,
): Promise<number> {
  const rows = await tx.query(
    `update holds set status = coalesce($4, status), intent_id = coalesce($5, intent_id),
       client_secret = coalesce($6, client_secret), customer_id = coalesce($7, customer_id),
       payment_method_id = coalesce($8, payment_method_id), charge_id = coalesce($9, charge_id),
       held_at = coalesce(to_timestamp($10 / 1000.0), held_at),
       capture_before = coalesce(to_timestamp($11 / 1000.0), capture_before),
       refusal = coalesce($12, refusal), due_at = to_timestamp($13 / 1000.0),
       renewal_refused_at = coalesce(to_timestamp($14 / 1000.0), renewal_refused_at),
       card_brand = coalesce($15, card_brand), card_last4 = coalesce($16, card_last4)
     where venue_id = $1 and hold_id = $2 and ($3::text is null or status = $3) returning 1`,
    [
      venueId,
      id,
      transition?.from ?? null,
      transition?.to ?? null,
      update.intentId ?? null,
      update.clientSecret ?? null,
      update.customerId ?? null,
      update.paymentMethodId ?? null,
      update.chargeId ?? null,
      update.heldAt ?? null,
      update.captureBefore ?? null,
      update.refusal ?? null,
      dueAt,
      update.renewalRefusedAt ?? null,
      update.card?.brand ?? null,
      update.card?.last4 ?? null,
    ],
  );
  return rows.length;
}

export interface LastHold {
  readonly shareId: string;
  /** Null: the share's own member paid. */
  readonly payerId: string | null;
  readonly card: HeldCard | null;
}

/** The hold of each share whose card was held last. */
export async function lastHoldsOf(db: Queryable, venueId: string, checkoutId: string): Promise<LastHold[]> {
  return db.query<LastHold>(
    `select distinct on (share_id) share_id as "shareId", payer_id as "payerId",
       case when card_brand is not null then json_build_object('brand', card_brand, 'last4', card_last4) end as "card"
     from holds where venue_id = $1 and checkout_id = $2 and held_at is not null order by share_id, created_at desc`,
    [venueId, checkoutId],
  );
}

/** The member who gave a card for the share last, held or not; null: its own guest, or none was given. */
export async function lastPayerOf(db: Queryable, venueId: string, shareId: string): Promise<string | null> {
  const rows = await db.query<{ payerId: string | null }>(
    `select payer_id as "payerId" from holds where venue_id = $1 and share_id = $2 order by created_at desc limit 1`,
    [venueId, shareId],
  );
  return rows[0]?.payerId ?? null;
}

/** By share: the member whose card was held last. Absent: no card was held, or the share's own member paid. */
export async function payersOf(tx: Queryable, venueId: string, checkoutId: string): Promise<Map<string, string>> {
  const holds = await lastHoldsOf(tx, venueId, checkoutId);
  return new Map(holds.flatMap(({ shareId, payerId }) => (payerId === null ? [] : [[shareId, payerId]])));
}

/** The renewal becomes the share's own hold: it is held, or the hold that it was to replace has lapsed first. */
export async function activateRenewal(tx: Queryable, venueId: string, id: string): Promise<number> {
  const rows = await tx.query(
    `update holds set renews = null where venue_id = $1 and hold_id = $2 and status in ('requested', 'open', 'held') and renews is not null
     returning 1`,
    [venueId, id],
  );
  return rows.length;
}

export async function beginCaptures(tx: Queryable, venueId: string, ids: readonly string[]): Promise<number> {
  const rows = await tx.query(
    `update holds set status = 'capturing', due_at = null where venue_id = $1 and hold_id = any($2) and status = 'held' returning 1`,
    [venueId, ids],
  );
  return rows.length;
}

export interface CapturedHold {
  readonly id: string;
  readonly from: HoldStatus;
  readonly chargeId: string | null;
  /** Null: it is not known yet, and the worker asks again. */
  readonly processorFee: number | null;
}

const FEE_RETRY_MS = 60_000;

/** Records the captures of a whole party in one statement. */
export async function recordCaptured(
  tx: Queryable,
  { venueId, now }: Pick<HoldScope, 'venueId' | 'now'>,
  holds: readonly CapturedHold[],
): Promise<number> {
  const rows = await tx.query(
    `update holds h set status = 'captured', charge_id = coalesce(n.charge_id, h.charge_id), processor_fee = n.processor_fee,
       due_at = case when n.processor_fee is null then to_timestamp($6 / 1000.0) end
     from unnest($2::uuid[], $3::text[], $4::text[], $5::integer[]) as n(hold_id, from_status, charge_id, processor_fee)
     where h.venue_id = $1 and h.hold_id = n.hold_id and h.status = n.from_status returning 1`,
    [
      venueId,
      holds.map(({ id }) => id),
      holds.map(({ from }) => from),
      holds.map(({ chargeId }) => chargeId),
      holds.map(({ processorFee }) => processorFee),
      now + FEE_RETRY_MS,
    ],
  );
  return rows.length;
}

/** The processor has stored a failure under the last keys: the next calls use others. */
export async function useNextKeys(tx: Queryable, venueId: string, ids: readonly string[]): Promise<number> {
  const rows = await tx.query(
    `update holds set key_number = key_number + 1
     where venue_id = $1 and hold_id = any($2) and status in ('requested', 'capturing', 'releasing') returning 1`,
    [venueId, ids],
  );
  return rows.length;
}

/** The checkout's own clock was moved ahead: moves the times of its held holds back by as much. */
export async function shiftHeldTimes(tx: Queryable, venueId: string, checkoutId: string, byMs: number): Promise<void> {
  await tx.query(
    `update holds set due_at = (due_at at time zone 'UTC' - $3 * interval '1 millisecond') at time zone 'UTC',
       held_at = (held_at at time zone 'UTC' - $3 * interval '1 millisecond') at time zone 'UTC',
       capture_before = (capture_before at time zone 'UTC' - $3 * interval '1 millisecond') at time zone 'UTC'
     where venue_id = $1 and checkout_id = $2 and status = 'held'`,
    [venueId, checkoutId, byMs],
  );
}

/** A processor event says that a hold has changed: makes it due now. False: it is captured or has ended, and is not due. */
export async function markHoldDue(
  db: Queryable,
  hint: { readonly venueId: string; readonly holdId: string; readonly mode: Mode; readonly now: number },
): Promise<boolean> {
  // The new lease token makes a settlement in progress stale: it may have read the hold before the change.
  const rows = await db.query(
    `update holds set due_at = to_timestamp($4 / 1000.0), lease_token = lease_token + 1
     where venue_id = $1 and hold_id = $2 and mode = $3 and status in ('open', 'held') returning 1`,
    [hint.venueId, hint.holdId, hint.mode, hint.now],
  );
  return rows.length > 0;
}

/** The venues of the `limit` longest due holds, and how many each has. */
export async function venuesWithDueHolds(db: Queryable, now: number, limit: number): Promise<DueAtVenue[]> {
  return db.query<DueAtVenue>(
    `select venue_id as "venueId", count(*)::integer as "due" from (
       select venue_id from holds where due_at <= to_timestamp($1 / 1000.0) order by due_at limit $2) d
     group by venue_id order by venue_id`,
    [now, limit],
  );
}

/** Leases up to `limit` due holds of a venue until `leaseEnds`; after that another worker may claim them. */
export async function claimHolds(
  db: Queryable,
  venueId: string,
  now: number,
  leaseEnds: number,
  limit: number,
): Promise<HoldState[]> {
  return db.query<HoldState>(
    `update holds set lease_token = lease_token + 1, due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and hold_id in (
       select hold_id from holds where venue_id = $1 and due_at <= to_timestamp($2 / 1000.0)
       order by due_at, hold_id limit $4 for update skip locked)
     returning ${HOLD_COLUMNS}`,
    [venueId, now, leaseEnds, limit],
  );
}

/** Leases one hold, due or not; null: it has ended or is being captured. */
export async function claimHold(
  db: Queryable,
  venueId: string,
  holdId: string,
  leaseEnds: number,
): Promise<HoldState | null> {
  const rows = await db.query<HoldState>(
    `update holds set lease_token = lease_token + 1, due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and hold_id = $2 and status in ('requested', 'open', 'held', 'releasing') returning ${HOLD_COLUMNS}`,
    [venueId, holdId, leaseEnds],
  );
  return rows[0] ?? null;
}

/** Holds that have neither ended nor been captured, by id: what a reconciliation settles. */
export async function unsettledHolds(
  db: Queryable,
  mode: Mode,
  after: string | null,
  limit: number,
): Promise<HoldState[]> {
  return db.query<HoldState>(
    `select ${HOLD_COLUMNS} from holds where mode = $1 and status in ('requested', 'open', 'held', 'releasing')
       and ($2::uuid is null or hold_id > $2) order by hold_id limit $3`,
    [mode, after, limit],
  );
}

/** The holds with these ids; unknown ids are left out. */
export async function holdsByIds(db: Queryable, venueId: string, ids: readonly string[]): Promise<HoldState[]> {
  return db.query<HoldState>(`select ${HOLD_COLUMNS} from holds where venue_id = $1 and hold_id = any($2)`, [
    venueId,
    ids,
  ]);
}

/** The current lease token, with the row locked: no worker can claim the hold until this transaction ends. */
export async function lockLease(tx: Queryable, venueId: string, holdId: string): Promise<number | null> {
  const rows = await tx.query<{ leaseToken: number }>(
    'select lease_token as "leaseToken" from holds where venue_id = $1 and hold_id = $2 for no key update',
    [venueId, holdId],
  );
  return rows[0]?.leaseToken ?? null;
}
