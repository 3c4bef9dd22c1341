// Refunds of captured charges, in full or in part. The sum of a charge's refunds never exceeds what was captured, and a
// charge with an open or lost dispute is not refunded. A refund may be pending at first, and may fail after it succeeded.
// One that the platform's balance does not cover is debited from its bank account, or waits for funds, by a setting.

import { operationFailed } from './api-error.ts';
import { platformBalance, platformBalances } from './balances.ts';
import { cardByName } from './cards.ts';
import { findCharge, isRefundable } from './disputes.ts';
import type { Params } from './form-params.ts';
import { formatAmount, type RenderContext, type StripeObject, toCharge } from './payment-objects.ts';
import type { ChargeRow, RefundRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export function createRefund(tx: Transaction, params: Params): StripeObject {
  const charge = findCharge(tx, params);
  const requested = params.positive('amount');
  const reason = params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']);
  if (charge === null || charge.failure !== null || !charge.captured) {
    const subject = charge === null ? 'This PaymentIntent' : `The PaymentIntent ${charge.intent}`;
    throw operationFailed('charge_not_refundable', `${subject} does not have a successful charge to refund.`);
  }
  rejectDisputed(tx, charge);
  const left = charge.amountCaptured - charge.refunded;
  if (left === 0) throw operationFailed('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  const amount = requested ?? left;
  if (amount > left) {
    const [asked, unrefunded] = [formatAmount(amount, charge.currency), formatAmount(left, charge.currency)];
    const message = `Refund amount (${asked}) is greater than unrefunded amount on charge (${unrefunded})`;
    throw operationFailed('amount_too_large', message, { param: 'amount' });
  }
  const refund = tx.put('refunds', {
    id: tx.newId('re'),
    created: tx.now,
    charge: charge.id,
    intent: charge.intent,
    amount,
    currency: charge.currency,
    reason,
    metadata: params.metadata(),
    ...(isCovered(tx, charge.currency, amount) ? firstStatus(tx, charge) : waitForFunds(tx)),
  });
  const refunded = tx.put('charges', { ...charge, refunded: charge.refunded + amount });
  const object = toRefund(tx, refund);
  tx.recordEvent('refund.created', object);
  tx.recordEvent('charge.refunded', toCharge(tx, refunded));
  return object;
}

const REFUND_CHANGE_SECONDS = 30;

function firstStatus(tx: Transaction, { method }: ChargeRow): Pick<RefundRow, 'status' | 'next'> {
  const { refund } = cardByName(tx.find('methods', method)?.card ?? '');
  if (refund === undefined) return {};
  return { status: refund.first, next: { status: refund.later, at: tx.now + REFUND_CHANGE_SECONDS } };
}

/** Stripe gives up a refund that waits for funds; after how long is a guess. */
const MAX_WAIT_SECONDS = 30 * 86_400;

const refundsWait = (tx: Transaction): boolean => tx.find('payoutSettings', 'refunds')?.refundsWait === true;

const isCovered = (tx: Transaction, currency: string, amount: number): boolean =>
  !refundsWait(tx) || amount <= platformBalance(tx, currency);

const waitForFunds = (tx: Transaction): Pick<RefundRow, 'status' | 'next' | 'waitsForFunds'> => ({
  status: 'pending',
  waitsForFunds: true,
  next: { status: 'failed', at: tx.now + MAX_WAIT_SECONDS },
});

/** Pays the refunds that wait, oldest first, as far as the balance covers them now. That order is a guess. */
export function fundRefunds(tx: Transaction, ids: Iterable<string>): void {
  const available = new Map(platformBalances(tx));
  const mustWait = refundsWait(tx);
  for (const id of ids) {
    const { waitsForFunds, ...refund } = tx.require('refunds', id);
    const left = available.get(refund.currency) ?? 0;
    if (waitsForFunds !== true || (mustWait && refund.amount > left)) continue;
    available.set(refund.currency, left - refund.amount);
    const first = firstStatus(tx, tx.require('charges', refund.charge));
    const { status = 'succeeded', next = null } = first;
    recordChange(tx, tx.put('refunds', { ...refund, status, next }));
  }
}

/**
 * A refund that was pending succeeds, or one that had succeeded fails: then its money is back on the platform's balance.
 * That the charge counts as not refunded again is a guess about Stripe.
 */
export function changeRefund(tx: Transaction, refund: RefundRow): void {
  if (refund.next === undefined || refund.next === null) return;
  const { status } = refund.next;
  const { waitsForFunds, ...row } = refund;
  const lacked = waitsForFunds === true ? { lackedFunds: true } : {};
  const changed = tx.put('refunds', { ...row, ...lacked, status, next: null });
  if (status === 'failed') {
    const charge = tx.require('charges', refund.charge);
    tx.put('charges', { ...charge, refunded: charge.refunded - refund.amount });
  }
  recordChange(tx, changed);
}

function recordChange(tx: Transaction, changed: RefundRow): void {
  const object = toRefund(tx, changed);
  if (changed.status === 'failed') tx.recordEvent('refund.failed', object);
  tx.recordEvent('refund.updated', object);
  tx.recordEvent('charge.refund.updated', object);
}

/** An inquiry does not keep a charge from being refunded: Stripe's guide recommends it, and `is_charge_refundable` says so. */
function rejectDisputed(tx: Transaction, charge: ChargeRow): void {
  if (tx.changes.committed.disputes.findByIndex(charge.id).every(isRefundable)) return;
  throw operationFailed('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`);
}

export function toRefund(context: RenderContext, row: RefundRow): StripeObject {
  const charge = context.find('charges', row.charge);
  const { status = 'succeeded' } = row;
  const failure = {
    failure_balance_transaction: `txn_${row.id.slice(3)}_failed`,
    failure_reason: row.lackedFunds === true ? 'insufficient_funds' : 'expired_or_canceled_card',
  };
  return {
    id: row.id,
    object: 'refund',
    amount: row.amount,
    balance_transaction: row.waitsForFunds === true ? null : `txn_${row.id.slice(3)}`,
    charge: row.charge,
    created: row.created,
    currency: row.currency,
    customer: charge?.customer ?? null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    ...(status === 'failed' ? failure : {}),
    metadata: row.metadata,
    payment_intent: row.intent,
    payment_method: charge?.method ?? null,
    ...(status === 'pending'
      ? { pending_reason: row.waitsForFunds === true ? 'insufficient_funds' : 'processing' }
      : {}),
    reason: row.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  };
}
