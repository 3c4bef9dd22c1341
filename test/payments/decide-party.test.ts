// Choosing and changing the party: the shares always add up, a member with an unchanged amount keeps the share and its
// hold, and every other share is dropped and its holds released. Splits are checked before.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitEqually } from '../../src/base/money.ts';
import { decideCancel } from '../../src/domain/checkouts/decide-cancel.ts';
import { decideFromFacts, decideHold } from '../../src/domain/checkouts/holds/decide-hold.ts';
import type { LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import { decideParty, type PartyShare } from '../../src/domain/checkouts/party/decide-party.ts';
import { checkSplit, equalSplit, MIN_CHARGE } from '../../src/domain/checkouts/party/split.ts';
import type { CheckoutStatus } from '../../src/domain/checkouts/transitions.ts';
import { applyAll, factsFor, type Model, NOW, newId, newModel } from './checkout-model.ts';

const AMOUNT = 30_000;
const STATES: CheckoutStatus[] = ['open', 'collecting', 'funded', 'completed', 'expired', 'canceled'];
const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

const share = (memberId: string, amount: number): PartyShare => ({ memberId, displayName: null, amount });

/** Some members with amounts; the organizer pays the rest. */
const choice = fc
  .uniqueArray(fc.record({ who: fc.integer({ min: 1, max: 7 }), amount: fc.constantFrom(0, 1_000, 2_500, 3_000) }), {
    selector: ({ who }) => who,
    maxLength: 5,
  })
  .map((others): PartyShare[] => [
    share('organizer', AMOUNT - sum(others.map(({ amount }) => amount))),
    ...others.map(({ who, amount }) => share(`member-${who}`, amount)),
  ]);

function choose(model: Model, party: readonly PartyShare[]): Model {
  const decided = decideParty(model.checkout, party, NOW, newId);
  if ('refusal' in decided) throw new Error(decided.refusal);
  return applyAll(model, decided.steps);
}

/** The member at this place pays. */
function pay(model: Model, place: number): Model {
  const unpaid = model.checkout.shares[place % model.checkout.shares.length];
  const decided = decideHold(model.checkout, unpaid?.id ?? '', NOW, newId);
  if (!('steps' in decided)) return model;
  const requested = applyAll(model, decided.steps);
  const update = { intentId: `pi_${decided.holdId}` };
  const open = applyAll(requested, [
    { step: 'transition hold', id: decided.holdId, from: 'requested', to: 'open', update, dueAt: NOW },
  ]);
  const hold = open.checkout.holds.find(({ id }) => id === decided.holdId);
  return hold === undefined ? open : applyAll(open, decideFromFacts(open.checkout, hold.id, factsFor(hold), NOW));
}

describe('a choice of the party', () => {
  it('creates exactly these shares, the organizer’s first', () => {
    fc.assert(
      fc.property(choice, (party) => {
        const { checkout, events } = choose(newModel(AMOUNT, 0, 6), party);
        expect(checkout.shares.map(({ memberId, amount }) => [memberId, amount])).toEqual(
          party.map(({ memberId, amount }) => [memberId, amount]),
        );
        expect(checkout.shares.map(({ isOrganizer }) => isOrganizer)).toEqual(party.map((_, place) => place === 0));
        expect([checkout.status, checkout.organizerId]).toEqual(['collecting', 'organizer']);
        expect(events[0]).toBe('checkout.collecting');
      }),
    );
  });

  it('holds shares of 0 at once, without a card, and records an event for each', () => {
    fc.assert(
      fc.property(choice, (party) => {
        const { checkout, events, holds } = choose(newModel(AMOUNT, 0, 6), party);
        const free = party.filter(({ amount }) => amount === 0).length;
        expect(checkout.shares.map(({ status }) => status)).toEqual(
          party.map(({ amount }) => (amount === 0 ? 'held' : 'invited')),
        );
        expect(events.filter((type) => type === 'share.held')).toHaveLength(free);
        expect(holds).toEqual([]);
      }),
    );
  });

  it('that changes the party keeps unchanged shares with their holds, releases the others, and adds up', () => {
    const story = fc.record({ first: choice, payers: fc.array(fc.nat(5), { maxLength: 4 }), second: choice });
    fc.assert(
      fc.property(story, ({ first, payers, second }) => {
        const before = payers.reduce(pay, choose(newModel(AMOUNT, 0, 6), first));
        fc.pre(before.checkout.status === 'collecting');
        const after = choose(before, second);
        expect(after.checkout.shares.map(({ memberId, amount }) => [memberId, amount])).toEqual(
          second.map(({ memberId, amount }) => [memberId, amount]),
        );
        for (const earlier of before.checkout.shares) {
          const isKept = second.some(
            ({ memberId, amount }) => memberId === earlier.memberId && amount === earlier.amount,
          );
          const now = after.checkout.shares.find(({ id }) => id === earlier.id);
          expect(now !== undefined).toBe(isKept);
          if (isKept) expect(now?.status).toBe(earlier.status);
          for (const hold of before.checkout.holds.filter(({ shareId }) => shareId === earlier.id)) {
            const then = after.holds.find(({ id }) => id === hold.id)?.status;
            expect(then).toBe(isKept ? hold.status : 'releasing');
          }
        }
        expect(after.events.filter((type) => type === 'checkout.collecting')).toHaveLength(2);
      }),
      { numRuns: 200 },
    );
  });

  it('that leaves only held shares funds the checkout', () => {
    const party = [share('organizer', 20_000), share('a', 10_000)];
    const paid = pay(choose(newModel(AMOUNT, 0, 3), [...party.slice(0, 1), share('a', 5_000), share('b', 5_000)]), 0);
    const again = choose(paid, [share('organizer', 20_000), share('a', 10_000)]);
    expect(again.checkout.status).toBe('collecting');
    const all = pay(again, 1);
    expect(all.checkout.status).toBe('funded');
    const alone = pay(choose(newModel(AMOUNT, 0, 3), [share('organizer', AMOUNT), share('a', 0)]), 0);
    expect(alone.checkout.status).toBe('funded');
    const free = choose(pay(choose(newModel(AMOUNT, 0, 3), [share('organizer', 30_000), share('a', 0)]), 1), [
      share('organizer', 30_000),
    ]);
    expect(free.checkout.status).toBe('collecting');
  });

  it('is allowed to the first organizer, while the checkout is open or collecting, before pay_by', () => {
    const collecting = choose(newModel(AMOUNT, 0, 3), [share('organizer', AMOUNT)]).checkout;
    const refusalOf = (checkout: LockedCheckout, now = NOW): unknown => {
      const decided = decideParty(checkout, [share('organizer', AMOUNT)], now, newId);
      return 'refusal' in decided ? decided.refusal : null;
    };
    const other = decideParty(collecting, [share('other-member', AMOUNT)], NOW, newId);
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
  it('releases every hold while open or collecting, changes nothing when canceled, and is refused otherwise', () => {
    fc.assert(
      fc.property(choice, fc.array(fc.nat(5), { maxLength: 3 }), (party, payers) => {
        const model = payers.reduce(pay, choose(newModel(AMOUNT, 0, 6), party));
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
  it('into equal parts is accepted when no member pays less than the minimum charge', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 99_999_999 }), fc.integer({ min: 1, max: 50 }), (amount, people) => {
        const parts = equalSplit(amount, people);
        expect(parts).toEqual(splitEqually(amount, people));
        const isFineEnough = parts.every((part) => part === 0 || part >= MIN_CHARGE);
        expect(checkSplit(amount, parts) === null).toBe(isFineEnough);
      }),
    );
  });

  it('into custom parts is accepted only when it adds up and no member pays 1 to 49, and reports the difference or the member', () => {
    const parts = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(parts, fc.integer({ min: -3, max: 3 }), (amounts, off) => {
        const fault = checkSplit(sum(amounts) - off, amounts);
        const position = amounts.findIndex((part) => part >= 1 && part <= 49);
        if (off !== 0) expect(fault).toEqual({ fault: 'wrong sum', difference: off });
        else if (position >= 0) expect(fault).toEqual({ fault: 'under the minimum charge', position });
        else expect(fault).toBeNull();
      }),
    );
    expect([checkSplit(100, [50, 50]), checkSplit(100, [100, 0]), checkSplit(100, [51, 49])]).toEqual([
      null,
      null,
      { fault: 'under the minimum charge', position: 1 },
    ]);
  });
});
