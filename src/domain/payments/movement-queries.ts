// The SQL of movements: refunds, returns, transfers and reversals.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import { releaseOffsets } from './debt-queries.ts';
import { ENDED_DISPUTE_STATUSES, IS_UNDECIDED } from './dispute-queries.ts';
import type { Unavailability } from './processor.ts';
import type { DueAtVenue } from './queries.ts';
import { MOVEMENT_TRANSITIONS, type MovementStatus } from './transitions.ts';

/** How long a worker has for a movement before another may claim it. */
export const LEASE_MS = 60_000;

/** The reason of a transfer that pays the venue again what came back of a lost dispute. */
export const LOSS_RETURNED = 'loss_returned';

export interface MovementRow {
  readonly id: string;
  readonly venueId: string;
  readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly holdId: string;
  readonly status: MovementStatus;
  readonly amount: number;
  readonly feePart: number;
  /** Of a reversal: the transfer that it reverses. */
  readonly reversedTransferId: string | null;
  readonly currency: string;
  readonly reason: string | null;
  readonly leaseToken: number;
  readonly refusals: number;
  /** Which idempotency key the next call uses. */
  readonly keyNumber: number;
  /** In milliseconds. */
  readonly firstDueAt: number;
  /** Null until it is done. */
  readonly doneAt: number | null;
  readonly processorId: string | null;
  /** How often the refund was done and failed afterwards. */
  readonly failuresAfterDone: number;
}

export const MOVEMENT_COLUMNS = `movement_id as "id", venue_id as "venueId", kind, mode, checkout_id as "checkoutId", share_id as "shareId",
  hold_id as "holdId", status, amount, fee_part as "feePart", reversed_transfer_id as "reversedTransferId", currency, reason, lease_token as "leaseToken", refusals,
  key_number as "keyNumber",
  (extract(epoch from first_due_at at time zone 'UTC') * 1000)::float8 as "firstDueAt",
  (extract(epoch from done_at at time zone 'UTC') * 1000)::float8 as "doneAt", processor_id as "processorId",
  failures_after_done as "failuresAfterDone"`;

/** The checkout of new movements, and the time. */
export interface MovementScope {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly now: number;
}

export interface NewMovement {
  readonly id: string;
  readonly kind: MovementRow['kind'];
  readonly shareId: string;
  readonly holdId: string;
  readonly amount: number;
  readonly feePart: number;
  readonly reversedTransferId: string | null;
  readonly reason: string | null;
  readonly dueAt: number;
}

export async function insertMovements(
  tx: Queryable,
  scope: MovementScope,
  movements: readonly NewMovement[],
): Promise<void> {
  if (movements.length === 0) return;
  await tx.query(
    `insert into movements (venue_id, movement_id, kind, mode, checkout_id, share_id, hold_id, status, amount, fee_part,
       reversed_transfer_id, currency, reason, due_at, first_due_at, created_at)
     select $1, n.id, n.kind, $2, $3, n.share_id, n.hold_id, 'waiting', n.amount, n.fee_part, n.reversed_transfer_id, $4, n.reason,
       to_timestamp(n.due_at / 1000.0), to_timestamp(n.due_at / 1000.0), to_timestamp($5 / 1000.0)
     from unnest($6::uuid[], $7::text[], $8::text[], $9::uuid[], $10::integer[], $11::integer[], $12::uuid[], $13::text[],
       $14::float8[]) as n(id, kind, share_id, hold_id, amount, fee_part, reversed_transfer_id, reason, due_at)`,
    [
      scope.venueId,
      scope.mode,
      scope.checkoutId,
      scope.currency,
      scope.now,
      movements.map(({ id }) => id),
      movements.map(({ kind }) => kind),
      movements.map(({ shareId }) => shareId),
      movements.map(({ holdId }) => holdId),
      movements.map(({ amount }) => amount),
      movements.map(({ feePart }) => feePart),
      movements.map(({ reversedTransferId }) => reversedTransferId),
      movements.map(({ reason }) => reason),
      movements.map(({ dueAt }) => dueAt),
    ],
  );
}

