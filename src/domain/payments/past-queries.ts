// The SQL of movements that were sent in the past, for demo data: by id and many at once, because a year of them is written
// in one transaction, in which a search for what is due would read every earlier version of every row.

import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import { MOVEMENT_COLUMNS, type MovementRow } from './movement-queries.ts';
import { MOVEMENT_TRANSITIONS } from './transitions.ts';

/** Like the claim of the worker: from now on they may have happened. */
export async function claimWaiting(
  tx: Queryable,
  venueId: string,
  ids: readonly string[],
  leaseEnds: number,
): Promise<MovementRow[]> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'waiting', 'sending');
  return tx.query<MovementRow>(
    `update movements set status = 'sending', lease_token = lease_token + 1, due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and movement_id = any($2::uuid[]) and status = 'waiting' returning ${MOVEMENT_COLUMNS}`,
    [venueId, ids, leaseEnds],
  );
}

export interface SentTransfer {
  readonly id: string;
  readonly processorId: string;
}

/** Records transfers that were sent whole. Returns how many. */
export async function finishTransfers(
  tx: Queryable,
  venueId: string,
  transfers: readonly SentTransfer[],
  now: number,
): Promise<number> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'sending', 'done');
  const rows = await tx.query(
    `update movements m set status = 'done', sent_amount = m.amount, processor_id = n.processor_id, due_at = null,
       done_at = to_timestamp($4 / 1000.0)
     from unnest($2::uuid[], $3::text[]) as n(movement_id, processor_id)
     where m.venue_id = $1 and m.movement_id = n.movement_id and m.status = 'sending' and m.kind = 'transfer' returning 1`,
    [venueId, transfers.map(({ id }) => id), transfers.map(({ processorId }) => processorId), now],
  );
  return rows.length;
}
