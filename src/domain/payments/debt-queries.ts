// The SQL of debts: what venues owe because a transfer could not be taken back, and which later transfers settle it.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import { MOVEMENT_TRANSITIONS } from './transitions.ts';

/** The parts of a transfer or a reversal that decide about debts. */
interface Movement {
  readonly id: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly checkoutId: string;
  readonly reversedTransferId: string | null;
  readonly leaseToken: number;
}

/** What the call of a movement asks for; null: it is not decided yet. */
export interface LockedAmount {
  readonly sentAmount: number | null;
}

/** Locks the movement for a decision; null: another worker has claimed it since, and this one must not decide. */
export async function lockSending(tx: Queryable, movement: Movement): Promise<LockedAmount | null> {
  const rows = await tx.query<LockedAmount>(
    `select sent_amount as "sentAmount" from movements
     where venue_id = $1 and movement_id = $2 and status = 'sending' and lease_token = $3 for update`,
    [movement.venueId, movement.id, movement.leaseToken],
  );
  return rows[0] ?? null;
}

export interface Debt {
  /** The reversal that is owed. */
  readonly id: string;
  readonly checkoutId: string;
  /** What is not settled yet. */
  readonly amount: number;
}

/**
 * Locks what the venue owes, the oldest first. A second worker waits for the lock and then reads what the first has left,
 * so that no debt is taken twice and none is skipped. The order is the same everywhere, so that workers cannot deadlock.
 */
export async function lockDebts(
  tx: Queryable,
  { venueId, mode, currency }: Pick<Movement, 'venueId' | 'mode' | 'currency'>,
): Promise<Debt[]> {
  return tx.query<Debt>(
    `select movement_id as "id", checkout_id as "checkoutId", owed_amount - settled_amount as "amount" from movements
     where venue_id = $1 and mode = $2 and currency = $3 and owed_amount > settled_amount
     order by movement_id for update`,
    [venueId, mode, currency],
  );
}

/** Writes what is sent of a transfer, and which debts the rest of it settles. */
export async function recordTransferAmount(
  tx: Queryable,
  { venueId, id, checkoutId }: Movement,
  sentAmount: number,
  offsets: readonly Debt[],
  now: number,
): Promise<void> {
  await tx.query('update movements set sent_amount = $3 where venue_id = $1 and movement_id = $2', [
    venueId,
    id,
    sentAmount,
  ]);
  if (offsets.length === 0) return;
  const debts = [offsets.map((debt) => debt.id), offsets.map(({ amount }) => amount)];
  await tx.query(
    `update movements m set settled_amount = m.settled_amount + d.amount
     from unnest($2::uuid[], $3::integer[]) as d(id, amount) where m.venue_id = $1 and m.movement_id = d.id`,
    [venueId, ...debts],
  );
  await tx.query(
    `insert into debt_offsets (venue_id, transfer_id, reversal_id, checkout_id, debt_checkout_id, amount, created_at)
     select $1, $2, d.id, $3, d.checkout_id, d.amount, to_timestamp($7 / 1000.0)
     from unnest($4::uuid[], $5::integer[], $6::text[]) as d(id, amount, checkout_id)`,
    [venueId, id, checkoutId, ...debts, offsets.map((debt) => debt.checkoutId), now],
  );
}

/**
 * What the transfer was to settle is owed again, and is decided anew: a refund changes a transfer that was not sent, or
 * the processor has sent another amount. The caller has locked the transfer.
 */
export async function releaseOffsets(tx: Queryable, venueId: string, transferId: string): Promise<void> {
  await tx.query(
    `select 1 from movements where venue_id = $1 and movement_id in (
       select reversal_id from debt_offsets where venue_id = $1 and transfer_id = $2)
     order by movement_id for update`,
    [venueId, transferId],
  );
  await tx.query(
    `with released as (
       delete from debt_offsets where venue_id = $1 and transfer_id = $2 returning reversal_id, amount)
     update movements m set settled_amount = m.settled_amount - r.amount
     from released r where m.venue_id = $1 and m.movement_id = r.reversal_id`,
    [venueId, transferId],
  );
  await tx.query('update movements set sent_amount = null where venue_id = $1 and movement_id = $2', [
    venueId,
    transferId,
  ]);
}

