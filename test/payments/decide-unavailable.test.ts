// A look at a hold that the processor did not answer: the worker looks again, but never at a hold that the capture has
// taken over meanwhile. Such a hold would be due for ever.

import { expect, it } from 'vitest';
import { decideUnavailable } from '../../src/domain/checkouts/holds/decide-hold.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import type { HoldState } from '../../src/domain/payments/hold.ts';
import { HOLD_TRANSITIONS, type HoldStatus } from '../../src/domain/payments/transitions.ts';

it('the worker looks again at a hold only until its capture begins', () => {
  const isDueAgain = (status: HoldStatus): boolean => {
    const hold = { id: 'hold', status, renews: null } as HoldState;
    const checkout = { holds: [hold] } as unknown as LockedCheckout;
    return decideUnavailable(checkout, 'hold', 'no_answer', 0, 5_000).some(({ step }) => step === 'update hold');
  };
  const live: readonly HoldStatus[] = ['requested', 'open', 'held', 'capturing', 'releasing', 'captured', 'returned'];
  expect(Object.keys(HOLD_TRANSITIONS)).toEqual(expect.arrayContaining([...live]));
  expect(live.filter(isDueAgain)).toEqual(['requested', 'open', 'held', 'releasing']);
});
