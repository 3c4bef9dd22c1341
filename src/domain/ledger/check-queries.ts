// The ledger check's reads of the entries, one range of one venue's checkouts at a time, so that no statement takes
// long. The range is bound as $1 to $3: the venue, after one checkout, up to another.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { AccountName } from './accounts.ts';

export interface CheckoutRange {
  readonly venueId: string;
  /** Exclusive. */
  readonly after: string;
  readonly upTo: string;
}

export const rangeValues = ({ venueId, after, upTo }: CheckoutRange): readonly string[] => [venueId, after, upTo];

export const IN_RANGE = 'venue_id = $1::uuid and checkout_id > $2::text and checkout_id <= $3::text';

/** The entries of the range; part of a larger statement. */
export const ENTRIES = `select venue_id, checkout_id, mode, currency, kind, subject, amount::bigint as amount
  from ledger_entries where ${IN_RANGE}`;

export interface AccountTurnover {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: AccountName;
  readonly debits: number;
  readonly credits: number;
}

export async function turnoverIn(db: Queryable, range: CheckoutRange): Promise<AccountTurnover[]> {
  return db.query<AccountTurnover>(
    `select mode, currency, account, sum(debited)::bigint as debits, sum(credited)::bigint as credits from (
       select mode, currency, debit as account, amount::bigint as debited, 0 as credited
         from ledger_entries where ${IN_RANGE}
       union all
       select mode, currency, credit, 0, amount from ledger_entries where ${IN_RANGE}) legs
     group by mode, currency, account order by mode, currency, account`,
    rangeValues(range),
  );
}

/** The next venue that has entries; null: there is none. */
export async function nextVenueWithEntries(db: Queryable, after: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    'select venue_id as "id" from ledger_entries where venue_id > $1 order by venue_id limit 1',
    [after],
  );
  return rows[0]?.id ?? null;
}

/** The last checkout that the venue's entries name; null: it has no entries. */
export async function lastCheckoutWithEntries(db: Queryable, venueId: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    'select checkout_id as "id" from ledger_entries where venue_id = $1 order by checkout_id desc limit 1',
    [venueId],
  );
  return rows[0]?.id ?? null;
}
