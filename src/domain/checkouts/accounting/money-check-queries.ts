// The last results of reconcile and of the ledger check, for the desk: when, how much was compared, what differed.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';

export interface MoneyCheck {
  readonly kind: 'reconcile' | 'ledger';
  /** Null: both modes. */
  readonly mode: Mode | null;
  readonly compared: number;
  /** Differences, settled ones included. */
  readonly differences: number;
  /** Differences that need a person. */
  readonly unresolved: number;
  /** Of a ledger check: the balances of the accounts. */
  readonly balances: readonly MoneyBalance[];
}

export interface MoneyBalance {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly debits: number;
  readonly credits: number;
}

export async function recordMoneyCheck(
  db: Queryable,
  { id, now, ...check }: MoneyCheck & { readonly id: string; readonly now: number },
): Promise<void> {
  await db.query(
    `insert into money_checks (check_id, kind, mode, ended_at, compared, differences, unresolved, balances)
     values ($1, $2, $3, to_timestamp($4 / 1000.0), $5, $6, $7, $8)`,
    [
      id,
      check.kind,
      check.mode,
      now,
      check.compared,
      check.differences,
      check.unresolved,
      JSON.stringify(check.balances),
    ],
  );
}

/** Newest first. */
export async function lastMoneyChecks(
  db: Queryable,
  kind: MoneyCheck['kind'],
  mode: Mode,
  limit: number,
): Promise<(MoneyCheck & { readonly at: string })[]> {
  return db.query(
    `select kind, mode, compared, differences, unresolved, balances, utc_micros(ended_at) as "at" from money_checks
     where kind = $1 and (mode is null or mode = $2) order by ended_at desc limit $3`,
    [kind, mode, limit],
  );
}

/** Results of more than 90 days ago. Returns how many it deleted. */
export async function deleteOldMoneyChecks(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from money_checks where check_id in (
       select check_id from money_checks where ended_at < to_timestamp($1 / 1000.0) - interval '90 days' limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}
