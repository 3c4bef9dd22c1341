// The checker is checked: books that agree pass, and each way of breaking them is seen and named by its rule.

import { expect, it } from 'vitest';
import type { Violation } from '../support/violation.ts';
import { Booking } from './booking.ts';
import type { OurBooks, TheirBooks, TheirHold } from './books.ts';
import { checkMoney } from './check-money.ts';
import { checkEvents, checkResponses, checkShares } from './check-responses.ts';

const BODY = { amount: 1000, party_size: 2, description: 'Cabana', external_booking_id: 'bk-1', metadata: {} };
const FIRST = JSON.stringify({ id: 'chk_1', status: 'open', ...BODY });

/** One completed checkout of two equal shares with a fee of 100, and 200 of it refunded. */
function soundBooks(): { ours: OurBooks; theirs: TheirBooks; booking: Booking } {
  const places = [1, 2];
  const hold = (place: number) => ({
    id: `hold_${place}`,
    checkoutId: 'chk_1',
    shareId: `shr_${place}`,
    status: 'captured',
    amount: 500,
    intentId: `pi_${place}`,
    chargeId: `ch_${place}`,
  });
  const common = { checkoutId: 'chk_1', status: 'done', processorId: null, trouble: null };
  const movements = places.flatMap((place) => [
    { ...common, id: `t_${place}`, holdId: `hold_${place}`, kind: 'transfer' as const, amount: 450, feePart: 0 },
    { ...common, id: `f_${place}`, holdId: `hold_${place}`, kind: 'refund' as const, amount: 100, feePart: 10 },
    { ...common, id: `v_${place}`, holdId: `hold_${place}`, kind: 'reversal' as const, amount: 90, feePart: 0 },
  ]);
  const response = ['open', 'collecting', 'collecting', 'collecting', 'funded', 'completed', 'completed'];
  const types = ['created', 'collecting', 'share.held', 'share.held', 'funded', 'completed', 'refund.created'];
  const booking = new Booking('bk-1', { venueId: 'v', key: 'k' }, 'guests', 'create bk-1', JSON.stringify(BODY));
  booking.id = 'chk_1';
  booking.acknowledged.push(FIRST);
  const answer = { sentAt: 0, at: 1, status: 200, text: '', json: { status: 'completed' } };
  booking.refunds.push({ idempotencyKey: 'r', amount: 200, response: answer });
  return {
    booking,
    ours: {
      checkouts: [
        {
          id: 'chk_1',
          venueId: 'v',
          status: 'completed',
          amount: 1000,
          feeAmount: 100,
          refundedAmount: 200,
          booking: 'bk-1',
          reason: null,
          view: FIRST,
          firstTold: FIRST,
        },
      ],
      shares: places.map((place) => ({
        id: `shr_${place}`,
        checkoutId: 'chk_1',
        status: 'captured',
        amount: 500,
        refundedAmount: 100,
        dropped: false,
      })),
      holds: places.map(hold),
      movements,
      events: response.map((status, place) => ({
        checkoutId: 'chk_1',
        sequence: place + 1,
        type: (types[place] ?? '').replace(/^(?!.*\.)/, 'checkout.'),
        status,
        refundedAmount: place === 6 ? 200 : 0,
        at: place * 1000,
      })),
      balances: new Map([
        ['processor_balance', 1000 - 900 - 200 + 180],
        ['fee_income', -80],
      ]),
      entries: new Map([
        [
          'chk_1',
          new Map([
            ['capture', 1000],
            ['earning', 900],
            ['fee', 100],
            ['refund', 180],
            ['fee_return', 20],
          ]),
        ],
      ]),
    },
    theirs: { live: [], holds: places.map(theirHold) },
  };
}

function theirHold(place: number): TheirHold {
  return {
    intentId: `pi_${place}`,
    holdId: `hold_${place}`,
    checkoutId: 'chk_1',
    shareId: `shr_${place}`,
    status: 'succeeded',
    captured: 500,
    // After it was funded (4 s), before it was completed.
    capturedAt: 4_999,
    refunded: 100,
    transferred: 450,
    reversed: 90,
  };
}

type Books = ReturnType<typeof soundBooks>;

function rulesBroken({ ours, theirs, booking }: Books): string[] {
  const found: Violation[] = [];
  const say = (rule: string, subject: string, what: string): void => void found.push({ rule, subject, what });
  checkMoney(ours, theirs, say);
  checkShares(ours, say);
  checkEvents(ours, say);
  checkResponses(ours, [booking], say);
  return [...new Set(found.map(({ rule }) => rule))];
}

it('finds nothing in books that agree', () => {
  expect(rulesBroken(soundBooks())).toEqual([]);
});

