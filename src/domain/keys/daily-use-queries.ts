// The SQL of limits of a rolling day.

import type { Queryable } from '../../base/db.ts';

export interface DailyUse {
  readonly granted: boolean;
  /** ISO times: from when the use is allowed, and when it was counted. */
  readonly at: string;
  readonly counted_at: string;
}

/** One row for each use; one row in all if they are not granted. */
export async function reserveDailyUses(
  tx: Queryable,
  request: { readonly subject: string; readonly limit: number; readonly uses: number; readonly mayWait: boolean },
): Promise<DailyUse[]> {
  return tx.query<DailyUse>('select * from reserve_daily_uses($1, $2, $3, $4)', [
    request.subject,
    request.limit,
    request.uses,
    request.mayWait,
  ]);
}

/** Deletes uses that limit nothing any more. Returns how many. */
export async function deleteOldDailyUses(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from daily_uses where (subject, number) in (
       select subject, number from daily_uses where at < now() - interval '1 day' limit $1) returning 1`,
    [limit],
  );
  return rows.length;
}
