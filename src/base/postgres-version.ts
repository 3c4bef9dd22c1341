// The oldest PostgreSQL that the service runs on.

import type { Queryable } from './db.ts';

/** The oldest on which the tests have run: that of Debian 12. */
export const MIN_POSTGRES = 15;

export interface PostgresVersion {
  /** As in "15.20 (Debian 15.20-0+deb12u1)". */
  readonly text: string;
  /** As in 150020. */
  readonly number: number;
}

export async function readPostgresVersion(db: Queryable): Promise<PostgresVersion> {
  const [row] = await db.query<PostgresVersion>(
    `select current_setting('server_version') as text, current_setting('server_version_num')::integer as number`,
  );
  return row ?? { text: 'unknown', number: 0 };
}

export const isSupportedPostgres = (number: number): boolean => number >= MIN_POSTGRES * 10_000;

export function requireSupportedPostgres(number: number, text: string): void {
  if (isSupportedPostgres(number)) return;
  throw new Error(
    `PostgreSQL ${text} is too old: this release needs PostgreSQL ${MIN_POSTGRES} or newer. Upgrade the server (pg_upgrade), or name another one with DATABASE_URL`,
  );
}
