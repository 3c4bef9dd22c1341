// The SQL of expiry: which checkouts are overdue, and the statement that expires many of them.

import type { Queryable } from '../../base/db.ts';
import type { DueAtVenue } from '../payments/queries.ts';

/** isOverdue as a condition in SQL. `now` is a parameter in milliseconds, `alias` the name of the checkout's row. */
export const overdueSql = (now: string, alias = 'checkouts'): string =>
  `(${toPaySql(alias)} and ${alias}.expires_at <= to_timestamp(${now} / 1000.0))`;

/** SQL: the checkout is still to be paid. */
export function toPaySql(alias: string): string {
  return `${alias}.status in ('open', 'collecting')`;
}

/** The venues of the `limit` longest overdue checkouts, and how many each has. */
export async function venuesWithOverdue(db: Queryable, now: number, limit: number): Promise<DueAtVenue[]> {
  return db.query<DueAtVenue>(
    `select venue_id as "venueId", count(*)::integer as "due" from (
       select venue_id from checkouts where ${overdueSql('$1')}
       order by expires_at limit $2) d
     group by venue_id order by venue_id`,
    [now, limit],
  );
}

/** Whether the venue has an overdue checkout. */
export async function hasOverdue(db: Queryable, venueId: string, now: number): Promise<boolean> {
  const rows = await db.query(`select 1 from checkouts where venue_id = $1 and ${overdueSql('$2')} limit 1`, [
    venueId,
    now,
  ]);
  return rows.length > 0;
}

/** Expires as many overdue checkouts of a venue as there are event ids, by the rule of decideExpire. Returns how many. */
export async function expireCheckouts(
  db: Queryable,
  venueId: string,
  now: number,
  eventIds: readonly string[],
): Promise<number> {
  const rows = await db.query<{ expired: number }>(
    'select expire_checkouts($1, to_timestamp($2 / 1000.0), $3) as expired',
    [venueId, now, eventIds],
  );
  return rows[0]?.expired ?? 0;
}
