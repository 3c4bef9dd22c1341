// The loss of a dispute. Pure. The loss is divided like a refund: the venue bears its part, and our fee of that part is
// lost too. The venue's part comes out of a transfer that was not sent yet, or reverses one that was.

import { feeParts } from '../capture/decide-capture.ts';
import { type LockedCheckout, shareOf } from '../locked-checkout.ts';
import { amountLeft, feePartOf, type TransferState, takeFromTransfer } from '../refunds/decide-refund.ts';
import type { Step } from '../steps.ts';

export interface LostDispute {
  readonly id: string;
  readonly shareId: string;
  readonly holdId: string;
  readonly amount: number;
}

/** Empty: the checkout has not earned this money, so there is nothing to divide, and an operator must look at it. */
export function decideLostDispute(
  checkout: LockedCheckout,
  transfers: readonly TransferState[],
  dispute: LostDispute,
  { now, newId }: { readonly now: number; readonly newId: () => string },
): readonly Step[] {
  const share = shareOf(checkout, dispute.shareId);
  if (checkout.status !== 'completed' || share === undefined || dispute.amount > amountLeft(share)) return [];
  const feePart = feePartOf(share, feeParts(checkout).get(share.id) ?? 0, dispute.amount);
  const venuePart = dispute.amount - feePart;
  const steps: Step[] = [
    { step: 'lose dispute', disputeId: dispute.id, shareId: share.id, venuePart, feePart },
    {
      step: 'post entries',
      entries: [
        { kind: 'dispute_lost', subject: dispute.id, amount: venuePart },
        { kind: 'dispute_fee_lost', subject: dispute.id, amount: feePart },
      ],
    },
  ];
  const transfer = transfers.find(({ holdId }) => holdId === dispute.holdId);
  if (venuePart === 0 || transfer === undefined) return steps;
  const taken = {
    id: newId(),
    shareId: share.id,
    holdId: dispute.holdId,
    amount: venuePart,
    feePart: 0,
    reversedTransferId: null,
    reason: 'dispute_lost',
    dueAt: now,
  };
  return [...steps, takeFromTransfer(transfer, taken)];
}
