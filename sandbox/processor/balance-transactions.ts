// Balance transactions: how a charge, refund, transfer, reversal, dispute or payout changed a balance, and the processor's
// own fee. Each is derived from the object that caused it (`txn_` and the rest of that object's id), so none is stored.

import { notFound } from './api-error.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { ChargeRow, DisputeRow } from './row-types.ts';

/** Stripe's list price in the US for cards: 2.9 %, rounded half up to the minor unit, and 30. A refund returns none of it. */
export function chargeFee(amount: number): number {
  return Math.floor((amount * 29 + 500) / 1000) + 30;
}

/** The balance transaction of some charges is known only some time after the capture. */
export function isSettled(context: Pick<RenderContext, 'now'>, charge: ChargeRow): boolean {
  return charge.captured && (charge.settlesAt ?? 0) <= context.now;
}

interface Change {
  readonly type: 'charge' | 'refund' | 'transfer' | 'transfer_refund' | 'adjustment' | 'payout' | 'topup';
  /** What reports call it, where that is not its type. */
  readonly category?: string;
  readonly description?: string;
  readonly amount: number;
  readonly fee: number;
  readonly currency: string;
  readonly source: string;
  readonly created: number;
}

/** Undefined: there is no such balance transaction, or not yet. */
export function findBalanceTransaction(context: RenderContext, id: string): StripeObject | undefined {
  const change = findChange(context, id.slice('txn_'.length));
  return change && toBalanceTransaction(id, change);
}

export function retrieveBalanceTransaction(context: RenderContext, id: string): StripeObject {
  const found = findBalanceTransaction(context, id);
  if (found === undefined) throw notFound('balance transaction', id);
  return found;
}

function findChange(context: RenderContext, rest: string): Change | undefined {
  const charge = context.find('charges', `ch_${rest}`);
  if (charge !== undefined) {
    if (!isSettled(context, charge)) return undefined;
    const { id, created, currency, amountCaptured: amount } = charge;
    return { type: 'charge', amount, fee: chargeFee(amount), currency, source: id, created };
  }
  const refund = context.find('refunds', `re_${rest}`);
  if (refund !== undefined) return outgoing('refund', refund);
  const transfer = context.find('transfers', `tr_${rest}`);
  if (transfer !== undefined) return outgoing('transfer', transfer);
  const reversal = context.find('reversals', `trr_${rest}`);
  if (reversal !== undefined) {
    return { ...outgoing('transfer_refund', reversal), amount: reversal.amount, category: 'transfer_reversal' };
  }
  const topUp = context.find('topUps', `tu_${rest}`);
  if (topUp !== undefined) return { ...outgoing('topup', topUp), amount: topUp.amount };
  const payout = context.find('payouts', `po_${rest}`);
  if (payout !== undefined) return outgoing('payout', payout);
  const dispute = context.find('disputes', `du_${rest.replace(/_(won|later)$/, '')}`);
  return dispute && disputeChanges(dispute).find(({ id }) => id === `txn_${rest}`)?.change;
}

/** The dispute's amount and fee as they were withdrawn, and as they were given back. */
export function disputeTransactions(dispute: DisputeRow): StripeObject[] {
  return disputeChanges(dispute).map(({ id, change }) => toBalanceTransaction(id, change));
}

/** How a dispute has changed the platform's balance, its fee included. */
export function disputeBalance(dispute: DisputeRow): number {
  return disputeChanges(dispute).reduce((sum, { change }) => sum + change.amount - change.fee, 0);
}

/**
 * A withdrawal, and what was given back. Stripe documents up to two of them; that a dispute which was given back in part is
 * given back completely by a third is a guess.
 */
function disputeChanges(dispute: DisputeRow): { readonly id: string; readonly change: Change }[] {
  const { id, created, amount, currency, fee = 0, isFeeReturned, closedAt = created, reinstatedLater = 0 } = dispute;
  if (dispute.isInquiry === true) return [];
  const withdrawal: Change = {
    type: 'adjustment',
    category: 'dispute',
    description: `Chargeback withdrawal for ${dispute.charge}`,
    amount: -amount,
    fee,
    currency,
    source: id,
    created,
  };
  const changes = [{ id: `txn_${id.slice(3)}`, change: withdrawal }];
  const reinstated = dispute.reinstated ?? (dispute.status === 'won' ? amount : 0);
  const reversal: Change = {
    ...withdrawal,
    category: 'dispute_reversal',
    description: `Chargeback reversal for ${dispute.charge}`,
    amount: reinstated,
    // Not `-fee` alone: JSON has no use for a negative zero.
    fee: isFeeReturned === true && fee > 0 ? -fee : 0,
    created: closedAt,
  };
  if (reinstated > 0) changes.push({ id: `txn_${id.slice(3)}_won`, change: reversal });
  if (reinstatedLater > 0) {
    changes.push({ id: `txn_${id.slice(3)}_later`, change: { ...reversal, amount: reinstatedLater, fee: 0 } });
  }
  return changes;
}

function outgoing(
  type: Change['type'],
  row: { readonly id: string; readonly created: number; readonly currency: string; readonly amount: number },
): Change {
  return { type, amount: -row.amount, fee: 0, currency: row.currency, source: row.id, created: row.created };
}

function toBalanceTransaction(id: string, change: Change): StripeObject {
  const { type, category = type, amount, fee, currency, source, created } = change;
  const details = {
    amount: fee,
    application: null,
    currency,
    description: type === 'adjustment' ? 'Dispute fee' : 'Stripe processing fees',
    type: 'stripe_fee',
  };
  return {
    id,
    object: 'balance_transaction',
    amount,
    available_on: created,
    balance_type: 'payments',
    created,
    currency,
    description: change.description ?? null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [details],
    net: amount - fee,
    reporting_category: category,
    source,
    status: 'available',
    type,
  };
}
