// Refunds of captured charges, in full or in part. The sum of a charge's refunds never exceeds what was captured, and a
// charge with an open or lost dispute is not refunded.

import { operationFailed } from './api-error.ts';
import { findCharge } from './disputes.ts';
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
  });
  const refunded = tx.put('charges', { ...charge, refunded: charge.refunded + amount });
  const object = toRefund(tx, refund);
  tx.recordEvent('refund.created', object);
  tx.recordEvent('charge.refunded', toCharge(tx, refunded));
  return object;
}

function rejectDisputed(tx: Transaction, charge: ChargeRow): void {
  if (charge.dispute === null || tx.require('disputes', charge.dispute).status === 'won') return;
  throw operationFailed('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`);
}

export function toRefund(context: RenderContext, row: RefundRow): StripeObject {
  const charge = context.find('charges', row.charge);
  return {
    id: row.id,
    object: 'refund',
    amount: row.amount,
    balance_transaction: `txn_${row.id.slice(3)}`,
    charge: row.charge,
    created: row.created,
    currency: row.currency,
    customer: charge?.customer ?? null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: row.metadata,
    payment_intent: row.intent,
    payment_method: charge?.method ?? null,
    reason: row.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