/**
 * What of a transfer was sent and is not taken back by its other reversals; a closed one was paid by hand. Locks the transfer, so that two reversals of
 * it are decided one after the other.
 */
export async function lockReversible(tx: Queryable, { venueId, id, reversedTransferId }: Movement): Promise<number> {
  const [transfer] = await tx.query<{ sent: number }>(
    `select case when status = 'closed' then 0 else coalesce(sent_amount, amount) end as "sent" from movements
     where venue_id = $1 and movement_id = $2 for update`,
    [venueId, reversedTransferId],
  );
  // A done reversal without the amount is of an older version.
  const [others] = await tx.query<{ reversed: number }>(
    `select coalesce(sum(case when sent_amount is null and status = 'done' then amount else sent_amount end), 0)::integer
       as "reversed"
     from movements m join (select hold_id from movements where venue_id = $1 and movement_id = $2) t using (hold_id)
     where m.venue_id = $1 and m.kind = 'reversal' and m.reversed_transfer_id = $2 and m.movement_id <> $3`,
    [venueId, reversedTransferId, id],
  );
  return Math.max(0, (transfer?.sent ?? 0) - (others?.reversed ?? 0));
}

/** Writes what a reversal takes back. The rest was never sent to the venue: the venue owes it. */
export async function recordReversalAmount(
  tx: Queryable,
  { venueId, id }: Movement,
  sentAmount: number,
): Promise<void> {
  await tx.query(
    `update movements set sent_amount = $3, owed_amount = amount - $3 where venue_id = $1 and movement_id = $2`,
    [venueId, id, sentAmount],
  );
}

/** The whole reversal is owed. The caller has locked it. */
export async function recordOwed(tx: Queryable, { venueId, id }: Movement, error: string | null): Promise<void> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'sending', 'owed');
  await tx.query(
    `update movements set status = 'owed', sent_amount = 0, owed_amount = amount, due_at = null, last_error = $3
     where venue_id = $1 and movement_id = $2 and status = 'sending'`,
    [venueId, id, error],
  );
}

export interface VenueDebt {
  readonly venueId: string;
  readonly mode: Mode;
  readonly currency: string;
  /** What is not settled yet. */
  readonly amount: number;
}

/** What venues owe; null: every venue. */
export async function findDebts(db: Queryable, venueId: string | null): Promise<VenueDebt[]> {
  return db.query<VenueDebt>(
    `select venue_id as "venueId", mode, currency, sum(owed_amount - settled_amount)::bigint as "amount" from movements
     where owed_amount > settled_amount and ($1::uuid is null or venue_id = $1)
     group by venue_id, mode, currency order by venue_id, mode, currency`,
    [venueId],
  );
}

export interface WrittenOff {
  /** The reversal that the venue owed. */
  readonly id: string;
  readonly amount: number;
}

/** Locks and returns what was written off of the loss of a charge's disputes, the oldest first. */
export async function lockWrittenOff(
  tx: Queryable,
  venueId: string,
  holdId: string,
  reasons: readonly string[],
): Promise<WrittenOff[]> {
  return tx.query<WrittenOff>(
    `select movement_id as "id", written_off_amount as "amount" from movements
     where venue_id = $1 and hold_id = $2 and kind = 'reversal' and reason = any($3) and written_off_amount > 0
     order by movement_id for update`,
    [venueId, holdId, reasons],
  );
}

/** The venue owes it again. Returns 0 if less was written off. */
export async function undoWriteOff(tx: Queryable, venueId: string, id: string, amount: number): Promise<number> {
  const rows = await tx.query(
    `update movements set settled_amount = settled_amount - $3, written_off_amount = written_off_amount - $3
     where venue_id = $1 and movement_id = $2 and written_off_amount >= $3 returning 1`,
    [venueId, id, amount],
  );
  return rows.length;
}
