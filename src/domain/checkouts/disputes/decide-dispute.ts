// The loss of a dispute. Pure. The loss is divided like a refund: the venue bears its part, and our fee of that part is
// lost too. The venue's part comes out of a transfer that was not sent yet, or reverses one that was. Where a refund of
// the charge was decided and the guest does not have it, the dispute has paid it: that refund is dropped, so that no cent
// reaches the guest twice. What the share cannot bear is our loss: the guest was paid by hand or refunded before, or the
// disputed amount exceeds the charge, because a currency has moved.
//
// The processor may take or give back more after the end: a guest can take a lost dispute back. What it takes more is
// divided like the first loss. What it gives back goes to those who bore it, ourselves first and the venue last.

import { proportionRoundedDown } from '../../../base/money.ts';
import type { WrittenOff } from '../../payments/debt-queries.ts';
import type { Division } from '../../payments/dispute-queries.ts';
import { LOSS_RETURNED } from '../../payments/movement-queries.ts';
import type { UnpaidRefund } from '../../payments/refund-queries.ts';
import { feeParts } from '../capture/decide-capture.ts';
import { holdOf, type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import { amountLeft, feePartOf, type TransferState, takeFromTransfers, takenFee } from '../refunds/decide-refund.ts';
import type { Step } from '../steps.ts';

export interface EndedDispute {
  readonly id: string;
  readonly shareId: string;
  readonly holdId: string;
  /** How its loss was divided so far; null: it was not. */
  readonly division: Division | null;
  /** The subject of the ledger entries. Each change of a division has its own. */
  readonly subject: string;
}

/** `amount`: what is lost, more than was divided before. */
export interface LostDispute extends EndedDispute {
  readonly amount: number;
}

/** The locked movements of the disputed charge's checkout. */
export interface DisputedMovements {
  readonly transfers: readonly TransferState[];
  /** Of the disputed charge alone. */
  readonly refunds: readonly UnpaidRefund[];
}

interface Context {
  readonly now: number;
  readonly newId: () => string;
}

const DISPUTE_LOST = 'dispute_lost';

/** A charge may have several disputes, and what is written off of one is not undone for another. */
function reversalReason(disputeId: string): string {
  return `${DISPUTE_LOST} ${disputeId}`;
}

/** The reasons of a dispute's reversals. Those of earlier releases do not name it. */
export function reversalReasons(disputeId: string): readonly string[] {
  return [reversalReason(disputeId), DISPUTE_LOST];
}

/**
 * Whether the loss cannot be divided yet: a refund of the charge may be at the processor already, an operator has reserved
 * one and may have paid it by hand, or the checkout has neither earned the charge nor decided to return it.
 */
export function mustDivideLater(checkout: LockedCheckout, { refunds }: DisputedMovements, holdId: string): boolean {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  const isUnsettled = checkout.status === 'funded' || hold?.status === 'capturing' || hold?.status === 'releasing';
  return isUnsettled || refunds.some(({ status, isReserved }) => status === 'sending' || isReserved);
}

export function decideLostDispute(
  checkout: LockedCheckout,
  movements: DisputedMovements,
  dispute: LostDispute,
  context: Context,
): readonly Step[] {
  const share = shareOf(checkout, dispute.shareId);
  const isOfShare = share !== undefined && holdOf(checkout, share.id)?.id === dispute.holdId;
  if (checkout.status === 'completed' && isOfShare) {
    return divideEarned(checkout, share, movements, dispute, context);
  }
  return replaceReturn(isOfShare, movements, dispute, context);
}

function divideEarned(
  checkout: LockedCheckout,
  share: ShareState,
  { transfers, refunds }: DisputedMovements,
  dispute: LostDispute,
  context: Context,
): readonly Step[] {
  const dropped = dropPaidByDispute(refunds, dispute.amount, amountLeft(share), context);
  // The refunds that are dropped have taken their parts of the venue and of our fee already.
  const borne = Math.min(dispute.amount - dropped.amount, amountLeft(share));
  const ownPart = dispute.amount - dropped.amount - borne;
  const restFee = takenFee(share, feeParts(checkout).get(share.id) ?? 0, borne, transfers, dispute.holdId);
  const feePart = restFee + dropped.feePart;
  const lostAmount = dispute.amount - ownPart;
  const venuePart = lostAmount - feePart;
  const steps: readonly Step[] = [
    ...dropped.steps,
    ...takeFromRefunded(share.id, dropped.amount),
    divideLossStep(dispute, lostAmount, { venuePart, feePart, returnedPart: 0, ownPart }),
    {
      step: 'post entries',
      entries: [
        { kind: 'dispute_lost', subject: dispute.subject, amount: venuePart },
        { kind: 'dispute_fee_lost', subject: dispute.subject, amount: feePart },
        { kind: 'dispute_paid_twice', subject: dispute.subject, amount: ownPart },
      ],
    },
    ...takeFromVenue(transfers, dispute, borne - restFee, context),
  ];
  return [...steps, ...refundEvents(dropped)];
}

const NOT_DIVIDED: Division = { venuePart: 0, feePart: 0, returnedPart: 0, ownPart: 0 };

/** `change`: what each bears more than before, or less. */
function divideLossStep({ id, shareId, division }: EndedDispute, lostAmount: number, change: Division): Step {
  const before = division ?? NOT_DIVIDED;
  const next = {
    venuePart: before.venuePart + change.venuePart,
    feePart: before.feePart + change.feePart,
    returnedPart: before.returnedPart + change.returnedPart,
    ownPart: before.ownPart + change.ownPart,
  };
  return { step: 'divide loss', disputeId: id, shareId, lostAmount, before: division, next };
}

/** The charge was to be returned to the guest, who has it by the dispute now. */
function replaceReturn(
  isOfShare: boolean,
  { refunds }: DisputedMovements,
  dispute: LostDispute,
  context: Context,
): readonly Step[] {
  const { shareId, subject } = dispute;
  const dropped = dropPaidByDispute(refunds, dispute.amount, 0, context);
  const { amount } = dropped;
  const ownPart = dispute.amount - amount;
  return [
    ...dropped.steps,
    ...(isOfShare ? takeFromRefunded(shareId, amount) : []),
    divideLossStep(dispute, isOfShare ? amount : 0, { venuePart: 0, feePart: 0, returnedPart: amount, ownPart }),
    {
      step: 'post entries',
      entries: [
        { kind: 'dispute_returned', subject, amount },
        { kind: 'dispute_paid_twice', subject, amount: ownPart },
      ],
    },
    ...refundEvents(dropped),
  ];
}

/**
 * The processor has given back `amount` of a loss that was divided. What was to be returned to the guest is owed to the
 * guest again. A refund that the dispute had paid is not made again by itself: the venue has the money, and may refund it.
 * What was written off of the venue's part it owes again, so that the transfer settles it: else it would have it twice.
 */
export function decideReturnedLoss(
  checkout: LockedCheckout,
  dispute: EndedDispute & { readonly division: Division },
  { amount, writtenOff }: { readonly amount: number; readonly writtenOff: readonly WrittenOff[] },
  { now, newId }: Context,
): readonly Step[] {
  const { shareId, holdId, subject, division } = dispute;
  const own = Math.min(amount, division.ownPart);
  const owedAgain = Math.min(amount - own, division.returnedPart);
  const borne = amount - own - owedAgain;
  const share = shareOf(checkout, shareId);
  const isOfShare = share !== undefined && holdOf(checkout, share.id)?.id === holdId;
  const feePart = borne === 0 ? 0 : returnedFee(checkout, share, division, borne);
  const venuePart = borne - feePart;
  const movement = { shareId, holdId, feePart: 0, reversedTransferId: null, reason: LOSS_RETURNED, dueAt: now };
  const lessLost = borne + (isOfShare ? owedAgain : 0);
  const steps: Step[] = [
    divideLossStep(dispute, -lessLost, {
      venuePart: -venuePart,
      feePart: -feePart,
      returnedPart: -owedAgain,
      ownPart: -own,
    }),
    {
      step: 'post entries',
      entries: [
        { kind: 'dispute_loss_returned', subject, amount: venuePart },
        { kind: 'dispute_fee_loss_returned', subject, amount: feePart },
        { kind: 'dispute_return_owed', subject, amount: owedAgain },
        { kind: 'dispute_own_loss_returned', subject, amount: own },
      ],
    },
  ];
  steps.push(...undoWriteOffs(writtenOff, venuePart, subject));
  if (borne > 0 && share?.status === 'refunded') {
    steps.push({ step: 'transition shares', ids: [share.id], from: 'refunded', to: 'captured' });
  }
  if (venuePart > 0) {
    const transfer = { ...movement, id: newId(), kind: 'transfer' as const, amount: venuePart };
    steps.push({ step: 'add movements', movements: [transfer] });
  }
  if (owedAgain > 0) {
    const returned = { ...movement, id: newId(), kind: 'return' as const, amount: owedAgain };
    if (isOfShare) steps.push(...takeFromRefunded(shareId, -owedAgain));
    steps.push({ step: 'add movements', movements: [returned] });
    const refund = { amount: owedAgain, reason: LOSS_RETURNED };
    steps.push({ step: 'record event', type: 'refund.created', refund });
  }
  return steps;
}

function undoWriteOffs(writtenOff: readonly WrittenOff[], amount: number, subject: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = amount;
  for (const { id, amount: most } of writtenOff) {
    const part = Math.min(rest, most);
    if (part === 0) break;
    rest -= part;
    const entry = { kind: 'debt_write_off_undone' as const, subject: `${id} ${subject}`, amount: part };
    steps.push({ step: 'undo write-off', reversalId: id, amount: part }, { step: 'post entries', entries: [entry] });
  }
  return steps;
}

/** The part of our fee that the share has no longer lost. Rounding never returns more than was taken from either. */
function returnedFee(
  checkout: LockedCheckout,
  share: ShareState | undefined,
  { venuePart, feePart }: Division,
  borne: number,
): number {
  if (share === undefined) throw new Error('a share that has borne a loss is not found');
  const before = { ...share, lostAmount: share.lostAmount - borne };
  const exact = feePartOf(before, feeParts(checkout).get(share.id) ?? 0, borne);
  return Math.min(feePart, Math.max(exact, borne - venuePart));
}

interface DroppedRefunds {
  readonly amount: number;
  readonly feePart: number;
  /** Of the amount: what had not failed, so that partners have not heard that it does not reach the guest. */
  readonly unannounced: number;
  /** What is sent again of refunds that had failed. */
  readonly sentAgain: number;
  readonly steps: readonly Step[];
}

/**
 * Drops unpaid refunds as far as the dispute has paid them. A refund that the processor never made is the same money as
 * the dispute. One that it made, and that failed later, was no part of the charge when the guest disputed the rest: it is
 * dropped only as far as the dispute exceeds what was left of the share.
 */
function dropPaidByDispute(
  refunds: readonly UnpaidRefund[],
  disputed: number,
  left: number,
  context: Context,
): DroppedRefunds {
  const neverMade = dropRefunds(
    refunds.filter(({ wasMade }) => !wasMade),
    disputed,
    context,
  );
  const made = dropRefunds(
    refunds.filter(({ wasMade }) => wasMade),
    Math.max(0, disputed - neverMade.amount - left),
    context,
  );
  return {
    amount: neverMade.amount + made.amount,
    feePart: neverMade.feePart + made.feePart,
    unannounced: neverMade.unannounced + made.unannounced,
    sentAgain: neverMade.sentAgain + made.sentAgain,
    steps: [...neverMade.steps, ...made.steps],
  };
}

/** Drops refunds of up to `amount`. What a refund exceeds it by is owed to the guest still, as a refund of its own. */
function dropRefunds(refunds: readonly UnpaidRefund[], amount: number, { now, newId }: Context): DroppedRefunds {
  const steps: Step[] = [];
  let left = amount;
  let feePart = 0;
  let unannounced = 0;
  let sentAgain = 0;
  for (const refund of refunds) {
    if (left === 0) break;
    const { id, kind, shareId, holdId, status, reason } = refund;
    const kept = Math.max(0, refund.amount - left);
    const keptFee = proportionRoundedDown(refund.feePart, kept, refund.amount);
    left -= refund.amount - kept;
    feePart += refund.feePart - keptFee;
    if (status === 'failed') sentAgain += kept;
    else unannounced += refund.amount - kept;
    steps.push({ step: 'drop refund', id, from: status, shareId, amount: refund.amount });
    if (kept === 0) continue;
    const rest = { id: newId(), kind, shareId, holdId, amount: kept, feePart: keptFee, reason, dueAt: now };
    steps.push({ step: 'add movements', movements: [{ ...rest, reversedTransferId: null }] });
  }
  return { amount: amount - left, feePart, unannounced, sentAgain, steps };
}

/** What the dispute has paid was not refunded: each cent counts as refunded or as lost, never as both. */
function takeFromRefunded(shareId: string, amount: number): readonly Step[] {
  if (amount === 0) return [];
  return [
    { step: 'refund shares', amounts: new Map([[shareId, -amount]]) },
    { step: 'refund checkout', amount: -amount },
  ];
}

function takeFromVenue(
  transfers: readonly TransferState[],
  { id, shareId, holdId }: LostDispute,
  amount: number,
  { now, newId }: Context,
): readonly Step[] {
  const taken = {
    shareId,
    holdId,
    amount,
    feePart: 0,
    reversedTransferId: null,
    reason: reversalReason(id),
    dueAt: now,
  };
  return takeFromTransfers(transfers, taken, newId);
}

/** By refund.created less refund.failed a partner knows what was refunded. A refund that had failed was announced then. */
function refundEvents({ unannounced, sentAgain }: DroppedRefunds): readonly Step[] {
  const steps: Step[] = [];
  const failed = { amount: unannounced, reason: DISPUTE_LOST };
  if (unannounced > 0) steps.push({ step: 'record event', type: 'refund.failed', refund: failed });
  const created = { amount: sentAgain, reason: 'retried' };
  if (sentAgain > 0) steps.push({ step: 'record event', type: 'refund.created', refund: created });
  return steps;
}
