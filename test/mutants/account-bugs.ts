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
  {
    area: 'money',
    bug: 'an old onboarding address leads to the form that changes the bank account of a venue that is paid',
    file: 'src/http/pages/payout-pages.ts',
    from: "  if (onboarding.account.transfersStatus === 'active') return redirect(page, urls.returnUrl);\n",
    to: '',
    tests: ['test/http/payout-pages.test.ts'],
  },
  {
    area: 'money',
    bug: 'an onboarding address works for ever',
    file: 'src/http/pages/payout-pages.ts',
    from: 'isExpired: expiresAt <= clock.now()',
    to: 'isExpired: expiresAt <= 0',
    tests: ['test/http/payout-pages.test.ts'],
  },
  {
    area: 'money',
    bug: 'the page at the end of the onboarding does not ask the processor',
    file: 'src/http/pages/payout-pages.ts',
    from: 'const account = await refreshPayoutAccount(page.http.app.services, venueId, mode);',
    to: 'const { account } = onboarding;',
    tests: ['test/http/payout-pages.test.ts'],
  },
  {
    area: 'logs',
    bug: 'the log shows the token of an onboarding address',
    file: 'src/base/log.ts',
    from: '|\\/payouts\\/',
    to: '',
    tests: ['test/base/base.test.ts'],
  },
];
