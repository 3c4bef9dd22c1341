// Random sequences of commands and processor answers: every decision returns steps that the database accepts, with
// allowed transitions, parties that add up, no card held after the end, and no guest charged for a checkout that does
// not complete.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitEqually } from '../../src/base/money.ts';
import {
  beginCaptures,
  type CaptureOutcome,
  recordCaptures,
  recordRelease,
} from '../../src/domain/checkouts/capture/decide-capture.ts';
import { decideCancel } from '../../src/domain/checkouts/decide-cancel.ts';
import { decideExpire } from '../../src/domain/checkouts/decide-expire.ts';
import {
  decideFromFacts,
  decideHold,
  decideRefused,
  decideUnavailable,
} from '../../src/domain/checkouts/holds/decide-hold.ts';
import { decideRenewal } from '../../src/domain/checkouts/holds/decide-renewal.ts';
import { decideLeave } from '../../src/domain/checkouts/party/decide-leave.ts';
import { decideParty } from '../../src/domain/checkouts/party/decide-party.ts';
import { decideRefund, refundableAmount } from '../../src/domain/checkouts/refunds/decide-refund.ts';
import { type HoldState, usesSavedCard } from '../../src/domain/payments/hold.ts';
import type { HoldFacts } from '../../src/domain/payments/processor.ts';
import { applyAll, factsFor, type Model, NOW, newId, newModel, transfersOf } from './checkout-model.ts';

/** On the last day of a hold that was created at NOW. */
const LAST_DAY = NOW + 160 * 3_600_000;
const SETTINGS = { now: NOW, newId, payoutDelay: 0, retryAt: NOW + 1_000 };

/** A random command: `who` picks the share or hold, `how` picks the outcome. */
interface Command {
  readonly what: (typeof COMMANDS)[number];
  readonly who: number;
  readonly how: number;
}
const COMMANDS = [
  'party',
  'leave',
  'request',
  'open',
  'poll',
  'hold all',
  'refused',
  'temporary error',
  'renew',
  'cancel',
  'expire',
  'begin',
  'record',
  'release',
  'refund',
] as const;

const pick = <T>(things: readonly T[], at: number): T | undefined => things[at % Math.max(1, things.length)];

function partyBy(model: Model, who: number, how: number) {
  const { amount, partySize } = model.checkout;
  const count = 1 + (how % partySize);
  const amounts = who % 3 === 0 && count > 1 ? [amount, ...Array(count - 1).fill(0)] : splitEqually(amount, count);
  return amounts.map((part: number, place) => ({
    memberId: place === 0 ? 'organizer' : `member-${(who + place) % (partySize + 2)}-${place}`,
    displayName: null,
    amount: part,
  }));
}

/** Any answer of the processor, also ones that it should not give. */
function factsBy(hold: HoldState, how: number): HoldFacts {
  const answers: Partial<HoldFacts>[] = [
    {},
    {},
    {},
    { status: 'waiting', capturable: 0, heldAt: null, declineCode: null },
    { status: 'waiting', capturable: 0, heldAt: null, declineCode: 'card_declined' },
    { status: 'processing', capturable: 0, heldAt: null },
    { status: 'voided', capturable: 0, heldAt: null },
    { status: 'captured', capturable: 0, captured: hold.amount },
    { capturable: Math.floor(hold.amount / 2) },
    { heldAt: NOW + 1_000 * 3_600_000 },
    { currency: 'eur' },
    { mode: 'live' },
    { metadata: {} },
    { amount: hold.amount + 1 },
    { captureBefore: null },
  ];
  return factsFor(hold, pick(answers, how));
}

/** What settling a hold does: creates it at the processor, then polls it. */
function createAndPoll(model: Model, hold: HoldState, how: number): Model {
  const intentId = `pi_${hold.id}`;
  const opened =
    hold.status === 'requested' && !usesSavedCard(hold)
      ? applyAll(model, [
          { step: 'transition hold', id: hold.id, from: 'requested', to: 'open', update: { intentId }, dueAt: NOW },
        ])
      : model;
  const current = opened.holds.find(({ id }) => id === hold.id) ?? hold;
  return applyAll(opened, decideFromFacts(opened.checkout, hold.id, factsBy(current, how), NOW));
}

