// Bugs about the card processor's failures.

import type { Mutant } from './list.ts';

export const PROCESSOR_BUGS: readonly Mutant[] = [
  {
    area: 'money',
    bug: 'a call whose failure the processor has stored is repeated with the same key for ever',
    file: 'src/domain/payments/stripe-errors.ts',
    from: "(error.statusCode ?? 0) >= 500 ? 'processor_failed' : 'no_answer'",
    to: "'no_answer'",
    tests: ['test/checkouts/stored-failures.test.ts'],
  },
  {
    area: 'money',
    bug: 'one stored failure leaves some guests charged and the others not',
    file: 'src/domain/checkouts/capture/capture.ts',
    from: "isKeySpent: error.kind !== 'no_answer'",
    to: "isKeySpent: error.kind === 'network_failed'",
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'a refund, a transfer or a reversal keeps the key of a stored failure',
    file: 'src/domain/payments/movement-queries.ts',
    from: "      reason === 'no_answer' ? 0 : 1,\n",
    to: "      reason === 'refused' ? 1 : 0,\n",
    tests: ['test/checkouts/stored-failures.test.ts'],
  },
  {
    area: 'money',
    bug: 'after a failure of the processor a card is held again without a look',
    file: 'src/domain/checkouts/holds/settle-hold.ts',
    from: 'if (isExpired || renewal.keyNumber > 0) {',
    to: 'if (isExpired) {',
    tests: ['test/checkouts/stored-failures.test.ts'],
  },
  {
    area: 'money',
    bug: 'reconcile does not report a checkout that has charged only some of its guests',
    file: 'src/domain/checkouts/accounting/reconcile.ts',
    from: '  differences.push(...(await partlyCharged(services, options.mode)));\n',
    to: '',
    tests: ['test/checkouts/stored-failures.test.ts'],
  },
];