const theirsWith = (books: Books, more: readonly TheirHold[]): Books => ({
  ...books,
  theirs: { ...books.theirs, holds: [...books.theirs.holds, ...more] },
});
const oursWith = (books: Books, more: Partial<OurBooks>): Books => ({ ...books, ours: { ...books.ours, ...more } });
const only = (books: Books, status: string) => books.ours.checkouts.map((checkout) => ({ ...checkout, status }));

const capturedAt = (books: Books, at: number | null): Books => ({
  ...books,
  theirs: { ...books.theirs, holds: books.theirs.holds.map((hold) => ({ ...hold, capturedAt: at })) },
});

/** Everybody got everything back, and this is what the checkout is. */
const givenBack = (books: Books, status: string, reason: string | null): Books => ({
  ...oursWith(books, { checkouts: books.ours.checkouts.map((checkout) => ({ ...checkout, status, reason })) }),
  theirs: { ...books.theirs, holds: books.theirs.holds.map((hold) => ({ ...hold, refunded: hold.captured })) },
});

/** The event of this number was never written, and nobody notices by the numbers. */
const without = (books: Books, sequence: number): Books =>
  oursWith(books, {
    events: books.ours.events
      .filter((event) => event.sequence !== sequence)
      .map((event, place) => ({ ...event, sequence: place + 1 })),
  });

const BROKEN: readonly (readonly [string, (books: Books) => Books])[] = [
  [
    'no card is held that nobody waits for',
    (books) => theirsWith(books, [{ ...theirHold(3), status: 'requires_capture', captured: 0 }]),
  ],
  ['one capture for a share', (books) => theirsWith(books, [{ ...theirHold(1), intentId: 'pi_9' }])],
  [
    'one capture for a share',
    (books) => theirsWith(books, [{ ...theirHold(1), intentId: 'pi_9', refunded: 500, transferred: 0, reversed: 0 }]),
  ],
  ['no capture before all are held', (books) => capturedAt(books, 3_999)],
  ['no capture before all are held', (books) => capturedAt(books, null)],
  ['no capture before all are held', (books) => givenBack(books, 'expired', null)],
  ['no capture before all are held', (books) => givenBack(books, 'collecting', null)],
  ['no capture before all are held', (books) => givenBack(books, 'canceled', null)],
  [
    'no capture before all are held',
    (books) => oursWith(books, { events: books.ours.events.filter(({ type }) => type !== 'checkout.funded') }),
  ],
  ['both books agree', (books) => theirsWith({ ...books, theirs: { live: [], holds: [] } }, [theirHold(1)])],
  [
    'nobody is charged without a completed checkout',
    (books) => oursWith(books, { checkouts: only(books, 'canceled') }),
  ],
  ['the ledger sums to zero', (books) => oursWith(books, { balances: new Map([['processor_balance', 1]]) })],
  ['the ledger tells the story', (books) => oursWith(books, { entries: new Map() })],
  ['test never reaches live', (books) => ({ ...books, theirs: { ...books.theirs, live: ['pi_live'] } })],
  [
    'nothing is left under way',
    (books) => oursWith(books, { holds: books.ours.holds.map((hold) => ({ ...hold, status: 'capturing' })) }),
  ],
  ['one event for each change', (books) => oursWith(books, { events: books.ours.events.slice(1) })],
  ['one event for each change', (books) => without(books, 3)],
  ['one event for each change', (books) => without(books, 2)],
  ['one event for each change', (books) => without(books, 5)],
  [
    'one event for each change',
    (books) =>
      oursWith(books, {
        events: books.ours.events.map((event) =>
          event.type === 'checkout.funded' ? { ...event, status: 'collecting' } : event,
        ),
      }),
  ],
  ['shares sum to the amount', (books) => oursWith(books, { shares: books.ours.shares.slice(1) })],
  ['what was acknowledged is there', (books) => oursWith(books, { checkouts: [] })],
];

it.each(BROKEN)('sees when this is broken: %s', (rule, breakIt) => {
  expect(rulesBroken(breakIt(soundBooks()))).toContain(rule);
});

it('lets a capture pass that was given back because another one failed', () => {
  expect(rulesBroken(givenBack(soundBooks(), 'canceled', 'capture_failed'))).not.toContain(
    'no capture before all are held',
  );
});

it('sees a cancel that did not hold, an answer that differs, a refund made twice, and an end that was not the end', () => {
  const books = soundBooks();
  books.booking.cancelAcknowledged = true;
  books.booking.acknowledged.push(`${FIRST} `);
  books.booking.refunds.length = 0;
  books.booking.observe({ sentAt: 1, at: 2, status: 200, text: '', json: { status: 'expired' } });
  expect(rulesBroken(books)).toEqual(
    expect.arrayContaining([
      'an acknowledged cancel holds',
      'equal creates get equal answers',
      'an acknowledged refund happens once',
      'an end is the end',
    ]),
  );
});
