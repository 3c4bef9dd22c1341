// The decision about a refund: exact over the shares, our fee refunded in the same proportion and completely at the
// end, the venue's part deducted from a waiting transfer or reversed from a sent one. Also the cancellation policy.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feeParts } from '../../src/domain/checkouts/capture/decide-capture.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import {
  type CancellationRule,
  decideRefund,
  refundableAmount,
  ruleByPolicy,
} from '../../src/domain/checkouts/refunds/decide-refund.ts';
import type { MovementStatus } from '../../src/domain/payments/transitions.ts';
import { applyAll, type Model, NOW, newId, newModel, transfersOf } from './checkout-model.ts';

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
const amounts = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 50, max: 500_000 })), {
  minLength: 1,
  maxLength: 12,
});

/** A completed checkout with these shares, each captured, each with its transfer. */
function completed(shares: readonly number[], fee: number, status: MovementStatus): Model {
  const total = sum(shares);
  const blank = newModel(total, fee, shares.length);
  const checkout: LockedCheckout = {
    ...blank.checkout,
    status: 'completed',
    shares: shares.map((amount, position) => ({
      id: `shr_${position}`,
      position,
      amount,
      status: 'captured',
      isOrganizer: position === 0,
      memberId: `m${position}`,
      displayName: null,
      refundedAmount: 0,
      lostAmount: 0,
    })),
  };
  const holds = checkout.shares
    .filter(({ amount }) => amount > 0)
    .map(({ id, amount }) => ({
      id: `hold_${id}`,
      venueId: 'venue',
      checkoutId: checkout.id,
      shareId: id,
      mode: 'test' as const,
      status: 'captured' as const,
      amount,
      currency: 'usd',
      renews: null,
      savesCard: false,
      intentId: `pi_${id}`,
      customerId: null,
      paymentMethodId: null,
      chargeId: `ch_${id}`,
      heldAt: NOW,
      captureBefore: null,
      renewalRefusedAt: null,
      keyNumber: 0,
      payerId: null,
      leaseToken: 0,
      createdAt: NOW,
    }));
  const fees = feeParts(checkout);
  const movements = holds
    .map(({ id, shareId, amount }) => ({
      id: `transfer_${shareId}`,
      kind: 'transfer' as const,
      shareId,
      holdId: id,
      amount: amount - (fees.get(shareId) ?? 0),
      feePart: 0,
      reversedTransferId: null,
      reason: null,
      dueAt: NOW,
      status,
    }))
    .filter(({ amount }) => amount > 0);
  return { ...blank, checkout: { ...checkout, holds }, holds, movements };
}

const refund = (model: Model, amount: number): Model => {
  return applyAll(model, decideRefund(model.checkout, transfersOf(model), { amount, reason: null, now: NOW, newId }));
};
const totalOf = (model: Model, kind: string): number =>
  sum(model.movements.filter((one) => one.kind === kind).map(({ amount }) => amount));

const story = fc.record({
  shares: amounts,
  fee: fc.integer({ min: 0, max: 700_000 }),
  status: fc.constantFrom<MovementStatus>('waiting', 'sending', 'done'),
  parts: fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 8 }),
});

describe('the fee of each share', () => {
  it('adds up to the whole fee, is never above the share, and is 0 for a share of 0', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 700_000 }), (shares, fee) => {
        fc.pre(sum(shares) > 0);
        const { checkout } = completed(shares, fee, 'done');
        const parts = feeParts(checkout);
        expect(sum([...parts.values()])).toBe(checkout.feeAmount);
        for (const { id, amount } of checkout.shares) expect(parts.get(id)).toBeLessThanOrEqual(amount);
      }),
      { numRuns: 200 },
    );
  });
});

