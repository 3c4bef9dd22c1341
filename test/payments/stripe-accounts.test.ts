// What the adapter reads from the processor's v2 account: a venue can be paid only while the capability is active.

import type Stripe from 'stripe';
import { expect, it } from 'vitest';
import { accountOf } from '../../src/domain/payments/stripe-accounts.ts';

function accountWith(status: string, more: object = {}): Stripe.V2.Core.Account {
  const transfers = { status, status_details: [{ code: 'restricted_other', resolution: 'contact_stripe' }] };
  const recipient = { applied: true, capabilities: { stripe_balance: { stripe_transfers: transfers } } };
  return { id: 'acct_1', configuration: { recipient }, ...more } as unknown as Stripe.V2.Core.Account;
}

const entry = (description: string, from: string, deadline: string) => ({
  awaiting_action_from: from,
  description,
  minimum_deadline: { status: deadline },
});

it.each([
  ['active', 'active'],
  ['pending', 'pending'],
  ['restricted', 'restricted'],
  ['rejected', 'rejected'],
  ['unsupported', 'unsupported'],
  ['a status of a later version', 'restricted'],
])('the status %s is read as %s', (status, expected) => {
  expect(accountOf(accountWith(status)).transfersStatus).toBe(expected);
});

it('an account without the capability, or without the recipient configuration, cannot be paid', () => {
  const bare = { id: 'acct_1' } as unknown as Stripe.V2.Core.Account;
  expect(accountOf(bare)).toEqual({
    accountId: 'acct_1',
    transfersStatus: 'restricted',
    requirementsDue: ['configuration.recipient'],
  });
  const nulls = { id: 'acct_1', configuration: null, requirements: null } as unknown as Stripe.V2.Core.Account;
  expect(accountOf(nulls).transfersStatus).toBe('restricted');
});

it('what is due now from the venue is listed once; without that, why the capability is not active', () => {
  const entries = [
    entry('business_details.url', 'user', 'past_due'),
    entry('business_details.url', 'user', 'past_due'),
    entry('terms_of_service.account', 'user', 'currently_due'),
    entry('later', 'user', 'eventually_due'),
    entry('document', 'stripe', 'past_due'),
  ];
  expect(accountOf(accountWith('restricted', { requirements: { entries } })).requirementsDue).toEqual([
    'business_details.url',
    'terms_of_service.account',
  ]);
  expect(accountOf(accountWith('restricted', { requirements: { entries: [] } })).requirementsDue).toEqual([
    'restricted_other',
  ]);
  expect(accountOf(accountWith('active', { requirements: { entries } })).requirementsDue).toEqual([]);
});
