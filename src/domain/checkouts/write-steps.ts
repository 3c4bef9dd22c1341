// Writes the steps of a decision, in their order, in the transaction that holds the checkout's row. Every move is a compare
// and set: a row that is not where the decision saw it undoes the whole. All statements travel in one round trip.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { canMove } from '../../base/transitions.ts';
import { recordCheckoutEvent } from '../events/record.ts';
import { postEntries } from '../ledger/queries.ts';
import { insertMovements, openPayout, shrinkTransfer } from '../payments/movement-queries.ts';
import { beginCaptures, countNotNow, insertHold, moveHold, recordCaptured, seatHold } from '../payments/queries.ts';
import { HOLD_MOVES } from '../payments/transitions.ts';
import type { Standing } from './locked-checkout.ts';
import { tellIfAnybody } from './notifications/queries.ts';
import { giveSeat } from './party/seat-queries.ts';
import {
  dropShares,
  insertShares,
  lookAgain,
  moveCheckout,
  moveShares,
  refundCheckoutBy,
  refundSharesBy,
  seatShares,
} from './queries.ts';
import type { Step } from './steps.ts';
import { CHECKOUT_MOVES, SHARE_MOVES } from './transitions.ts';

/** A row was not where the decision saw it. Under the checkout's lock that is a mistake of ours, never of the caller. */
export class NotWhereItWas extends Error {}

export interface Writing {
  readonly ids: Ids;
  readonly now: number;
}

export async function writeSteps(
  tx: Queryable,
  writing: Writing,
  standing: Standing,
  steps: readonly Step[],
): Promise<void> {
  const written = await Promise.allSettled(steps.map((step) => write(tx, writing, standing, step)));
  // The first in order: after it PostgreSQL only says that the transaction is over, and that may come to us sooner.
  const failed = written.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function write(tx: Queryable, { ids, now }: Writing, standing: Standing, step: Step): Promise<void> {
  const { venueId, id: checkoutId, mode, currency } = standing;
  const about = { venueId, checkoutId, mode, currency, now };
  switch (step.step) {
    case 'move checkout':
      insistOnMove('checkout', canMove(CHECKOUT_MOVES, step.from, step.to), step);
      return insist(step, 1, moveCheckout(tx, venueId, checkoutId, moveOf(step, now)));
    case 'move shares':
      insistOnMove('share', canMove(SHARE_MOVES, step.from, step.to), step);
      return moveSharesOf(tx, about, step);
    case 'add shares':
      // By the checkout's own clock, as reminders are.
      return insertShares(tx, venueId, checkoutId, step.shares, now + standing.clockAhead);
    case 'drop shares':
      return insist(step, step.ids.length, dropShares(tx, venueId, step.ids, now));
    case 'seat shares':
      return insist(step, step.places.size, seatShares(tx, venueId, step.places));
    case 'take seat':
      return insist(step, 1, giveSeat(tx, venueId, step, now + standing.clockAhead));
    case 'refund shares':
      return insist(step, step.amounts.size, refundSharesBy(tx, venueId, step.amounts));
    case 'refund checkout':
      return insist(step, 1, refundCheckoutBy(tx, venueId, checkoutId, step.amount));
    case 'look again':
      return insist(step, 1, lookAgain(tx, venueId, checkoutId, step.at));
    case 'post':
      return postEntries(tx, about, step.entries);
    case 'tell': {
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
    insist(step, ids.length, moveShares(tx, venueId, ids, { from, to, heldAt, now })),
    isNews ? tellIfAnybody(tx, venueId, checkoutId) : null,
  ]);
}

type HoldStep = Extract<
  Step,
  {
    step:
      | 'add hold'
      | 'move hold'
      | 'note hold'
      | 'seat hold'
      | 'begin captures'
      | 'count not now'
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
      insistOnMove('hold', canMove(HOLD_MOVES, step.from, step.to), step);
      return insist(step, 1, moveHold(tx, venueId, step.id, step, step.news ?? {}, step.dueAt));
    case 'note hold':
      return insist(step, 1, moveHold(tx, venueId, step.id, null, step.news, step.dueAt));
    case 'seat hold':
      return insist(step, 1, seatHold(tx, venueId, step.id));
    case 'begin captures':
      return insist(step, step.ids.length, beginCaptures(tx, venueId, step.ids));
    case 'count not now':
      return insist(step, step.ids.length, countNotNow(tx, venueId, step.ids));
    case 'holds captured':
      return insist(step, step.holds.length, recordCaptured(tx, venueId, step.holds));
    case 'shrink transfer':
      return insist(step, 1, shrinkTransfer(tx, venueId, step.id, step.by));
  }
}

function moveOf(step: Extract<Step, { step: 'move checkout' }>, now: number) {
  return { from: step.from, to: step.to, reason: step.reason ?? null, organizerId: step.organizerId ?? null, now };
}

function insistOnMove(machine: string, allowed: boolean, step: { readonly from: string; readonly to: string }): void {
  if (!allowed) throw new Error(`a ${machine} cannot move from ${step.from} to ${step.to}`);
}

async function insist(step: Step, wanted: number, moved: Promise<number>): Promise<void> {
  const count = await moved;
  if (count !== wanted) throw new NotWhereItWas(`"${step.step}" found ${count} rows where ${wanted} were expected`);
}
