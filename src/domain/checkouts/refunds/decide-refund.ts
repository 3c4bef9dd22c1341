// The refund of a completed checkout. Pure. The amount is divided over the shares in proportion to what is left of
// each, to the last minor unit. Our fee is refunded in the same proportion. The venue's part reduces a transfer that
// was not sent yet, or reverses one that was.

import { divideInProportion, proportionRoundedDown } from '../../../base/money.ts';
import type { NewMovement } from '../../payments/movement-queries.ts';
import type { MovementStatus } from '../../payments/transitions.ts';
import { applySteps } from '../apply-steps.ts';
import { feeParts } from '../capture/decide-capture.ts';
import { holdOf, type LockedCheckout, type ShareState } from '../locked-checkout.ts';
import type { Step } from '../steps.ts';

export interface TransferState {
  readonly id: string;
  readonly holdId: string;
  readonly status: MovementStatus;
  readonly amount: number;
  /** Of the amount: what no reversal has taken back or will. */
  readonly left: number;
}

export interface RefundRequest {
  readonly amount: number;
  /** Of each share, together the amount; absent or null: it is divided in proportion to what is left of each. */
  readonly amounts?: ReadonlyMap<string, number> | null;
  readonly reason: string | null;
  readonly now: number;
  readonly newId: () => string;
}

export function refundableAmount(checkout: LockedCheckout): number {
  return checkout.shares.reduce((sum, share) => sum + amountLeft(share), 0);
}

/** What was neither refunded nor lost to a dispute. */
export function amountLeft({ amount, refundedAmount, lostAmount }: ShareState): number {
  return amount - refundedAmount - lostAmount;
}

export function decideRefund(
  checkout: LockedCheckout,
  transfers: readonly TransferState[],
  request: RefundRequest,
): readonly Step[] {
  const amounts = request.amounts ?? dividedOver(checkout, request.amount);
  const fees = feeParts(checkout);
  const steps: Step[] = [
    { step: 'refund shares', amounts },
    { step: 'refund checkout', amount: request.amount },
  ];
  for (const share of checkout.shares) {
    const amount = amounts.get(share.id) ?? 0;
    if (amount > 0) steps.push(...refundShare(checkout, share, amount, fees.get(share.id) ?? 0, transfers, request));
  }
  const next = applySteps(checkout, steps);
  const isFullyRefunded = refundableAmount(next) === 0;
  const refunded = next.shares.filter(
    ({ amount, refundedAmount, status }) =>
      status === 'captured' && refundedAmount === amount && (amount > 0 || isFullyRefunded),
  );
  if (refunded.length > 0) {
    steps.push({ step: 'transition shares', ids: refunded.map(({ id }) => id), from: 'captured', to: 'refunded' });
  }
  const refund = { amount: request.amount, reason: request.reason };
  return [...steps, { step: 'record event', type: 'refund.created', refund }];
}

function dividedOver({ shares }: LockedCheckout, amount: number): ReadonlyMap<string, number> {
  const parts = divideInProportion(amount, shares.map(amountLeft));
  return new Map(shares.flatMap(({ id }, index) => (parts[index] ? [[id, parts[index]]] : [])));
}

function refundShare(
  checkout: LockedCheckout,
  share: ShareState,
  amount: number,
  fee: number,
  transfers: readonly TransferState[],
  request: RefundRequest,
): readonly Step[] {
  const hold = holdOf(checkout, share.id);
  if (hold === undefined) throw new Error(`share ${share.id} was captured but has no hold`);
  const feePart = takenFee(share, fee, amount, transfers, hold.id);
  const refund: NewMovement = {
    id: request.newId(),
    kind: 'refund',
    shareId: share.id,
    holdId: hold.id,
    amount,
    feePart,
    reversedTransferId: null,
    reason: request.reason,
    dueAt: request.now,
  };
  const fromVenue = amount - feePart;
  const taken = takeFromTransfers(transfers, { ...refund, amount: fromVenue }, request.newId);
  return [{ step: 'add movements', movements: [refund] }, ...taken];
}

const mayBeSent = ({ status }: TransferState): boolean =>
  status === 'sending' || status === 'done' || status === 'closed';

/**
 * Takes money of a charge back from the venue. A charge has one transfer, and one more for each time that the money of a
 * lost dispute came back. What was not sent yet is taken first, because taking money back may fail.
 */
export function takeFromTransfers(
  transfers: readonly TransferState[],
  taken: Omit<NewMovement, 'id' | 'kind'>,
  newId: () => string,
): readonly Step[] {
  const ofCharge = transfers.filter(({ holdId }) => holdId === taken.holdId);
  const inOrder = [...ofCharge.filter((one) => !mayBeSent(one)), ...ofCharge.filter(mayBeSent)];
  const steps: Step[] = [];
  let rest = taken.amount;
  for (const transfer of inOrder) {
    const amount = Math.min(rest, transfer.left);
    if (amount === 0) continue;
    rest -= amount;
    steps.push(takeFromTransfer(transfer, { ...taken, id: newId(), amount }));
  }
  if (rest > 0 && ofCharge.length > 0) throw new Error(`the transfers of hold ${taken.holdId} are ${rest} too small`);
  return steps;
}

/** Reduces a transfer that was not sent, or reverses one that may have been. */
function takeFromTransfer(transfer: TransferState, taken: Omit<NewMovement, 'kind'>): Step {
  const { id, amount } = transfer;
  if (mayBeSent(transfer)) {
    const reversal: NewMovement = { ...taken, kind: 'reversal', feePart: 0, reversedTransferId: id };
    return { step: 'add movements', movements: [reversal] };
  }
  return taken.amount === amount
    ? { step: 'drop transfer', id, from: transfer.status, amount }
    : { step: 'reduce transfer', id, by: taken.amount };
}

/**
 * How much of the next `amount` of a share comes out of our fee. What came back of several disputes was rounded for each of
 * them, so the venue may have a cent less left, or more, than the exact proportion says.
 */
export function takenFee(
  share: ShareState,
  fee: number,
  amount: number,
  transfers: readonly TransferState[],
  holdId: string,
): number {
  const ofVenue = transfers.reduce((sum, one) => sum + (one.holdId === holdId ? one.left : 0), 0);
  return Math.min(amountLeft(share) - ofVenue, Math.max(feePartOf(share, fee, amount), amount - ofVenue));
}

/** How much of the next `amount` of a share comes out of its fee: in proportion to all that it has lost, rounded down. */
export function feePartOf(share: ShareState, fee: number, amount: number): number {
  const before = share.refundedAmount + share.lostAmount;
  const lostFee = (total: number): number => proportionRoundedDown(fee, total, share.amount);
  return lostFee(before + amount) - lostFee(before);
}

export interface CancellationRule {
  readonly hours_before: number;
  readonly refund_pct: number;
}

/** The rule of a cancellation policy that counts, `hoursAhead` of the start: the met one with the most hours. */
export function ruleByPolicy(rules: readonly CancellationRule[], hoursAhead: number): CancellationRule | null {
  const met = rules.filter(({ hours_before }) => hoursAhead >= hours_before);
  return met.reduce<CancellationRule | null>(
    (best, rule) => (best === null || rule.hours_before > best.hours_before ? rule : best),
    null,
  );
}
