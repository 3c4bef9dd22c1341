// Disputes: opened by a test card or by the test helper, closed by the test helpers or by accepting them. While a
// dispute is open or lost, its amount is out of the platform's balance and the charge cannot be refunded. The dispute's
// fee stays out of the balance when it is won. An inquiry moves no money, and becomes a dispute or is closed. A guest may
// take a dispute back after it was lost (Stripe's answers on lost disputes), and may dispute a charge again.

import { operationFailed } from './api-error.ts';
import { disputeTransactions } from './balance-transactions.ts';
import type { Params } from './form-params.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { ChargeRow, DisputeRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

/** Stripe's list price in the US. It is charged in the currency of the charge here. */
export const DISPUTE_FEE = 1500;

export function openDispute(
  tx: Transaction,
  charge: ChargeRow,
  amount: number,
  reason: string,
  isInquiry = false,
): DisputeRow {
  const dispute = tx.put('disputes', {
    id: tx.newId('du'),
    created: tx.now,
    charge: charge.id,
    intent: charge.intent,
    amount,
    currency: charge.currency,
    reason,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
    metadata: {},
    fee: DISPUTE_FEE,
    ...(isInquiry ? { isInquiry } : {}),
  });
  tx.put('charges', { ...charge, dispute: dispute.id });
  const object = toDispute(tx, dispute);
  tx.recordEvent('charge.dispute.created', object);
  if (!isInquiry) tx.recordEvent('charge.dispute.funds_withdrawn', object);
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
  const earlier = tx.changes.committed.disputes.findByIndex(charge.id);
  if (earlier.some(({ status }) => !ENDED.has(status))) {
    throw operationFailed('charge_disputed', `Charge ${charge.id} has been disputed already.`);
  }
  // A bank may dispute the whole charge although a part of it was refunded.
  const lost = earlier.reduce((sum, dispute) => sum + lostOf(dispute), 0);
  const left = Math.max(0, charge.amountCaptured - charge.refunded - lost);
  // Stripe: the amount can differ from the charge, usually because a currency has moved.
  const most = left === 0 ? 0 : (charge.amountCaptured - lost) * (params.flag('exceeds_charge') === true ? 2 : 1);
  if (left === 0 || (requested ?? 0) > most) {
    throw operationFailed('amount_too_large', `Only ${most} of charge ${charge.id} can be disputed.`, {
      param: 'amount',
    });
  }
  return toDispute(tx, openDispute(tx, charge, requested ?? left, reason, params.flag('inquiry') === true));
}

const ENDED: ReadonlySet<DisputeRow['status']> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

/** Of an ended dispute: what the guest has by it. */
function lostOf({ status, amount, reinstated = 0, reinstatedLater = 0 }: DisputeRow): number {
  return status === 'lost' || status === 'prevented' ? amount - reinstated - reinstatedLater : 0;
}

export function isRefundable({ status, isInquiry }: DisputeRow): boolean {
  return status === 'won' || isInquiry === true;
}

/** The guest's bank has turned the inquiry into a dispute. */
export function escalateInquiry(tx: Transaction, id: string): StripeObject {
  const dispute = requireInquiry(tx, id);
  const object = toDispute(tx, tx.put('disputes', { ...dispute, status: 'needs_response', isInquiry: false }));
  tx.recordEvent('charge.dispute.updated', object);
  tx.recordEvent('charge.dispute.funds_withdrawn', object);
  return object;
}

/** The inquiry has ended without a dispute: Stripe closes it after 120 days, or when the charge was refunded. */
export function closeInquiry(tx: Transaction, id: string): StripeObject {
  const closed = tx.put('disputes', { ...requireInquiry(tx, id), status: 'warning_closed', closedAt: tx.now });
  const object = toDispute(tx, closed);
  tx.recordEvent('charge.dispute.closed', object);
  return object;
}

function requireInquiry(tx: Transaction, id: string): DisputeRow {
  const dispute = tx.require('disputes', id);
  if (dispute.status === 'warning_needs_response') return dispute;
  throw operationFailed('dispute_closed', `Dispute ${id} is no open inquiry: it is ${dispute.status}.`);
}

/**
 * The guest takes a lost dispute back, completely or in part. That only `updated` and `funds_reinstated` are sent, and that
 * the status becomes `won`, are guesses; a part leaves the status as it is.
 */
export function takeBack(tx: Transaction, id: string, params: Params): StripeObject {
  const dispute = tx.require('disputes', id);
  const left = lostOf(dispute);
  const amount = params.positive('amount') ?? left;
  if (left === 0 || amount > left) {
    throw operationFailed('amount_too_large', `Only ${left} of dispute ${id} was lost.`, { param: 'amount' });
  }
  const reinstatedLater = (dispute.reinstatedLater ?? 0) + amount;
  const status = amount === left ? 'won' : dispute.status;
  // An older journal has no `reinstated`, and then its default would follow the new status.
  const reinstated = dispute.reinstated ?? 0;
  const object = toDispute(tx, tx.put('disputes', { ...dispute, status, reinstated, reinstatedLater }));
  tx.recordEvent('charge.dispute.updated', object);
  tx.recordEvent('charge.dispute.funds_reinstated', object);
  return object;
}

/**
 * Stripe gave the fee of a won dispute back until June 2025 and is reported to keep it since. `isFeeReturned` asks for the
 * former, whose second balance transaction then has a negative fee: a guess.
 */
export function closeDispute(
  tx: Transaction,
  id: string,
  status: 'won' | 'lost' | 'prevented',
  isFeeReturned = false,
): StripeObject {
  const dispute = tx.require('disputes', id);
  if (ENDED.has(dispute.status)) {
    throw operationFailed('dispute_closed', `Dispute ${id} is closed already: it was ${dispute.status}.`);
  }
  if (dispute.isInquiry === true) return closeInquiry(tx, id);
  const { amountCaptured, refunded } = tx.require('charges', dispute.charge);
  // What the guest had by a refund already comes back to the platform, although the dispute is lost.
  const refundedToo = Math.min(refunded, Math.max(0, dispute.amount - (amountCaptured - refunded)));
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
      due_by: row.status.endsWith('needs_response') ? row.created + EVIDENCE_SECONDS : null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: row.isInquiry === true,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    payment_intent: row.intent,
    reason: row.reason,
    status: row.status,
  };
}
