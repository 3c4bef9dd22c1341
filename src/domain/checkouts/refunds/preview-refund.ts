// What a refund would do, to the cent, without doing it: for each share, and for the fee and the payout. It runs the
// decision of the refund itself (plan-refund.ts) on the checkout as it is now, and takes no lock.

import type { Refund, RefundPreview } from '../../../../schemas/types.gen.ts';
import type { Db } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { readTransfers } from '../../payments/movement-queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { readCheckout } from '../queries.ts';
import type { TransferState } from './decide-refund.ts';
import { planRefund, policyRefund, type RefundPlan } from './plan-refund.ts';

export async function previewRefund(
  { db }: { readonly db: Db },
  caller: Caller,
  { params: { id = '' }, body }: Input<Refund>,
): Promise<OperationResult> {
  const checkout = await readCheckout(db, caller.venue.id, id);
  if (checkout === null || checkout.mode !== caller.mode) throw notFound();
  const plan = await planRefund(db, caller, checkout, body, readTransfers);
  const byPolicy = await policyRefund(db, caller, checkout, body.starts_at);
  const policy: RefundPreview['options']['policy'] =
    byPolicy === null || byPolicy.amount <= 0
      ? null
      : {
          amount: Math.min(plan.left, byPolicy.amount),
          percent: byPolicy.percent,
          hours_before: byPolicy.hoursBefore,
          starts_at: new Date(byPolicy.startsAt).toISOString(),
        };
  const preview: RefundPreview = { ...previewOf(checkout, plan), options: { left: plan.left, policy } };
  return { status: 200, body: preview };
}

interface SharePart {
  now: number;
  feeReturned: number;
  notSentYet: number;
  takenBack: number;
}

/** What the steps of the plan do to each share. */
export function previewOf(checkout: LockedCheckout, plan: RefundPlan): Omit<RefundPreview, 'options'> {
  const parts = partsOf(checkout, plan);
  const sum = (field: keyof SharePart): number => [...parts.values()].reduce((total, part) => total + part[field], 0);
  const shares = checkout.shares.map(({ id, displayName, isOrganizer, amount, refundedAmount, lostAmount }) => {
    const { now, feeReturned, notSentYet, takenBack } = parts.get(id) ?? NOTHING;
    return {
      share_id: id,
      display_name: displayName,
      is_organizer: isOrganizer,
      amount,
      before: refundedAmount,
      now,
      after: refundedAmount + now,
      lost: lostAmount,
      still_paid: amount - refundedAmount - lostAmount - now,
      fee_returned: feeReturned,
      from_payout: notSentYet + takenBack,
      is_disputed: plan.inDispute.has(id),
    };
  });
  return {
    object: 'refund_preview',
    checkout_id: checkout.id,
    currency: checkout.currency as RefundPreview['currency'],
    decided_by: plan.decidedBy,
    amount: plan.amount,
    paid: checkout.amount,
    refunded_before: checkout.refundedAmount,
    left_before: plan.left,
    left_after: plan.left - plan.amount,
    fee_returned: sum('feeReturned'),
    from_payout: sum('notSentYet') + sum('takenBack'),
    not_sent_yet: sum('notSentYet'),
    taken_back: sum('takenBack'),
    shares,
  };
}

const NOTHING: SharePart = { now: 0, feeReturned: 0, notSentYet: 0, takenBack: 0 };

function partsOf(checkout: LockedCheckout, { steps, transfers }: RefundPlan): ReadonlyMap<string, SharePart> {
  const parts = new Map(checkout.shares.map(({ id }) => [id, { ...NOTHING }]));
  const add = (shareId: string, field: keyof SharePart, amount: number): void => {
    const part = parts.get(shareId);
    if (part === undefined) throw new Error(`the refund names share ${shareId}, which is not in the party`);
    part[field] += amount;
  };
  for (const step of steps) {
    if (step.step === 'refund shares') for (const [id, amount] of step.amounts) add(id, 'now', amount);
    if (step.step === 'reduce transfer') add(shareOfTransfer(checkout, transfers, step.id), 'notSentYet', step.by);
    if (step.step === 'drop transfer') add(shareOfTransfer(checkout, transfers, step.id), 'notSentYet', step.amount);
    if (step.step !== 'add movements') continue;
    for (const { kind, shareId, amount, feePart } of step.movements) {
      if (kind === 'refund') add(shareId, 'feeReturned', feePart);
      if (kind === 'reversal') add(shareId, 'takenBack', amount);
    }
  }
  return parts;
}

function shareOfTransfer({ holds }: LockedCheckout, transfers: readonly TransferState[], id: string): string {
  const transfer = transfers.find((one) => one.id === id);
  return holds.find((hold) => hold.id === transfer?.holdId)?.shareId ?? '';
}
