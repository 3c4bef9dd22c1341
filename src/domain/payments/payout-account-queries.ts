// The statements about payout accounts: which account of the processor a venue is paid to, and whether it can be.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { Account, TransfersStatus } from './processor.ts';

export interface PayoutAccount {
  readonly accountId: string;
  /** Null: the processor was not asked yet. */
  readonly transfersStatus: TransfersStatus | null;
  readonly requirementsDue: readonly string[];
  /** When the processor was asked last; null: never. */
  readonly checkedAt: string | null;
}

const COLUMNS = `account_id as "accountId", transfers_status as "transfersStatus",
  requirements_due as "requirementsDue", checked_at as "checkedAt"`;

/** Whether the venue of a checkout's row can be paid, as a condition in SQL. */
export const payableSql = (checkout: string): string => `is_venue_payable(${checkout}.venue_id, ${checkout}.mode)`;

export async function findPayoutAccount(db: Queryable, venueId: string, mode: Mode): Promise<PayoutAccount | null> {
  const rows = await db.query<PayoutAccount>(
    `select ${COLUMNS} from payout_accounts where venue_id = $1 and mode = $2`,
    [venueId, mode],
  );
  return rows[0] ?? null;
}

/**
 * Returns the stored account. A venue has one account for each mode: when another was stored first, that one stays.
 */
export async function storePayoutAccount(
  db: Queryable,
  venueId: string,
  mode: Mode,
  account: Account & { readonly processor: 'sandbox' | 'stripe' },
  at: { readonly now: number; readonly checkAt: number },
): Promise<PayoutAccount> {
  await db.query(
    `insert into payout_accounts
       (venue_id, mode, account_id, transfers_status, requirements_due, checked_at, check_at, created_at, processor)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($7 / 1000.0), to_timestamp($6 / 1000.0), $8)
     on conflict (venue_id, mode) do update set transfers_status = excluded.transfers_status,
       requirements_due = excluded.requirements_due, checked_at = excluded.checked_at, check_at = excluded.check_at,
       lease_token = payout_accounts.lease_token + 1
     where payout_accounts.account_id = excluded.account_id`,
    [
      venueId,
      mode,
      account.accountId,
      account.transfersStatus,
      account.requirementsDue,
      at.now,
      at.checkAt,
      account.processor,
    ],
  );
  const stored = await findPayoutAccount(db, venueId, mode);
  if (stored === null) throw new Error('the stored payout account was not found');
  return stored;
}

export interface DuePayoutAccount {
  readonly venueId: string;
  readonly mode: Mode;
  readonly accountId: string;
  readonly transfersStatus: TransfersStatus | null;
  readonly leaseToken: number;
}

/**
 * Leases due accounts until `leaseEnds`: the processor is asked about each. Account by account, because a distributed
 * database has those of different venues on different nodes.
 */
export async function claimPayoutAccounts(
  db: Queryable,
  now: number,
  leaseEnds: number,
  limit: number,
): Promise<DuePayoutAccount[]> {
  const due = await db.query<{ venueId: string; mode: Mode }>(
    `select venue_id as "venueId", mode from payout_accounts where check_at <= to_timestamp($1 / 1000.0)
     order by check_at, venue_id, mode limit $2`,
    [now, limit],
  );
  const claimed: DuePayoutAccount[] = [];
  for (const { venueId, mode } of due) {
    const rows = await db.query<DuePayoutAccount>(
      `update payout_accounts set lease_token = lease_token + 1, check_at = to_timestamp($4 / 1000.0)
       where venue_id = $1 and mode = $2 and check_at <= to_timestamp($3 / 1000.0)
       returning venue_id as "venueId", mode, account_id as "accountId", transfers_status as "transfersStatus",
         lease_token as "leaseToken"`,
      [venueId, mode, now, leaseEnds],
    );
    claimed.push(...rows);
  }
  return claimed;
}

/** Leases one account, due or not; null: the venue has none. */
export async function claimPayoutAccount(
  db: Queryable,
  venueId: string,
  mode: Mode,
  leaseEnds: number,
): Promise<DuePayoutAccount | null> {
  const rows = await db.query<DuePayoutAccount>(
    `update payout_accounts set lease_token = lease_token + 1, check_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and mode = $2
     returning venue_id as "venueId", mode, account_id as "accountId", transfers_status as "transfersStatus",
       lease_token as "leaseToken"`,
    [venueId, mode, leaseEnds],
  );
  return rows[0] ?? null;
}

/** A worker with a stale lease token must not write: its answer is older than the one that another worker has stored. */
export async function recordAccountStatus(
  db: Queryable,
  due: DuePayoutAccount,
  account: Omit<Account, 'accountId'>,
  at: { readonly now: number; readonly checkAt: number },
): Promise<boolean> {
  const rows = await db.query(
    `update payout_accounts set transfers_status = $5, requirements_due = $6, checked_at = to_timestamp($7 / 1000.0),
       check_at = to_timestamp($8 / 1000.0)
     where venue_id = $1 and mode = $2 and account_id = $3 and lease_token = $4 returning 1`,
    [
      due.venueId,
      due.mode,
      due.accountId,
      due.leaseToken,
      account.transfersStatus,
      account.requirementsDue,
      at.now,
      at.checkAt,
    ],
  );
  return rows.length === 1;
}

export async function postponeAccountCheck(db: Queryable, due: DuePayoutAccount, checkAt: number): Promise<void> {
  await db.query(
    `update payout_accounts set check_at = to_timestamp($4 / 1000.0)
     where venue_id = $1 and mode = $2 and lease_token = $3`,
    [due.venueId, due.mode, due.leaseToken, checkAt],
  );
}

/** An event says that the account has changed. The new lease token makes an answer that is on its way stale. */
export async function markAccountDue(db: Queryable, mode: Mode, accountId: string, now: number): Promise<void> {
  await db.query(
    `update payout_accounts set check_at = to_timestamp($3 / 1000.0), lease_token = lease_token + 1
     where mode = $1 and account_id = $2`,
    [mode, accountId, now],
  );
}

/** The rule of payableSql for one venue. */
export async function isPayable(db: Queryable, venueId: string, mode: Mode): Promise<boolean> {
  if (mode === 'test') return true;
  return (await findPayoutAccount(db, venueId, mode))?.transfersStatus === 'active';
}

/** A change of the account's status that is recorded meanwhile waits for the end of this transaction. */
export async function lockPayoutAccount(tx: Queryable, venueId: string, mode: Mode): Promise<void> {
  await tx.query('select 1 from payout_accounts where venue_id = $1 and mode = $2 for share', [venueId, mode]);
}

/** Those of these venues that can be paid. */
export async function payableAmong(db: Queryable, venueIds: readonly string[], mode: Mode): Promise<string[]> {
  const rows = await db.query<{ venueId: string }>(
    `select venue_id as "venueId" from payout_accounts
     where venue_id = any($1::uuid[]) and mode = $2 and transfers_status = 'active'`,
    [venueIds, mode],
  );
  return rows.map(({ venueId }) => venueId);
}

export async function payableVenues(db: Queryable, mode: Mode): Promise<string[]> {
  const rows = await db.query<{ venueId: string }>(
    `select venue_id as "venueId" from payout_accounts where mode = $1 and transfers_status = 'active'`,
    [mode],
  );
  return rows.map(({ venueId }) => venueId);
}
