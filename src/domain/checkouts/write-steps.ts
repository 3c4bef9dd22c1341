// Writes the steps of a decision, in order, in the transaction that holds the checkout's row lock. Every transition is
// a compare-and-set: a row that is not in the state that the decision saw rolls everything back. All statements travel
// in one round trip.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { requireTransition } from '../../base/transitions.ts';
import { postEntries } from '../ledger/queries.ts';
import { undoWriteOff } from '../payments/debt-queries.ts';
import { updateDivision } from '../payments/dispute-queries.ts';
import { dropTransfer, insertMovements, openPayout, reduceTransfer } from '../payments/movement-queries.ts';
import {
  activateRenewal,
  beginCaptures,
  type HoldScope,
  insertHold,
  recordCaptured,
  transitionHold,
  useNextKeys,
} from '../payments/queries.ts';
import { addFailedRefund, dropRefund } from '../payments/refund-queries.ts';
import { HOLD_TRANSITIONS } from '../payments/transitions.ts';
import { recordCheckoutEvent } from './event-queries.ts';
import type { LockedCheckout } from './locked-checkout.ts';
import {
  leaseCaptures,
  refundCheckoutBy,
  scheduleNotificationsIfParty,
  scheduleRetry,
  transitionCheckout,
} from './queries.ts';
import {
  addLostAmount,
  assignSeat,
  dropShares,
  insertShares,
  refundSharesBy,
  renameShares,
  reorderShares,
  transitionShares,
} from './share-queries.ts';
import type { Step } from './steps.ts';
import { CHECKOUT_TRANSITIONS, SHARE_TRANSITIONS } from './transitions.ts';

/**
 * A row was not in the state that the decision saw. Under the checkout's lock that is our bug, never the caller's
 * error.
 */
export class TransitionConflict extends Error {}

export interface WriteContext {
  readonly ids: Ids;
  readonly now: number;
}

