// Disputes: opened by a test card or by the test helper, closed by the test helpers or by accepting them. While a
// dispute is open or lost, its amount is out of the platform's balance and the charge cannot be refunded. The dispute's
// fee stays out of the balance when it is won.

import { operationFailed } from './api-error.ts';
import { disputeTransactions } from './balance-transactions.ts';
import type { Params } from './form-params.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { ChargeRow, DisputeRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

/** Stripe's list price in the US. It is charged in the currency of the charge here. */
export const DISPUTE_FEE = 1500;

export function openDispute(tx: Transaction, charge: ChargeRow, amount: number, reason: string): DisputeRow {
  const dispute = tx.put('disputes', {
    id: tx.newId('du'),
    created: tx.now,
    charge: charge.id,
    intent: charge.intent,
    amount,
    currency: charge.currency,
    reason,
    status: 'needs_response',
    metadata: {},
    fee: DISPUTE_FEE,
  });
  tx.put('charges', { ...charge, dispute: dispute.id });
  const object = toDispute(tx, dispute);
  tx.recordEvent('charge.dispute.created', object);
  tx.recordEvent('charge.dispute.funds_withdrawn', object);
  return dispute;
}

/** The charge that `charge` or `payment_intent` names. */
export function findCharge(tx: Transaction, params: Params): ChargeRow | null {
  const chargeId = params.text('charge');
  if (chargeId !== null) return tx.require('charges', chargeId, 'charge');
  const intent = tx.require('intents', params.requireText('payment_intent'), 'payment_intent');
  return intent.charge === null ? null : tx.require('charges', intent.charge);
}

export function createDispute(tx: Transaction, params: Params): StripeObject {
  const charge = findCharge(tx, params);
  const requested = params.positive('amount');
  const reason = params.text('reason') ?? 'fraudulent';
  if (charge === null || !charge.captured) {
    throw operationFailed('charge_not_refundable', 'Only a captured charge can be disputed.');
  }
  if (charge.dispute !== null)
    throw operationFailed('charge_disputed', `Charge ${charge.id} has been disputed already.`);
  // A bank may dispute the whole charge although a part of it was refunded.
  const left = charge.amountCaptured - charge.refunded;
  if (left === 0 || (requested ?? 0) > charge.amountCaptured) {
    const most = left === 0 ? 0 : charge.amountCaptured;
    throw operationFailed('amount_too_large', `Only ${most} of charge ${charge.id} can be disputed.`, {
      param: 'amount',
    });
  }
  return toDispute(tx, openDispute(tx, charge, requested ?? left, reason));
}

/**
 * Stripe gave the fee of a won dispute back until June 2025 and is reported to keep it since. `isFeeReturned` asks for the
 * former, whose second balance transaction then has a negative fee: a guess.
 */
export function closeDispute(tx: Transaction, id: string, status: 'won' | 'lost', isFeeReturned = false): StripeObject {
  const dispute = tx.require('disputes', id);
  if (dispute.status === 'won' || dispute.status === 'lost') {
    throw operationFailed('dispute_closed', `Dispute ${id} is closed already: it was ${dispute.status}.`);
  }
  const { amountCaptured, refunded } = tx.require('charges', dispute.charge);
  // What the guest had by a refund already comes back to the platform, although the dispute is lost.
  const refundedToo = Math.max(0, dispute.amount - (amountCaptured - refunded));
  const reinstated = status === 'won' ? dispute.amount : refundedToo;
  const closed = tx.put('disputes', { ...dispute, status, reinstated, isFeeReturned, closedAt: tx.now });
  const object = toDispute(tx, closed);
  tx.recordEvent('charge.dispute.updated', object);
  if (reinstated > 0) tx.recordEvent('charge.dispute.funds_reinstated', object);
  tx.recordEvent('charge.dispute.closed', object);
  return object;
}

/** The platform sends no evidence here, so every field is empty. */
const NO_EVIDENCE = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

const EVIDENCE_SECONDS = 7 * 86_400;

export function toDispute(context: RenderContext, row: DisputeRow): StripeObject {
  return {
    id: row.id,
    object: 'dispute',
    amount: row.amount,
    balance_transactions: disputeTransactions(row),
    charge: row.charge,
    created: row.created,
    currency: row.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: row.status === 'needs_response' ? row.created + EVIDENCE_SECONDS : null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    payment_intent: row.intent,
    reason: row.reason,
    status: row.status,
  };
}
