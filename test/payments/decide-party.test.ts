// Choosing the party, and choosing it again: the shares always add up, people whose share is unchanged keep it and its
// hold, everybody else is let go and invited anew. Custom splits are judged before anything is chosen.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitEqually } from '../../src/base/money.ts';
import { decideFromFacts, decideHold } from '../../src/domain/checkouts/holds/decide-hold.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import { decideCancel, decideParty, type Seat } from '../../src/domain/checkouts/party/decide-party.ts';
import { checkSplit, equalSplit, MIN_CHARGE } from '../../src/domain/checkouts/party/split.ts';
import type { CheckoutStatus } from '../../src/domain/checkouts/transitions.ts';
import { applyAll, factsFor, type Model, NOW, newId, newModel } from './checkout-model.ts';

const AMOUNT = 30_000;
const STATES: CheckoutStatus[] = ['open', 'collecting', 'funded', 'completed', 'expired', 'canceled'];
const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

const seat = (memberId: string, amount: number): Seat => ({ memberId, displayName: null, amount });

/** Some people beside the organizer, each with an amount; the organizer takes what is left. */
const choice = fc
  .uniqueArray(fc.record({ who: fc.integer({ min: 1, max: 7 }), amount: fc.constantFrom(0, 1_000, 2_500, 3_000) }), {
    selector: ({ who }) => who,
    maxLength: 5,
  })
  .map((others): Seat[] => [
    seat('organizer', AMOUNT - sum(others.map(({ amount }) => amount))),
    ...others.map(({ who, amount }) => seat(`member-${who}`, amount)),
  ]);

function choose(model: Model, seats: readonly Seat[]): Model {
  const decided = decideParty(model.checkout, seats, NOW, newId);
  if ('refusal' in decided) throw new Error(decided.refusal);
  return applyAll(model, decided.steps);
}

/** One of the party pays. */
function pay(model: Model, place: number): Model {
  const share = model.checkout.shares[place % model.checkout.shares.length];
  const asked = decideHold(model.checkout, share?.id ?? '', NOW, newId);
  if (!('steps' in asked)) return model;
  const ready = applyAll(model, asked.steps);
  const news = { intentId: `pi_${asked.holdId}` };
  const open = applyAll(ready, [{ step: 'move hold', id: asked.holdId, from: 'asked', to: 'open', news, dueAt: NOW }]);
  const hold = open.checkout.holds.find(({ id }) => id === asked.holdId);
  return hold === undefined ? open : applyAll(open, decideFromFacts(open.checkout, hold.id, factsFor(hold), NOW));
}

describe('a choice of the party', () => {
  it('seats exactly these people with these amounts, the organizer first', () => {
    fc.assert(
      fc.property(choice, (seats) => {
        const { checkout, events } = choose(newModel(AMOUNT, 0, 6), seats);
        expect(checkout.shares.map(({ memberId, amount }) => [memberId, amount])).toEqual(
          seats.map(({ memberId, amount }) => [memberId, amount]),
        );
        expect(checkout.shares.map(({ isOrganizer }) => isOrganizer)).toEqual(seats.map((_, place) => place === 0));
        expect([checkout.status, checkout.organizerId]).toEqual(['collecting', 'organizer']);
        expect(events[0]).toBe('checkout.collecting');
      }),
    );
  });

  it('holds shares of 0 at once, with no card, and tells each', () => {
    fc.assert(
      fc.property(choice, (seats) => {
        const { checkout, events, holds } = choose(newModel(AMOUNT, 0, 6), seats);
        const free = seats.filter(({ amount }) => amount === 0).length;
        expect(checkout.shares.map(({ status }) => status)).toEqual(
          seats.map(({ amount }) => (amount === 0 ? 'held' : 'invited')),
        );
        expect(events.filter((type) => type === 'share.held')).toHaveLength(free);
        expect(holds).toEqual([]);
      }),
    );
  });

  it('again keeps who is unchanged with their hold, lets go of the rest, and adds up', () => {
    const story = fc.record({ first: choice, payers: fc.array(fc.nat(5), { maxLength: 4 }), second: choice });
    fc.assert(
      fc.property(story, ({ first, payers, second }) => {
        const before = payers.reduce(pay, choose(newModel(AMOUNT, 0, 6), first));
        fc.pre(before.checkout.status === 'collecting');
        const after = choose(before, second);
        expect(after.checkout.shares.map(({ memberId, amount }) => [memberId, amount])).toEqual(
          second.map(({ memberId, amount }) => [memberId, amount]),
        );
        for (const share of before.checkout.shares) {
          const isKept = second.some(({ memberId, amount }) => memberId === share.memberId && amount === share.amount);
          const now = after.checkout.shares.find(({ id }) => id === share.id);
          expect(now !== undefined).toBe(isKept);
          if (isKept) expect(now?.status).toBe(share.status);
          for (const hold of before.checkout.holds.filter(({ shareId }) => shareId === share.id)) {
            const then = after.holds.find(({ id }) => id === hold.id)?.status;
            expect(then).toBe(isKept ? hold.status : 'releasing');
          }
        }
        expect(after.events.filter((type) => type === 'checkout.collecting')).toHaveLength(2);
      }),
      { numRuns: 200 },
    );
  });

  it('again that leaves only held shares funds the checkout', () => {
    const seats = [seat('organizer', 20_000), seat('a', 10_000)];
    const paid = pay(choose(newModel(AMOUNT, 0, 3), [...seats.slice(0, 1), seat('a', 5_000), seat('b', 5_000)]), 0);
    const again = choose(paid, [seat('organizer', 20_000), seat('a', 10_000)]);
    expect(again.checkout.status).toBe('collecting');
    const all = pay(again, 1);
    expect(all.checkout.status).toBe('funded');
    const alone = pay(choose(newModel(AMOUNT, 0, 3), [seat('organizer', AMOUNT), seat('a', 0)]), 0);
    expect(alone.checkout.status).toBe('funded');
    const free = choose(pay(choose(newModel(AMOUNT, 0, 3), [seat('organizer', 30_000), seat('a', 0)]), 1), [
      seat('organizer', 30_000),
    ]);
    expect(free.checkout.status).toBe('collecting');
  });

  it('belongs to the first organizer, to an open or collecting checkout, and to the time before pay_by', () => {
    const collecting = choose(newModel(AMOUNT, 0, 3), [seat('organizer', AMOUNT)]).checkout;
    const refusalOf = (checkout: LockedCheckout, now = NOW): unknown => {
      const decided = decideParty(checkout, [seat('organizer', AMOUNT)], now, newId);
      return 'refusal' in decided ? decided.refusal : null;
    };
    const other = decideParty(collecting, [seat('somebody', AMOUNT)], NOW, newId);
    expect(other).toEqual({ refusal: 'not_organizer' });
    expect(STATES.map((status) => refusalOf({ ...collecting, status }))).toEqual([
      null,
      null,
      'checkout_not_open',
      'checkout_not_open',
      'checkout_past_pay_by',
      'checkout_not_open',
    ]);
    expect(refusalOf(collecting, collecting.expiresAt)).toBe('checkout_past_pay_by');
    expect(refusalOf(collecting, collecting.expiresAt - 1)).toBeNull();
  });
});

