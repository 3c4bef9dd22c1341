// Bugs at the operators' desk and in what monitoring shows.

import type { Mutant } from './list.ts';

const DESK_MONEY = ['test/payments/desk-money.test.ts'];
const ALERTS = ['test/monitoring/alerts.test.ts'];

export const DESK_BUGS: readonly Mutant[] = [
  {
    area: 'catalogue',
    bug: 'a reviewer at the desk approves what the venue has changed since it was shown',
    file: 'src/domain/review/review.ts',
    from: 'if (version !== undefined && versionOf(found) !== version) throw changedSince(found);',
    to: "if (version === '') throw changedSince(found);",
    tests: ['test/accounts/desk-review.test.ts'],
  },
  {
    area: 'catalogue',
    bug: 'a reviewer on the command line approves what was never shown',
    file: 'src/cli/review.ts',
    from: "  if (input.text('seen') === null)\n",
    to: "  if (input.text('seen') === '')\n",
    tests: ['test/cli/review.test.ts'],
  },
  {
    area: 'walls',
    bug: 'an operator at the desk moves money without a fresh code',
    file: 'src/run/operations/desk-money.ts',
    from: "  stepUp: 'always',\n",
    to: '',
    tests: ['test/walls/desk.test.ts'],
  },
  {
    area: 'money',
    bug: 'two operators at the desk pay one failed refund by hand',
    file: 'src/domain/payments/refund-queries.ts',
    from: "update movements set status = 'closed' where venue_id = $1 and movement_id = $2 and status = 'failed'",
    to: "update movements set status = 'closed' where venue_id = $1 and movement_id = $2 and status in ('failed', 'closed')",
    tests: DESK_MONEY,
  },
  {
    area: 'money',
    bug: 'an operator at the desk writes off another amount than the venue owes',
    file: 'src/domain/payments/money-health-queries.ts',
    from: 'and owed_amount - settled_amount = $3 and $3 > 0',
    to: 'and owed_amount - settled_amount >= $3 and $3 > 0',
    tests: DESK_MONEY,
  },
  {
    area: 'money',
    bug: 'the money page of the desk counts movements that have not failed',
    file: 'src/domain/payments/money-health-queries.ts',
    from: " from movements where mode = $1 and status = 'failed' group by 1",
    to: ' from movements where mode = $1 group by 1',
    tests: DESK_MONEY,
  },
  {
    area: 'walls',
    bug: 'a venue that the desk has suspended creates checkouts',
    file: 'src/domain/checkouts/functions/insert_checkout.sql',
    from: "if v_venue.suspended_at is not null then outcome := 'suspended'; return; end if;",
    to: '',
    tests: ['test/accounts/desk-venues.test.ts'],
  },
  {
    area: 'logs',
    bug: 'a first burst of server errors raises no alert, because its series begins with it',
    file: 'src/http/metrics.ts',
    from: '  for (const operation of operations) serverErrors.inc({ operation }, 0);\n',
    to: '',
    tests: ['test/http/metrics.test.ts'],
  },
  {
    area: 'logs',
    bug: 'a loop that hangs raises no alert',
    file: 'src/worker/loop-metrics.ts',
    from: 'this.set({ loop }, seconds);',
    to: 'this.set({ loop }, 0 * seconds);',
    tests: ALERTS,
  },
  {
    area: 'logs',
    bug: 'holds that are about to be renewed raise an alert',
    file: 'src/domain/payments/figure-queries.ts',
    from: '    and (renewal_refused_at is not null or due_at is null or due_at >= capture_before\n',
    to: '    and (true or due_at >= capture_before\n',
    tests: ALERTS,
  },
  {
    area: 'money',
    bug: 'a refund whose charge is disputed can be paid by hand',
    file: 'src/domain/checkouts/refunds/reserve-failed.ts',
    from: 'if (await hasUndecidedDispute(tx, venueId, id))',
    to: 'if ((await hasUndecidedDispute(tx, venueId, id)) && venueId === id)',
    tests: ['test/payments/paid-by-hand-disputes.test.ts'],
  },
  {
    area: 'money',
    bug: 'the loss of a dispute is divided while an operator pays the refund by hand',
    file: 'src/domain/checkouts/disputes/decide-dispute.ts',
    from: "status === 'sending' || isReserved)",
    to: "status === 'sending' || (isReserved && status === 'done'))",
    tests: ['test/payments/paid-by-hand-disputes.test.ts'],
  },
];
