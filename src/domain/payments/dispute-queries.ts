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

/**
 * A dispute in one of these states has ended. Any other state, also one that the processor adds later, is open. Money may
 * move after the end too: a guest can take a dispute back that was lost.
 */
export const ENDED_DISPUTE_STATUSES: readonly string[] = ['won', 'lost', 'warning_closed', 'prevented'];

/** In these states the guest has the money: `prevented` is a dispute that a refund at the card network has ended. */
export const LOST_DISPUTE_STATUSES: readonly string[] = ['lost', 'prevented'];

/** SQL: an ended dispute has cost money. */
export const IS_LOST = `(status = 'lost' or coalesce(venue_part + fee_part + returned_part + own_part, 0) > 0)`;

/** SQL: the dispute has cost money, and that loss is not divided yet. */
const IS_UNDIVIDED = `(venue_part is null and (status = 'lost' or status = 'prevented' and withdrawn_amount > reinstated_amount))`;

/**
 * SQL: the dispute is open, or its loss is not divided yet. Until then the charge's transfer and refunds must wait. $3:
 * ENDED_DISPUTE_STATUSES.
 */
export const IS_UNDECIDED = `(status <> all($3) or ${IS_UNDIVIDED})`;

/**
 * SQL: an inquiry, which may become a dispute. No money has moved; a refund ends it. The processor's guide recommends to
 * refund such a charge, so it can be refunded.
 */
const IS_INQUIRY = `status like 'warning\\_%'`;

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
  /** How its loss is divided; null: it has no loss, or one that is not divided yet. */
  readonly division: Division | null;
}

/** Who bears the loss of a dispute. */
export interface Division {
  readonly venuePart: number;
  readonly feePart: number;
  /** What was to be returned to the guest anyway. */
  readonly returnedPart: number;
  /** What the guest has twice, or what the share cannot bear: our loss. */
  readonly ownPart: number;
}

export function dividedAmount({ venuePart, feePart, returnedPart, ownPart }: Division): number {
  return venuePart + feePart + returnedPart + ownPart;
}

