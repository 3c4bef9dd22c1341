// The SQL of refunds to guests after they were sent: what became of them, and what failed.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import { ENDED_DISPUTE_STATUSES, IS_UNDECIDED, LOST_DISPUTE_STATUSES } from './dispute-queries.ts';
import { MOVEMENT_COLUMNS, type MovementRow } from './movement-queries.ts';
import { MOVEMENT_TRANSITIONS, type MovementStatus } from './transitions.ts';

export interface RefundChange {
  readonly status: 'pending' | 'done' | 'failed';
  readonly processorId: string | null;
  readonly error: string | null;
  /** When the worker asks for it again; null: only after an event of the processor. */
  readonly dueAt: number | null;
  readonly now: number;
}

/** Returns false if the refund has changed since it was claimed. An equal status changes only when it is asked for again. */
export async function transitionRefund(tx: Queryable, movement: MovementRow, change: RefundChange): Promise<boolean> {
  const { venueId, id, leaseToken, status: from } = movement;
  if (from !== change.status) requireTransition('movement', MOVEMENT_TRANSITIONS, from, change.status);
  const rows = await tx.query(
    `update movements set status = $5, processor_id = coalesce($6, processor_id), last_error = $7,
       due_at = to_timestamp($8 / 1000.0),
       done_at = case when $5 <> 'done' then null when status = 'done' then done_at else to_timestamp($9 / 1000.0) end,
       failures_after_done = failures_after_done + case when status = 'done' and $5 = 'failed' then 1 else 0 end
     where venue_id = $1 and movement_id = $2 and lease_token = $3 and status = $4 returning 1`,
    [venueId, id, leaseToken, from, change.status, change.processorId, change.error, change.dueAt, change.now],
  );
  return rows.length === 1;
}

/**
 * The processor's event says that a refund has changed: makes it due now. A poll that may have read it too early is
 * stale.
 */
export async function markRefundDue(
  db: Queryable,
  hint: { readonly venueId: string; readonly movementId: string; readonly mode: Mode; readonly now: number },
): Promise<void> {
  await db.query(
    `update movements set due_at = to_timestamp($4 / 1000.0), lease_token = lease_token + 1
     where venue_id = $1 and movement_id = $2 and mode = $3 and kind in ('refund', 'return') and status in ('pending', 'done')`,
    [hint.venueId, hint.movementId, hint.mode, hint.now],
  );
}

/** Leases the done refunds of a charge, so that the processor is asked for them again. */
export async function claimDoneRefunds(
  db: Queryable,
  venueId: string,
  holdId: string,
  leaseEnds: number,
): Promise<MovementRow[]> {
  return db.query<MovementRow>(
    `update movements set lease_token = lease_token + 1, due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and hold_id = $2 and kind in ('refund', 'return') and status = 'done' and processor_id is not null
     returning ${MOVEMENT_COLUMNS}`,
    [venueId, holdId, leaseEnds],
  );
}

/** What the records say about the dispute of a charge that the processor refuses to refund. */
export type DisputeOfRefund = 'undecided' | 'lost' | 'unknown';

/**
 * A refund whose charge is disputed waits for the end of the dispute, and uses another key then: the processor repeats its
 * refusal for the old one. The dispute is locked, so that it cannot end unseen between the look and the change.
 */
export async function freezeRefund(db: Queryable, movement: MovementRow, error: string): Promise<DisputeOfRefund> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'sending', 'frozen');
  const { venueId, id, holdId, leaseToken } = movement;
  const rows = await db.query<{ isUndecided: boolean; isLost: boolean }>(
    `with undecided as (
       select 1 from disputes where venue_id = $1 and hold_id = $2 and ${IS_UNDECIDED} limit 1 for share),
     frozen as (
       update movements set status = 'frozen', due_at = null, last_error = $6, refusals = refusals + 1,
         key_number = key_number + 1
       where venue_id = $1 and movement_id = $4 and lease_token = $5 and status = 'sending'
         and exists (select 1 from undecided))
     select exists (select 1 from undecided) as "isUndecided",
       exists (select 1 from disputes where venue_id = $1 and hold_id = $2 and status = any($7)) as "isLost"`,
    [venueId, holdId, ENDED_DISPUTE_STATUSES, id, leaseToken, error, LOST_DISPUTE_STATUSES],
  );
  if (rows[0]?.isUndecided === true) return 'undecided';
  return rows[0]?.isLost === true ? 'lost' : 'unknown';
}

/** A refund that the guest does not have: neither paid nor accepted by the processor. */
export interface UnpaidRefund {
  readonly id: string;
  readonly kind: 'refund' | 'return';
  readonly shareId: string;
  readonly holdId: string;
  readonly status: MovementStatus;
  readonly amount: number;
  readonly feePart: number;
  readonly reason: string | null;
  /** The processor made it once, and it failed afterwards. */
  readonly wasMade: boolean;
  /** An operator pays it by hand, and may have paid it already. */
  readonly isReserved: boolean;
}

/** Locks and returns the refunds of a charge that the guest does not have, oldest first. */
export async function lockUnpaidRefunds(tx: Queryable, venueId: string, holdId: string): Promise<UnpaidRefund[]> {
  return tx.query<UnpaidRefund>(
    `select movement_id as "id", kind, share_id as "shareId", hold_id as "holdId", status, amount, fee_part as "feePart", reason,
       processor_id is not null as "wasMade", by_hand_by is not null as "isReserved"
     from movements where venue_id = $1 and hold_id = $2 and kind in ('refund', 'return')
       and status not in ('pending', 'done', 'dropped', 'closed') order by created_at, movement_id for update`,
    [venueId, holdId],
  );
}

