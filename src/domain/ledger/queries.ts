// The SQL of the ledger. Entries are inserted in the transaction of their cause and never changed.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { type AccountName, ENTRY_KINDS, type Entry } from './accounts.ts';

export interface EntryScope {
  readonly venueId: string;
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly currency: string;
  readonly now: number;
}

/** Entries of 0 are left out, because they move no money. */
export async function postEntries(tx: Queryable, scope: EntryScope, entries: readonly Entry[]): Promise<void> {
  const nonZero = entries.filter(({ amount }) => amount !== 0);
  if (nonZero.length === 0) return;
  await tx.query(
    `insert into ledger_entries (venue_id, kind, subject, mode, checkout_id, debit, credit, amount, currency, at)
     select $1, n.kind, n.subject, $2, $3, n.debit, n.credit, n.amount, $4, to_timestamp($5 / 1000.0)
     from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::integer[]) as n(kind, subject, debit, credit, amount)`,
    [
      scope.venueId,
      scope.mode,
      scope.checkoutId,
      scope.currency,
      scope.now,
      nonZero.map(({ kind }) => kind),
      nonZero.map(({ subject }) => subject),
      nonZero.map(({ kind }) => ENTRY_KINDS[kind].debit),
      nonZero.map(({ kind }) => ENTRY_KINDS[kind].credit),
      nonZero.map(({ amount }) => amount),
    ],
  );
}

/** When the first guest of a checkout was charged, in milliseconds; null: none was. */
export async function firstChargeAt(db: Queryable, venueId: string, checkoutId: string): Promise<number | null> {
  const rows = await db.query<{ at: number | null }>(
    `select (extract(epoch from min(at)) * 1000)::float8 as at from ledger_entries
     where venue_id = $1 and checkout_id = $2 and kind = 'capture'`,
    [venueId, checkoutId],
  );
  return rows[0]?.at ?? null;
}

export interface AccountBalance {
  readonly account: AccountName;
  readonly mode: Mode;
  readonly currency: string;
  /** Debits less credits. */
  readonly balance: number;
}

/** Of one venue; null: of all venues. */
export async function accountBalances(db: Queryable, venueId: string | null): Promise<AccountBalance[]> {
  return db.query<AccountBalance>(
    `select account, mode, currency, sum(amount)::bigint as balance from (
       select debit as account, mode, currency, amount::bigint as amount from ledger_entries
         where $1::uuid is null or venue_id = $1
       union all
       select credit, mode, currency, -amount::bigint from ledger_entries where $1::uuid is null or venue_id = $1) legs
     group by account, mode, currency order by mode, currency, account`,
    [venueId],
  );
}

export interface Capture {
  readonly holdId: string;
  readonly amount: number;
  readonly at: string;
}

/** The charges of one checkout, oldest first. */
export async function capturesOf(db: Queryable, venueId: string, checkoutId: string): Promise<Capture[]> {
  return db.query<Capture>(
    `select subject as "holdId", amount, utc_micros(at) as "at" from ledger_entries
     where venue_id = $1 and checkout_id = $2 and kind = 'capture' order by at, subject`,
    [venueId, checkoutId],
  );
}
