// At the start of a server or worker: the payout accounts in use are those of the processor that is set up. Accounts of
// the other one (the sandbox before Stripe, or the other way round) are put aside, and come back with their processor.

import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Processors } from './processor.ts';

export async function adoptProcessors(db: Db, processors: Processors, now: number): Promise<void> {
  for (const mode of ['test', 'live'] as const) {
    const processor = processors[mode];
    if (processor === undefined) continue;
    await adopt(db, mode, processor.isSandbox ? 'sandbox' : 'stripe', now);
  }
}

async function adopt(db: Db, mode: Mode, processor: 'sandbox' | 'stripe', now: number): Promise<void> {
  await db.query('update payout_accounts set processor = $2 where mode = $1 and processor is null', [mode, processor]);
  // Usually nothing is to be done, and no row is locked.
  const others = await db.query(
    `select 1 from payout_accounts where mode = $1 and processor <> $2
     union all select 1 from former_payout_accounts where mode = $1 and processor = $2 and replaced_at is null limit 1`,
    [mode, processor],
  );
  if (others.length === 0) return;
  await db.transaction(async (tx) => {
    await tx.query(
      `with former as (delete from payout_accounts where mode = $1 and processor <> $2
         returning venue_id, mode, account_id, processor, created_at)
       insert into former_payout_accounts (venue_id, mode, account_id, processor, created_at)
       select venue_id, mode, account_id, processor, created_at from former
       on conflict (venue_id, mode, account_id) do nothing`,
      [mode, processor],
    );
    await tx.query(
      `with back as (delete from former_payout_accounts where mode = $1 and processor = $2 and replaced_at is null
         returning venue_id, mode, account_id, processor, created_at)
       insert into payout_accounts (venue_id, mode, account_id, processor, created_at, check_at)
       select venue_id, mode, account_id, processor, created_at, to_timestamp($3 / 1000.0) from back
       on conflict (venue_id, mode) do nothing`,
      [mode, processor, now],
    );
  });
}

/** How many venues are paid at Stripe in this mode, those included whose account a process without Stripe's keys has put aside. */
export async function countStripeAccounts(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `select count(distinct venue_id)::integer as count from (
       select venue_id from payout_accounts where mode = $1 and processor = 'stripe'
       union all
       select venue_id from former_payout_accounts where mode = $1 and processor = 'stripe' and replaced_at is null) at_stripe`,
    [mode],
  );
  return rows[0]?.count ?? 0;
}

/** An operator gives the venue another account: the processor has closed or rejected this one. */
export async function retirePayoutAccount(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  now: number,
): Promise<string | null> {
  const rows = await tx.query<{ accountId: string }>(
    `with retired as (delete from payout_accounts where venue_id = $1 and mode = $2
       returning venue_id, mode, account_id, coalesce(processor, 'stripe') as processor, created_at)
     insert into former_payout_accounts (venue_id, mode, account_id, processor, created_at, replaced_at)
     select venue_id, mode, account_id, processor, created_at, to_timestamp($3 / 1000.0) from retired
     on conflict (venue_id, mode, account_id) do update set replaced_at = excluded.replaced_at
     returning account_id as "accountId"`,
    [venueId, mode, now],
  );
  return rows[0]?.accountId ?? null;
}

/** How many accounts the venue had before the present one. */
export async function countFormerAccounts(db: Queryable, venueId: string, mode: Mode): Promise<number> {
  const rows = await db.query<{ count: number }>(
    'select count(*)::integer as count from former_payout_accounts where venue_id = $1 and mode = $2',
    [venueId, mode],
  );
  return rows[0]?.count ?? 0;
}