export async function writeSteps(
  tx: Queryable,
  context: WriteContext,
  checkout: LockedCheckout,
  steps: readonly Step[],
): Promise<void> {
  const results = await Promise.allSettled(steps.map((step) => writeStep(tx, context, checkout, step)));
  // The first failure in step order is the cause. Later statements fail too ("transaction is aborted"), perhaps sooner.
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function writeStep(
  tx: Queryable,
  { ids, now }: WriteContext,
  checkout: LockedCheckout,
  step: Step,
): Promise<void> {
  const { venueId, id: checkoutId, mode, currency } = checkout;
  const scope = { venueId, checkoutId, mode, currency, now };
  switch (step.step) {
    case 'transition checkout':
      requireTransition('checkout', CHECKOUT_TRANSITIONS, step.from, step.to);
      return requireChanged(step, 1, transitionCheckout(tx, venueId, checkoutId, checkoutTransitionOf(step, now)));
    case 'transition shares':
      requireTransition('share', SHARE_TRANSITIONS, step.from, step.to);
      return writeShareTransition(tx, scope, step);
    case 'add shares':
      // invited_at is in the checkout's own time, because reminders are.
      return insertShares(tx, venueId, checkoutId, step.shares, now + checkout.clockAhead);
    case 'drop shares':
      return requireChanged(step, step.ids.length, dropShares(tx, venueId, step.ids, step.reason ?? null, now));
    case 'rename shares':
      return requireChanged(step, step.names.size, renameShares(tx, venueId, step.names));
    case 'reorder shares':
      return requireChanged(step, step.positions.size, reorderShares(tx, venueId, step.positions));
    case 'claim seat':
      return requireChanged(step, 1, assignSeat(tx, venueId, step, now + checkout.clockAhead));
    case 'refund shares':
      return requireChanged(step, step.amounts.size, refundSharesBy(tx, venueId, step.amounts));
    case 'refund checkout':
      return requireChanged(step, 1, refundCheckoutBy(tx, venueId, checkoutId, step.amount));
    case 'divide loss':
      if (step.lostAmount !== 0) {
        await requireChanged(step, 1, addLostAmount(tx, venueId, step.shareId, step.lostAmount));
      }
      return requireChanged(step, 1, updateDivision(tx, venueId, step.disputeId, step.before, step.next));
    case 'undo write-off':
      return requireChanged(step, 1, undoWriteOff(tx, venueId, step.reversalId, step.amount));
    case 'drop refund':
      return writeDroppedRefund(tx, scope, step);
    case 'lease captures':
      return requireLease(leaseCaptures(tx, venueId, checkoutId, step.until), checkout.leaseToken + 1);
    case 'schedule retry':
      return requireChanged(step, 1, scheduleRetry(tx, venueId, checkoutId, step));
    case 'post entries':
      return postEntries(tx, scope, step.entries);
    case 'record event': {
      const eventId = ids.prefixed('evt');
      const { type, refund = null } = step;
      return recordCheckoutEvent(tx, { venueId, checkoutId, eventId, type, refund, now });
    }
    case 'open payout':
      return openPayout(tx, scope, step.id);
    case 'add movements':
      return insertMovements(tx, scope, step.movements);
    default:
      return writeHoldStep(tx, scope, step);
  }
}

/** A failed refund is not owed to the guest any more. Both statements are sent at once, before those of later steps. */
async function writeDroppedRefund(
  tx: Queryable,
  scope: { readonly venueId: string; readonly checkoutId: string },
  step: Extract<Step, { step: 'drop refund' }>,
): Promise<void> {
  const { venueId, checkoutId } = scope;
  const { from, shareId, amount } = step;
  await Promise.all([
    requireChanged(step, 1, dropRefund(tx, venueId, step)),
    from === 'failed' ? addFailedRefund(tx, { venueId, checkoutId, shareId }, -amount) : null,
  ]);
}

/** A guest whose hold was lost or released is notified. */
async function writeShareTransition(
  tx: Queryable,
  scope: { readonly venueId: string; readonly checkoutId: string; readonly now: number },
  step: Extract<Step, { step: 'transition shares' }>,
): Promise<void> {
  const { venueId, checkoutId, now } = scope;
  const { ids, from, to, heldAt = null } = step;
  const shouldNotify = from === 'held' && (to === 'failed' || to === 'released');
  await Promise.all([
    requireChanged(step, ids.length, transitionShares(tx, venueId, ids, { from, to, heldAt, now })),
    shouldNotify ? scheduleNotificationsIfParty(tx, venueId, checkoutId) : null,
  ]);
}

type HoldStep = Extract<
  Step,
  {
    step:
      | 'add hold'
      | 'transition hold'
      | 'update hold'
      | 'activate renewal'
      | 'begin captures'
      | 'use next keys'
      | 'record captures'
      | 'reduce transfer'
      | 'drop transfer';
  }
>;

/** A guest whose hold will lapse because its renewal was refused is notified. */
async function writeHoldUpdate(
  tx: Queryable,
  { venueId, checkoutId }: HoldScope,
  step: Extract<Step, { step: 'update hold' }>,
): Promise<void> {
  const { id, update, dueAt } = step;
  await Promise.all([
    requireChanged(step, 1, transitionHold(tx, venueId, id, null, update, dueAt)),
    update.renewalRefusedAt == null ? null : scheduleNotificationsIfParty(tx, venueId, checkoutId),
  ]);
}

async function writeHoldStep(tx: Queryable, scope: HoldScope, step: HoldStep): Promise<void> {
  const { venueId } = scope;
  switch (step.step) {
    case 'add hold':
      return insertHold(tx, scope, step.hold, step.dueAt);
    case 'transition hold':
      requireTransition('hold', HOLD_TRANSITIONS, step.from, step.to);
      return requireChanged(step, 1, transitionHold(tx, venueId, step.id, step, step.update ?? {}, step.dueAt));
    case 'update hold':
      return writeHoldUpdate(tx, scope, step);
    case 'activate renewal':
      return requireChanged(step, 1, activateRenewal(tx, venueId, step.id));
    case 'begin captures':
      requireTransition('hold', HOLD_TRANSITIONS, 'held', 'capturing');
      return requireChanged(step, step.ids.length, beginCaptures(tx, venueId, step.ids));
    case 'use next keys':
      return requireChanged(step, step.ids.length, useNextKeys(tx, venueId, step.ids));
    case 'record captures':
      for (const { from } of step.holds) requireTransition('hold', HOLD_TRANSITIONS, from, 'captured');
      return requireChanged(step, step.holds.length, recordCaptured(tx, scope, step.holds));
    case 'reduce transfer':
      return requireChanged(step, 1, reduceTransfer(tx, venueId, step.id, step.by));
    case 'drop transfer':
      return requireChanged(step, 1, dropTransfer(tx, venueId, step));
  }
}

function checkoutTransitionOf(step: Extract<Step, { step: 'transition checkout' }>, now: number) {
  return { from: step.from, to: step.to, reason: step.reason ?? null, organizerId: step.organizerId ?? null, now };
}

/** The decision says which lease token the caller gets, because the row is locked. */
async function requireLease(leased: Promise<number | null>, expected: number): Promise<void> {
  const leaseToken = await leased;
  if (leaseToken !== expected) throw new TransitionConflict(`the lease token is ${leaseToken}, not ${expected}`);
}

async function requireChanged(step: Step, expected: number, changed: Promise<number>): Promise<void> {
  const count = await changed;
  if (count !== expected)
    throw new TransitionConflict(`"${step.step}" changed ${count} rows where ${expected} were expected`);
}
