// Bugs about what venues owe, and about the balances at the card processor.

import type { Mutant } from './list.ts';

export const DEBT_BUGS: readonly Mutant[] = [
  {
    area: 'money',
    bug: 'the fee of a dispute is not booked',
    file: 'src/domain/checkouts/disputes/apply-disputes.ts',
    from: '.filter(({ recorded, total }) => total > recorded)',
    to: '.filter(({ recorded, total }) => total < recorded)',
    tests: ['test/checkouts/disputes.test.ts'],
  },
  {
    area: 'money',
    bug: 'a debt of a venue is taken from two transfers',
    file: 'src/domain/payments/debt-queries.ts',
    from: 'settled_amount = m.settled_amount + d.amount',
    to: 'settled_amount = m.settled_amount + 0 * d.amount',
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
  {
    area: 'money',
    bug: 'two workers take one debt of a venue at the same time',
    file: 'src/domain/payments/debt-queries.ts',
    from: '     order by movement_id for update`,\n    [venueId, mode, currency],',
    to: '     order by movement_id`,\n    [venueId, mode, currency],',
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
  {
    area: 'money',
    bug: 'a reversal that the processor refused for want of funds is forgotten',
    file: 'src/domain/payments/venue-debts.ts',
    from: '    await recordOwed(tx, movement, code);\n',
    to: "    await tx.query(`update movements set status = 'failed', due_at = null where movement_id = $1`, [movement.id]);\n",
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
  {
    area: 'money',
    bug: 'a transfer that settles a debt is sent in full',
    file: 'src/domain/payments/settle-movements.ts',
    from: 'await sendTransfer(services, { processor, movement, hold, key, amount, leaseEnds })',
    to: 'await sendTransfer(services, { processor, movement, hold, key, amount: movement.amount, leaseEnds })',
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
  {
    area: 'money',
    bug: 'a repeated transfer is reduced by a debt that came after its first call',
    file: 'src/domain/payments/venue-debts.ts',
    from: '    if (locked.sentAmount !== null) return requireFound(movement, locked.sentAmount, found);\n    const offsets',
    to: '    const offsets',
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
  {
    area: 'money',
    bug: 'a reversal takes back more than was sent of a reduced transfer',
    file: 'src/domain/payments/venue-debts.ts',
    from: 'found ?? Math.min(movement.amount, reversible)',
    to: 'found ?? movement.amount',
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
  {
    area: 'money',
    bug: 'a refund of a reduced transfer forgets the debt that it was to settle',
    file: 'src/domain/payments/debt-queries.ts',
    from: 'set settled_amount = m.settled_amount - r.amount',
    to: 'set settled_amount = m.settled_amount',
    tests: ['test/checkouts/venue-debts.test.ts'],
  },
];
