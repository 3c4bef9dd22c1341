// The checklist of going live. Pure: each line is computed from what is stored, at each read, so that it is always true.
// What is missing is said in one sentence.

import type { GoLiveStep } from '../../../schemas/types.gen.ts';
import type { PayoutAccount } from '../payments/payout-account-queries.ts';
import { type RequirementKind, requirementKinds } from '../payments/requirement-kinds.ts';
import type { GoLiveRow } from './queries.ts';

/** What the operator of the service asks for. */
export interface GoLiveSettings {
  /** The terms that a venue accepts; null: there are none. */
  readonly termsUrl: string | null;
  /** An operator has to approve each venue. */
  readonly needsApproval: boolean;
}

export interface GoLiveFacts {
  readonly row: GoLiveRow | null;
  /** Of live mode. */
  readonly account: PayoutAccount | null;
  /** Of live mode, with https: guests come from them. */
  readonly origins: readonly string[];
}

export function checklist(facts: GoLiveFacts, settings: GoLiveSettings): readonly GoLiveStep[] {
  const { row, account, origins } = facts;
  return [
    step('domain', missingDomain(row)),
    step('payouts', missingPayouts(account)),
    step(
      'origins',
      origins.length > 0 ? null : 'Add an origin for live mode: the address of the site that guests come from.',
    ),
    ...(settings.termsUrl === null ? [] : [step('terms', missingTerms(row, settings.termsUrl))]),
    ...(settings.needsApproval ? [step('approval', missingApproval(row))] : []),
  ];
}

function step(id: GoLiveStep['id'], missing: string | null): GoLiveStep {
  return { id, done: missing === null, missing };
}

function missingDomain(row: GoLiveRow | null): string | null {
  if (row === null || row.domain === null)
    return 'Name the domain of the venue, and show that it is yours: by a DNS record, or by a code to a mail address there.';
  if (row.verifiedAt !== null) return null;
  return `Show that ${row.domain} is yours: add the TXT record, or take a code by mail.`;
}

export type PayoutsStatus = 'not_started' | 'incomplete' | 'pending' | 'active' | 'refused';

export function payoutsStatus(account: PayoutAccount | null): PayoutsStatus {
  switch (account?.transfersStatus) {
    case undefined:
      return 'not_started';
    case 'active':
      return 'active';
    case 'restricted':
      return 'incomplete';
    case 'rejected':
    case 'unsupported':
      return 'refused';
    default:
      // Also null: the processor is asked within seconds.
      return 'pending';
  }
}

const DUE_WORDS: Readonly<Record<RequirementKind, string>> = {
  bank: 'a bank account',
  terms: 'the acceptance of its terms',
  person: 'details of a person',
  business: 'details of the business',
  other: 'further details',
};

/** What the processor still wants, in words; nothing while it asks for nothing. */
export function dueWords(account: PayoutAccount | null): readonly { readonly kind: RequirementKind; text: string }[] {
  if (payoutsStatus(account) !== 'incomplete') return [];
  return requirementKinds(account?.requirementsDue ?? []).map((kind) => ({ kind, text: DUE_WORDS[kind] }));
}

function missingPayouts(account: PayoutAccount | null): string | null {
  const due = dueWords(account).map(({ text }) => text);
  switch (payoutsStatus(account)) {
    case 'active':
      return null;
    case 'not_started':
      return 'Tell the card processor where to send the money: start the payout onboarding.';
    case 'pending':
      return 'The card processor is verifying the details: wait for the end of that.';
    case 'refused':
      return 'The card processor does not pay this venue: ask the operator of the service.';
    case 'incomplete':
      return due.length === 0
        ? 'The payout onboarding is not complete: continue it.'
        : `Continue the payout onboarding: the card processor still needs ${due.join(', ')}.`;
  }
}

function missingTerms(row: GoLiveRow | null, termsUrl: string): string | null {
  if (row === null || row.termsUrl === null) return 'Accept the terms of the service.';
  return row.termsUrl === termsUrl ? null : 'The terms have changed since they were accepted: accept them again.';
}

function missingApproval(row: GoLiveRow | null): string | null {
  return row === null || row.approvedAt === null
    ? 'The operator of the service approves each venue: wait for it.'
    : null;
}
