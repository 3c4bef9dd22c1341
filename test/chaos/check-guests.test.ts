// The checkers of what guests, outsiders and repeaters were told are checked: what agrees passes, and each way of breaking it is seen.

import { expect, it } from 'vitest';
import { Booking } from './booking.ts';
import type { HoldRow, ShareRow } from './books.ts';
import { checkGuests } from './check-guests.ts';
import type { ClientResponse } from './client.ts';
import { checkOutsiders, type Pried, type Revoked } from './outsiders.ts';
import { checkLimit, checkReplays, type Replayed, replaysOf, spread } from './replays.ts';

const response = (status: number, json: unknown = {}): ClientResponse => ({
  sentAt: 0,
  at: 1,
  status,
  text: JSON.stringify(json),
  json,
});

interface Theirs {
  readonly intentId: string;
  readonly status: string;
  readonly captured: number;
}

interface Ours {
  readonly shares: readonly ShareRow[];
  readonly holds: readonly HoldRow[];
}

interface Books {
  readonly ours: Ours;
  readonly theirs: { readonly holds: readonly Theirs[] };
  readonly members: Map<string, string>;
  readonly booking: Booking;
}

const share = (place: number, dropped = false): ShareRow => ({
  id: `shr_${place}`,
  checkoutId: 'chk_1',
  status: 'captured',
  amount: 500,
  refundedAmount: 0,
  dropped,
});
const hold = (place: number, status: string): HoldRow => ({
  id: `hold_${place}`,
  checkoutId: 'chk_1',
  shareId: `shr_${place}`,
  status,
  amount: 500,
  intentId: `pi_${place}`,
  chargeId: null,
});
const theirHold = (place: number, status: string): Theirs => ({
  intentId: `pi_${place}`,
  status,
  captured: status === 'succeeded' ? 500 : 0,
});

/** A party of two that was chosen twice. One has paid; the other's card was declined. */
function soundBooks(): Books {
  const booking = new Booking('bk-1', { venueId: 'v', key: 'k' }, 'guests', null, '{}');
  booking.id = 'chk_1';
  const acknowledged = (places: readonly number[]) => places.map((place) => ({ id: `shr_${place}`, amount: 500 }));
  booking.parties.push(
    { shares: acknowledged([0, 1]), refusal: null, sent: 1 },
    { shares: acknowledged([1, 2]), refusal: null, sent: 1 },
  );
  booking.parties.push({ shares: null, refusal: 'checkout_not_open', sent: 1 });
  booking.own.push({ memberId: 'ada', shareId: 'shr_1' });
  booking.reportedHeld.add('shr_1');
  booking.cards.push({ intentId: 'pi_1', shareId: 'shr_1', status: 'requires_capture' });
  booking.cards.push({ intentId: 'pi_2', shareId: 'shr_2', status: 'declined' });
  return {
    booking,
    ours: {
      shares: [share(0, true), share(1), share(2)],
      holds: [hold(1, 'captured'), hold(2, 'open')],
    },
    theirs: { holds: [theirHold(1, 'succeeded'), theirHold(2, 'requires_payment_method')] },
    members: new Map([
      ['shr_1', 'ada'],
      ['shr_2', 'sam'],
    ]),
  };
}

function rulesBroken({ ours, theirs, members, booking }: Books): string[] {
  const rules = new Set<string>();
  checkGuests(ours, theirs, members, [booking], (rule) => void rules.add(rule));
  return [...rules];
}

const oursWith = (books: Books, more: Partial<Ours>): Books => ({ ...books, ours: { ...books.ours, ...more } });
const theirsWith = (books: Books, holds: readonly Theirs[]): Books => ({ ...books, theirs: { holds } });

it('finds nothing where guests were told what both books say', () => {
  expect(rulesBroken(soundBooks())).toEqual([]);
});

const PARTY = 'an acknowledged party has its shares';
const HELD = 'a card that was held is in both books';
const DECLINED = 'a declined card holds no money';

const BROKEN: readonly (readonly [string, string, (books: Books) => Books])[] = [
  [PARTY, 'a share is gone', (books) => oursWith(books, { shares: [share(0, true), share(1)] })],
  [PARTY, 'an earlier one is gone', (books) => oursWith(books, { shares: [share(1), share(2)] })],
  [PARTY, 'one was dropped', (books) => oursWith(books, { shares: [share(0, true), share(1), share(2, true)] })],
  [PARTY, 'there is one more', (books) => oursWith(books, { shares: [...books.ours.shares, share(3)] })],
  [
    PARTY,
    'one has another amount',
    (books) => oursWith(books, { shares: [share(0, true), share(1), { ...share(2), amount: 499 }] }),
  ],
  [
    'a share is whose it was said to be',
    'it is somebody else’s',
    (books) => ({ ...books, members: new Map([['shr_1', 'sam']]) }),
  ],
  [
    'guests are told the truth',
    'a share that nobody has paid was called paid',
    (books) => oursWith(books, { holds: [hold(1, 'open'), hold(2, 'open')] }),
  ],
  [HELD, 'we do not know of it', (books) => oursWith(books, { holds: [hold(2, 'open')] })],
  [HELD, 'we still wait for it', (books) => oursWith(books, { holds: [hold(1, 'open'), hold(2, 'open')] })],
  [HELD, 'the bank does not know of it', (books) => theirsWith(books, [theirHold(2, 'requires_payment_method')])],
  [HELD, 'we call it released and it is charged', (books) => oursWith(books, { holds: [hold(1, 'released')] })],
  [
    DECLINED,
    'the bank holds it',
    (books) => theirsWith(books, [theirHold(1, 'succeeded'), theirHold(2, 'requires_capture')]),
  ],
  [
    DECLINED,
    'the bank charged it',
    (books) => theirsWith(books, [theirHold(1, 'succeeded'), theirHold(2, 'succeeded')]),
  ],
  [DECLINED, 'we count on it', (books) => oursWith(books, { holds: [hold(1, 'captured'), hold(2, 'held')] })],
];

