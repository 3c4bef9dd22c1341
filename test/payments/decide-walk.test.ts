// Whatever happens to a checkout, in whatever order, every decision gives steps that the database would take: legal moves
// from where things are, parties that add up, no card held at an end, and nobody charged for a booking that does not happen.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitEqually } from '../../src/base/money.ts';
import {
  beginCaptures,
  type CaptureOutcome,
  recordCaptures,
  recordRelease,
} from '../../src/domain/checkouts/capture/decide-capture.ts';
import { decideExpire } from '../../src/domain/checkouts/decide-expire.ts';
import {
  decideFromFacts,
  decideHold,
  decideRefused,
  decideRenewal,
  retryLater,
} from '../../src/domain/checkouts/holds/decide-hold.ts';
import { decideCancel, decideParty } from '../../src/domain/checkouts/party/decide-party.ts';
import { decideRefund, refundableAmount } from '../../src/domain/checkouts/refunds/decide-refund.ts';
import type { HoldState } from '../../src/domain/payments/hold.ts';
import type { HoldFacts } from '../../src/domain/payments/processor.ts';
import { applyAll, factsFor, type Model, NOW, newId, newModel } from '../checkouts/model.ts';

/** Of a hold that was made now: its last day. */
const NEAR_THE_LAPSE = NOW + 160 * 3_600_000;
const SETTINGS = { now: NOW, newId, payoutDelay: 0, tryAgainAt: NOW + 1_000 };

/** One thing that happens: which, about whom, and how it turns out. */
interface Happening {
  readonly what: (typeof WHATS)[number];
  readonly who: number;
  readonly how: number;
}
const WHATS = [
  'party',
  'ask',
  'open',
  'learn',
  'hold all',
  'refused',
  'not now',
  'renew',
  'cancel',
  'expire',
  'begin',
  'record',
  'release',
  'refund',
] as const;

const pick = <T>(things: readonly T[], at: number): T | undefined => things[at % Math.max(1, things.length)];

function seats(model: Model, who: number, how: number) {
  const { amount, partySize } = model.standing;
  const people = 1 + (how % partySize);
  const amounts = who % 3 === 0 && people > 1 ? [amount, ...Array(people - 1).fill(0)] : splitEqually(amount, people);
  return amounts.map((part: number, place) => ({
    memberId: place === 0 ? 'organizer' : `member-${(who + place) % (partySize + 2)}-${place}`,
    displayName: null,
    amount: part,
  }));
}

/** What the bank may say: all of it, also what it should not. */
function saying(hold: HoldState, how: number): HoldFacts {
  const said: Partial<HoldFacts>[] = [
    {},
    {},
    {},
    { status: 'waiting', capturable: 0, heldAt: null, refusal: null },
    { status: 'waiting', capturable: 0, heldAt: null, refusal: 'card_declined' },
    { status: 'underway', capturable: 0, heldAt: null },
    { status: 'gone', capturable: 0, heldAt: null },
    { status: 'captured', capturable: 0, captured: hold.amount },
    { capturable: Math.floor(hold.amount / 2) },
    { heldAt: NOW + 1_000 * 3_600_000 },
    { currency: 'eur' },
    { mode: 'live' },
    { marks: {} },
    { amount: hold.amount + 1 },
    { captureBefore: null },
  ];
  return factsFor(hold, pick(said, how));
}

/** As the settling of holds does it, in one go: made at the bank, and looked at. */
function openAndLearn(model: Model, hold: HoldState, how: number): Model {
  const intentId = `pi_${hold.id}`;
  const opened =
    hold.status === 'asked' && hold.renews === null
      ? applyAll(model, [{ step: 'move hold', id: hold.id, from: 'asked', to: 'open', news: { intentId }, dueAt: NOW }])
      : model;
  const present = opened.holds.find(({ id }) => id === hold.id) ?? hold;
  return applyAll(opened, decideFromFacts(opened.standing, hold.id, saying(present, how), NOW));
}

