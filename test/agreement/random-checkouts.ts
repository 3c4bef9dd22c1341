// Random checkouts as rows: every status of a checkout, share and hold, times around pay_by to the microsecond, clocks moved
// ahead. They are written with the statements of the domain, inside a transaction that the caller rolls back. A state that no
// guest can reach is allowed as long as the database accepts it.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Mode } from '../../src/base/config.ts';
import type { Db, Queryable } from '../../src/base/db.ts';
import { splitEqually } from '../../src/base/money.ts';
import type { Transitions } from '../../src/base/transitions.ts';
import { scheduleNextNotification } from '../../src/domain/checkouts/notifications/queries.ts';
import {
  advanceClock,
  type CreateRequest,
  dropShares,
  insertCheckout,
  insertShares,
  transitionCheckout,
  transitionShares,
} from '../../src/domain/checkouts/queries.ts';
import {
  CHECKOUT_TRANSITIONS,
  type CheckoutStatus,
  SHARE_TRANSITIONS,
  type ShareStatus,
} from '../../src/domain/checkouts/transitions.ts';
import { insertSeats } from '../../src/domain/members/queries.ts';
import { insertHold, transitionHold } from '../../src/domain/payments/queries.ts';
import { HOLD_TRANSITIONS, type HoldStatus } from '../../src/domain/payments/transitions.ts';

export const NOW = Date.UTC(2027, 5, 1, 12, 0, 0, 123);
const HOUR = 3_600_000;
const LEAST_AMOUNT = 1_000;

type Notice = 'nobody' | 'later' | number;

export interface RandomShare {
  readonly status: ShareStatus;
  readonly isFree: boolean;
  readonly isDropped: boolean;
  /** A seat that no member has taken yet. */
  readonly isSeat: boolean;
  readonly endedHolds: readonly HoldStatus[];
  readonly liveHold: HoldStatus | null;
  readonly renewal: HoldStatus | null;
}

export interface RandomCheckout {
  readonly mode: Mode;
  readonly status: CheckoutStatus;
  readonly amount: number;
  /** From now to the end of its time to pay, in microseconds. */
  readonly micros: number;
  readonly clockAhead: number;
  readonly notice: Notice;
  readonly shares: readonly RandomShare[];
}

const statusesOf = <S extends string>(moves: Transitions<S>): fc.Arbitrary<S> =>
  fc.constantFrom(...(Object.keys(moves) as S[]));

const LIVE: readonly HoldStatus[] = ['asked', 'open', 'held', 'capturing', 'captured'];
const ENDED: readonly HoldStatus[] = ['releasing', 'released', 'returned', 'gone'];

const share: fc.Arbitrary<RandomShare> = fc.record({
  status: statusesOf(SHARE_TRANSITIONS),
  isFree: fc.boolean(),
  isDropped: fc.boolean(),
  isSeat: fc.boolean(),
  endedHolds: fc.array(fc.constantFrom(...ENDED), { maxLength: 2 }),
  liveHold: fc.option(fc.constantFrom(...LIVE)),
  renewal: fc.option(statusesOf(HOLD_TRANSITIONS)),
});

export const randomCheckout: fc.Arbitrary<RandomCheckout> = fc.record({
  mode: fc.constantFrom<Mode>('test', 'live'),
  // Twice as often one that can expire.
  status: fc.oneof(statusesOf(CHECKOUT_TRANSITIONS), fc.constantFrom<CheckoutStatus>('open', 'collecting')),
  amount: fc.integer({ min: LEAST_AMOUNT, max: 99_999_999 }),
  micros: fc.oneof(
    fc.integer({ min: -2_000, max: 2_000 }),
    fc.constantFrom(0, 1, -1),
    fc.integer({ min: -864e8, max: 864e8 }),
  ),
  clockAhead: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 240 * HOUR })),
  notice: fc.constantFrom<Notice[]>('nobody', 'later', NOW - HOUR, NOW + HOUR),
  shares: fc.array(share, { maxLength: 4 }),
});

