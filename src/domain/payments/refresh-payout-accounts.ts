// Asks the processor about payout accounts that are due: after an event, and from time to time, because events can be
// lost. The answer decides whether live checkouts of the venue can be created.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { findVenue } from '../venues/queries.ts';
import { type AccountServices, recheckDelay } from './payout-account.ts';
import {
  claimPayoutAccount,
  claimPayoutAccounts,
  type DuePayoutAccount,
  findPayoutAccount,
  markAccountDue,
  type PayoutAccount,
  postponeAccountCheck,
  recordAccountStatus,
} from './payout-account-queries.ts';
import { type Account, ProcessorRefusal, ProcessorUnavailable } from './processor.ts';

export interface RefreshServices extends AccountServices {
  readonly log: Log;
  readonly ids: Ids;
}

const LEASE_MS = 60_000;
const RETRY_MS = 60_000;
/** The code of API v1, and the one that is expected of API v2. */
const ACCOUNT_MISSING_CODES: ReadonlySet<string> = new Set(['resource_missing', 'not_found']);

/** One step of the worker. Returns how many accounts it claimed. */
export async function refreshDuePayoutAccounts(services: RefreshServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const due = await claimPayoutAccounts(services.db, now, now + LEASE_MS, batch);
  await Promise.all(due.map((one) => refresh(services, one)));
  return due.length;
}

/**
 * Asks the processor now, and returns what is stored then; null: the processor has not answered. The claim gives a new
 * lease token, so that of two answers the one that was asked for later counts.
 */
export async function refreshPayoutAccount(
  services: RefreshServices,
  venueId: string,
  mode: Mode,
): Promise<PayoutAccount | null> {
  const due = await claimPayoutAccount(services.db, venueId, mode, services.clock.now() + LEASE_MS);
  if (due === null || !(await refresh(services, due))) return null;
  return findPayoutAccount(services.db, venueId, mode);
}

/** What is stored of an account that cannot be paid counts for this long, before a capture asks the processor again. */
const MAX_STATUS_AGE_MS = 60_000;

/**
 * Whether the venue can be paid now, before its guests are charged. What is stored may be hours old, because an event can
 * be lost: so the processor has to confirm it. Throws ProcessorUnavailable while the processor does not.
 */
export async function confirmPayable(services: RefreshServices, venueId: string, mode: Mode): Promise<boolean> {
  if (mode === 'test') return true;
  const { db, clock } = services;
  const stored = await findPayoutAccount(db, venueId, mode);
  if (stored === null) return false;
  const { accountId } = stored;
  if (stored.transfersStatus === 'active') {
    const { transfersStatus } = await retrieve(services, { mode, accountId }).catch(unavailable);
    if (transfersStatus === 'active') return true;
    await markAccountDue(db, mode, accountId, clock.now());
    return false;
  }
  if (stored.checkedAt !== null && clock.now() - Date.parse(stored.checkedAt) < MAX_STATUS_AGE_MS) return false;
  const asked = await refreshPayoutAccount(services, venueId, mode);
  if (asked === null) throw new ProcessorUnavailable('the processor has not said whether the venue can be paid');
  return asked.transfersStatus === 'active';
}

/** The processor refuses to say whether the venue can be paid: that is no refusal of a guest's hold. */
function unavailable(error: unknown): never {
  if (!(error instanceof ProcessorRefusal)) throw error;
  throw new ProcessorUnavailable(`the processor refused to show the payout account: ${error.code}`);
}

/** False: the processor has not answered. */
async function refresh(services: RefreshServices, due: DuePayoutAccount): Promise<boolean> {
  const { db, clock, log } = services;
  const fields = { venue: due.venueId, mode: due.mode, account: due.accountId };
  let account: Omit<Account, 'accountId'>;
  try {
    account = await retrieve(services, due);
  } catch (error) {
    if (!(error instanceof ProcessorRefusal || error instanceof ProcessorUnavailable)) throw error;
    log.warn({ ...fields, err: error }, 'the payout account could not be read; the worker retries');
    await postponeAccountCheck(db, due, clock.now() + RETRY_MS);
    return false;
  }
  const now = clock.now();
  const checkAt = now + recheckDelay(account.transfersStatus);
  const isRecorded = await db.transaction(async (tx) => {
    const isNew = await recordAccountStatus(tx, due, account, { now, checkAt });
    if (isNew) await recordPayableNotice(tx, services, due, account, now);
    return isNew;
  });
  if (!isRecorded || account.transfersStatus === due.transfersStatus) return true;
  const level = due.transfersStatus === 'active' ? 'error' : 'info';
  log[level](
    { ...fields, status: account.transfersStatus, due: account.requirementsDue },
    'a payout account has changed',
  );
  return true;
}

/**
 * The people of a linked venue get a notice when it can no longer be paid, and when it can again: each time, and once,
 * because the lease lets one worker record the change.
 */
async function recordPayableNotice(
  tx: Queryable,
  { ids }: RefreshServices,
  { venueId, mode, accountId, leaseToken, transfersStatus: before }: DuePayoutAccount,
  { transfersStatus: after }: Pick<Account, 'transfersStatus'>,
  now: number,
): Promise<void> {
  const payable = after === 'active';
  if (mode === 'test' || before === null || (before === 'active') === payable) return;
  if ((await findVenue(tx, venueId))?.linked !== true) return;
  const subject = `${accountId} ${leaseToken}`;
  await recordNotice(tx, { ids, now }, { venueId, mode, kind: 'payable', subject, detail: { payable } });
}

async function retrieve(
  services: AccountServices,
  due: Pick<DuePayoutAccount, 'mode' | 'accountId'>,
): Promise<Omit<Account, 'accountId'>> {
  const processor = services.processors[due.mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${due.mode} mode`);
  try {
    return await processor.retrieveAccount(due.accountId);
  } catch (error) {
    if (!(error instanceof ProcessorRefusal) || !ACCOUNT_MISSING_CODES.has(error.code)) throw error;
    return { transfersStatus: 'rejected', requirementsDue: ['the account does not exist'] };
  }
}
