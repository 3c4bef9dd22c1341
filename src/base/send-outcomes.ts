// What became of the texts or mails of the last hour: for monitoring. Read through the index by age, newest first, up to
// a bound.

import type { Queryable } from './db.ts';

export interface SendOutcomes {
  /** Of those that were created in the last hour, by status. */
  readonly lastHour: Readonly<Record<string, number>>;
  /** Of the last day, in milliseconds; null: none. */
  readonly lastSentAt: number | null;
  readonly lastFailedAt: number | null;
  readonly lastError: string | null;
}

const MAX_ROWS = 20_000;

export async function sendOutcomesOf(db: Queryable, table: string, now: number): Promise<SendOutcomes> {
  const [row] = await db.query<SendOutcomes>(
    `with newest as (
       select status, last_error, created_at, sent_at from ${table}
       where created_at > to_timestamp($1 / 1000.0) - interval '1 day' order by created_at desc limit ${MAX_ROWS})
     select coalesce((select json_object_agg(status, count) from (
         select status, count(*) as count from newest
         where created_at > to_timestamp($1 / 1000.0) - interval '1 hour' group by status) counted), '{}') as "lastHour",
       (select (extract(epoch from max(sent_at)) * 1000)::float8 from newest) as "lastSentAt",
       (select (extract(epoch from max(created_at)) * 1000)::float8 from newest where status = 'failed') as "lastFailedAt",
       (select last_error from newest where status = 'failed' order by created_at desc limit 1) as "lastError"`,
    [now],
  );
  return row ?? { lastHour: {}, lastSentAt: null, lastFailedAt: null, lastError: null };
}