const HELD: RandomShare = {
  status: 'held',
  isFree: false,
  isDropped: false,
  isSeat: false,
  endedHolds: [],
  liveHold: 'held',
  renewal: 'asked',
};

/** Each status a microsecond before the end of its time and at the end, with a guest who has paid: whatever chance leaves out. */
export const EVERY_STATUS: readonly RandomCheckout[] = (Object.keys(CHECKOUT_TRANSITIONS) as CheckoutStatus[]).flatMap(
  (status) =>
    [0, 1].map(
      (micros): RandomCheckout => ({
        mode: 'test',
        status,
        amount: LEAST_AMOUNT,
        micros,
        clockAhead: HOUR,
        notice: 'later',
        shares: [HELD, { ...HELD, status: 'invited', liveHold: 'open', renewal: null }],
      }),
    ),
);

/** The states on the shortest way from the first one to this one, without the first. */
function wayTo<S extends string>(moves: Transitions<S>, first: S, last: S): S[] {
  const ways = new Map<S, S[]>([[first, []]]);
  for (const [state, way] of ways) {
    if (state === last) return way;
    for (const next of moves[state]) if (!ways.has(next)) ways.set(next, [...way, next]);
  }
  throw new Error(`no way leads from ${first} to ${last}`);
}

export interface Written {
  readonly id: string;
  readonly mode: Mode;
  readonly content: string;
  /** Members who are only seats. */
  readonly seats: ReadonlySet<string>;
}

let count = 0;
const newId = (prefix: string): string => `${prefix}_${String(++count).padStart(26, '0')}`;

/** At this many microseconds from now, as a partner writes it. */
function textAt(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  const rest = String(micros - ms * 1_000).padStart(3, '0');
  return new Date(NOW + ms).toISOString().replace('Z', `${rest}Z`);
}

/** The create of a new checkout for a booking of its own. */
export function createQuestion(
  venueId: string,
  options: { readonly amount: number; readonly mode?: Mode; readonly payBy?: string; readonly key?: string },
): CreateRequest {
  const { amount, mode = 'test', payBy = '2028-07-01T00:00:00Z', key = null } = options;
  const checkoutId = newId('chk');
  const url = `https://pay.example/${checkoutId}`;
  const content = JSON.stringify({
    amount,
    currency: 'usd',
    party_size: 8,
    pay_by: payBy,
    description: 'A table',
    return_url: 'https://harbor.example/',
    external_booking_id: checkoutId,
  });
  const by = { venueId, mode, checkoutId, eventId: newId('evt'), key, fingerprint: Buffer.alloc(32) };
  return { ...by, content, url, now: NOW, mayCreate: true };
}

/** Writes one checkout with its party and its holds. */
export async function writeCheckout(tx: Queryable, venueId: string, random: RandomCheckout): Promise<Written> {
  const { mode, amount } = random;
  const ahead = mode === 'test' ? random.clockAhead : 0;
  const payBy = textAt(random.micros + ahead * 1_000);
  const question = createQuestion(venueId, { mode, amount, payBy });
  const { checkoutId: id, content } = question;
  const { outcome } = await insertCheckout(tx, { ...question, now: NOW - 2 * HOUR - count });
  if (outcome !== 'created') throw new Error(`the checkout is ${outcome}`);
  if (ahead > 0) await advanceClock(tx, venueId, id, ahead);
  const seats = await writeParty(tx, venueId, id, random);
  let from: CheckoutStatus = 'open';
  for (const to of wayTo(CHECKOUT_TRANSITIONS, from, random.status)) {
    const organizerId = to === 'collecting' ? randomUUID() : null;
    await transitionCheckout(tx, venueId, id, { from, to, reason: null, organizerId, now: NOW - HOUR });
    from = to;
  }
  await scheduleNextNotification(tx, { venueId, checkoutId: id }, random.notice === 'nobody' ? 'never' : random.notice);
  return { id, mode, content, seats };
}