describe('a cancel', () => {
  it('lets every hold go in open and collecting, changes nothing in canceled, and is refused elsewhere', () => {
    fc.assert(
      fc.property(choice, fc.array(fc.nat(5), { maxLength: 3 }), (seats, payers) => {
        const model = payers.reduce(pay, choose(newModel(AMOUNT, 0, 6), seats));
        const decided = decideCancel(model.checkout, NOW);
        if (model.checkout.status !== 'collecting') {
          expect(decided).toEqual({ refusal: 'checkout_not_cancelable' });
          return;
        }
        if ('refusal' in decided) throw new Error(decided.refusal);
        const { checkout, holds, events } = applyAll(model, decided.steps);
        expect([checkout.status, events.at(-1)]).toEqual(['canceled', 'checkout.canceled']);
        expect(holds.every(({ status }) => status === 'releasing')).toBe(true);
        expect(decideCancel(checkout, NOW)).toEqual({ steps: [] });
      }),
    );
    const { checkout } = newModel(AMOUNT, 0, 2);
    expect(STATES.map((status) => 'refusal' in decideCancel({ ...checkout, status }, NOW))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(decideCancel(checkout, checkout.expiresAt)).toEqual({ refusal: 'checkout_not_cancelable' });
  });
});

describe('a split', () => {
  it('of equal parts is that of the money, and passes wherever nobody pays less than the least charge', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 99_999_999 }), fc.integer({ min: 1, max: 50 }), (amount, people) => {
        const parts = equalSplit(amount, people);
        expect(parts).toEqual(splitEqually(amount, people));
        const isFineEnough = parts.every((part) => part === 0 || part >= MIN_CHARGE);
        expect(checkSplit(amount, parts) === null).toBe(isFineEnough);
      }),
    );
  });

  it('of chosen parts passes only when it adds up and nobody pays 1 to 49, and says by how much or who', () => {
    const parts = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(parts, fc.integer({ min: -3, max: 3 }), (amounts, off) => {
        const fault = checkSplit(sum(amounts) - off, amounts);
        const place = amounts.findIndex((part) => part >= 1 && part <= 49);
        if (off !== 0) expect(fault).toEqual({ fault: 'wrong sum', difference: off });
        else if (place >= 0) expect(fault).toEqual({ fault: 'under the least charge', place });
        else expect(fault).toBeNull();
      }),
    );
    expect([checkSplit(100, [50, 50]), checkSplit(100, [100, 0]), checkSplit(100, [51, 49])]).toEqual([
      null,
      null,
      { fault: 'under the least charge', place: 1 },
    ]);
  });
});
