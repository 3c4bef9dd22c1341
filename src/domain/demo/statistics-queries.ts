// Refreshes the planner's statistics while the year is written: the cached plans of an empty table read the whole table
// when it has grown, and autovacuum does not see rows that are not committed.

import type { Queryable } from '../../base/db.ts';

const GROWING = ['checkouts', 'checkout_routes', 'shares', 'holds', 'movements', 'payouts', 'ledger_entries', 'events'];

export async function refreshStatistics(tx: Queryable): Promise<void> {
  await tx.query(`analyze ${GROWING.join(', ')}`);
}
