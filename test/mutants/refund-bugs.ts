// Bugs about refunds after they were sent.

import type { Mutant } from './list.ts';

export const REFUND_BUGS: readonly Mutant[] = [
  {
    area: 'money',
    bug: 'a refund that failed at the processor after it was done stays done',
    file: 'src/domain/payments/refund-queries.ts',
    from: "kind in ('refund', 'return') and status in ('pending', 'done')`,",
    to: "kind in ('refund', 'return') and status in ('pending')`,",
    tests: ['test/checkouts/refund-ends.test.ts'],
  },
  {
    area: 'money',
    bug: 'a failed refund whose event is lost is never found',
    file: 'src/domain/payments/settle-refund.ts',
    from: '  return CHECK_AFTER_MS.map((after) => (doneAt ?? now) + after).find((at) => at > now) ?? null;',
    to: '  return CHECK_AFTER_MS.map((after) => (doneAt ?? now) + after).find((at) => at < now) ?? null;',
    tests: ['test/checkouts/refund-ends.test.ts'],
  },
  {
    area: 'money',
    bug: 'a pending refund is in the ledger before the processor has paid it',
    file: 'src/domain/payments/stripe-facts.ts',
    from: "  ['pending', 'pending'],",
    to: "  ['pending', 'done'],",
    tests: ['test/checkouts/refund-ends.test.ts'],
  },
  {
    area: 'money',
    bug: 'the ledger keeps a refund that failed after it was done',
    file: 'src/domain/payments/settle-refund.ts',
    from: "    if (movement.status === 'done') await postEntries(tx, scope, failureEntries(movement));\n",
    to: '',
    tests: ['test/checkouts/refund-ends.test.ts'],
  },
  {
    area: 'money',
    bug: 'the refund of a disputed charge is tried again and again instead of waiting for the end of the dispute',
    file: 'src/domain/payments/settle-movements.ts',
    from: '  if (code === CHARGE_DISPUTED && isRefund(movement) && (await recordDisputed(services, movement))) return;\n',
    to: '',
    tests: ['test/checkouts/disputed-refunds.test.ts'],
  },
  {
    area: 'money',
    bug: 'what a lost dispute has paid counts as refunded too',
    file: 'src/domain/checkouts/disputes/decide-dispute.ts',
    from: '    ...takeFromRefunded(share.id, dropped.amount),\n',
    to: '',
    tests: ['test/checkouts/disputed-refunds.test.ts'],
  },
  {
    area: 'money',
    bug: 'the loss of a dispute is divided while a refund of its charge may be at the processor',
    file: 'src/domain/payments/refund-queries.ts',
    from: "and status not in ('pending', 'done', 'dropped') order by",
    to: "and status not in ('sending', 'pending', 'done', 'dropped') order by",
    tests: ['test/checkouts/disputed-refunds.test.ts'],
  },
  {
    area: 'money',
    bug: 'a refund that waited for a dispute repeats the key of its refusal',
    file: 'src/domain/payments/refund-queries.ts',
    from: 'refusals = refusals + 1,\n         key_number = key_number + 1',
    to: 'refusals = refusals + 1',
    tests: ['test/checkouts/disputed-refunds.test.ts'],
  },
];