/** Adds the payout of a completed checkout to the venue's statement. */
export async function openPayout(tx: Queryable, scope: MovementScope, payoutId: string): Promise<void> {
  await tx.query('select open_payout($1, $2, $3, to_timestamp($4 / 1000.0))', [
    scope.venueId,
    scope.checkoutId,
    payoutId,
    scope.now,
  ]);
}

export async function reduceTransfer(tx: Queryable, venueId: string, id: string, by: number): Promise<number> {
  await releaseOffsets(tx, venueId, id);
  const rows = await tx.query(
    `update movements set amount = amount - $3
     where venue_id = $1 and movement_id = $2 and status in ('waiting', 'failed', 'frozen') and amount > $3 returning 1`,
    [venueId, id, by],
  );
  return rows.length;
}

/** A refund has taken the whole transfer: it will never be sent. */
export async function dropTransfer(
  tx: Queryable,
  venueId: string,
  transfer: { readonly id: string; readonly from: MovementStatus; readonly amount: number },
): Promise<number> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, transfer.from, 'dropped');
  await releaseOffsets(tx, venueId, transfer.id);
  const rows = await tx.query(
    `update movements set amount = 0, status = 'dropped', due_at = null
     where venue_id = $1 and movement_id = $2 and status = $3 and amount = $4 returning 1`,
    [venueId, transfer.id, transfer.from, transfer.amount],
  );
  return rows.length;
}

/**
 * SQL: the status of a transfer for a refund or dispute. One that an operator pays by hand counts as closed: the venue may
 * have the money, so it is not reduced any more.
 */
const TRANSFER_STATUS = "case when status = 'failed' and by_hand_by is not null then 'closed' else status end";

export interface TransferRow {
  readonly id: string;
  readonly holdId: string;
  readonly status: MovementStatus;
  readonly amount: number;
  /** Of the amount: what no reversal has taken back or will. */
  readonly left: number;
}

const TRANSFERS = `select movement_id as "id", hold_id as "holdId", ${TRANSFER_STATUS} as "status", amount,
    amount - coalesce((select sum(r.amount) from movements r where r.venue_id = $1 and r.checkout_id = $2
      and r.reversed_transfer_id = t.movement_id), 0)::integer as "left"
  from movements t where venue_id = $1 and checkout_id = $2 and kind = 'transfer' order by created_at, movement_id`;

/** Locks and returns the transfers of a checkout, oldest first: a refund reduces or reverses them. */
export async function lockTransfers(tx: Queryable, venueId: string, checkoutId: string): Promise<TransferRow[]> {
  return tx.query<TransferRow>(`${TRANSFERS} for update`, [venueId, checkoutId]);
}

/** The transfers of a checkout, without a lock: never decide on them. */
export async function readTransfers(db: Queryable, venueId: string, checkoutId: string): Promise<TransferRow[]> {
  return db.query<TransferRow>(TRANSFERS, [venueId, checkoutId]);
}

export async function venuesWithDueMovements(db: Queryable, now: number, limit: number): Promise<DueAtVenue[]> {
  return db.query<DueAtVenue>(
    `select venue_id as "venueId", count(*)::integer as "due" from (
       select venue_id from movements where due_at <= to_timestamp($1 / 1000.0) order by due_at limit $2) d
     group by venue_id order by venue_id`,
    [now, limit],
  );
}

/**
 * Leases due movements of a venue until `leaseEnds`. Their status is `sending`: from now on they may have happened. A
 * refund that is pending or done stays so: the worker asks what became of it.
 */
export async function claimMovements(
  db: Queryable,
  venueId: string,
  now: number,
  leaseEnds: number,
  limit: number,
): Promise<MovementRow[]> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'waiting', 'sending');
  return db.query<MovementRow>(
    `update movements set status = case when status in ('pending', 'done') then status else 'sending' end,
       lease_token = lease_token + 1, due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and movement_id in (
       select movement_id from movements where venue_id = $1 and due_at <= to_timestamp($2 / 1000.0)
       order by due_at, movement_id limit $4 for update skip locked)
     returning ${MOVEMENT_COLUMNS}`,
    [venueId, now, leaseEnds, limit],
  );
}

