// Expiry as a pure decision: when a checkout expires, and what becomes of its shares and holds.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCancel } from '../../src/domain/checkouts/decide-cancel.ts';
import { decideExpire } from '../../src/domain/checkouts/decide-expire.ts';
import type { LockedCheckout, ShareState } from '../../src/domain/checkouts/locked-checkout.ts';
import { CHECKOUT_TRANSITIONS, type CheckoutStatus } from '../../src/domain/checkouts/transitions.ts';
import { HOLD_TRANSITIONS, type HoldStatus } from '../../src/domain/payments/transitions.ts';
import { applyAll, newModel } from './checkout-model.ts';

const { checkout: open } = newModel(10_000, 300, 4);
const STATUSES = Object.keys(CHECKOUT_TRANSITIONS) as CheckoutStatus[];

function share(position: number, status: ShareState['status']): ShareState {
  const id = `shr_${position}`;
  const person = { isOrganizer: position === 0, memberId: `member-${position}`, displayName: null };
  return { id, position, amount: 5_000, status, ...person, refundedAmount: 0, lostAmount: 0 };
}

function hold(id: string, shareId: string, status: HoldStatus): LockedCheckout['holds'][number] {
  const { venueId, mode, currency } = open;
  const about = { id, venueId, checkoutId: open.id, shareId, mode, status, amount: 5_000, currency };
  const card = { renews: null, savesCard: false, intentId: null, customerId: null, paymentMethodId: null };
  const times = {
    heldAt: null,
    captureBefore: null,
    renewalRefusedAt: null,
    keyNumber: 0,
    leaseToken: 0,
    createdAt: 0,
  };
  return { ...about, ...card, chargeId: null, ...times, payerId: null };
}

describe('a checkout', () => {
  it.each(STATUSES)(
    'that is %s expires at the end of its time if it is open or collecting, and never before',
    (status) => {
      const checkout: LockedCheckout = { ...open, status };
      const canExpire = status === 'open' || status === 'collecting';
      expect(decideExpire(checkout, checkout.expiresAt - 1)).toEqual([]);
      expect(decideExpire(checkout, checkout.expiresAt).length > 0).toBe(canExpire);
    },
  );

  it('releases the held shares and the live holds, due at once, and records one event', () => {
    const shares = [share(0, 'held'), share(1, 'invited')];
    const holds = (Object.keys(HOLD_TRANSITIONS) as HoldStatus[]).map((status) =>
      hold(`hold ${status}`, 'shr_0', status),
    );
    const now = open.expiresAt + 5;
    expect(decideExpire({ ...open, status: 'collecting', shares, holds }, now)).toEqual([
      { step: 'transition shares', ids: ['shr_0'], from: 'held', to: 'released' },
      { step: 'transition hold', id: 'hold requested', from: 'requested', to: 'releasing', dueAt: now },
      { step: 'transition hold', id: 'hold open', from: 'open', to: 'releasing', dueAt: now },
      { step: 'transition hold', id: 'hold held', from: 'held', to: 'releasing', dueAt: now },
      { step: 'transition checkout', from: 'collecting', to: 'expired' },
      { step: 'record event', type: 'checkout.expired' },
    ]);
  });

  it('ends the same way whether it expires or is canceled', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<ShareState['status']>('invited', 'held', 'failed')), (statuses) => {
        const shares = statuses.map((status, position) => share(position, status));
        const checkout: LockedCheckout = { ...open, status: 'collecting', amount: 5_000 * shares.length, shares };
        const canceled = decideCancel(checkout, checkout.expiresAt - 1);
        const steps = 'steps' in canceled ? canceled.steps : [];
        const model = { ...newModel(1_000, 0, 2), checkout: checkout };
        const ends = [steps, decideExpire(checkout, checkout.expiresAt)].map((all) => applyAll(model, all));
        expect(ends.map(({ checkout }) => checkout.status)).toEqual(['canceled', 'expired']);
        expect(ends[0]?.checkout.shares).toEqual(ends[1]?.checkout.shares);
      }),
    );
  });
});
