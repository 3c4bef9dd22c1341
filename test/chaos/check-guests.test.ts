// Tests of the checks of guests' responses, outsiders and replays: correct records pass, and each kind of violation is
// found.

import { expect, it } from 'vitest';
import { Booking } from './booking.ts';
import { checkGuests } from './check-guests.ts';
import type { ClientResponse } from './client.ts';
import { checkOutsiders, type ForeignRead, type RevokedKey } from './outsiders.ts';
import type { HoldRow, ShareRow } from './records.ts';
import { checkLimit, checkReplays, type Replayed, replaysOf, sample } from './replays.ts';

const response = (status: number, json: unknown = {}): ClientResponse => ({
  sentAt: 0,
  receivedAt: 1,
  status,
  text: JSON.stringify(json),
  json,
});

interface ProcessorHold {
  readonly intentId: string;
  readonly status: string;
  readonly captured: number;
}

interface OurRecords {
  readonly shares: readonly ShareRow[];
  readonly holds: readonly HoldRow[];
}

interface Records {
  readonly ours: OurRecords;
  readonly processor: { readonly holds: readonly ProcessorHold[] };
  readonly members: Map<string, string>;
  readonly booking: Booking;
}

const share = (index: number, dropped = false): ShareRow => ({
  id: `shr_${index}`,
  checkoutId: 'chk_1',
  status: 'captured',
  amount: 500,
  refundedAmount: 0,
  failedRefundAmount: 0,
  isDropped: dropped,
});
const hold = (index: number, status: string): HoldRow => ({
  id: `hold_${index}`,
  checkoutId: 'chk_1',
  shareId: `shr_${index}`,
  status,
  amount: 500,
  intentId: `pi_${index}`,
  chargeId: null,
});
const processorHold = (index: number, status: string): ProcessorHold => ({
  intentId: `pi_${index}`,
  status,
  captured: status === 'succeeded' ? 500 : 0,
});

/** A party of two that was chosen twice. One has paid; the other's card was declined. */
function consistentRecords(): Records {
  const booking = new Booking('bk-1', { venueId: 'v', key: 'k' }, 'guests', null, '{}');
  booking.id = 'chk_1';
  const acknowledged = (places: readonly number[]) => places.map((index) => ({ id: `shr_${index}`, amount: 500 }));
  booking.parties.push(
    { shares: acknowledged([0, 1]), refusal: null, tries: 1 },
    { shares: acknowledged([1, 2]), refusal: null, tries: 1 },
  );
  booking.parties.push({ shares: null, refusal: 'checkout_not_open', tries: 1 });
  booking.ownShares.push({ memberId: 'ada', shareId: 'shr_1' });
  booking.reportedHeld.add('shr_1');
  booking.cards.push({ intentId: 'pi_1', shareId: 'shr_1', status: 'requires_capture' });
  booking.cards.push({ intentId: 'pi_2', shareId: 'shr_2', status: 'declined' });
  return {
    booking,
    ours: {
      shares: [share(0, true), share(1), share(2)],
      holds: [hold(1, 'captured'), hold(2, 'open')],
    },
    processor: { holds: [processorHold(1, 'succeeded'), processorHold(2, 'requires_payment_method')] },
    members: new Map([
      ['shr_1', 'ada'],
      ['shr_2', 'sam'],
    ]),
  };
}

function rulesBroken({ ours, processor, members, booking }: Records): string[] {
  const rules = new Set<string>();
  checkGuests(ours, processor, members, [booking], (rule) => void rules.add(rule));
  return [...rules];
}

const oursWith = (records: Records, more: Partial<OurRecords>): Records => ({
  ...records,
  ours: { ...records.ours, ...more },
});
const processorWith = (records: Records, holds: readonly ProcessorHold[]): Records => ({
  ...records,
  processor: { holds },
});

it('finds nothing if both records match the guests’ responses', () => {
  expect(rulesBroken(consistentRecords())).toEqual([]);
});

