// The SQL of disputes and of the stored processor events about them.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { DisputeFacts } from './processor.ts';
import type { DisputeEvent } from './processor-event.ts';

/** A duplicate of a stored event is ignored. */
export async function storeProcessorEvent(
  db: Queryable,
  event: { readonly id: string; readonly mode: Mode; readonly subject: DisputeEvent; readonly now: number },
): Promise<void> {
  await db.query(
    `insert into processor_events (event_id, mode, subject, due_at, received_at)
     values ($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($4 / 1000.0)) on conflict do nothing`,
    [event.id, event.mode, JSON.stringify(event.subject), event.now],
  );
}

export interface StoredProcessorEvent {
  readonly id: string;
  readonly mode: Mode;
  readonly subject: DisputeEvent;
  readonly leaseToken: number;
  readonly receivedAt: number;
}

export async function claimProcessorEvents(
  db: Queryable,
  now: number,
  leaseEnds: number,
  limit: number,
): Promise<StoredProcessorEvent[]> {
  return db.query<StoredProcessorEvent>(
    `update processor_events set lease_token = lease_token + 1, due_at = to_timestamp($2 / 1000.0)
     where event_id in (
       select event_id from processor_events where due_at <= to_timestamp($1 / 1000.0)
       order by due_at limit $3 for update skip locked)
     returning event_id as "id", mode, subject, lease_token as "leaseToken", (extract(epoch from received_at at time zone 'UTC') * 1000)::float8 as "receivedAt"`,
    [now, leaseEnds, limit],
  );
}

/** Null as dueAt: the event is done. A worker with a stale lease token writes nothing. */
export async function postponeProcessorEvent(
  db: Queryable,
  { id, leaseToken }: Pick<StoredProcessorEvent, 'id' | 'leaseToken'>,
  dueAt: number | null,
): Promise<void> {
  await db.query(
    'update processor_events set due_at = to_timestamp($3 / 1000.0) where event_id = $1 and lease_token = $2',
    [id, leaseToken, dueAt],
  );
}

