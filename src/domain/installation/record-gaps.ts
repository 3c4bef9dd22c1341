// The times in which nothing ran on this database. After a restored backup such a time begins with the backup: guests may
// have been charged in it, and the records do not have it.

import type { Queryable } from '../../base/db.ts';

const MINUTE = 60_000;
/** A worker says once a minute that it runs. A longer silence is an outage, or a restored backup. */
export const MIN_GAP_MS = 5 * MINUTE;

/** Records that this database is in use, and the gap that ends with it. Any number of workers may call it at once. */
export async function recordAlive(db: Queryable, now: number): Promise<void> {
  await db.query(
    `with alive as (
       update installation i set alive_at = greatest(i.alive_at, to_timestamp($1 / 1000.0))
       from (select only_row, alive_at from installation for update) previous
       where previous.only_row = i.only_row returning previous.alive_at as began_at)
     insert into record_gaps (began_at, ended_at)
     select began_at, to_timestamp($1 / 1000.0) from alive where began_at < to_timestamp(($1 - $2) / 1000.0)
     on conflict do nothing`,
    [now, MIN_GAP_MS],
  );
}

export interface Recorded {
  /** When this installation was set up, in milliseconds. */
  readonly since: number;
  /** In milliseconds. */
  readonly gaps: readonly { readonly beganAt: number; readonly endedAt: number }[];
}

export async function readRecorded(db: Queryable): Promise<Recorded> {
  const [installation] = await db.query<{ since: number }>(
    'select (extract(epoch from created_at) * 1000)::float8 as since from installation',
  );
  const gaps = await db.query<{ beganAt: number; endedAt: number }>(
    `select (extract(epoch from began_at at time zone 'UTC') * 1000)::float8 as "beganAt",
       (extract(epoch from ended_at at time zone 'UTC') * 1000)::float8 as "endedAt" from record_gaps order by began_at`,
  );
  return { since: installation?.since ?? 0, gaps };
}

/** Whether the records of this time are complete. The processor counts whole seconds, and its clock may differ a little. */
export function isRecorded({ since, gaps }: Recorded, at: number): boolean {
  if (at + 999 < since) return false;
  return !gaps.some(({ beganAt, endedAt }) => at > beganAt - MIN_GAP_MS && at < endedAt + MINUTE);
}