const PARTY = 'an acknowledged party has its shares';
const HELD = 'a held card is in both records';
const DECLINED = 'a declined card holds no money';

const VIOLATIONS: readonly (readonly [string, string, (records: Records) => Records])[] = [
  [PARTY, 'a share is missing', (records) => oursWith(records, { shares: [share(0, true), share(1)] })],
  [PARTY, 'an earlier share is missing', (records) => oursWith(records, { shares: [share(1), share(2)] })],
  [
    PARTY,
    'a share was dropped',
    (records) => oursWith(records, { shares: [share(0, true), share(1), share(2, true)] }),
  ],
  [PARTY, 'there is one share more', (records) => oursWith(records, { shares: [...records.ours.shares, share(3)] })],
  [
    PARTY,
    'a share has another amount',
    (records) => oursWith(records, { shares: [share(0, true), share(1), { ...share(2), amount: 499 }] }),
  ],
  [
    'a share belongs to the guest whose it was called',
    'it belongs to another guest',
    (records) => ({ ...records, members: new Map([['shr_1', 'sam']]) }),
  ],
  [
    'guests get correct responses',
    'an unpaid share was called paid',
    (records) => oursWith(records, { holds: [hold(1, 'open'), hold(2, 'open')] }),
  ],
  [HELD, 'we have no hold', (records) => oursWith(records, { holds: [hold(2, 'open')] })],
  [HELD, 'our hold is still open', (records) => oursWith(records, { holds: [hold(1, 'open'), hold(2, 'open')] })],
  [
    HELD,
    'the processor has no intent',
    (records) => processorWith(records, [processorHold(2, 'requires_payment_method')]),
  ],
  [
    HELD,
    'our hold is released and the card is charged',
    (records) => oursWith(records, { holds: [hold(1, 'released')] }),
  ],
  [
    DECLINED,
    'the processor holds the card',
    (records) => processorWith(records, [processorHold(1, 'succeeded'), processorHold(2, 'requires_capture')]),
  ],
  [
    DECLINED,
    'the processor charged the card',
    (records) => processorWith(records, [processorHold(1, 'succeeded'), processorHold(2, 'succeeded')]),
  ],
  [DECLINED, 'our hold is held', (records) => oursWith(records, { holds: [hold(1, 'captured'), hold(2, 'held')] })],
];

it.each(VIOLATIONS)('finds a violation of “%s” if %s', (rule, _how, change) => {
  expect(rulesBroken(change(consistentRecords()))).toContain(rule);
});

it('ignores a party or a card without a response, and a share that a test helper paid', () => {
  const records = consistentRecords();
  records.booking.parties.push({ shares: null, refusal: null, tries: 0 });
  records.booking.cards.push({ intentId: 'pi_2', shareId: 'shr_2', status: null });
  const more = [share(0, true), share(1), share(2, true), share(3)];
  const paid = processorWith(oursWith(records, { shares: more }), [
    processorHold(1, 'succeeded'),
    processorHold(2, 'succeeded'),
  ]);
  expect(rulesBroken(paid)).toEqual([]);
  const helped = consistentRecords();
  helped.booking.paidByTestHelper.add('shr_2');
  expect(
    rulesBroken(processorWith(helped, [processorHold(1, 'succeeded'), processorHold(2, 'requires_capture')])),
  ).toEqual([]);
});

function outsiderViolations(foreignReads: readonly ForeignRead[], revokedKeys: readonly RevokedKey[]): string[] {
  const rules: string[] = [];
  checkOutsiders({ foreignReads: [...foreignReads], revokedKeys: [...revokedKeys] }, (rule) => void rules.push(rule));
  return rules;
}

