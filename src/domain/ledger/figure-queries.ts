// The money of the last hour that monitoring shows, from the newest entries alone.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface CapturedMoney {
  readonly mode: Mode;
  readonly currency: string;
  readonly amount: number;
}

export async function sumCapturedSince(db: Queryable, since: number): Promise<CapturedMoney[]> {
  return db.query<CapturedMoney>(
    `select mode, currency, sum(amount)::bigint as amount from ledger_entries
     where at > to_timestamp($1 / 1000.0) and kind = 'capture' group by mode, currency`,
    [since],
  );
}