export async function deleteOldProcessorEvents(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from processor_events where event_id in (
       select event_id from processor_events
       where received_at < to_timestamp($1 / 1000.0) - interval '90 days' and due_at is null limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}

/** A dispute in one of these states has ended. Any other state, also one that the processor adds later, is open. */
export const ENDED_DISPUTE_STATUSES: readonly string[] = ['won', 'lost', 'warning_closed', 'prevented'];

/**
 * SQL: the dispute is open, or it was lost and the loss is not divided yet. Until then the charge's transfer and refunds
 * must wait. $3: ENDED_DISPUTE_STATUSES.
 */
export const IS_UNDECIDED = `(status <> all($3) or status = 'lost' and venue_part is null)`;

export function isOpenDispute(status: string): boolean {
  return !ENDED_DISPUTE_STATUSES.includes(status);
}

export interface LockedDispute {
  /** Counts what was recorded: an answer of the processor that is older than the last record is not recorded. */
  readonly changes: number;
  /** What is recorded of the money that the processor took and gave back, and of its fee. */
  readonly withdrawn: number;
  readonly reinstated: number;
  readonly processorFee: number;
  readonly processorFeeReturned: number;
  readonly currency: string;
  /** It was lost, and the loss is divided between the venue and our fee. */
  readonly isDivided: boolean;
}

export interface DisputeUpdate {
  readonly venueId: string;
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly holdId: string;
  readonly facts: DisputeFacts;
  readonly now: number;
}

/** How often the dispute was recorded; 0: it is not known yet. */
export async function countDisputeChanges(db: Queryable, venueId: string, disputeId: string): Promise<number> {
  const rows = await db.query<{ changes: number }>(
    'select changes from disputes where venue_id = $1 and dispute_id = $2',
    [venueId, disputeId],
  );
  return rows[0]?.changes ?? 0;
}

/** Inserts the dispute if it is new, locks it, and returns what was recorded before. */
export async function lockDispute(tx: Queryable, update: DisputeUpdate): Promise<LockedDispute> {
  const { facts } = update;
  await tx.query(
    `insert into disputes (venue_id, dispute_id, mode, checkout_id, share_id, hold_id, amount, currency, status, reason,
       opened_at, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0), to_timestamp($11 / 1000.0))
     on conflict (venue_id, dispute_id) do nothing`,
    [
      update.venueId,
      facts.disputeId,
      update.mode,
      update.checkoutId,
      update.shareId,
      update.holdId,
      facts.amount,
      facts.currency,
      facts.status,
      facts.reason,
      update.now,
    ],
  );
  const rows = await tx.query<LockedDispute>(
    `select changes, withdrawn_amount as "withdrawn", reinstated_amount as "reinstated", currency,
       venue_part is not null as "isDivided", processor_fee as "processorFee",
       processor_fee_returned as "processorFeeReturned"
     from disputes where venue_id = $1 and dispute_id = $2 for update`,
    [update.venueId, facts.disputeId],
  );
  if (rows[0] === undefined) throw new Error(`dispute ${facts.disputeId} was just written but is not found`);
  return rows[0];
}

/** The processor never takes back what it has said of money, so amounts only grow. */
export async function updateDispute(tx: Queryable, { venueId, facts, now }: DisputeUpdate): Promise<void> {
  await tx.query(
    `update disputes set changes = changes + 1, status = $3, changed_at = to_timestamp($4 / 1000.0),
       withdrawn_amount = greatest(withdrawn_amount, $5), reinstated_amount = greatest(reinstated_amount, $6),
       processor_fee = greatest(processor_fee, $7), processor_fee_returned = greatest(processor_fee_returned, $8),
       evidence_due_at = to_timestamp($9 / 1000.0)
     where venue_id = $1 and dispute_id = $2`,
    [
      venueId,
      facts.disputeId,
      facts.status,
      now,
      facts.withdrawn,
      facts.reinstated,
      facts.processorFee,
      facts.processorFeeReturned,
      facts.evidenceDueAt,
    ],
  );
}

/** Disputes that were lost before then and whose loss is not divided: an operator must look at them. */
export async function undividedLosses(
  db: Queryable,
  mode: Mode,
  before: number,
  limit: number,
): Promise<{ readonly id: string; readonly checkoutId: string; readonly amount: number }[]> {
  return db.query(
    `select dispute_id as "id", checkout_id as "checkoutId", amount from disputes
     where mode = $1 and status = 'lost' and venue_part is null and changed_at < to_timestamp($2 / 1000.0)
     order by changed_at limit $3`,
    [mode, before, limit],
  );
}

export async function divideLoss(
  tx: Queryable,
  venueId: string,
  loss: {
    readonly disputeId: string;
    readonly venuePart: number;
    readonly feePart: number;
    readonly returnedPart: number;
    readonly ownPart: number;
  },
): Promise<number> {
  const rows = await tx.query(
    `update disputes set venue_part = $3, fee_part = $4, returned_part = $5, own_part = $6
     where venue_id = $1 and dispute_id = $2 and status = 'lost' and venue_part is null returning 1`,
    [venueId, loss.disputeId, loss.venuePart, loss.feePart, loss.returnedPart, loss.ownPart],
  );
  return rows.length;
}

/** Whether a dispute of the movement's charge is open, or was lost and is not divided yet. */
export async function hasUndecidedDispute(tx: Queryable, venueId: string, movementId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from disputes where venue_id = $1
       and hold_id = (select hold_id from movements where venue_id = $1 and movement_id = $2) and ${IS_UNDECIDED} limit 1`,
    [venueId, movementId, ENDED_DISPUTE_STATUSES],
  );
  return rows.length > 0;
}

/** The shares of a checkout whose charge has an open dispute. */
export async function sharesInDispute(tx: Queryable, venueId: string, checkoutId: string): Promise<Set<string>> {
  const rows = await tx.query<{ shareId: string }>(
    `select distinct share_id as "shareId" from disputes where venue_id = $1 and checkout_id = $2 and status <> all($3)`,
    [venueId, checkoutId, ENDED_DISPUTE_STATUSES],
  );
  return new Set(rows.map(({ shareId }) => shareId));
}
