// Comparisons with the processor and checks of the ledger: the last of each, those of the last 90 days with what they found,
// and when a worker runs the next. One worker runs a check at a time.

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

export interface CheckRun extends Check {
  /** How many payments of the processor; null: it is a check of the ledger. */
  readonly compared: number | null;
  /** Differences that are settled already. */
  readonly settled: number;
  /** The first of the differences, each in words. */
  readonly findings: readonly string[];
}

export interface AccountTotal {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly debits: number;
  readonly credits: number;
}

/** The balances of a check of the ledger; null: it is a comparison with the processor. */
export type RecordedRun = CheckRun & { readonly balances: readonly AccountTotal[] | null };

const MAX_FINDINGS = 20;
const MAX_FINDING_LENGTH = 300;

/** A check that ended later has written already: it stays the last one. Runs of more than 90 days ago are deleted. */
export async function recordCheck(db: Queryable, run: RecordedRun): Promise<void> {
  await db.query(
    `with last as (
       insert into checks as c (name, mode, at, differences) values ($1, $2, to_timestamp($3 / 1000.0), $4)
       on conflict (name, mode) do update set at = excluded.at, differences = excluded.differences
       where c.at <= excluded.at),
     forgotten as (delete from check_runs where at < to_timestamp($3 / 1000.0) - interval '90 days')
     insert into check_runs (name, mode, at, differences, compared, settled, findings, balances)
     values ($1, $2, to_timestamp($3 / 1000.0), $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      run.name,
      run.mode,
      run.at,
      run.differences,
      run.compared,
      run.settled,
      run.findings.slice(0, MAX_FINDINGS).map((finding) => finding.slice(0, MAX_FINDING_LENGTH)),
      run.balances === null ? null : JSON.stringify(run.balances),
    ],
  );
}

export async function readLastChecks(db: Queryable): Promise<Check[]> {
  return db.query<Check>(
    `select name, mode, (extract(epoch from at at time zone 'UTC') * 1000)::float8 as at, differences from checks order by name desc, mode`,
  );
}

/** The newest comparisons of a mode, newest first. */
export async function listReconciles(db: Queryable, mode: Mode, limit: number): Promise<CheckRun[]> {
  return db.query<CheckRun>(
    `select name, mode, (extract(epoch from at at time zone 'UTC') * 1000)::float8 as at, differences, compared, settled, findings
     from check_runs where name = 'reconcile' and mode = $1 order by at desc limit $2`,
    [mode, limit],
  );
}

/** The accounts of the last check of the ledger; null: none is recorded. */
export async function lastBalances(db: Queryable): Promise<readonly AccountTotal[] | null> {
  const rows = await db.query<{ balances: readonly AccountTotal[] }>(
    `select balances from check_runs where name = 'ledger' and mode = 'all' order by at desc limit 1`,
  );
  return rows[0]?.balances ?? null;
}

/** A worker runs it within seconds, also if another worker runs it now. */
export async function makeCheckDue(
  tx: Queryable,
  { name, mode }: Pick<Check, 'name' | 'mode'>,
  now: number,
): Promise<void> {
  await tx.query(
    `insert into check_schedules (name, mode, due_at, lease_token) values ($1, $2, to_timestamp($3 / 1000.0), 0)
     on conflict (name, mode) do update set due_at = excluded.due_at`,
    [name, mode, now],
  );
}

/** Claims a check that is due. Null: it is not due, or another worker runs it. */
export async function claimCheck(
  db: Queryable,
  { name, mode }: Pick<Check, 'name' | 'mode'>,
  now: number,
  leaseEnds: number,
): Promise<number | null> {
  const rows = await db.query<{ leaseToken: number }>(
    `insert into check_schedules as s (name, mode, due_at, lease_token) values ($1, $2, to_timestamp($4 / 1000.0), 1)
     on conflict (name, mode) do update set due_at = excluded.due_at, lease_token = s.lease_token + 1
     where s.due_at <= to_timestamp($3 / 1000.0) returning lease_token as "leaseToken"`,
    [name, mode, now, leaseEnds],
  );
  return rows[0]?.leaseToken ?? null;
}

/** A worker with a stale lease token writes nothing. */
export async function scheduleCheck(
  db: Queryable,
  { name, mode }: Pick<Check, 'name' | 'mode'>,
  leaseToken: number,
  dueAt: number,
): Promise<void> {
  await db.query(
    `update check_schedules set due_at = to_timestamp($4 / 1000.0)
     where name = $1 and mode = $2 and lease_token = $3`,
    [name, mode, leaseToken, dueAt],
  );
}
