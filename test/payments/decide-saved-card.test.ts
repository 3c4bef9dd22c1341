// Which saved card may pay another share, as a pure decision.

import { describe, expect, it } from 'vitest';
import { decideHold } from '../../src/domain/checkouts/holds/decide-hold.ts';
import type { LockedCheckout, ShareState } from '../../src/domain/checkouts/locked-checkout.ts';
import type { HoldState } from '../../src/domain/payments/hold.ts';
import { NOW, newId, newModel } from './checkout-model.ts';

const share = (id: string, memberId: string, status: ShareState['status']): ShareState => ({
  id,
  position: 0,
  amount: 5_000,
  status,
  isOrganizer: memberId === 'ada',
  memberId,
  displayName: null,
  refundedAmount: 0,
  lostAmount: 0,
});

/** A hold of Ada's, with a saved card. */
const hold = (id: string, shareId: string, overrides: Partial<HoldState> = {}): HoldState => ({
  id,
  venueId: 'venue',
  checkoutId: 'chk_1',
  shareId,
  mode: 'test',
  status: 'held',
  amount: 5_000,
  currency: 'usd',
  renews: null,
  savesCard: true,
  intentId: `pi_${id}`,
  customerId: 'cus_1',
  paymentMethodId: 'pm_1',
  chargeId: `ch_${id}`,
  heldAt: NOW,
  captureBefore: NOW + 7 * 86_400_000,
  renewalRefusedAt: null,
  keyNumber: 0,
  leaseToken: 1,
  createdAt: NOW,
  payerId: 'ada',
  ...overrides,
});

const checkoutWith = (shares: readonly ShareState[], holds: readonly HoldState[]): LockedCheckout => ({
  ...newModel(10_000, 0, 2).checkout,
  status: 'collecting',
  organizerId: 'ada',
  shares,
  holds,
});

const decide = (checkout: LockedCheckout, payerId: string | null = 'ada') =>
  decideHold(checkout, 'shr_2', NOW, newId, { payerId, card: { isSaved: false, ofShare: 'shr_1' }, retrieved: null });

describe('a share that a saved card is to pay', () => {
  const adas = share('shr_1', 'ada', 'held');
  const bens = share('shr_2', 'ben', 'invited');

  it('gets a hold with the customer of that card', () => {
    const decision = decide(checkoutWith([adas, bens], [hold('first', 'shr_1')]));
    expect(decision).toMatchObject({
      savedMethodId: 'pm_1',
      steps: [{ step: 'add hold', hold: { customerId: 'cus_1', savesCard: true, renews: null, payerId: 'ada' } }],
    });
  });

  it('is refused to a caller who is not a member', () => {
    expect(decide(checkoutWith([adas, bens], [hold('first', 'shr_1')]), null)).toEqual({ refusal: 'card_not_saved' });
  });

  it('is refused for a hold that the guest replaces: a hold with a customer there would be renewed without the guest', () => {
    const notRenewed = hold('second', 'shr_2', { renewalRefusedAt: NOW });
    const checkout = checkoutWith([adas, { ...bens, status: 'held' }], [hold('first', 'shr_1'), notRenewed]);
    expect(decide(checkout)).toEqual({ refusal: 'card_not_saved' });
  });

  it('replaces an own hold of another customer only after the processor was asked about it', () => {
    const other = hold('second', 'shr_2', { status: 'open', customerId: 'cus_2', heldAt: null, paymentMethodId: null });
    const checkout = checkoutWith([adas, bens], [hold('first', 'shr_1'), other]);
    expect(decide(checkout)).toEqual({ retrieveFirst: 'second' });
  });
});
