// Bugs about connected accounts: their events, their onboarding, and venues that cannot be paid.

import type { Mutant } from './list.ts';

export const ACCOUNT_BUGS: readonly Mutant[] = [
  {
    area: 'money',
    bug: 'the embedded processor sends events of connected accounts to an account endpoint',
    file: 'sandbox/processor/transaction.ts',
    from: "(row.kind ?? 'account') !== kind",
    to: "row.kind !== undefined && row.kind !== 'account' && row.kind !== kind",
    tests: ['test/sandbox/webhooks.test.ts'],
  },
  {
    area: 'money',
    bug: 'the embedded processor signs the events of every endpoint with one secret',
    file: 'sandbox/processor/webhook-queue.ts',
    from: 'endpoint.hasOwnSecret === true ? endpointSecret(modeSecret, endpoint.id) : modeSecret',
    to: 'modeSecret',
    tests: ['test/sandbox/webhooks.test.ts'],
  },
  {
    area: 'money',
    bug: 'a test event at the live address counts',
    file: 'src/http/processor.ts',
    from: 'if (event.mode === mode) await',
    to: 'await',
    tests: ['test/checkouts/processor-events.test.ts'],
  },
  {
    area: 'money',
    bug: 'the setup takes a Connect endpoint for the endpoint of the account, so that no payment is heard of',
    file: 'src/domain/payments/stripe-setup.ts',
    from: '/^(\\*|account|capability)/',
    to: '/^never/',
    tests: ['test/cli/processor.test.ts'],
  },
  {
    area: 'money',
    bug: 'the setup makes no event destination that hears of connected accounts',
    file: 'src/domain/payments/stripe-setup.ts',
    from: "events_from: ['@accounts'],",
    to: "events_from: ['@self'],",
    tests: ['test/cli/processor.test.ts'],
  },
];
