// Random checkouts as rows: every status of a checkout, share and hold, times around pay_by to the microsecond, clocks
// moved ahead. The statements of the domain write them inside a transaction that the caller rolls back. A state that no
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
  insertCheckout,
  transitionCheckout,
} from '../../src/domain/checkouts/queries.ts';
import { dropShares, insertShares, transitionShares } from '../../src/domain/checkouts/share-queries.ts';
import {
  CHECKOUT_TRANSITIONS,
  type CheckoutStatus,
  SHARE_TRANSITIONS,
  type ShareStatus,
} from '../../src/domain/checkouts/transitions.ts';
import { insertSeats } from '../../src/domain/members/queries.ts';
import { insertHold, transitionHold } from '../../src/domain/payments/queries.ts';
import { HOLD_TRANSITIONS, type HoldStatus } from '../../src/domain/payments/transitions.ts';
import { storePayableAccount } from '../support/payable-venue.ts';

export const NOW = Date.UTC(2027, 5, 1, 12, 0, 0, 123);
const HOUR = 3_600_000;
const MIN_AMOUNT = 1_000;

type NotificationTime = 'never' | 'later' | number;

export interface RandomShare {
  readonly status: ShareStatus;
  readonly isFree: boolean;
  readonly isDropped: boolean;
  /** A seat that no member has claimed. */
  readonly isSeat: boolean;
  readonly endedHolds: readonly HoldStatus[];
  readonly liveHold: HoldStatus | null;
  readonly renewal: HoldStatus | null;
}

export interface RandomCheckout {
  readonly mode: Mode;
  readonly status: CheckoutStatus;
  readonly amount: number;
  /** From now to the end of the time to pay, in microseconds. */
  readonly micros: number;
  readonly clockAhead: number;
  readonly notification: NotificationTime;
  readonly shares: readonly RandomShare[];
}

const statusesOf = <S extends string>(transitions: Transitions<S>): fc.Arbitrary<S> =>
  fc.constantFrom(...(Object.keys(transitions) as S[]));

const LIVE: readonly HoldStatus[] = ['requested', 'open', 'held', 'capturing', 'captured'];
const ENDED: readonly HoldStatus[] = ['releasing', 'released', 'returned', 'voided'];

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
  // States that can expire are twice as likely.
  status: fc.oneof(statusesOf(CHECKOUT_TRANSITIONS), fc.constantFrom<CheckoutStatus>('open', 'collecting')),
  amount: fc.integer({ min: MIN_AMOUNT, max: 99_999_999 }),
  micros: fc.oneof(
    fc.integer({ min: -2_000, max: 2_000 }),
    fc.constantFrom(0, 1, -1),
    fc.integer({ min: -864e8, max: 864e8 }),
  ),
  clockAhead: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 240 * HOUR })),
  notification: fc.constantFrom<NotificationTime[]>('never', 'later', NOW - HOUR, NOW + HOUR),
  shares: fc.array(share, { maxLength: 4 }),
});

const HELD: RandomShare = {
  status: 'held',
  isFree: false,
  isDropped: false,
  isSeat: false,
  endedHolds: [],
  liveHold: 'held',
  renewal: 'requested',
};

/**
 * Each status a microsecond before the end of its time and at the end, with a paid share, so that no case depends on
 * chance.
 */
export const EVERY_STATUS: readonly RandomCheckout[] = (Object.keys(CHECKOUT_TRANSITIONS) as CheckoutStatus[]).flatMap(
  (status) =>
    [0, 1].map(
      (micros): RandomCheckout => ({
        mode: 'test',
        status,
        amount: MIN_AMOUNT,
        micros,
        clockAhead: HOUR,
        notification: 'later',
        shares: [HELD, { ...HELD, status: 'invited', liveHold: 'open', renewal: null }],
      }),
    ),
);

/** The states on the shortest path from `first` to `last`, without `first`. */
function transitionPath<S extends string>(transitions: Transitions<S>, first: S, last: S): S[] {
  const paths = new Map<S, S[]>([[first, []]]);
  for (const [state, path] of paths) {
    if (state === last) return path;
    for (const next of transitions[state]) if (!paths.has(next)) paths.set(next, [...path, next]);
  }
  throw new Error(`no path leads from ${first} to ${last}`);
}

export interface WrittenCheckout {
  readonly id: string;
  readonly mode: Mode;
  readonly content: string;
  /** Ids of members that are seats. */
  readonly seats: ReadonlySet<string>;
}

let count = 0;
const newId = (prefix: string): string => `${prefix}_${String(++count).padStart(26, '0')}`;

/** The time this many microseconds from now, as a partner writes it. */
function timeAt(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  const remainder = String(micros - ms * 1_000).padStart(3, '0');
  return new Date(NOW + ms).toISOString().replace('Z', `${remainder}Z`);
}

/** A request that creates a checkout for a new booking. */
export function createRequest(
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
  const ids = { venueId, mode, checkoutId, eventId: newId('evt'), key, fingerprint: Buffer.alloc(32) };
  return { ...ids, content, url, now: NOW, mayCreate: true };
}