function outcomeBy(how: number): CaptureOutcome {
  const outcomes: CaptureOutcome[] = [
    { outcome: 'captured', chargeId: 'ch' },
    { outcome: 'captured', chargeId: null },
    { outcome: 'refused', code: 'card_declined' },
    { outcome: 'unknown', isNotNow: true },
    { outcome: 'unknown', isNotNow: false },
  ];
  return pick(outcomes, how) as CaptureOutcome;
}

/** A test helper, the share's person or the organizer; with the other's hold just looked at, or not. */
function askerOf({ standing }: Model, who: number, how: number) {
  const share = pick(standing.shares, who);
  const live = standing.holds.find(({ shareId, status }) => shareId === share?.id && status !== 'releasing');
  const payerId = pick([null, share?.memberId ?? null, 'organizer'], how) ?? null;
  return {
    payerId,
    retrieved: live === undefined || how % 2 === 0 ? null : { holdId: live.id, leaseToken: live.leaseToken },
  };
}

function happen(model: Model, { what, who, how }: Happening): Model {
  const { standing } = model;
  const hold = pick(standing.holds, who);
  const share = pick(standing.shares, who);
  switch (what) {
    case 'party': {
      const decided = decideParty(standing, seats(model, who, how), NOW, newId);
      return 'refusal' in decided ? model : applyAll(model, decided.steps);
    }
    case 'ask': {
      const decided = decideHold(standing, share?.id ?? '', NOW, newId, askerOf(model, who, how));
      return 'steps' in decided ? applyAll(model, decided.steps) : model;
    }
    case 'open':
    case 'learn':
      return hold === undefined ? model : openAndLearn(model, hold, how);
    case 'hold all':
      return standing.shares.reduce((next, { id }) => {
        const asked = decideHold(next.standing, id, NOW, newId);
        if (!('steps' in asked)) return next;
        const ready = applyAll(next, asked.steps);
        const mine = ready.holds.find((one) => one.id === asked.holdId);
        return mine === undefined ? ready : openAndLearn(ready, mine, 0);
      }, model);
    case 'refused':
      return hold === undefined || hold.status === 'capturing' || hold.status === 'captured'
        ? model
        : applyAll(
            model,
            decideRefused(standing, hold.id, pick(['resource_missing', 'card_declined'], how) ?? '', NOW),
          );
    case 'not now':
      return hold === undefined ? model : applyAll(model, retryLater(standing, hold.id, NOW));
    case 'renew': {
      const renewal = hold === undefined ? null : decideRenewal(standing, hold.id, NEAR_THE_LAPSE, newId);
      return renewal === null ? model : applyAll(model, renewal.steps);
    }
    case 'cancel': {
      const decided = decideCancel(standing, NOW);
      return 'refusal' in decided ? model : applyAll(model, decided.steps);
    }
    case 'expire':
      return applyAll(model, decideExpire(standing, standing.expiresAt));
    case 'begin': {
      const facts = new Map(standing.holds.map((one, place) => [one.id, saying(one, how % 5 === 0 ? how + place : 0)]));
      return applyAll(model, beginCaptures(standing, facts, NOW));
    }
    case 'record': {
      const capturing = standing.holds.filter(({ status }) => status === 'capturing');
      const outcomes = new Map(
        capturing.map(({ id }, place) => [id, outcomeBy(how % 2 === 0 ? 0 : how + place * (who + 1))]),
      );
      return applyAll(model, recordCaptures(standing, outcomes, SETTINGS));
    }
    case 'release':
      return hold === undefined
        ? model
        : applyAll(model, recordRelease(standing, hold.id, how % 4 === 0 ? 'captured' : 'released', SETTINGS));
    case 'refund': {
      const left = refundableAmount(standing);
      if (standing.status !== 'completed' || left === 0) return model;
      const transfers = model.movements.filter(({ kind }) => kind === 'transfer');
      const amount = 1 + (how % left);
      return applyAll(model, decideRefund(standing, transfers, { amount, reason: null, now: NOW, newId }));
    }
  }
}

