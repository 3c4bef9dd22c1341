// What the check of the ledger reads of the entries themselves, a range of checkouts at a time: so that no statement takes
// long, however many there are. The range is bound as $1 to $4: after one checkout, up to another.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { AccountName } from '../accounts.ts';

export interface CheckoutRange {
  /** Exclusive. */
  readonly after: CheckoutPlace;
  readonly upTo: CheckoutPlace;
}

export interface CheckoutPlace {
  readonly venueId: string;
  readonly checkoutId: string;
}

export const rangeValues = ({ after, upTo }: CheckoutRange): readonly string[] => [
  after.venueId,
  after.checkoutId,
  upTo.venueId,
  upTo.checkoutId,
];

export const IN_RANGE = `(venue_id, checkout_id) > ($1::uuid, $2::text) and (venue_id, checkout_id) <= ($3::uuid, $4::text)`;

/** The entries of the range, for a larger statement. */
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
