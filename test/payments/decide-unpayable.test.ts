// No capture begins for a venue that cannot be paid, even if the processor says that every hold is good; at the
// deadline every card is released.

import { describe, expect, it } from 'vitest';
import { beginCaptures, waitUntilPayable } from '../../src/domain/checkouts/capture/decide-capture.ts';
import { decideHold } from '../../src/domain/checkouts/holds/decide-hold.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import type { HoldState } from '../../src/domain/payments/hold.ts';
import { factsFor, NOW, newId, newModel } from './checkout-model.ts';

const share = {
  id: 'shr_1',
  position: 0,
  amount: 5_000,
  status: 'held',
  isOrganizer: true,
  memberId: 'ada',
  displayName: null,
  refundedAmount: 0,
  lostAmount: 0,
} as const;
const hold = {
  id: 'hold_1',
  venueId: 'venue',
  checkoutId: 'chk_1',
  shareId: 'shr_1',
  mode: 'test',
  amount: 5_000,
  currency: 'usd',
  status: 'held',
  renews: null,
  intentId: 'pi_1',
  leaseToken: 1,
} as HoldState;
const funded: LockedCheckout = {
  ...newModel(5_000, 0, 1).checkout,
  status: 'funded',
  shares: [share],
  holds: [hold],
  isVenuePayable: false,
};
const facts = new Map([[hold.id, factsFor(hold)]]);

describe('a venue that cannot be paid', () => {
  it('has no captures begun, although every hold is held; they begin when it can be paid', () => {
    expect(beginCaptures(funded, facts, NOW)).toEqual([
      { step: 'schedule retry', at: NOW + 60_000, reason: 'venue_not_payable' },
    ]);
    expect(beginCaptures({ ...funded, isVenuePayable: true }, facts, NOW)).toEqual([
      { step: 'begin captures', ids: [hold.id] },
    ]);
  });

  it('is looked at again not later than at the deadline, when every card is released', () => {
    const { expiresAt } = funded;
    expect(waitUntilPayable(funded, expiresAt - 5_000)).toEqual([
      { step: 'schedule retry', at: expiresAt, reason: 'venue_not_payable' },
    ]);
    expect(waitUntilPayable(funded, expiresAt)).toEqual([
      { step: 'transition shares', ids: [share.id], from: 'held', to: 'released' },
      { step: 'transition hold', id: hold.id, from: 'held', to: 'releasing', dueAt: expiresAt },
      { step: 'transition checkout', from: 'funded', to: 'canceled', reason: 'venue_not_payable' },
      { step: 'record event', type: 'checkout.canceled' },
    ]);
  });

  it('has its captures finished once they have begun', () => {
    const begun: LockedCheckout = { ...funded, holds: [{ ...hold, status: 'capturing' }] };
    expect(waitUntilPayable(begun, begun.expiresAt)).toEqual([]);
  });

  it('gets no new hold, and the hold of a guest that waits for a card is not handed out again', () => {
    const unpaid: LockedCheckout = { ...funded, status: 'collecting', shares: [{ ...share, status: 'invited' }] };
    for (const holds of [[], [{ ...hold, status: 'open' } as HoldState]]) {
      expect(decideHold({ ...unpaid, holds }, share.id, NOW, newId)).toEqual({ refusal: 'venue_not_payable' });
    }
  });
});
