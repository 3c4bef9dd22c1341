// Leaving the party: an open seat with the same amount takes the place of the share, every hold of the share is released,
// and nothing changes once every guest has paid. Pure.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitEqually } from '../../src/base/money.ts';
import { decideExpire } from '../../src/domain/checkouts/decide-expire.ts';
import { decideFromFacts, decideHold, fundWhenAllHeld } from '../../src/domain/checkouts/holds/decide-hold.ts';
import { decideRenewal } from '../../src/domain/checkouts/holds/decide-renewal.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import { decideLeave, type LeaveRequest } from '../../src/domain/checkouts/party/decide-leave.ts';
import { decideParty } from '../../src/domain/checkouts/party/decide-party.ts';
import type { CheckoutStatus } from '../../src/domain/checkouts/transitions.ts';
import { applyAll, factsFor, type Model, NOW, newId, newModel } from './checkout-model.ts';

const AMOUNT = 30_001;

function partyOf(amounts: readonly number[]): Model {
  const party = amounts.map((amount, place) => ({
    memberId: place === 0 ? 'organizer' : `member-${place}`,
    displayName: null,
    amount,
  }));
  const decided = decideParty(newModel(AMOUNT, 0, 6).checkout, party, NOW, newId);
  if ('refusal' in decided) throw new Error(decided.refusal);
  return applyAll(newModel(AMOUNT, 0, 6), decided.steps);
}

const equally = (count: number): Model => partyOf(splitEqually(AMOUNT, count));
const shareAt = ({ checkout }: Model, place: number): string => checkout.shares[place]?.id ?? '';

/** The share's card form is open. */
function open(model: Model, place: number): Model {
  const decided = decideHold(model.checkout, shareAt(model, place), NOW, newId);
  if (!('steps' in decided)) throw new Error('the share cannot be paid');
  const update = { intentId: `pi_${decided.holdId}` };
  return applyAll(applyAll(model, decided.steps), [
    { step: 'transition hold', id: decided.holdId, from: 'requested', to: 'open', update, dueAt: NOW },
  ]);
}

function pay(model: Model, place: number): Model {
  const opened = open(model, place);
  const hold = opened.checkout.holds.find(({ shareId }) => shareId === shareAt(model, place));
  if (hold === undefined) throw new Error('there is no hold');
  const long = { captureBefore: NOW + 168 * 3_600_000 };
  return applyAll(opened, decideFromFacts(opened.checkout, hold.id, factsFor(hold, long), NOW));
}

const requestFor = (shareId: string, overrides: Partial<LeaveRequest> = {}): LeaveRequest => ({
  shareId,
  reason: 'declined',
  isSeat: false,
  mayReleaseHold: true,
  seen: null,
  ...overrides,
});

function leave(model: Model, place: number, overrides: Partial<LeaveRequest> = {}, now = NOW): Model | string {
  const seat = { shareId: newId(), memberId: newId() };
  const decided = decideLeave(model.checkout, requestFor(shareAt(model, place), overrides), now, seat);
  return 'refusal' in decided ? decided.refusal : applyAll(model, decided.steps);
}

function leaves(model: Model, place: number): Model {
  const left = leave(model, place);
  if (typeof left === 'string') throw new Error(left);
  return left;
}

const view = ({ checkout }: Model) => checkout.shares.map(({ amount, status }) => [amount, status]);

