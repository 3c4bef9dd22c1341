// The last comparison with the processor and the last check of the ledger, and what they found.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface Check {
  readonly name: 'reconcile' | 'ledger';
  /** A check of the ledger is about all modes. */
  readonly mode: Mode | 'all';
  /** In milliseconds. */
  readonly at: number;
  readonly differences: number;
}

/** A check that ended later has written already: it stays. */
export async function recordCheck(db: Queryable, check: Check): Promise<void> {
  await db.query(
    `insert into checks as c (name, mode, at, differences) values ($1, $2, to_timestamp($3 / 1000.0), $4)
     on conflict (name, mode) do update set at = excluded.at, differences = excluded.differences
     where c.at <= excluded.at`,
    [check.name, check.mode, check.at, check.differences],
  );
}

export async function readLastChecks(db: Queryable): Promise<Check[]> {
  return db.query<Check>(
    `select name, mode, (extract(epoch from at) * 1000)::float8 as at, differences from checks order by name desc, mode`,
  );
}
