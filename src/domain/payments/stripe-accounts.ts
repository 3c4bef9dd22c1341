// Converts between a venue's account and the processor's v2 account with the recipient configuration. Whether a transfer
// works is decided by the status of the transfers capability alone.

import type Stripe from 'stripe';
import type { Account, AccountOwner, TransfersStatus } from './processor.ts';

const STATUSES: readonly TransfersStatus[] = ['active', 'pending', 'restricted', 'rejected', 'unsupported'];
/** What we store of the requirements: enough for a message to the operator. */
const MAX_REQUIREMENTS = 20;

export const ACCOUNT_INCLUDE: ['configuration.recipient', 'requirements'] = ['configuration.recipient', 'requirements'];

/** The processor onboards the venue and shows it a dashboard; we pay the fees and carry the losses. */
export function newAccountParams(owner: AccountOwner): Stripe.V2.Core.AccountCreateParams {
  return {
    display_name: owner.name,
    contact_email: owner.email,
    identity: { country: owner.country },
    dashboard: 'express',
    defaults: { responsibilities: { fees_collector: 'application', losses_collector: 'application' } },
    // For separate charges and transfers the venue is a recipient: it charges no card itself.
    configuration: { recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } } },
    metadata: { venue_id: owner.id },
    include: ACCOUNT_INCLUDE,
  };
}

export function accountOf(account: Stripe.V2.Core.Account): Account {
  const transfers = account.configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers;
  // A status that this version does not know, or no capability at all: the venue cannot be paid.
  const transfersStatus = STATUSES.find((status) => status === transfers?.status) ?? 'restricted';
  if (transfersStatus === 'active') return { accountId: account.id, transfersStatus, requirementsDue: [] };
  const entries = account.requirements?.entries ?? [];
  const due = entries
    .filter(({ minimum_deadline: deadline }) => deadline.status !== 'eventually_due')
    .filter(({ awaiting_action_from: from }) => from === 'user')
    .map(({ description }) => description);
  const reasons = transfers?.status_details?.map(({ code }) => code) ?? ['configuration.recipient'];
  const requirementsDue = [...new Set(due.length === 0 ? reasons : due)].slice(0, MAX_REQUIREMENTS);
  return { accountId: account.id, transfersStatus, requirementsDue };
}

/** In the sandbox alone: does what the onboarding form does. */
export async function completeOnboarding(stripe: Stripe, accountId: string): Promise<void> {
  const path = `/sandbox/accounts/${accountId}`;
  await stripe.rawRequest('POST', path, { transfers_status: 'active' }, { idempotencyKey: `onboard ${accountId}` });
}