/** What must be divided of an ended dispute; null: nothing was divided, and nothing must be. */
export function lossOf(
  { status, withdrawn, reinstated }: Pick<DisputeFacts, 'status' | 'withdrawn' | 'reinstated'>,
  division: Division | null,
): number | null {
  const loss = Math.max(0, withdrawn - reinstated);
  if (division !== null || status === 'lost') return loss;
  return LOST_DISPUTE_STATUSES.includes(status) && loss > 0 ? loss : null;
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
  const rows = await tx.query<Omit<LockedDispute, 'division'> & Nullable<Division>>(
    `select changes, withdrawn_amount as "withdrawn", reinstated_amount as "reinstated", currency,
       processor_fee as "processorFee", processor_fee_returned as "processorFeeReturned", venue_part as "venuePart",
       fee_part as "feePart", returned_part as "returnedPart", own_part as "ownPart"
     from disputes where venue_id = $1 and dispute_id = $2 for update`,
    [update.venueId, facts.disputeId],
  );
  if (rows[0] === undefined) throw new Error(`dispute ${facts.disputeId} was just written but is not found`);
  const { venuePart, feePart, returnedPart, ownPart, ...dispute } = rows[0];
  const isDivided = venuePart !== null && feePart !== null && returnedPart !== null && ownPart !== null;
  return { ...dispute, division: isDivided ? { venuePart, feePart, returnedPart, ownPart } : null };
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** The processor never takes back what it has said of money, so amounts only grow. */
export async function updateDispute(tx: Queryable, { venueId, facts, now }: DisputeUpdate): Promise<void> {
  await tx.query(
    `update disputes set changes = changes + 1, status = $3, amount = $10,
       changed_at = case when (status, amount) is distinct from ($3, $10) or withdrawn_amount < $5
         or reinstated_amount < $6 then to_timestamp($4 / 1000.0) else changed_at end,
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
      facts.amount,
    ],
  );
}

/** SQL: the dispute has ended, and what the processor keeps of it is not divided. The index disputes_unsettled has the same words. */
const IS_UNSETTLED = `(status in ('won', 'lost', 'warning_closed', 'prevented')
  and (status = 'lost' and venue_part is null
    or withdrawn_amount - reinstated_amount <> coalesce(venue_part + fee_part + returned_part + own_part, 0)))`;

export interface UnsettledDispute {
  readonly id: string;
  readonly checkoutId: string;
  readonly status: string;
  /** What the processor has taken and not given back. */
  readonly taken: number;
  readonly divided: number;
}

/** Ended disputes whose money is not divided as the processor has moved it since then: an operator must look at them. */
export async function unsettledDisputes(
  db: Queryable,
  mode: Mode,
  before: number,
  limit: number,
): Promise<UnsettledDispute[]> {
  return db.query<UnsettledDispute>(
    `select dispute_id as "id", checkout_id as "checkoutId", status, withdrawn_amount - reinstated_amount as "taken",
       coalesce(venue_part + fee_part + returned_part + own_part, 0) as "divided"
     from disputes where mode = $1 and ${IS_UNSETTLED}
       and changed_at < to_timestamp($2 / 1000.0)
     order by changed_at limit $3`,
    [mode, before, limit],
  );
}

export interface RecordedDispute extends Pick<DisputeFacts, 'status' | 'amount' | 'withdrawn' | 'reinstated'> {
  /** It is open, or what the processor keeps of it is divided. */
  readonly isSettled: boolean;
}

/** What is recorded of disputes, by the processor's id. */
export async function recordedDisputes(
  db: Queryable,
  mode: Mode,
  disputeIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedDispute>> {
  const rows = await db.query<RecordedDispute & { readonly disputeId: string }>(
    `select dispute_id as "disputeId", status, amount, withdrawn_amount as "withdrawn", reinstated_amount as "reinstated",
       not ${IS_UNSETTLED} as "isSettled"
     from disputes where mode = $1 and dispute_id = any($2)`,
    [mode, disputeIds],
  );
  return new Map(rows.map((row) => [row.disputeId, row]));
}

/** Disputes that are open in the records and were opened before then, those first that have not changed for longest. */
export async function openDisputesBefore(
  db: Queryable,
  mode: Mode,
  before: number,
  limit: number,
): Promise<{ readonly disputeId: string; readonly intentId: string | null }[]> {
  return db.query(
    `select d.dispute_id as "disputeId", h.intent_id as "intentId"
     from disputes d join holds h on h.venue_id = d.venue_id and h.hold_id = d.hold_id
     where d.mode = $1 and d.status not in ('won', 'lost', 'warning_closed', 'prevented')
       and d.opened_at < to_timestamp($2 / 1000.0)
     order by d.changed_at limit $3`,
    [mode, before, limit],
  );
}

/** Returns 0 if the division is no longer the one that the decision saw. */
export async function updateDivision(
  tx: Queryable,
  venueId: string,
  disputeId: string,
  before: Division | null,
  next: Division,
): Promise<number> {
  const rows = await tx.query(
    `update disputes set venue_part = $3, fee_part = $4, returned_part = $5, own_part = $6
     where venue_id = $1 and dispute_id = $2 and coalesce(venue_part + fee_part + returned_part + own_part, -1) = $7
     returning 1`,
    [
      venueId,
      disputeId,
      next.venuePart,
      next.feePart,
      next.returnedPart,
      next.ownPart,
      before === null ? -1 : dividedAmount(before),
    ],
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

/** The shares of a checkout whose charge has an open dispute, so that it cannot be refunded. */
export async function sharesInDispute(tx: Queryable, venueId: string, checkoutId: string): Promise<Set<string>> {
  const rows = await tx.query<{ shareId: string }>(
    `select distinct share_id as "shareId" from disputes
     where venue_id = $1 and checkout_id = $2 and status <> all($3) and not ${IS_INQUIRY}`,
    [venueId, checkoutId, ENDED_DISPUTE_STATUSES],
  );
  return new Set(rows.map(({ shareId }) => shareId));
}