describe('refunds in any parts', () => {
  it('add up, never exceed a share, and refund exactly the requested amount', () => {
    fc.assert(
      fc.property(story, ({ shares, fee, status, parts }) => {
        fc.pre(sum(shares) > 0);
        let model = completed(shares, fee, status);
        let refunded = 0;
        for (const part of parts) {
          const left = refundableAmount(model.checkout);
          if (left === 0) break;
          const amount = Math.max(1, Math.floor((left * part) / 1_000));
          const before = model.checkout;
          model = refund(model, amount);
          refunded += amount;
          expect(sum(model.checkout.shares.map(({ refundedAmount }) => refundedAmount))).toBe(refunded);
          expect(totalOf(model, 'refund')).toBe(refunded);
          // In proportion: each part differs from its exact value by less than one minor unit.
          model.checkout.shares.forEach((share, place) => {
            const was = before.shares[place];
            const due = (amount * (share.amount - (was?.refundedAmount ?? 0))) / refundableAmount(before);
            expect(Math.abs(share.refundedAmount - (was?.refundedAmount ?? 0) - due)).toBeLessThan(1.000001);
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('of everything refund the whole fee and every transfer exactly, waiting or sent', () => {
    fc.assert(
      fc.property(story, ({ shares, fee, status, parts }) => {
        fc.pre(sum(shares) > 0);
        const start = completed(shares, fee, status);
        const net = start.checkout.amount - start.checkout.feeAmount;
        const some = parts.reduce((model, part) => {
          const left = refundableAmount(model.checkout);
          return left === 0 ? model : refund(model, Math.max(1, Math.floor((left * part) / 1_000)));
        }, start);
        const left = refundableAmount(some.checkout);
        const end = left === 0 ? some : refund(some, left);
        const refunds = end.movements.filter(({ kind }) => kind === 'refund');
        expect(sum(refunds.map(({ feePart }) => feePart))).toBe(start.checkout.feeAmount);
        const waiting = sum(end.movements.filter((one) => one.kind === 'transfer').map(({ amount }) => amount));
        expect(status === 'waiting' ? net - waiting : totalOf(end, 'reversal')).toBe(net);
        expect(end.checkout.shares.every((share) => share.status === 'refunded')).toBe(true);
        expect(end.events.every((type) => type === 'refund.created')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('mark a share as refunded when all of it is, and not before', () => {
    const model = completed(
      [1_000, 1, 1_000].map((amount) => Math.max(50, amount)),
      0,
      'done',
    );
    const most = refund(model, 2_049);
    expect(
      most.checkout.shares.map(
        ({ status, amount, refundedAmount }) => status === (amount === refundedAmount ? 'refunded' : 'captured'),
      ),
    ).toEqual([true, true, true]);
    expect(most.checkout.shares.filter(({ status }) => status === 'captured')).toHaveLength(1);
  });
});

describe('the percentage by policy', () => {
  const percentOf = (list: readonly CancellationRule[], ahead: number): number =>
    ruleByPolicy(list, ahead)?.refund_pct ?? 0;
  const rules = fc.uniqueArray(
    fc.record({ hours_before: fc.integer({ min: 0, max: 8_760 }), refund_pct: fc.integer({ min: 0, max: 100 }) }),
    { selector: ({ hours_before }) => hours_before, maxLength: 10 },
  );

  it('is that of the largest met hours_before, in any order of the rules', () => {
    fc.assert(
      fc.property(rules, fc.double({ min: -100, max: 9_000, noNaN: true }), (list, ahead) => {
        const met = list
          .filter(({ hours_before }) => ahead >= hours_before)
          .sort((a, b) => b.hours_before - a.hours_before);
        const percent = met[0]?.refund_pct ?? 0;
        expect(percentOf(list, ahead)).toBe(percent);
        expect(percentOf([...list].reverse(), ahead)).toBe(percent);
      }),
      { numRuns: 200 },
    );
  });

  it('counts the exact hour as met, and a moment less as not', () => {
    const list = [
      { hours_before: 24, refund_pct: 50 },
      { hours_before: 48, refund_pct: 100 },
      { hours_before: 0, refund_pct: 10 },
    ];
    const at = [48, 47.9999, 24, 23.9999, 0, -0.0001];
    expect(at.map((ahead) => percentOf(list, ahead))).toEqual([100, 50, 50, 10, 10, 0]);
    expect(percentOf([], 1_000)).toBe(0);
  });
});
