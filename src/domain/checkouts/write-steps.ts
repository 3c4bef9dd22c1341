// Writes the steps of a decision, in their order, in the transaction that holds the checkout's row. Every move is a compare
// and set: a row that is not where the decision saw it undoes the whole. All statements travel in one round trip.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { canTransition } from '../../base/transitions.ts';
import { recordCheckoutEvent } from '../events/record.ts';
import { postEntries } from '../ledger/queries.ts';
import { insertMovements, openPayout, shrinkTransfer } from '../payments/movement-queries.ts';
import {
  activateRenewal,
  beginCaptures,
  countCaptureAttempt,
  insertHold,
  moveHold,
  recordCaptured,
} from '../payments/queries.ts';
import { HOLD_TRANSITIONS } from '../payments/transitions.ts';
import type { LockedCheckout } from './locked-checkout.ts';
import { scheduleNotificationsIfParty } from './notifications/queries.ts';
import { assignSeat } from './party/seat-queries.ts';
import {
  dropShares,
  insertShares,
  refundCheckoutBy,
  refundSharesBy,
  reorderShares,
  scheduleRetry,
  transitionCheckout,
  transitionShares,
} from './queries.ts';
import type { Step } from './steps.ts';
import { CHECKOUT_TRANSITIONS, SHARE_TRANSITIONS } from './transitions.ts';

/** A row was not where the decision saw it. Under the checkout's lock that is a mistake of ours, never of the caller. */
export class TransitionConflict extends Error {}

export interface WriteContext {
  readonly ids: Ids;
  readonly now: number;
}

export async function writeSteps(
  tx: Queryable,
  writing: WriteContext,
  checkout: LockedCheckout,
  steps: readonly Step[],
): Promise<void> {
  const written = await Promise.allSettled(steps.map((step) => write(tx, writing, checkout, step)));
  // The first in order: after it PostgreSQL only says that the transaction is over, and that may come to us sooner.
  const failed = written.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function write(tx: Queryable, { ids, now }: WriteContext, checkout: LockedCheckout, step: Step): Promise<void> {
  const { venueId, id: checkoutId, mode, currency } = checkout;
  const about = { venueId, checkoutId, mode, currency, now };
  switch (step.step) {
    case 'move checkout':
      requireTransition('checkout', canTransition(CHECKOUT_TRANSITIONS, step.from, step.to), step);
      return requireChanged(step, 1, transitionCheckout(tx, venueId, checkoutId, moveOf(step, now)));
    case 'move shares':
      requireTransition('share', canTransition(SHARE_TRANSITIONS, step.from, step.to), step);
      return moveSharesOf(tx, about, step);
    case 'add shares':
      // By the checkout's own clock, as reminders are.
      return insertShares(tx, venueId, checkoutId, step.shares, now + checkout.clockAhead);
    case 'drop shares':
      return requireChanged(step, step.ids.length, dropShares(tx, venueId, step.ids, now));
    case 'reorder shares':
      return requireChanged(step, step.places.size, reorderShares(tx, venueId, step.places));
    case 'take seat':
      return requireChanged(step, 1, assignSeat(tx, venueId, step, now + checkout.clockAhead));
    case 'refund shares':
      return requireChanged(step, step.amounts.size, refundSharesBy(tx, venueId, step.amounts));
    case 'refund checkout':
      return requireChanged(step, 1, refundCheckoutBy(tx, venueId, checkoutId, step.amount));
    case 'schedule retry':
      return requireChanged(step, 1, scheduleRetry(tx, venueId, checkoutId, step.at));
    case 'post':
      return postEntries(tx, about, step.entries);
    case 'record event': {
      const eventId = ids.prefixed('evt');
      const { type, refund = null } = step;
      return recordCheckoutEvent(tx, { venueId, checkoutId, eventId, type, refund, now });
    }
    case 'open payout':
      return openPayout(tx, about, step.id);
    case 'add movements':
      return insertMovements(tx, about, step.movements);
    default:
      return writeHold(tx, about, step);
  }
}

/** Whoever's hold is gone is told of it. */
async function moveSharesOf(
  tx: Queryable,
  about: { readonly venueId: string; readonly checkoutId: string; readonly now: number },
  step: Extract<Step, { step: 'move shares' }>,
): Promise<void> {
  const { venueId, checkoutId, now } = about;
  const { ids, from, to, heldAt = null } = step;
  const isNews = from === 'held' && (to === 'failed' || to === 'released');
  await Promise.all([
    requireChanged(step, ids.length, transitionShares(tx, venueId, ids, { from, to, heldAt, now })),
    isNews ? scheduleNotificationsIfParty(tx, venueId, checkoutId) : null,
  ]);
}

type HoldStep = Extract<
  Step,
  {
    step:
      | 'add hold'
      | 'move hold'
      | 'update hold'
      | 'activate renewal'
      | 'begin captures'
      | 'count capture attempt'
      | 'holds captured'
      | 'shrink transfer';
  }
>;

async function writeHold(tx: Queryable, about: Parameters<typeof insertHold>[1], step: HoldStep): Promise<void> {
  const { venueId } = about;
  switch (step.step) {
    case 'add hold':
      return insertHold(tx, about, step.hold, step.dueAt);
    case 'move hold':
      requireTransition('hold', canTransition(HOLD_TRANSITIONS, step.from, step.to), step);
      return requireChanged(step, 1, moveHold(tx, venueId, step.id, step, step.news ?? {}, step.dueAt));
    case 'update hold':
      return requireChanged(step, 1, moveHold(tx, venueId, step.id, null, step.news, step.dueAt));
    case 'activate renewal':
      return requireChanged(step, 1, activateRenewal(tx, venueId, step.id));
    case 'begin captures':
      return requireChanged(step, step.ids.length, beginCaptures(tx, venueId, step.ids));
    case 'count capture attempt':
      return requireChanged(step, step.ids.length, countCaptureAttempt(tx, venueId, step.ids));
    case 'holds captured':
      return requireChanged(step, step.holds.length, recordCaptured(tx, venueId, step.holds));
    case 'shrink transfer':
      return requireChanged(step, 1, shrinkTransfer(tx, venueId, step.id, step.by));
  }
}

function moveOf(step: Extract<Step, { step: 'move checkout' }>, now: number) {
  return { from: step.from, to: step.to, reason: step.reason ?? null, organizerId: step.organizerId ?? null, now };
}

function requireTransition(
  machine: string,
  allowed: boolean,
  step: { readonly from: string; readonly to: string },
): void {
  if (!allowed) throw new Error(`a ${machine} cannot move from ${step.from} to ${step.to}`);
}

async function requireChanged(step: Step, wanted: number, moved: Promise<number>): Promise<void> {
  const count = await moved;
  if (count !== wanted)
    throw new TransitionConflict(`"${step.step}" found ${count} rows where ${wanted} were expected`);
}
