// The life of a hold: the card is authorized, perhaps after its owner approves (3-D Secure), then captured, canceled or
// expired. Every change of a payment intent's status that moves money is in this file.

import { ApiError, operationFailed } from './api-error.ts';
import { type CardDecline, cardByName, declines, type TestCard } from './cards.ts';
import { openDispute } from './disputes.ts';
import { toCharge, toPaymentIntent, toPublicPaymentIntent } from './payment-objects.ts';
import type { CardFailure, ChargeRow, IntentRow, MethodRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

const DAY = 86_400;
const HOLD_SECONDS = 7 * DAY;
/** Of a Visa payment that the merchant begins without the card's owner. */
const VISA_OFF_SESSION_HOLD_SECONDS = 4 * DAY + 18 * 3_600;
const EXTENDED_HOLD_SECONDS = 30 * DAY;

export interface AuthorizationOptions {
  readonly isOffSession: boolean;
  readonly returnUrl: string | null;
  /** The caller is a browser that has only a publishable key. */
  readonly isPublishable: boolean;
}

/** Authorizes the card. Records a decline before throwing it. */
export function authorizeCard(
  tx: Transaction,
  current: IntentRow,
  method: MethodRow,
  options: AuthorizationOptions,
): IntentRow {
  const card = cardByName(method.card);
  const intent: IntentRow = {
    ...current,
    method: method.id,
    returnUrl: options.returnUrl,
    offSession: options.isOffSession,
  };
  const decline =
    card.decline ??
    (options.isOffSession ? card.declineOffSession : undefined) ??
    (card.hasOneHoldAtATime === true && hasOtherHold(tx, intent, method) ? declines.funds : undefined);
  if (decline !== undefined) throw declineCard(tx, intent, method, decline, options.isPublishable);
  if (card.authentication === 'always' && !options.isOffSession) {
    const challenged = tx.put('intents', {
      ...intent,
      status: 'requires_action',
      challenge: tx.newToken(),
      failure: null,
    });
    tx.recordEvent('payment_intent.requires_action', toPaymentIntent(tx, challenged));
    return challenged;
  }
  return approveCard(tx, intent, method, card, false);
}

/**
 * Whether the card holds money already. All testers share a test number, so payments count as one person's if they have
 * the same saved payment method, customer or transfer group.
 */
function hasOtherHold(tx: Transaction, intent: IntentRow, method: MethodRow): boolean {
  for (const charge of tx.changes.committed.charges.newestFirst()) {
    const { failure, captured, released, customer, group } = charge;
    if (failure !== null || captured || released || charge.intent === intent.id) continue;
    if (tx.find('methods', charge.method)?.card !== method.card) continue;
    const isSameCustomer = customer !== null && customer === intent.customer;
    const isSameGroup = group !== null && group === intent.group;
    if (charge.method === method.id || isSameCustomer || isSameGroup) return true;
  }
  return false;
}

function holdSecondsOf(card: TestCard, intent: IntentRow, isExtended: boolean): number {
  if (card.holdSeconds !== undefined) return card.holdSeconds;
  if (isExtended) return EXTENDED_HOLD_SECONDS;
  return card.brand === 'visa' && intent.offSession ? VISA_OFF_SESSION_HOLD_SECONDS : HOLD_SECONDS;
}

/** Applies the owner's answer on the 3-D Secure page. Does not throw a decline: the page shows the result. */
export function completeChallenge(tx: Transaction, intent: IntentRow, isApproved: boolean): IntentRow {
  const method = tx.require('methods', intent.method ?? '');
  const card = cardByName(method.card);
  const decline = isApproved ? card.declineAfterAuthentication : declines.failedAuthentication;
  if (decline !== undefined) return recordDecline(tx, intent, method, decline);
  return approveCard(tx, intent, method, card, true);
}

function recordDecline(tx: Transaction, intent: IntentRow, method: MethodRow, decline: CardDecline): IntentRow {
  // Without the owner's approval the card network is not asked, so there is no charge.
  const isAttempted = decline !== declines.failedAuthentication;
  const charge = isAttempted ? createCharge(tx, intent, method, decline, false) : null;
  const failed = tx.put('intents', {
    ...intent,
    status: 'requires_payment_method',
    method: null,
    challenge: null,
    charge: charge?.id ?? intent.charge,
    failure: { ...failureOf(decline), charge: charge?.id ?? null, method: method.id },
  });
  tx.recordEvent('payment_intent.payment_failed', toPaymentIntent(tx, failed));
  return failed;
}

function failureOf({ code, declineCode, adviceCode, message }: CardDecline): CardFailure {
  return { code, decline: declineCode, ...(adviceCode === undefined ? {} : { advice: adviceCode }), message };
}

function declineCard(
  tx: Transaction,
  intent: IntentRow,
  method: MethodRow,
  decline: CardDecline,
  isPublishable: boolean,
): ApiError {
  const failed = recordDecline(tx, intent, method, decline);
  return cardError(tx, failed, decline, isPublishable);
}

function cardError(tx: Transaction, intent: IntentRow, decline: CardDecline, isPublishable: boolean): ApiError {
  const error = {
    type: 'card_error' as const,
    code: decline.code,
    ...(decline.declineCode === null ? {} : { decline_code: decline.declineCode }),
    ...(decline.adviceCode === undefined ? {} : { advice_code: decline.adviceCode }),
    message: decline.message,
    ...(intent.charge === null || isPublishable ? {} : { charge: intent.charge }),
    payment_intent: isPublishable ? toPublicPaymentIntent(tx, intent) : toPaymentIntent(tx, intent),
  };
  return new ApiError(402, error, true);
}

function createCharge(
  tx: Transaction,
  intent: IntentRow,
  method: MethodRow,
  failure: CardDecline | null,
  authenticated: boolean,
): ChargeRow {
  const card = cardByName(method.card);
  const isHold = failure === null && intent.capture === 'manual';
  const isExtended = isHold && intent.asksForExtension === true && card.canExtendHold === true;
  return tx.put('charges', {
    id: tx.newId('ch'),
    created: tx.now,
    intent: intent.id,
    amount: card.isPartiallyAuthorized === true && failure === null ? Math.ceil(intent.amount / 2) : intent.amount,
    currency: intent.currency,
    customer: intent.customer,
    method: method.id,
    description: intent.description,
    group: intent.group,
    metadata: intent.metadata,
    failure: failure === null ? null : failureOf(failure),
    authenticated,
    captured: false,
    amountCaptured: 0,
    refunded: 0,
    released: false,
    transferred: 0,
    dispute: null,
    captureBefore: isHold ? tx.now + holdSecondsOf(card, intent, isExtended) : null,
    isExtended,
    captureTries: 0,
  });
}

function approveCard(
  tx: Transaction,
  intent: IntentRow,
  method: MethodRow,
  card: TestCard,
  authenticated: boolean,
): IntentRow {
  const charge = createCharge(tx, intent, method, null, authenticated);
  // A payment method without a customer pays once. `setup_future_usage` attaches it to the intent's customer.
  if (method.customer === null) {
    const isSaved = intent.customer !== null && intent.futureUse !== null;
    tx.put('methods', { ...method, ...(isSaved ? { customer: intent.customer } : { isSpent: true }) });
  }
  const approved: IntentRow = { ...intent, charge: charge.id, failure: null, challenge: null };
  if (intent.capture !== 'manual') return captureCharge(tx, approved, charge, charge.amount, card);
  const held = tx.put('intents', { ...approved, status: 'requires_capture', capturable: charge.amount });
  tx.recordEvent('payment_intent.amount_capturable_updated', toPaymentIntent(tx, held));
  return held;
}

function captureCharge(
  tx: Transaction,
  intent: IntentRow,
  charge: ChargeRow,
  amount: number,
  card: TestCard,
): IntentRow {
  const { settlesAfterSeconds: delay } = card;
  const settles = delay === undefined ? {} : { settlesAt: tx.now + delay };
  const captured = tx.put('charges', { ...charge, captured: true, amountCaptured: amount, ...settles });
  const paid = tx.put('intents', { ...intent, status: 'succeeded', capturable: 0, received: amount });
  if (intent.capture === 'manual') tx.recordEvent('charge.captured', toCharge(tx, captured));
  else tx.recordEvent('charge.succeeded', toCharge(tx, captured));
  tx.recordEvent('payment_intent.succeeded', toPaymentIntent(tx, paid));
  if (card.disputeReason !== undefined) openDispute(tx, captured, amount, card.disputeReason);
  return paid;
}

export function captureHold(tx: Transaction, intent: IntentRow, requested: number | null): IntentRow {
  if (intent.status !== 'requires_capture') {
    const why =
      intent.status === 'succeeded'
        ? 'it has already been captured'
        : `it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be captured: requires_capture`;
    throw unexpectedState(tx, intent, `This PaymentIntent could not be captured because ${why}.`);
  }
  const amount = requested ?? intent.capturable;
  if (amount > intent.capturable) {
    const message = `The amount_to_capture (${amount}) is greater than the amount that can be captured (${intent.capturable}).`;
    throw operationFailed('amount_too_large', message, { param: 'amount_to_capture' });
  }
  const charge = tx.require('charges', intent.charge ?? '');
  const card = cardByName(tx.require('methods', charge.method).card);
  const failures = card.failingCaptures ?? 0;
  if (card.captureDecline !== undefined && (failures < 0 || charge.captureTries < failures)) {
    tx.put('charges', { ...charge, captureTries: charge.captureTries + 1 });
    throw cardError(tx, intent, card.captureDecline, false);
  }
  return captureCharge(tx, intent, charge, amount, card);
}

export function unexpectedState(tx: Transaction, intent: IntentRow, message: string): ApiError {
  return operationFailed('payment_intent_unexpected_state', message, { payment_intent: toPaymentIntent(tx, intent) });
}

/** Cancels an intent and releases its hold: on request, or because the hold expired. */
export function releaseHold(tx: Transaction, intent: IntentRow, reason: string | null): IntentRow {
  if (intent.charge !== null) {
    const charge = tx.require('charges', intent.charge);
    if (charge.failure === null) tx.put('charges', { ...charge, released: true });
  }
  const canceled = tx.put('intents', {
    ...intent,
    status: 'canceled',
    capturable: 0,
    challenge: null,
    canceledAt: tx.now,
    cancelReason: reason,
  });
  tx.recordEvent('payment_intent.canceled', toPaymentIntent(tx, canceled));
  return canceled;
}
