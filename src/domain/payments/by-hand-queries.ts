// The SQL of failed movements that an operator ends: one pays a refund or transfer by hand, and gives up a reversal.

import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import { MOVEMENT_COLUMNS, type MovementRow } from './movement-queries.ts';
import { MOVEMENT_TRANSITIONS } from './transitions.ts';

export interface Reservation {
  /** The operator who pays it by hand; null: it is not reserved. */
  readonly by: string | null;
  readonly at: string | null;
}

/** Null: the movement is not failed. */
export async function lockReservation(tx: Queryable, venueId: string, id: string): Promise<Reservation | null> {
  const rows = await tx.query<Reservation>(
    `select by_hand_by as "by", utc_micros(by_hand_at) as "at" from movements
     where venue_id = $1 and movement_id = $2 and status = 'failed' for update`,
    [venueId, id],
  );
  return rows[0] ?? null;
}

/** From now on it is not sent again. False: it is not failed, is reserved, or is a reversal. */
export async function reserveFailed(
  tx: Queryable,
  venueId: string,
  id: string,
  { by, now }: { readonly by: string; readonly now: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update movements set by_hand_by = $3, by_hand_at = to_timestamp($4 / 1000.0)
     where venue_id = $1 and movement_id = $2 and status = 'failed' and kind <> 'reversal' and by_hand_by is null returning 1`,
    [venueId, id, by, now],
  );
  return rows.length === 1;
}

/** Another operator pays it, and it stays reserved. False: it is not failed, or not reserved by `from`. */
export async function takeOverReserved(
  tx: Queryable,
  venueId: string,
  id: string,
  { from, by, now }: { readonly from: string; readonly by: string; readonly now: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update movements set by_hand_by = $4, by_hand_at = to_timestamp($5 / 1000.0)
     where venue_id = $1 and movement_id = $2 and status = 'failed' and by_hand_by = $3 returning 1`,
    [venueId, id, from, by, now],
  );
  return rows.length === 1;
}

/** It can be retried again. False: it is not failed, or not reserved by this operator. */
export async function giveBackReserved(tx: Queryable, venueId: string, id: string, by: string): Promise<boolean> {
  const rows = await tx.query(
    `update movements set by_hand_by = null, by_hand_at = null
     where venue_id = $1 and movement_id = $2 and status = 'failed' and by_hand_by = $3 returning 1`,
    [venueId, id, by],
  );
  return rows.length === 1;
}

export interface ClosedTransfer extends MovementRow {
  /** What the operator has paid; the rest settles debts of the venue. */
  readonly sentAmount: number;
}

/** The operator has paid the venue: the transfer is never sent. Null: it is not failed, or this operator has not reserved it. */
export async function closeFailedTransfer(
  tx: Queryable,
  venueId: string,
  id: string,
  by: string,
): Promise<ClosedTransfer | null> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'failed', 'closed');
  const rows = await tx.query<ClosedTransfer>(
    `update movements set status = 'closed', sent_amount = coalesce(sent_amount, amount)
     where venue_id = $1 and movement_id = $2 and status = 'failed' and kind = 'transfer' and by_hand_by = $3
     returning ${MOVEMENT_COLUMNS}, sent_amount as "sentAmount"`,
    [venueId, id, by],
  );
  return rows[0] ?? null;
}

export interface OwedReversal extends MovementRow {
  /** What was not owed before. */
  readonly added: number;
}

/** The venue owes what could not be taken back; later transfers settle it. Null: it is no failed reversal. */
export async function oweFailedReversal(tx: Queryable, venueId: string, id: string): Promise<OwedReversal | null> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'failed', 'owed');
  const rows = await tx.query<OwedReversal>(
    `with failed as (
       select venue_id, movement_id, amount - owed_amount as added from movements
       where venue_id = $1 and movement_id = $2 and status = 'failed' and kind = 'reversal' for update),
     owed as (
       update movements m set status = 'owed', sent_amount = 0, owed_amount = m.amount
       from failed f where m.venue_id = f.venue_id and m.movement_id = f.movement_id returning m.*)
     select ${MOVEMENT_COLUMNS}, (select added from failed) as "added" from owed`,
    [venueId, id],
  );
  return rows[0] ?? null;
}