async function writeParty(tx: Queryable, venueId: string, id: string, random: RandomCheckout): Promise<Set<string>> {
  const shares = random.shares.map((one) => ({ ...one, id: newId('shr'), memberId: randomUUID() }));
  // A party that is collected from has somebody who pays.
  const paying = shares.filter(({ isFree, isDropped }) => !isFree && !isDropped);
  const [first] = shares;
  if (first !== undefined && paying.length === 0) paying.push(first);
  const amounts = splitEqually(random.amount, Math.max(1, paying.length));
  const rows = shares.map((one, place) => ({
    id: one.id,
    place,
    amount: paying.includes(one) ? (amounts[paying.indexOf(one)] ?? 0) : one.isDropped ? 50 : 0,
    isOrganizer: place === 0,
    memberId: one.memberId,
    displayName: null,
  }));
  await insertShares(tx, venueId, id, rows, NOW - HOUR);
  const seats = shares.filter(({ isSeat }) => isSeat).map(({ memberId }) => memberId);
  await insertSeats(tx, seats, NOW - HOUR);
  const about = { venueId, checkoutId: id, mode: random.mode, currency: 'usd', now: NOW - HOUR };
  await Promise.all(
    shares.map(async (one, place) => {
      const isDropped = one.isDropped && !paying.includes(one);
      const isPaid = one.status === 'held' || one.status === 'captured' || one.status === 'refunded';
      await walkShare(tx, venueId, one.id, isDropped && isPaid ? 'released' : one.status);
      if (isDropped) await dropShares(tx, venueId, [one.id], NOW - HOUR);
      if ((rows[place]?.amount ?? 0) > 0) await writeHolds(tx, about, one, rows[place]?.amount ?? 0);
    }),
  );
  return new Set(seats);
}

async function walkShare(tx: Queryable, venueId: string, id: string, status: ShareStatus): Promise<void> {
  let from: ShareStatus = 'invited';
  for (const to of wayTo(SHARE_TRANSITIONS, from, status)) {
    const heldAt = to === 'held' ? NOW - HOUR : null;
    await transitionShares(tx, venueId, [id], { from, to, heldAt, now: NOW - HOUR });
    from = to;
  }
}

async function writeHolds(
  tx: Queryable,
  about: Parameters<typeof insertHold>[1],
  one: RandomShare & { readonly id: string },
  amount: number,
): Promise<void> {
  for (const status of one.endedHolds) await writeHold(tx, about, one.id, amount, status, null);
  if (one.liveHold === null) return;
  const renewed = await writeHold(tx, about, one.id, amount, one.liveHold, null);
  if (one.renewal !== null) await writeHold(tx, about, one.id, amount, one.renewal, renewed);
}

async function writeHold(
  tx: Queryable,
  about: Parameters<typeof insertHold>[1],
  shareId: string,
  amount: number,
  status: HoldStatus,
  renews: string | null,
): Promise<string> {
  const id = randomUUID();
  const hold = { id, shareId, amount, renews, keepsCard: true, customerId: null, payerId: null };
  await insertHold(tx, about, hold, NOW + HOUR);
  let from: HoldStatus = 'asked';
  for (const to of wayTo(HOLD_TRANSITIONS, from, status)) {
    const change = { intentId: `pi_${id}`, chargeId: `ch_${id}`, heldAt: NOW - HOUR, captureBefore: NOW + 100 * HOUR };
    await transitionHold(tx, about.venueId, id, { from, to }, change, to === 'captured' ? null : NOW + 2 * HOUR);
    from = to;
  }
  return id;
}

class RolledBack extends Error {}

/** Runs the work in a transaction of which nothing stays. */
export async function andRollBack(db: Db, work: (tx: Queryable) => Promise<void>): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

/** The answer of the work, and the rows as they were before it. */
export async function andUndo<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint before_it');
  const answer = await work();
  await tx.query('rollback to savepoint before_it');
  return answer;
}