/**
 * A transfer whose charge is disputed waits for the end of the dispute. Returns whether it is disputed. The dispute is
 * locked, so that it cannot end unseen between the look and the change: it would not resume this transfer.
 */
export async function freezeIfDisputed(db: Queryable, movement: MovementRow): Promise<boolean> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'sending', 'frozen');
  const { venueId, id, holdId, leaseToken } = movement;
  const rows = await db.query<{ isDisputed: boolean }>(
    `with open_dispute as (
       select 1 from disputes where venue_id = $1 and hold_id = $2 and ${IS_UNDECIDED} limit 1 for share),
     frozen as (
       update movements set status = 'frozen', due_at = null
       where venue_id = $1 and movement_id = $4 and lease_token = $5 and status = 'sending'
         and exists (select 1 from open_dispute))
     select exists (select 1 from open_dispute) as "isDisputed"`,
    [venueId, holdId, ENDED_DISPUTE_STATUSES, id, leaseToken],
  );
  return rows[0]?.isDisputed === true;
}

/** The dispute of the hold has ended: its transfer and its refunds are due now. */
export async function resumeFrozen(tx: Queryable, venueId: string, holdId: string, now: number): Promise<void> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'frozen', 'waiting');
  await tx.query(
    `update movements set status = 'waiting', due_at = to_timestamp($3 / 1000.0), first_due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and hold_id = $2 and status = 'frozen'`,
    [venueId, holdId, now],
  );
}

export interface FinishedMovement {
  /** What was sent of it. */
  readonly sentAmount: number;
}

/** Null: it was finished before, or another worker has leased it meanwhile. */
export async function finishMovement(
  tx: Queryable,
  movement: MovementRow,
  outcome: { readonly status: 'done' | 'failed'; readonly processorId: string | null; readonly error: string | null },
  now: number,
): Promise<FinishedMovement | null> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'sending', outcome.status);
  const rows = await tx.query<FinishedMovement>(
    `update movements set status = $3, processor_id = coalesce($4, processor_id), last_error = $5, due_at = null,
       done_at = case when $3 = 'done' then to_timestamp($6 / 1000.0) end
     where venue_id = $1 and movement_id = $2 and status = 'sending' and lease_token = $7
     returning coalesce(sent_amount, amount) as "sentAmount"`,
    [movement.venueId, movement.id, outcome.status, outcome.processorId, outcome.error, now, movement.leaseToken],
  );
  return rows[0] ?? null;
}

/** Why a movement is retried. Only after `no_answer` does the retry use the same key. */
export type RetryReason = 'refused' | Unavailability;

export async function postponeMovement(
  db: Queryable,
  movement: MovementRow,
  dueAt: number,
  reason: RetryReason,
  error: string,
): Promise<void> {
  await db.query(
    `update movements set due_at = to_timestamp($4 / 1000.0), last_error = $5, refusals = refusals + $6,
       key_number = key_number + $7
     where venue_id = $1 and movement_id = $2 and lease_token = $3 and status = 'sending'`,
    [
      movement.venueId,
      movement.id,
      movement.leaseToken,
      dueAt,
      error,
      reason === 'refused' ? 1 : 0,
      reason === 'no_answer' ? 0 : 1,
    ],
  );
}

export interface MovementOutcome {
  readonly status: MovementStatus;
  /** The processor's id of the movement, needed to reverse it; null for a transfer of which nothing was sent. */
  readonly processorId: string | null;
  /** An operator pays it by hand. */
  readonly isByHand: boolean;
  readonly checkoutId: string;
}

