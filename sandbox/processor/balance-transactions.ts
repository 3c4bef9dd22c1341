// Balance transactions: how a charge, refund, transfer or reversal changed the platform's balance, and the processor's
// own fee. Each is derived from the object that caused it (`txn_` and the rest of that object's id), so none is stored.

import { notFound } from './api-error.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { ChargeRow } from './row-types.ts';

/** Stripe's list price in the US for cards: 2.9 %, rounded half up to the minor unit, and 30. A refund returns none of it. */
export function chargeFee(amount: number): number {
  return Math.floor((amount * 29 + 500) / 1000) + 30;
}

/** The balance transaction of some charges is known only some time after the capture. */
export function isSettled(context: Pick<RenderContext, 'now'>, charge: ChargeRow): boolean {
  return charge.captured && (charge.settlesAt ?? 0) <= context.now;
}

interface Change {
  readonly type: 'charge' | 'refund' | 'transfer' | 'transfer_refund';
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
  if (reversal === undefined) return undefined;
  return { ...outgoing('transfer_refund', reversal), amount: reversal.amount };
}

function outgoing(
  type: Change['type'],
  row: { readonly id: string; readonly created: number; readonly currency: string; readonly amount: number },
): Change {
  return { type, amount: -row.amount, fee: 0, currency: row.currency, source: row.id, created: row.created };
}

function toBalanceTransaction(id: string, { type, amount, fee, currency, source, created }: Change): StripeObject {
  const details = {
    amount: fee,
    application: null,
    currency,
    description: 'Stripe processing fees',
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
    description: null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [details],
    net: amount - fee,
    reporting_category: type === 'transfer_refund' ? 'transfer_reversal' : type,
    source,
    status: 'available',
    type,
  };
}