describe('a guest who leaves', () => {
  it('leaves an open seat with the same amount in the same place, and all others as they were', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), fc.nat(), fc.nat(), (count, payer, leaver) => {
        const before = pay(equally(count), payer % count);
        const place = 1 + (leaver % (count - 1));
        if (before.checkout.status !== 'collecting') return;
        const after = leaves(before, place);
        expect(after.checkout.shares.map(({ amount }) => amount)).toEqual(
          before.checkout.shares.map(({ amount }) => amount),
        );
        const others = (model: Model) => model.checkout.shares.filter((_, index) => index !== place);
        expect(others(after)).toEqual(others(before));
        expect(after.checkout.shares[place]).toMatchObject({
          status: 'invited',
          isOrganizer: false,
          displayName: null,
        });
        expect(after.checkout.shares[place]?.memberId).not.toBe(before.checkout.shares[place]?.memberId);
        expect(after.events.slice(before.events.length)).toEqual(['checkout.collecting']);
      }),
    );
  });

  it('has every hold released: one that is held, one with an open card form, and a renewal in progress', () => {
    const held = leaves(pay(equally(3), 1), 1);
    expect(held.holds.map(({ status }) => status)).toEqual(['releasing']);
    expect(leaves(open(equally(3), 1), 1).holds.map(({ status }) => status)).toEqual(['releasing']);
    const paid = pay(equally(3), 1);
    const lastDay = NOW + 160 * 3_600_000;
    const renewal = decideRenewal(paid.checkout, paid.holds[0]?.id ?? '', lastDay, newId);
    if (renewal === null) throw new Error('there is no renewal');
    const renewing = leaves(applyAll(paid, renewal.steps), 1);
    expect(renewing.holds.map(({ status }) => status)).toEqual(['releasing', 'releasing']);
  });

  it('never leaves a card held that is confirmed only afterwards', () => {
    const left = leaves(open(equally(3), 1), 1);
    const [hold] = left.holds;
    if (hold === undefined) throw new Error('there is no hold');
    const after = applyAll(left, decideFromFacts(left.checkout, hold.id, factsFor(hold), NOW));
    expect(after.holds.map(({ status }) => status)).toEqual(['releasing']);
    expect(view(after)[1]).toEqual([10_000, 'invited']);
  });

  it('keeps the checkout from being funded until the seat is paid', () => {
    const left = leaves(pay(pay(equally(3), 1), 2), 1);
    const last = pay(left, 0);
    expect([last.checkout.status, view(last)]).toEqual([
      'collecting',
      [
        [10_001, 'held'],
        [10_000, 'invited'],
        [10_000, 'held'],
      ],
    ]);
    expect(pay(last, 1).checkout.status).toBe('funded');
  });

  it('gives back a free place at once, held without a card', () => {
    const free = partyOf([AMOUNT - 1_000, 1_000, 0]);
    const left = leaves(free, 2);
    expect(view(left)[2]).toEqual([0, 'held']);
    expect(left.holds).toEqual([]);
    expect(left.checkout.status).toBe('collecting');
  });
});

describe('leaving is refused', () => {
  it('once every share is held, and in every other state than collecting', () => {
    const funded = [0, 1, 2].reduce(pay, equally(3));
    expect(funded.checkout.status).toBe('funded');
    expect(leave(funded, 1)).toBe('checkout_not_collecting');
    for (const status of ['open', 'funded', 'completed', 'canceled'] satisfies CheckoutStatus[]) {
      const model = equally(3);
      expect(leave({ ...model, checkout: { ...model.checkout, status } }, 1)).toBe('checkout_not_collecting');
    }
  });

  it('after pay_by, swept or not', () => {
    const model = pay(equally(3), 1);
    const { expiresAt } = model.checkout;
    expect(leave(model, 1, {}, expiresAt)).toBe('checkout_past_pay_by');
    const expired = applyAll(model, decideExpire(model.checkout, expiresAt));
    expect(leave(expired, 1)).toBe('checkout_past_pay_by');
  });

  it('for the organizer’s own share, an open seat, and a share that has left', () => {
    const model = equally(3);
    expect(leave(model, 0)).toBe('own_share');
    expect(leave(model, 1, { isSeat: true })).toBe('open_seat');
    const shareId = shareAt(model, 1);
    expect(leave(leaves(model, 1), 1, { shareId })).toBe('not_found');
  });

  it('without a sign-in if that would release a card, and if it would do more than the page has said', () => {
    const [unpaid, held] = [equally(3), pay(equally(3), 1)];
    expect(leave(held, 1, { mayReleaseHold: false })).toBe('share_already_held');
    expect(leave(held, 1, { seen: 'unpaid' })).toBe('party_changed');
    expect(leave(unpaid, 1, { seen: 'held' })).toBe('party_changed');
    expect(typeof leave(unpaid, 1, { mayReleaseHold: false, seen: 'unpaid' })).toBe('object');
    expect(typeof leave(held, 1, { seen: 'held' })).toBe('object');
  });
});

it('a covered seat that no guest has can be given back', () => {
  const covered = pay(equally(3), 1);
  const left = leave(covered, 1, { isSeat: true, reason: 'removed' }) as { checkout: LockedCheckout };
  expect(left.checkout.shares[1]?.status).toBe('invited');
  expect(fundWhenAllHeld(left.checkout)).toEqual([]);
});
