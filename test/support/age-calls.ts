// Moves the counted calls of the rolling hour into the past. In UTC: a distributed database refuses an update whose new
// value depends on the time zone of a session.

import type { Queryable } from '../../src/base/db.ts';

/** Of one subject, or of all. */
export async function ageCalls(db: Queryable, ms: number, subject: string | null = null): Promise<void> {
  const earlier = (column: string): string =>
    `(${column} at time zone 'UTC' - $1::float8 * interval '1 millisecond') at time zone 'UTC'`;
  const which = '$2::text is null or subject = $2';
  await db.query(`update limit_calls set at = ${earlier('at')} where ${which}`, [ms, subject]);
  await db.query(`update limit_windows set last_at = ${earlier('last_at')} where ${which}`, [ms, subject]);
}