/** Whether a refund of the charge is under way at the processor, and may fail still. */
export async function hasPendingRefund(tx: Queryable, venueId: string, holdId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from movements where venue_id = $1 and hold_id = $2 and kind in ('refund', 'return')
       and status = 'pending' limit 1`,
    [venueId, holdId],
  );
  return rows.length > 0;
}

/** A lost dispute has given the guest the money: the refund will never be sent. It keeps its amount as a record. */
export async function dropRefund(
  tx: Queryable,
  venueId: string,
  refund: { readonly id: string; readonly from: MovementStatus },
): Promise<number> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, refund.from, 'dropped');
  const rows = await tx.query(
    `update movements set status = 'dropped', due_at = null where venue_id = $1 and movement_id = $2 and status = $3 returning 1`,
    [venueId, refund.id, refund.from],
  );
  return rows.length;
}

/** Adds to what is still owed to guests of the checkout because refunds failed; negative: it is paid again. */
export async function addFailedRefund(
  tx: Queryable,
  { venueId, checkoutId, shareId }: Pick<MovementRow, 'venueId' | 'checkoutId' | 'shareId'>,
  amount: number,
): Promise<void> {
  await tx.query('select add_failed_refund($1, $2, $3, $4)', [venueId, checkoutId, shareId, amount]);
}

export async function recordRefundFailed(
  tx: Queryable,
  movement: MovementRow,
  event: { readonly id: string; readonly reason: string | null; readonly now: number },
): Promise<void> {
  const refund = JSON.stringify({ amount: movement.amount, reason: event.reason });
  await tx.query('select record_checkout_event($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))', [
    movement.venueId,
    movement.checkoutId,
    event.id,
    'refund.failed',
    `"refund":${refund}`,
    event.now,
  ]);
}

/** Refunds that the processor has accepted and cannot pay, because our balance there is too low. */
export interface UnfundedRefunds {
  readonly mode: Mode;
  readonly currency: string;
  readonly count: number;
  readonly amount: number;
}

export const INSUFFICIENT_FUNDS = 'insufficient_funds';

export async function unfundedRefunds(db: Queryable): Promise<UnfundedRefunds[]> {
  return db.query<UnfundedRefunds>(
    `select mode, currency, count(*)::integer as count, sum(amount)::float8 as amount
     from movements where status = 'pending' and kind in ('refund', 'return') and last_error = $1
     group by mode, currency order by mode, currency`,
    [INSUFFICIENT_FUNDS],
  );
}

export interface RefundCount {
  readonly mode: Mode;
  readonly status: 'failed' | 'frozen';
  readonly count: number;
  readonly checkoutCount: number;
}

/** Refunds that did not reach the guest, or that wait for the end of a dispute; live mode first. */
export async function countUnpaidRefunds(db: Queryable): Promise<RefundCount[]> {
  return db.query<RefundCount>(
    `select mode, status, count(*)::integer as count, count(distinct checkout_id)::integer as "checkoutCount"
     from movements where status in ('failed', 'frozen') and kind in ('refund', 'return')
     group by mode, status order by mode, status`,
  );
}

export interface FailedRefund {
  readonly id: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly amount: number;
  readonly currency: string;
  /** The processor's reason. */
  readonly error: string | null;
  /** When it was decided. */
  readonly createdAt: string;
  /** The operator who pays it by hand; null: none does. */
  readonly byHandBy: string | null;
}

const FAILED_REFUNDS = `select movement_id as "id", venue_id as "venueId", mode, checkout_id as "checkoutId", share_id as "shareId",
    amount, currency, last_error as "error", utc_text(created_at) as "createdAt", by_hand_by as "byHandBy"
  from movements where mode in ('live', 'test') and status = 'failed' and kind in ('refund', 'return')`;

/** Refunds that did not reach the guest; live mode first, the oldest first. */
export async function listFailedRefunds(db: Queryable, limit: number): Promise<FailedRefund[]> {
  return db.query<FailedRefund>(`${FAILED_REFUNDS} order by mode, movement_id limit $1`, [limit]);
}

/** Null: no refund with this id has failed, or it was retried, dropped or closed since. */
export async function findFailedRefund(db: Queryable, id: string): Promise<FailedRefund | null> {
  const rows = await db.query<FailedRefund>(`${FAILED_REFUNDS} and movement_id = $1`, [id]);
  return rows[0] ?? null;
}

/**
 * An operator has paid the refund in another way: it is never sent again. Null: it is no longer failed, or this operator has
 * not reserved it.
 */
export async function closeFailedRefund(
  tx: Queryable,
  venueId: string,
  id: string,
  by: string,
): Promise<MovementRow | null> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'failed', 'closed');
  const rows = await tx.query<MovementRow>(
    `update movements set status = 'closed' where venue_id = $1 and movement_id = $2 and status = 'failed'
       and kind in ('refund', 'return') and by_hand_by = $3 returning ${MOVEMENT_COLUMNS}`,
    [venueId, id, by],
  );
  return rows[0] ?? null;
}

/** When the latest refund was decided, in milliseconds; null: there is none. */
export async function lastRefundAt(db: Queryable, venueId: string, checkoutId: string): Promise<number | null> {
  const rows = await db.query<{ at: number | null }>(
    `select (extract(epoch from max(created_at)) * 1000)::float8 as at from movements
     where venue_id = $1 and checkout_id = $2 and kind = 'refund'`,
    [venueId, checkoutId],
  );
  return rows[0]?.at ?? null;
}
