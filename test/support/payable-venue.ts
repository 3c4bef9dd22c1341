// Stores a payout account of a venue that can be paid, for tests that move no live money: no processor has the account.

import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../src/base/db.ts';
import { storePayoutAccount } from '../../src/domain/payments/payout-account-queries.ts';

const YEAR = 365 * 86_400_000;

export async function storePayableAccount(db: Queryable, venueId: string): Promise<void> {
  const accountId = `acct_${randomBytes(8).toString('hex')}`;
  const now = Date.now();
  const account = { accountId, transfersStatus: 'active', requirementsDue: [] } as const;
  await storePayoutAccount(db, venueId, 'live', { ...account, processor: 'sandbox' }, { now, checkAt: now + YEAR });
}