function outcomeBy(how: number): CaptureOutcome {
  const outcomes: CaptureOutcome[] = [
    { outcome: 'captured', chargeId: 'ch', processorFee: 59 },
    { outcome: 'captured', chargeId: null, processorFee: null },
    { outcome: 'refused', code: 'card_declined' },
    { outcome: 'unknown', isKeySpent: true, reason: 'no answer' },
    { outcome: 'unknown', isKeySpent: false, reason: 'no answer' },
  ];
  return pick(outcomes, how) as CaptureOutcome;
}

/** A test helper, the share's member or the organizer; with or without a new poll of the current hold. */
function requesterOf({ checkout }: Model, who: number, how: number) {
  const share = pick(checkout.shares, who);
  const current = checkout.holds.find(({ shareId, status }) => shareId === share?.id && status !== 'releasing');
  const payerId = pick([null, share?.memberId ?? null, 'organizer'], how) ?? null;
  return {
    payerId,
    retrieved: current === undefined || how % 2 === 0 ? null : { holdId: current.id, leaseToken: current.leaseToken },
  };
}

function run(model: Model, { what, who, how }: Command): Model {
  const { checkout } = model;
  const hold = pick(checkout.holds, who);
  const share = pick(checkout.shares, who);
  switch (what) {
    case 'party': {
      const decided = decideParty(checkout, partyBy(model, who, how), NOW, newId);
      return 'refusal' in decided ? model : applyAll(model, decided.steps);
    }
    case 'leave': {
      const reason = how % 2 === 0 ? 'declined' : 'removed';
      const request = { shareId: share?.id ?? '', reason, isSeat: false, mayReleaseHold: true, seen: null } as const;
      const decided = decideLeave(checkout, request, NOW, { shareId: newId(), memberId: newId() });
      return 'refusal' in decided ? model : applyAll(model, decided.steps);
    }
    case 'request': {
      const decided = decideHold(checkout, share?.id ?? '', NOW, newId, requesterOf(model, who, how));
      return 'steps' in decided ? applyAll(model, decided.steps) : model;
    }
    case 'open':
    case 'poll':
      return hold === undefined ? model : createAndPoll(model, hold, how);
    case 'hold all':
      return checkout.shares.reduce((next, { id }) => {
        const decided = decideHold(next.checkout, id, NOW, newId);
        if (!('steps' in decided)) return next;
        const requested = applyAll(next, decided.steps);
        const added = requested.holds.find(({ id: holdId }) => holdId === decided.holdId);
        return added === undefined ? requested : createAndPoll(requested, added, 0);
      }, model);
    case 'refused':
      return hold === undefined || hold.status === 'capturing' || hold.status === 'captured'
        ? model
        : applyAll(
            model,
            decideRefused(checkout, hold.id, pick(['resource_missing', 'card_declined'], how) ?? '', NOW),
          );
    case 'temporary error':
      return hold === undefined
        ? model
        : applyAll(
            model,
            decideUnavailable(
              checkout,
              hold.id,
              pick(['no_answer', 'network_failed', 'processor_failed'] as const, how) ?? 'no_answer',
              NOW,
              NOW + 5_000,
            ),
          );
    case 'renew': {
      const renewal = hold === undefined ? null : decideRenewal(checkout, hold.id, LAST_DAY, newId);
      return renewal === null ? model : applyAll(model, renewal.steps);
    }
    case 'cancel': {
      const decided = decideCancel(checkout, NOW);
      return 'refusal' in decided ? model : applyAll(model, decided.steps);
    }
    case 'expire':
      return applyAll(model, decideExpire(checkout, checkout.expiresAt));
    case 'begin': {
      const facts = new Map(
        checkout.holds.map((each, place) => [each.id, factsBy(each, how % 5 === 0 ? how + place : 0)]),
      );
      // A third of the attempts finds that the venue cannot be paid, some of them after the deadline.
      const now = how % 6 === 0 ? checkout.expiresAt : NOW;
      return applyAll(model, beginCaptures({ ...checkout, isVenuePayable: how % 3 !== 0 }, facts, now));
    }
    case 'record': {
      const capturing = checkout.holds.filter(({ status }) => status === 'capturing');
      const outcomes = new Map(
        capturing.map(({ id }, place) => [id, outcomeBy(how % 2 === 0 ? 0 : how + place * (who + 1))]),
      );
      return applyAll(model, recordCaptures(checkout, outcomes, SETTINGS));
    }
    case 'release':
      return hold === undefined
        ? model
        : applyAll(model, recordRelease(checkout, hold.id, how % 4 === 0 ? 'captured' : 'released', SETTINGS));
    case 'refund': {
      const left = refundableAmount(checkout);
      if (checkout.status !== 'completed' || left === 0) return model;
      const amount = 1 + (how % left);
      return applyAll(model, decideRefund(checkout, transfersOf(model), { amount, reason: null, now: NOW, newId }));
    }
  }
}

