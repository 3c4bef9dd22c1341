// The SQL of refunds to guests after they were sent: what became of them, and what failed.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import type { MovementRow } from './movement-queries.ts';
import { MOVEMENT_TRANSITIONS } from './transitions.ts';

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

/** The processor's event says that a refund has changed: makes it due now. A poll that may have read it too early is stale. */
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

export interface FailedRefunds {
  readonly count: number;
  readonly parties: number;
}

/** Refunds that did not reach the guest, in all modes. */
export async function countFailedRefunds(db: Queryable): Promise<FailedRefunds> {
  const rows = await db.query<FailedRefunds>(
    `select count(*)::integer as count, count(distinct checkout_id)::integer as parties
     from movements where status = 'failed' and kind in ('refund', 'return')`,
  );
  return rows[0] ?? { count: 0, parties: 0 };
}
