// How far a payout is, from its transfers.

import { expect, it } from 'vitest';
import { payoutStatus, transferStatus } from '../../src/domain/payments/payout-status.ts';
import type { MovementStatus } from '../../src/domain/payments/transitions.ts';

it.each<[string, MovementStatus[]]>([
  ['canceled', []],
  ['canceled', ['dropped', 'dropped']],
  ['paid', ['done']],
  ['paid', ['done', 'dropped']],
  ['pending', ['done', 'waiting']],
  ['pending', ['sending', 'dropped']],
  ['failed', ['failed', 'done']],
  ['failed', ['waiting', 'failed', 'dropped']],
])('a payout is %s when its transfers are %j', (expected, statuses) => {
  expect(payoutStatus(statuses.map((status) => ({ status })))).toBe(expected);
});

it('a transfer that may still happen is pending', () => {
  const statuses: MovementStatus[] = ['waiting', 'sending', 'done', 'failed', 'dropped'];
  expect(statuses.map(transferStatus)).toEqual(['pending', 'pending', 'paid', 'failed', 'dropped']);
});