/** Writes one checkout with its party and its holds. */
export async function writeCheckout(tx: Queryable, venueId: string, random: RandomCheckout): Promise<WrittenCheckout> {
  const { mode, amount } = random;
  const ahead = mode === 'test' ? random.clockAhead : 0;
  const payBy = timeAt(random.micros + ahead * 1_000);
  const request = createRequest(venueId, { mode, amount, payBy });
  const { checkoutId: id, content } = request;
  if (mode === 'live') await storePayableAccount(tx, venueId);
  const { outcome } = await insertCheckout(tx, { ...request, now: NOW - 2 * HOUR - count });
  if (outcome !== 'created') throw new Error(`the checkout is ${outcome}`);
  if (ahead > 0) await advanceClock(tx, venueId, id, ahead);
  const seats = await writeParty(tx, venueId, id, random);
  let from: CheckoutStatus = 'open';
  for (const to of transitionPath(CHECKOUT_TRANSITIONS, from, random.status)) {
    const organizerId = to === 'collecting' ? randomUUID() : null;
    await transitionCheckout(tx, venueId, id, { from, to, reason: null, organizerId, now: NOW - HOUR });
    from = to;
  }
  await scheduleNextNotification(tx, { venueId, checkoutId: id }, random.notification);
  return { id, mode, content, seats };
}

async function writeParty(tx: Queryable, venueId: string, id: string, random: RandomCheckout): Promise<Set<string>> {
  const shares = random.shares.map((share) => ({ ...share, id: newId('shr'), memberId: randomUUID() }));
  // A collecting party has at least one share above zero.
  const paying = shares.filter(({ isFree, isDropped }) => !isFree && !isDropped);
  const [first] = shares;
  if (first !== undefined && paying.length === 0) paying.push(first);
  const amounts = splitEqually(random.amount, Math.max(1, paying.length));
  const rows = shares.map((share, index) => ({
    id: share.id,
    position: index,
    amount: paying.includes(share) ? (amounts[paying.indexOf(share)] ?? 0) : share.isDropped ? 50 : 0,
    isOrganizer: index === 0,
    memberId: share.memberId,
    displayName: null,
  }));
  await insertShares(tx, venueId, id, rows, NOW - HOUR);
  const seats = shares.filter(({ isSeat }) => isSeat).map(({ memberId }) => memberId);
  await insertSeats(tx, seats, NOW - HOUR);
  const context = { venueId, checkoutId: id, mode: random.mode, currency: 'usd', now: NOW - HOUR };
  await Promise.all(
    shares.map(async (share, index) => {
      const isDropped = share.isDropped && !paying.includes(share);
      const isPaid = share.status === 'held' || share.status === 'captured' || share.status === 'refunded';
      await transitionShare(tx, venueId, share.id, isDropped && isPaid ? 'released' : share.status);
      if (isDropped) await dropShares(tx, venueId, [share.id], null, NOW - HOUR);
      if ((rows[index]?.amount ?? 0) > 0) await writeHolds(tx, context, share, rows[index]?.amount ?? 0);
    }),
  );
  return new Set(seats);
}

async function transitionShare(tx: Queryable, venueId: string, id: string, status: ShareStatus): Promise<void> {
  let from: ShareStatus = 'invited';
  for (const to of transitionPath(SHARE_TRANSITIONS, from, status)) {
    const heldAt = to === 'held' ? NOW - HOUR : null;
    await transitionShares(tx, venueId, [id], { from, to, heldAt, now: NOW - HOUR });
    from = to;
  }
}

async function writeHolds(
  tx: Queryable,
  context: Parameters<typeof insertHold>[1],
  share: RandomShare & { readonly id: string },
  amount: number,
): Promise<void> {
  for (const status of share.endedHolds) await writeHold(tx, context, share.id, amount, status, null);
  if (share.liveHold === null) return;
  const renewed = await writeHold(tx, context, share.id, amount, share.liveHold, null);
  if (share.renewal !== null) await writeHold(tx, context, share.id, amount, share.renewal, renewed);
}

async function writeHold(
  tx: Queryable,
  context: Parameters<typeof insertHold>[1],
  shareId: string,
  amount: number,
  status: HoldStatus,
  renews: string | null,
): Promise<string> {
  const id = randomUUID();
  const hold = { id, shareId, amount, renews, savesCard: true, customerId: null, payerId: null };
  await insertHold(tx, context, hold, NOW + HOUR);
  let from: HoldStatus = 'requested';
  for (const to of transitionPath(HOLD_TRANSITIONS, from, status)) {
    const change = { intentId: `pi_${id}`, chargeId: `ch_${id}`, heldAt: NOW - HOUR, captureBefore: NOW + 100 * HOUR };
    await transitionHold(tx, context.venueId, id, { from, to }, change, to === 'captured' ? null : NOW + 2 * HOUR);
    from = to;
  }
  return id;
}

class RolledBack extends Error {}

/** Runs the work in a transaction, and rolls it back. */
export async function inRolledBackTransaction(db: Db, work: (tx: Queryable) => Promise<void>): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

/** Returns the result of the work, and restores the rows. */
export async function withSavepoint<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint before_work');
  const result = await work();
  await tx.query('rollback to savepoint before_work');
  return result;
}