const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom(...WHATS),
  who: fc.nat(20),
  how: fc.nat(200),
});
const start = fc.record({
  amount: fc.integer({ min: 500, max: 99_999_999 }),
  fee: fc.integer({ min: 0, max: 10_000 }),
  size: fc.integer({ min: 2, max: 6 }),
});

describe('a checkout to which anything happens', () => {
  it('stays legal at every step', () => {
    fc.assert(
      fc.property(start, fc.array(happening, { minLength: 5, maxLength: 40 }), ({ amount, fee, size }, story) => {
        story.reduce(happen, newModel(amount, fee, size));
      }),
      { numRuns: 1_000 },
    );
  });

  it('stays legal at every step on the way to its captures and beyond', () => {
    const onTheWay: Happening[] = ['party', 'hold all', 'begin'].map((what, place) => ({
      what: what as Happening['what'],
      who: 1,
      how: place,
    }));
    let [completed, canceled, back] = [0, 0, 0];
    fc.assert(
      fc.property(start, fc.array(happening, { minLength: 3, maxLength: 30 }), ({ amount, fee, size }, story) => {
        const funded = onTheWay.reduce(happen, newModel(amount, fee, size));
        expect(funded.told).toContain('checkout.funded');
        const end = story.reduce(happen, funded);
        if (end.told.includes('checkout.completed')) completed++;
        if (end.standing.status === 'canceled') canceled++;
        if (end.told.lastIndexOf('checkout.collecting') > end.told.indexOf('checkout.funded')) back++;
      }),
      { numRuns: 1_000 },
    );
    // Not one way was left out.
    expect(Math.min(completed, canceled, back)).toBeGreaterThan(0);
  });
});

describe('a hold that is lost while another is asked for in its place', () => {
  it('takes that one along: nobody pays again beside a card that may still be taken', () => {
    const story: Happening[] = [
      { what: 'party', who: 1, how: 1 },
      { what: 'ask', who: 0, how: 0 },
      { what: 'learn', who: 0, how: 0 },
      { what: 'renew', who: 0, how: 0 },
      { what: 'learn', who: 0, how: 6 },
    ];
    const { holds, standing } = story.reduce(happen, newModel(10_000, 0, 2));
    expect(holds.map(({ renews, status }) => [renews === null, status])).toEqual([
      [true, 'gone'],
      [false, 'releasing'],
    ]);
    const share = standing.shares[0];
    expect(share?.status).toBe('failed');
    expect(decideHold(standing, share?.id ?? '', NOW, newId)).toMatchObject({ lettingGo: [holds[1]?.id] });
  });
});

describe('a checkout that goes through', () => {
  it('posts captures, earnings and fees that add up, and one transfer for each share, net_amount in all', () => {
    fc.assert(
      fc.property(start, fc.nat(50), ({ amount, fee, size }, who) => {
        const story: Happening[] = [
          { what: 'party', who, how: size - 1 },
          { what: 'hold all', who, how: 0 },
          { what: 'begin', who, how: 1 },
          { what: 'record', who, how: 0 },
        ];
        const { standing, entries, movements, told } = story.reduce(happen, newModel(amount, fee, size));
        expect([standing.status, told.at(-1)]).toEqual(['completed', 'checkout.completed']);
        const total = (kind: string): number =>
          [...entries].filter(([name]) => name.startsWith(`${kind} `)).reduce((sum, [, part]) => sum + part, 0);
        expect([total('capture'), total('fee'), total('earning')]).toEqual([
          amount,
          standing.feeAmount,
          amount - standing.feeAmount,
        ]);
        const paid = movements.reduce((sum, movement) => sum + movement.amount, 0);
        expect(paid).toBe(amount - standing.feeAmount);
      }),
      { numRuns: 100 },
    );
  });
});
