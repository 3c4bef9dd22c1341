// A venue's account at the processor: created for its onboarding, and payable while its transfers capability is active.
// The onboarding link leads the venue to the form where it gives the processor what a payout requires.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { findVenue } from '../venues/queries.ts';
import { countFormerAccounts, retirePayoutAccount } from './former-account-queries.ts';
import { callKeys } from './hold.ts';
import { findPayoutAccount, type PayoutAccount, storePayoutAccount } from './payout-account-queries.ts';
import { type Account, type Processor, type Processors, ProcessorUnavailable } from './processor.ts';

export interface AccountServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly processors: Processors;
}

/** Whom the processor writes to about the account, and where the venue is. */
export interface AccountContact {
  readonly email: string;
  /** Two letters, ISO 3166-1. */
  readonly country: string;
}

const MINUTE = 60_000;
/** An event tells of a change at once; this finds one whose event was lost. */
const RECHECK_ACTIVE_MS = 6 * 60 * MINUTE;
const RECHECK_OTHER_MS = 10 * MINUTE;

export function recheckDelay(status: Account['transfersStatus']): number {
  return status === 'active' ? RECHECK_ACTIVE_MS : RECHECK_OTHER_MS;
}

/**
 * The account that a transfer goes to. The sandbox creates one that can be paid; at the real processor the venue has to
 * be onboarded first.
 */
export async function requirePayoutAccount(
  services: AccountServices,
  venueId: string,
  mode: Mode,
): Promise<PayoutAccount> {
  const known = await findPayoutAccount(services.db, venueId, mode);
  if (known !== null) return known;
  if (processorOf(services, mode).isSandbox) return finishSandboxOnboarding(services, venueId, mode);
  throw new ProcessorUnavailable(
    `the venue has no payout account: run "everyshare venue onboard ${venueId} --mode ${mode} --email ADDRESS"`,
  );
}

/**
 * Gives a venue an account at the sandbox and completes its onboarding form there. The account is stored when it can be
 * paid: after a crash before that, the same key finds the account again.
 */
export async function finishSandboxOnboarding(
  services: AccountServices,
  venueId: string,
  mode: Mode,
): Promise<PayoutAccount> {
  const processor = processorOf(services, mode);
  const known = await findPayoutAccount(services.db, venueId, mode);
  const contact = { email: `venue-${venueId}@example.com`, country: 'US' };
  const former = await countFormerAccounts(services.db, venueId, mode);
  const { accountId } = known ?? (await createAccount(services, venueId, mode, contact, former));
  await processor.completeSandboxOnboarding(accountId);
  return storeAccount(services, services.db, venueId, mode, await processor.retrieveAccount(accountId));
}

/** A link to the processor's onboarding form. It works once, for a short time. */
export async function onboardingLink(
  services: AccountServices,
  venueId: string,
  mode: Mode,
  link: { readonly contact: AccountContact | null; readonly returnUrl: string; readonly refreshUrl: string },
): Promise<{ readonly accountId: string; readonly url: string }> {
  const processor = processorOf(services, mode);
  let accountId = (await findPayoutAccount(services.db, venueId, mode))?.accountId;
  if (accountId === undefined) {
    if (link.contact === null) throw new MissingContact();
    const former = await countFormerAccounts(services.db, venueId, mode);
    const created = await createAccount(services, venueId, mode, link.contact, former);
    ({ accountId } = await storeAccount(services, services.db, venueId, mode, created));
  }
  return { accountId, url: await processor.onboardingLink(accountId, link) };
}

/** A new account needs the venue's e-mail address. */
export class MissingContact extends Error {}

/**
 * Gives the venue another account. The old one is retired only once the processor has made the new one, so that a venue is
 * never without an account because a call failed. `onRetired` gets the old account's id in the same transaction.
 */
export async function replacePayoutAccount(
  services: AccountServices,
  venueId: string,
  mode: Mode,
  contact: AccountContact,
  onRetired: (tx: Queryable, accountId: string) => Promise<void>,
): Promise<void> {
  const present = await findPayoutAccount(services.db, venueId, mode);
  const former = await countFormerAccounts(services.db, venueId, mode);
  const created = await createAccount(services, venueId, mode, contact, former + (present === null ? 0 : 1));
  await services.db.transaction(async (tx) => {
    // Another run has replaced it meanwhile, with the same new account.
    if ((await findPayoutAccount(tx, venueId, mode))?.accountId !== present?.accountId) return;
    const retired = await retirePayoutAccount(tx, venueId, mode, services.clock.now());
    if (retired !== null) await onRetired(tx, retired);
    await storeAccount(services, tx, venueId, mode, created);
  });
}

/** `former`: how many accounts the venue had before. A repeated call with the same number gives the same account. */
async function createAccount(
  services: AccountServices,
  venueId: string,
  mode: Mode,
  contact: AccountContact,
  former: number,
): Promise<Account> {
  const venue = await findVenue(services.db, venueId);
  if (venue === null) throw new Error(`venue ${venueId} is not found`);
  const owner = { id: venueId, name: venue.name, ...contact };
  return processorOf(services, mode).createAccount(callKeys.account(mode, owner, former), owner);
}

function storeAccount(services: AccountServices, db: Queryable, venueId: string, mode: Mode, account: Account) {
  const now = services.clock.now();
  const checkAt = now + recheckDelay(account.transfersStatus);
  const processor = processorOf(services, mode).isSandbox ? 'sandbox' : 'stripe';
  return storePayoutAccount(db, venueId, mode, { ...account, processor }, { now, checkAt });
}

function processorOf({ processors }: AccountServices, mode: Mode): Processor {
  const processor = processors[mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${mode} mode`);
  return processor;
}

/** Why the venue cannot be paid, in one sentence; null: it can. */
export function whyNotPayable(account: PayoutAccount | null): string | null {
  if (account === null) return 'It has no payout account: its onboarding has not begun.';
  const { transfersStatus: status, requirementsDue } = account;
  const due = requirementsDue.join(', ');
  switch (status) {
    case 'active':
      return null;
    case null:
      return 'The card processor was not asked about its payout account yet: try again in a minute.';
    case 'pending':
      return 'The card processor is verifying its details: wait for the end of that.';
    case 'restricted':
      return `Its onboarding is not complete. The card processor needs: ${due}.`;
    case 'rejected':
    case 'unsupported':
      return `The card processor does not pay it (${due}): ask the card processor.`;
  }
}