const command: fc.Arbitrary<Command> = fc.record({
  what: fc.constantFrom(...COMMANDS),
  who: fc.nat(20),
  how: fc.nat(200),
});
const start = fc.record({
  amount: fc.integer({ min: 500, max: 99_999_999 }),
  fee: fc.integer({ min: 0, max: 10_000 }),
  size: fc.integer({ min: 2, max: 6 }),
});

describe('a checkout under random commands', () => {
  it('accepts every step', () => {
    fc.assert(
      fc.property(start, fc.array(command, { minLength: 5, maxLength: 40 }), ({ amount, fee, size }, story) => {
        story.reduce(run, newModel(amount, fee, size));
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts every step from funded on', () => {
    const toFunded: Command[] = ['party', 'hold all', 'begin'].map((what, place) => ({
      what: what as Command['what'],
      who: 1,
      how: place,
    }));
    let [completed, canceled, back] = [0, 0, 0];
    fc.assert(
      fc.property(start, fc.array(command, { minLength: 3, maxLength: 30 }), ({ amount, fee, size }, story) => {
        const funded = toFunded.reduce(run, newModel(amount, fee, size));
        expect(funded.events).toContain('checkout.funded');
        const end = story.reduce(run, funded);
        if (end.events.includes('checkout.completed')) completed++;
        if (end.checkout.status === 'canceled') canceled++;
        if (end.events.lastIndexOf('checkout.collecting') > end.events.indexOf('checkout.funded')) back++;
      }),
      { numRuns: 1_000 },
    );
    // Every outcome occurred.
    expect(Math.min(completed, canceled, back)).toBeGreaterThan(0);
  });
});

describe('a hold that is lost during its renewal', () => {
  it('releases the renewal too, so that the guest does not pay twice', () => {
    const story: Command[] = [
      { what: 'party', who: 1, how: 1 },
      { what: 'request', who: 0, how: 0 },
      { what: 'poll', who: 0, how: 0 },
      { what: 'renew', who: 0, how: 0 },
      { what: 'poll', who: 0, how: 6 },
    ];
    const { holds, checkout } = story.reduce(run, newModel(10_000, 0, 2));
    expect(holds.map(({ renews, status }) => [renews === null, status])).toEqual([
      [true, 'voided'],
      [false, 'releasing'],
    ]);
    const share = checkout.shares[0];
    expect(share?.status).toBe('failed');
    expect(decideHold(checkout, share?.id ?? '', NOW, newId)).toMatchObject({ releaseFirst: [holds[1]?.id] });
  });
});

describe('a renewal that is refused', () => {
  const HOUR = 3_600_000;
  const start: Command[] = [
    { what: 'party', who: 1, how: 1 },
    { what: 'request', who: 0, how: 0 },
    { what: 'poll', who: 0, how: 0 },
    { what: 'renew', who: 0, how: 0 },
  ];
  const renewing = () => {
    const model = start.reduce(run, newModel(10_000, 0, 2));
    const [original, renewal] = model.holds;
    if (original === undefined || renewal === undefined) throw new Error('there is no renewal');
    return { model, original, renewal };
  };

  it('leaves the hold as it is, due just after it lapses', () => {
    const { model, original, renewal } = renewing();
    const steps = decideRefused(model.checkout, renewal.id, 'card_declined', LAST_DAY);
    expect(steps).toEqual([
      expect.objectContaining({ step: 'transition hold', id: renewal.id, from: 'requested', to: 'voided' }),
      {
        step: 'update hold',
        id: original.id,
        update: { renewalRefusedAt: LAST_DAY },
        dueAt: NOW + 168 * HOUR + 1_000,
      },
    ]);
    const refused = applyAll(model, steps);
    expect([refused.holds[0]?.status, refused.checkout.shares[0]?.status]).toEqual(['held', 'held']);
    expect(decideRenewal(refused.checkout, original.id, LAST_DAY + HOUR, newId)).toBeNull();
    const polled = decideFromFacts(refused.checkout, original.id, factsFor(original), LAST_DAY + HOUR);
    expect(polled).toEqual([{ step: 'update hold', id: original.id, update: {}, dueAt: NOW + 168 * HOUR + 1_000 }]);
  });

  it.each<Partial<HoldFacts>>([
    { status: 'waiting', capturable: 0, heldAt: null, declineCode: 'card_declined' },
    { status: 'processing', capturable: 0, heldAt: null },
    { status: 'voided', capturable: 0, heldAt: null },
    { status: 'captured', capturable: 0, captured: 5_000 },
    { capturable: 1 },
  ])('releases only the renewal when the processor says %j', (facts) => {
    const { model, original, renewal } = renewing();
    const next = applyAll(model, decideFromFacts(model.checkout, renewal.id, factsFor(renewal, facts), LAST_DAY));
    expect(next.holds.map(({ id, status, renewalRefusedAt }) => [id, status, renewalRefusedAt])).toEqual([
      [original.id, 'held', LAST_DAY],
      [renewal.id, 'releasing', null],
    ]);
    expect(next.checkout.shares[0]?.status).toBe('held');
  });

  it('fails the share when the hold has lapsed', () => {
    const { model, original, renewal } = renewing();
    const refused = applyAll(model, decideRefused(model.checkout, renewal.id, 'card_declined', LAST_DAY));
    const lapsed = factsFor(original, { status: 'voided', capturable: 0, heldAt: null });
    const next = applyAll(refused, decideFromFacts(refused.checkout, original.id, lapsed, NOW + 169 * HOUR));
    expect([next.holds[0]?.status, next.checkout.shares[0]?.status]).toEqual(['voided', 'failed']);
  });
});

describe('a guest who replaces a hold whose renewal was refused', () => {
  const toRefused: Command[] = [
    { what: 'party', who: 1, how: 1 },
    { what: 'request', who: 0, how: 1 },
    { what: 'poll', who: 0, how: 0 },
    { what: 'renew', who: 0, how: 0 },
    { what: 'refused', who: 1, how: 1 },
    { what: 'request', who: 0, how: 1 },
  ];
  // Random commands seldom complete a party: some stories end with what remains to be done.
  const toCompleted: Command[] = ['poll', 'hold all', 'begin', 'record'].map((what) => ({
    what: what as Command['what'],
    who: what === 'poll' ? 1 : 0,
    how: what === 'begin' ? 1 : 0,
  }));

  it('never has two current holds, and the checkout accepts every step', () => {
    let [replaced, completed, lapsed] = [0, 0, 0];
    fc.assert(
      fc.property(
        start,
        fc.array(command, { maxLength: 30 }),
        fc.boolean(),
        ({ amount, fee, size }, story, isEnded) => {
          const refused = toRefused.reduce(run, newModel(amount, fee, size));
          const [original, replacement] = refused.checkout.holds;
          expect([original?.status, replacement?.status, replacement?.renews]).toEqual([
            'held',
            'requested',
            original?.id,
          ]);
          const end = [...story, ...(isEnded ? toCompleted : [])].reduce(run, refused);
          const last = end.holds.find(({ id }) => id === replacement?.id);
          if (last?.renews === null && last.heldAt !== null) replaced++;
          if (last?.renews === null && last.heldAt === null) lapsed++;
          if (end.events.includes('checkout.completed')) completed++;
        },
      ),
      { numRuns: 1_000 },
    );
    // Every outcome occurred.
    expect(Math.min(replaced, completed, lapsed)).toBeGreaterThan(0);
  });
});

describe('captures that are undone while a replaced hold is still in release', () => {
  it('wait for the hold whose capture has an unknown outcome', () => {
    const story: Command[] = [
      { what: 'party', who: 1, how: 2 },
      { what: 'hold all', who: 0, how: 0 },
    ];
    // The first share's hold is renewed before the others pay.
    const collecting = [
      story[0] as Command,
      { what: 'request', who: 0, how: 0 } as const,
      { what: 'poll', who: 0, how: 0 } as const,
      { what: 'renew', who: 0, how: 0 } as const,
      { what: 'poll', who: 1, how: 0 } as const,
      story[1] as Command,
    ].reduce(run, newModel(30_000, 0, 3));
    const begun = run(collecting, { what: 'begin', who: 0, how: 1 });
    const [replaced, renewal, captured, refused] = begun.holds;
    expect(begun.holds.map(({ status }) => status)).toEqual(['releasing', 'capturing', 'capturing', 'capturing']);
    const outcomes = new Map<string, CaptureOutcome>([
      [renewal?.id ?? '', { outcome: 'unknown', isKeySpent: false, reason: 'no answer' }],
      [captured?.id ?? '', { outcome: 'captured', chargeId: 'ch', processorFee: 59 }],
      [refused?.id ?? '', { outcome: 'refused', code: 'card_declined' }],
    ]);
    const undoing = applyAll(begun, recordCaptures(begun.checkout, outcomes, SETTINGS));
    const first = applyAll(undoing, recordRelease(undoing.checkout, replaced?.id ?? '', 'released', SETTINGS));
    expect([first.checkout.status, first.checkout.shares[0]?.status]).toEqual(['funded', 'held']);
    const second = applyAll(first, recordRelease(first.checkout, renewal?.id ?? '', 'captured', SETTINGS));
    const third = applyAll(second, recordRelease(second.checkout, refused?.id ?? '', 'released', SETTINGS));
    expect([third.checkout.status, third.checkout.shares[0]?.status]).toEqual(['canceled', 'refunded']);
  });
});

describe('a checkout that completes', () => {
  it('posts captures, earnings and fees that add up, and one transfer for each share, net_amount in total', () => {
    fc.assert(
      fc.property(start, fc.nat(50), ({ amount, fee, size }, who) => {
        const story: Command[] = [
          { what: 'party', who, how: size - 1 },
          { what: 'hold all', who, how: 0 },
          { what: 'begin', who, how: 1 },
          { what: 'record', who, how: 0 },
        ];
        const { checkout, entries, movements, events } = story.reduce(run, newModel(amount, fee, size));
        expect([checkout.status, events.at(-1)]).toEqual(['completed', 'checkout.completed']);
        const total = (kind: string): number =>
          [...entries].filter(([name]) => name.startsWith(`${kind} `)).reduce((sum, [, part]) => sum + part, 0);
        expect([total('capture'), total('fee'), total('earning')]).toEqual([
          amount,
          checkout.feeAmount,
          amount - checkout.feeAmount,
        ]);
        const paid = movements.reduce((sum, movement) => sum + movement.amount, 0);
        expect(paid).toBe(amount - checkout.feeAmount);
      }),
      { numRuns: 100 },
    );
  });
});