it.each(BROKEN)('sees that “%s” is broken when %s', (rule, _how, breakIt) => {
  expect(rulesBroken(breakIt(soundBooks()))).toContain(rule);
});

it('says nothing of what nobody was told: a party or a card without an answer, and a share that a helper paid', () => {
  const books = soundBooks();
  books.booking.parties.push({ shares: null, refusal: null, sent: 0 });
  books.booking.cards.push({ intentId: 'pi_2', shareId: 'shr_2', status: null });
  const more = [share(0, true), share(1), share(2, true), share(3)];
  const paid = theirsWith(oursWith(books, { shares: more }), [theirHold(1, 'succeeded'), theirHold(2, 'succeeded')]);
  expect(rulesBroken(paid)).toEqual([]);
  const helped = soundBooks();
  helped.booking.helped.add('shr_2');
  expect(rulesBroken(theirsWith(helped, [theirHold(1, 'succeeded'), theirHold(2, 'requires_capture')]))).toEqual([]);
});

function wallsBroken(pried: readonly Pried[], revoked: readonly Revoked[]): string[] {
  const rules: string[] = [];
  checkOutsiders({ pried: [...pried], revoked: [...revoked] }, (rule) => void rules.push(rule));
  return rules;
}

it('sees a wall that shows something, a key that outlives its revocation, and one that never worked', () => {
  const missing = response(404, { request_id: 'a', message: 'Nothing here.' });
  const look = { checkoutId: 'chk_1', who: 'a stranger', missing };
  const key = { keyId: 'key_1', before: [response(200), response(200)], after: [response(401), response(401)] };
  expect(
    wallsBroken([{ ...look, foreign: response(404, { request_id: 'b', message: 'Nothing here.' }) }], [key]),
  ).toEqual([]);
  expect(wallsBroken([{ ...look, foreign: response(200, { id: 'chk_1' }) }], [])).toEqual(['walls hold']);
  expect(wallsBroken([{ ...look, foreign: response(404, { request_id: 'b', message: 'Not yours.' }) }], [])).toEqual([
    'walls hold',
  ]);
  expect(wallsBroken([], [{ ...key, after: [response(401), response(200)] }])).toEqual(['a revoked key is nobody’s']);
  expect(wallsBroken([], [{ ...key, before: [response(401), response(200)] }])).toEqual([
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

it('asks creates and refunds again, and without a key only those whose booking still stands', () => {
  const asked = (key: string | null, standing: readonly string[]) =>
    replaysOf([acknowledged(key)], new Set(standing)).map(({ question }) => [question.path, question.idempotencyKey]);
  const refund = ['/v1/checkouts/chk_1/refund', 'r'];
  expect(asked('c', [])).toEqual([['/v1/checkouts', 'c'], refund]);
  expect(asked(null, ['chk_1'])).toEqual([['/v1/checkouts', undefined], refund]);
  expect(asked(null, [])).toEqual([refund]);
  expect(spread([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3)).toEqual([0, 3, 6]);
  expect(spread([0, 1], 3)).toEqual([0, 1]);
});

it('sees an answer that differs, a second object, another body that passes, and one that conflicts for another reason', () => {
  const [replay] = replaysOf([acknowledged('c')], new Set());
  if (replay === undefined) throw new Error('there is a create');
  const same = { ...response(201), text: replay.text };
  const other = response(409, { error: { reason: 'idempotency_key_reused' } });
  const broken = (one: Partial<Replayed>): string[] => {
    const rules: string[] = [];
    checkReplays([{ replay, same, other, ...one }], (rule) => void rules.push(rule));
    return rules;
  };
  expect(broken({})).toEqual([]);
  expect(broken({ same: { ...same, text: '{"id":"chk_2"}' } })).toEqual(['equal calls get equal answers']);
  expect(broken({ same: { ...same, status: 200 } })).toEqual(['equal calls get equal answers']);
  expect(broken({ same: null })).toEqual(['equal calls get equal answers']);
  expect(broken({ other: same })).toEqual(['another body is a conflict']);
  expect(broken({ other: response(409, { error: { reason: 'booking_in_progress' } }) })).toEqual([
    'another body is a conflict',
  ]);
});

it('sees a limit that lets one too many or one too few pass, or of which nobody knows', () => {
  const isBroken = (passed: number | null): boolean => {
    let broken = false;
    checkLimit(passed, () => {
      broken = true;
    });
    return broken;
  };
  expect([59, 60, 61, null].map(isBroken)).toEqual([true, false, true, true]);
});