it('finds a foreign checkout that is shown, a revoked key that is accepted, and a new key that is refused or lost', () => {
  const missing = response(404, { request_id: 'a', message: 'Nothing here.' });
  const foreignRead = { checkoutId: 'chk_1', who: 'another venue', missing };
  const key = {
    keyId: 'key_1',
    before: [response(200), response(200)],
    after: [response(401), response(401)],
    isLost: false,
  };
  expect(
    outsiderViolations(
      [{ ...foreignRead, foreign: response(404, { request_id: 'b', message: 'Nothing here.' }) }],
      [key],
    ),
  ).toEqual([]);
  expect(outsiderViolations([{ ...foreignRead, foreign: response(200, { id: 'chk_1' }) }], [])).toEqual([
    'a foreign checkout looks missing',
  ]);
  expect(
    outsiderViolations([{ ...foreignRead, foreign: response(404, { request_id: 'b', message: 'Not yours.' }) }], []),
  ).toEqual(['a foreign checkout looks missing']);
  expect(outsiderViolations([], [{ ...key, after: [response(401), response(200)] }])).toEqual([
    'a revoked key is refused',
  ]);
  expect(outsiderViolations([], [{ ...key, isLost: true }])).toEqual(['an issued key is stored']);
  expect(outsiderViolations([], [{ ...key, before: [response(401), response(200)] }])).toEqual([
    'a key works from the moment it is issued',
  ]);
});

function acknowledged(key: string | null): Booking {
  const booking = new Booking('bk-1', { venueId: 'v', key: 'k' }, 'guests', key, '{"amount":1000}');
  booking.id = 'chk_1';
  booking.acknowledged.push('{"id":"chk_1"}');
  booking.refunds.push({ idempotencyKey: 'r', amount: 200, response: response(200, { status: 'completed' }) });
  booking.refunds.push({ idempotencyKey: 's', amount: 900, response: response(409) });
  return booking;
}

it('repeats creates and refunds, and creates without a key only if their checkout is active', () => {
  const repeated = (key: string | null, active: readonly string[]) =>
    replaysOf([acknowledged(key)], new Set(active)).map(({ request }) => [request.path, request.idempotencyKey]);
  const refund = ['/v1/checkouts/chk_1/refund', 'r'];
  expect(repeated('c', [])).toEqual([['/v1/checkouts', 'c'], refund]);
  expect(repeated(null, ['chk_1'])).toEqual([['/v1/checkouts', undefined], refund]);
  expect(repeated(null, [])).toEqual([refund]);
  expect(sample([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3)).toEqual([0, 3, 6]);
  expect(sample([0, 1], 3)).toEqual([0, 1]);
});

it('finds a different response, a second object, another body that is accepted, and a conflict for another reason', () => {
  const [replay] = replaysOf([acknowledged('c')], new Set());
  if (replay === undefined) throw new Error('replaysOf returned no create');
  const same = { ...response(201), text: replay.text };
  const other = response(409, { error: { reason: 'idempotency_key_reused' } });
  const broken = (one: Partial<Replayed>): string[] => {
    const rules: string[] = [];
    checkReplays([{ replay, same, other, ...one }], (rule) => void rules.push(rule));
    return rules;
  };
  expect(broken({})).toEqual([]);
  expect(broken({ same: { ...same, text: '{"id":"chk_2"}' } })).toEqual(['equal requests get equal responses']);
  expect(broken({ same: { ...same, status: 200 } })).toEqual(['equal requests get equal responses']);
  expect(broken({ same: null })).toEqual(['equal requests get equal responses']);
  expect(broken({ other: same })).toEqual(['another body is a conflict']);
  expect(broken({ other: response(409, { error: { reason: 'booking_in_progress' } }) })).toEqual([
    'another body is a conflict',
  ]);
});

it('finds a limit that admits too many, too few or an unknown number of calls', () => {
  const isViolation = (admitted: number | null): boolean => {
    let isViolated = false;
    checkLimit(admitted, () => {
      isViolated = true;
    });
    return isViolated;
  };
  expect([59, 60, 61, null].map(isViolation)).toEqual([true, false, true, true]);
});
