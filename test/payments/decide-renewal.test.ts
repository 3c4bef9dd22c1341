// Renewals whose card network fails are tried again, a bounded number of times: card networks charge for each attempt.

import { expect, it } from 'vitest';
import { nextRenewalAt } from '../../src/domain/checkouts/holds/decide-renewal.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import type { HoldState } from '../../src/domain/payments/hold.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

it('a renewal is tried about ten times in the last day of a hold, each time twice as late, and then once it has lapsed', () => {
  const checkout = { expiresAt: 20 * DAY } as LockedCheckout;
  const hold = { savesCard: true, renewalRefusedAt: null, heldAt: 0, captureBefore: 7 * DAY } as HoldState;
  const attempts = [6 * DAY];
  for (let at = 6 * DAY; at < 7 * DAY; ) {
    at = nextRenewalAt(checkout, hold, at);
    attempts.push(at);
  }
  expect(attempts.slice(0, 5).map((at) => (at - 6 * DAY) / MINUTE)).toEqual([0, 1, 2, 4, 8]);
  expect(attempts.length).toBe(13);
  expect(attempts.at(-1)).toBe(7 * DAY + 1_000);
});