export async function findMovementOutcome(
  db: Queryable,
  venueId: string,
  movementId: string,
): Promise<MovementOutcome | null> {
  const rows = await db.query<MovementOutcome>(
    `select status, processor_id as "processorId", by_hand_by is not null as "isByHand", checkout_id as "checkoutId"
     from movements
     where venue_id = $1 and movement_id = $2`,
    [venueId, movementId],
  );
  return rows[0] ?? null;
}

/** Movements with an unknown outcome, by id. */
export async function unsettledMovements(
  db: Queryable,
  mode: Mode,
  after: string | null,
  limit: number,
): Promise<{ id: string; venueId: string; checkoutId: string }[]> {
  return db.query(
    `select movement_id as "id", venue_id as "venueId", checkout_id as "checkoutId" from movements
     where mode = $1 and status in ('sending', 'pending') and ($2::uuid is null or movement_id > $2) order by movement_id limit $3`,
    [mode, after, limit],
  );
}

/** Movements that wait for the processor and were first due before then: an operator should know why. */
export async function stuckMovements(
  db: Queryable,
  mode: Mode,
  before: number,
  limit: number,
): Promise<(FailedMovement & { readonly firstDueAt: number })[]> {
  return db.query(
    `select movement_id as "id", kind, checkout_id as "checkoutId", amount, last_error as "lastError",
       (extract(epoch from first_due_at at time zone 'UTC') * 1000)::float8 as "firstDueAt" from movements
     where mode = $1 and status = 'sending' and first_due_at < to_timestamp($2 / 1000.0) order by movement_id limit $3`,
    [mode, before, limit],
  );
}

/** Leases one movement that is being sent or pending, due or not; null: it is settled. */
export async function claimMovement(
  db: Queryable,
  venueId: string,
  id: string,
  leaseEnds: number,
): Promise<MovementRow | null> {
  const rows = await db.query<MovementRow>(
    `update movements set lease_token = lease_token + 1, due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and movement_id = $2 and status in ('sending', 'pending') returning ${MOVEMENT_COLUMNS}`,
    [venueId, id, leaseEnds],
  );
  return rows[0] ?? null;
}

/** Movements that the processor has refused permanently: an operator must act. */
export async function failedMovements(db: Queryable, mode: Mode, limit: number): Promise<FailedMovement[]> {
  return db.query<FailedMovement>(
    `select movement_id as "id", kind, checkout_id as "checkoutId", amount, last_error as "lastError" from movements
     where mode = $1 and status = 'failed' order by created_at limit $2`,
    [mode, limit],
  );
}

export interface FailedMovement {
  readonly id: string;
  readonly kind: MovementRow['kind'];
  readonly checkoutId: string;
  readonly amount: number;
  readonly lastError: string | null;
}

/** By hold: the amount that was paid back to the guest, and the amount that is still to be. */
export async function refundedByHold(
  db: Queryable,
  venueId: string,
  holdIds: readonly string[],
): Promise<Map<string, { readonly done: number; readonly open: number }>> {
  const rows = await db.query<{ holdId: string; done: number; open: number }>(
    `select hold_id as "holdId", coalesce(sum(amount) filter (where status = 'done'), 0)::integer as "done",
       coalesce(sum(amount) filter (where status in ('waiting', 'sending', 'pending', 'frozen')), 0)::integer as "open"
     from movements where venue_id = $1 and hold_id = any($2) and kind in ('refund', 'return') group by hold_id`,
    [venueId, holdIds],
  );
  return new Map(rows.map(({ holdId, ...sums }) => [holdId, sums]));
}

/** Movements that an operator retries together, of one checkout or of all. Those that are paid by hand are left out. */
export async function retryableMovements(
  db: Queryable,
  mode: Mode,
  checkoutId: string | null,
): Promise<{ id: string; venueId: string }[]> {
  return db.query(
    `select movement_id as "id", venue_id as "venueId" from movements
     where mode = $1 and status = 'failed' and by_hand_by is null and ($2::text is null or checkout_id = $2)
     order by venue_id, movement_id`,
    [mode, checkoutId],
  );
}
