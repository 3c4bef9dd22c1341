// The SQL of the processor's fees of captured holds.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { HoldState } from './hold.ts';
import { HOLD_COLUMNS } from './queries.ts';

type HoldKey = Pick<HoldState, 'venueId' | 'id'>;

/** Returns false if the fee was recorded before: then its entry exists. Either way the hold is not due any more. */
export async function recordFee(tx: Queryable, { venueId, id }: HoldKey, fee: number): Promise<boolean> {
  const rows = await tx.query(
    `update holds set processor_fee = $3, due_at = null
     where venue_id = $1 and hold_id = $2 and status in ('captured', 'returned') and processor_fee is null returning 1`,
    [venueId, id, fee],
  );
  if (rows.length === 1) return true;
  await tx.query(
    `update holds set due_at = null
     where venue_id = $1 and hold_id = $2 and status in ('captured', 'returned') and processor_fee is not null`,
    [venueId, id],
  );
  return false;
}

export async function postponeFee(db: Queryable, { venueId, id, leaseToken }: HoldState, dueAt: number): Promise<void> {
  await db.query(
    `update holds set due_at = to_timestamp($4 / 1000.0)
     where venue_id = $1 and hold_id = $2 and lease_token = $3 and processor_fee is null`,
    [venueId, id, leaseToken, dueAt],
  );
}

/** Captured holds whose fee is not known, by id. */
export async function holdsWithoutFee(
  db: Queryable,
  mode: Mode,
  after: string | null,
  limit: number,
): Promise<HoldState[]> {
  return db.query<HoldState>(
    `select ${HOLD_COLUMNS} from holds where mode = $1 and status in ('captured', 'returned') and processor_fee is null
       and ($2::uuid is null or hold_id > $2) order by hold_id limit $3`,
    [mode, after, limit],
  );
}
