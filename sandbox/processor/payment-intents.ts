// Operations on payment intents: create, update, confirm, capture, cancel. Reads and checks parameters and the intent's
// status; holds.ts moves the money.

import { ApiError, invalidRequest, notFound, operationFailed } from './api-error.ts';
import { cardByNumber, cardByToken, declines, isCardNumber } from './cards.ts';
import type { Params } from './form-params.ts';
import { authorizeCard, captureHold, releaseHold, unexpectedState } from './holds.ts';
import { type StripeObject, toPaymentIntent, toPublicPaymentIntent } from './payment-objects.ts';
import type { IntentRow, MethodRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

/** Stripe's published minimum charges, in minor units; 1 for other currencies. */
const MIN_AMOUNT: Readonly<Record<string, number>> = {
  usd: 50,
  eur: 50,
  gbp: 30,
  cad: 50,
  aud: 50,
  chf: 50,
  jpy: 50,
  mxn: 1000,
};
const MAX_AMOUNT = 99_999_999;

export const CREATE_INTENT_PARAMS = [
  'amount',
  'currency',
  // The name since API version 2026-10-28; the older `payment_method_types` is accepted too.
  'allowed_payment_method_types',
  'amount_details',
  'automatic_payment_methods',
  'capture_method',
  'confirm',
  'confirmation_method',
  'customer',
  'description',
  'excluded_payment_method_types',
  'expand',
  'mandate_data',
  'metadata',
  'off_session',
  'payment_details',
  'payment_method',
  'payment_method_configuration',
  'payment_method_data',
  'payment_method_options',
  'payment_method_types',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'shipping',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'transfer_group',
  'use_stripe_sdk',
];

function readAmount(params: Params, currency: string): number {
  const amount = params.requireInteger('amount');
  if (amount < (MIN_AMOUNT[currency] ?? 1)) {
    throw invalidRequest(
      `Amount must be at least ${MIN_AMOUNT[currency] ?? 1} ${currency}`,
      'amount',
      'amount_too_small',
    );
  }
  if (amount > MAX_AMOUNT)
    throw invalidRequest(`Amount must be no more than ${MAX_AMOUNT} ${currency}`, 'amount', 'amount_too_large');
  return amount;
}

export function readCurrency(params: Params): string {
  const currency = params.requireText('currency').toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) throw invalidRequest(`Invalid currency: ${currency}.`, 'currency');
  return currency;
}

export function createPaymentIntent(tx: Transaction, params: Params): StripeObject {
  const currency = readCurrency(params);
  const customer = params.text('customer');
  if (customer !== null) tx.require('customers', customer, 'customer');
  const types = [...params.list('allowed_payment_method_types'), ...params.list('payment_method_types')];
  const id = tx.newId('pi');
  const intent: IntentRow = {
    id,
    created: tx.now,
    amount: readAmount(params, currency),
    currency,
    capture: params.oneOf('capture_method', ['manual', 'automatic', 'automatic_async']) ?? 'automatic_async',
    secret: `${id}_secret_${tx.newToken()}`,
    status: 'requires_payment_method',
    customer,
    futureUse: params.oneOf('setup_future_usage', ['off_session', 'on_session']),
    method: null,
    charge: null,
    metadata: params.metadata(),
    description: params.text('description', 1000),
    group: params.text('transfer_group'),
    receiptEmail: params.text('receipt_email'),
    automaticMethods: params.group('automatic_payment_methods')?.flag('enabled') ?? types.length === 0,
    methodTypes: types.length === 0 ? ['card'] : types,
    capturable: 0,
    received: 0,
    canceledAt: null,
    cancelReason: null,
    failure: null,
    returnUrl: readReturnUrl(params),
    challenge: null,
    offSession: false,
    asksForExtension: readExtension(params) ?? false,
    statementSuffix: readStatementSuffix(params),
    usesSdk: params.flag('use_stripe_sdk') ?? false,
  };
  const method = readPaymentMethod(tx, params, intent);
  const shouldConfirm = params.flag('confirm') ?? false;
  const isOffSession = readOffSession(params);
  if (isOffSession && !shouldConfirm) {
    throw invalidRequest('You can only set `off_session` when `confirm` is true.', 'off_session');
  }
  if (!shouldConfirm || method === null) {
    if (shouldConfirm)
      throw invalidRequest('You cannot confirm a PaymentIntent without a payment method.', 'payment_method');
    const created: IntentRow =
      method === null ? intent : { ...intent, method: method.id, status: 'requires_confirmation' };
    return toPaymentIntent(tx, tx.put('intents', created));
  }
  tx.put('intents', intent);
  return toPaymentIntent(
    tx,
    authorizeCard(tx, intent, method, { isOffSession, returnUrl: intent.returnUrl, isPublishable: false }),
  );
}

/** The text of a card statement is the account's prefix and this suffix, cut off after 22 characters. */
function readStatementSuffix(params: Params): string | null {
  // The messages are a guess; the rules are documented.
  if (params.has('statement_descriptor')) {
    const message =
      'The statement_descriptor parameter is not supported for the card payment method type. Use statement_descriptor_suffix.';
    throw invalidRequest(message, 'statement_descriptor');
  }
  const suffix = params.text('statement_descriptor_suffix', 22);
  if (suffix === null) return null;
  if (!/[a-z]/i.test(suffix) || /[<>\\'"*]|[^\x20-\x7e]/.test(suffix)) {
    const message =
      'The statement descriptor must contain at least one letter, only Latin characters, and none of < > \\ \' " *.';
    throw invalidRequest(message, 'statement_descriptor_suffix');
  }
  return suffix;
}

/** Whether the merchant asks for an extended authorization; null: the request does not say. */
function readExtension(params: Params): boolean | null {
  const card = params.group('payment_method_options')?.group('card') ?? null;
  const asked = card?.oneOf('request_extended_authorization', ['if_available', 'never']) ?? null;
  return asked === null ? null : asked === 'if_available';
}

function readOffSession(params: Params): boolean {
  const text = params.text('off_session');
  return text === 'true' || text === 'one_off' || text === 'recurring';
}

function readReturnUrl(params: Params): string | null {
  const text = params.text('return_url');
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalidRequest('Not a valid URL', 'return_url', 'url_invalid');
  return text;
}

/** The payment method of the request: a saved one, a test token, or a card's details. Null: none. */
function readPaymentMethod(tx: Transaction, params: Params, intent: IntentRow): MethodRow | null {
  const given = params.text('payment_method');
  const card = given === null ? null : cardByToken(given);
  if (given !== null && card === null) return findSavedMethod(tx, given, intent);
  if (card !== null) return createMethod(tx, card.name, 12, expiryYear(tx), null);
  const data = params.group('payment_method_data');
  return data === null ? null : createMethodFromCard(tx, data);
}

function findSavedMethod(tx: Transaction, id: string, intent: IntentRow): MethodRow {
  const method = tx.require('methods', id, 'payment_method');
  if (method.customer !== null && intent.customer === null) {
    const message = `The payment method ${id} belongs to a Customer. Please include the Customer in the \`customer\` parameter on the PaymentIntent.`;
    throw invalidRequest(message, 'payment_method');
  }
  if (method.customer !== null && method.customer !== intent.customer) {
    const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
    throw invalidRequest(message, 'payment_method', 'resource_missing');
  }
  if (method.isSpent === true) {
    const message =
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.';
    throw invalidRequest(message, 'payment_method');
  }
  return method;
}

const expiryYear = (tx: Transaction): number => new Date(tx.nowMs).getUTCFullYear() + 3;

function createMethod(tx: Transaction, card: string, month: number, year: number, details: Params | null): MethodRow {
  return tx.put('methods', {
    id: tx.newId('pm'),
    created: tx.now,
    card,
    expMonth: month,
    expYear: year,
    customer: null,
    billing: {
      email: details?.text('email') ?? null,
      name: details?.text('name') ?? null,
      postal: details?.group('address')?.text('postal_code') ?? null,
    },
  });
}

function createMethodFromCard(tx: Transaction, data: Params): MethodRow {
  if (data.requireText('type') !== 'card') throw invalidRequest('This sandbox takes cards only.', data.nameOf('type'));
  const cardParams = data.group('card');
  if (cardParams === null)
    throw invalidRequest('Missing required param: card.', data.nameOf('card'), 'parameter_missing');
  const number = cardParams.requireText('number');
  if (!isCardNumber(number)) throw invalidCard(declines.number, 'number');
  const card = cardByNumber(number);
  if (card === null) throw notATestCard();
  const month = cardParams.requireInteger('exp_month');
  if (month < 1 || month > 12) throw invalidCard(declines.month, 'exp_month');
  const given = cardParams.requireInteger('exp_year');
  const year = given < 100 ? 2000 + given : given;
  const today = new Date(tx.nowMs);
  if (year < today.getUTCFullYear() || year > today.getUTCFullYear() + 50) throw invalidCard(declines.year, 'exp_year');
  if (year === today.getUTCFullYear() && month < today.getUTCMonth() + 1) {
    throw invalidCard(declines.expired, 'exp_month');
  }
  const cvc = cardParams.text('cvc');
  if (cvc !== null && !(card.brand === 'amex' ? /^\d{3,4}$/ : /^\d{3}$/).test(cvc)) {
    throw invalidCard({ code: 'invalid_cvc', message: "Your card's security code is invalid." }, 'cvc');
  }
  return createMethod(tx, card.name, month, year, data.group('billing_details'));
}

/** It could be a real card, so nothing is stored: no payment method and no charge. */
function notATestCard(): ApiError {
  const { code, declineCode, message } = declines.notATestCard;
  return new ApiError(402, { type: 'card_error', code, decline_code: declineCode, message, param: 'number' }, false);
}

/** Details that no card can have: rejected before the card is authorized. */
function invalidCard({ code, message }: { code: string; message: string }, param: string): ApiError {
  return new ApiError(402, { type: 'card_error', code, message, param }, false);
}

export function updatePaymentIntent(tx: Transaction, id: string, params: Params): StripeObject {
  const intent = tx.require('intents', id, 'intent');
  const isFixed = intent.status === 'succeeded' || intent.status === 'canceled' || intent.status === 'requires_capture';
  if (isFixed && (params.has('amount') || params.has('payment_method') || params.has('setup_future_usage'))) {
    throw unexpectedState(
      tx,
      intent,
      `This PaymentIntent could not be updated because it has a status of ${intent.status}.`,
    );
  }
  return toPaymentIntent(
    tx,
    tx.put('intents', {
      ...intent,
      amount: params.has('amount') ? readAmount(params, intent.currency) : intent.amount,
      metadata: params.metadata(intent.metadata),
      description: params.text('description', 1000) ?? intent.description,
      group: params.text('transfer_group') ?? intent.group,
      receiptEmail: params.text('receipt_email') ?? intent.receiptEmail,
      futureUse: params.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? intent.futureUse,
      asksForExtension: readExtension(params) ?? intent.asksForExtension ?? false,
    }),
  );
}

/** For browsers: the client secret authorizes the call. A wrong secret gets the same 404 as an unknown intent. */
export function findByClientSecret(tx: Transaction, id: string, params: Params): IntentRow {
  const intent = tx.find('intents', id);
  if (intent === undefined || intent.secret !== params.requireText('client_secret')) {
    throw notFound('payment_intent', id, 'intent');
  }
  return intent;
}

const CONFIRMABLE_STATUSES: readonly string[] = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export function confirmPaymentIntent(
  tx: Transaction,
  id: string,
  params: Params,
  isPublishable: boolean,
): StripeObject {
  const intent = isPublishable ? findByClientSecret(tx, id, params) : tx.require('intents', id, 'intent');
  const isOffSession = !isPublishable && readOffSession(params);
  const returnUrl = readReturnUrl(params) ?? intent.returnUrl;
  if (isPublishable && params.has('payment_method') && cardByToken(params.requireText('payment_method')) === null) {
    throw notFound('PaymentMethod', params.requireText('payment_method'), 'payment_method');
  }
  const futureUse = params.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? intent.futureUse;
  if (!CONFIRMABLE_STATUSES.includes(intent.status)) {
    const reason =
      intent.status === 'succeeded' || intent.status === 'requires_capture'
        ? 'it has already succeeded after being previously confirmed'
        : `it has a status of ${intent.status}`;
    const message = `You cannot confirm this PaymentIntent because ${reason}.`;
    throw isPublishable
      ? operationFailed('payment_intent_unexpected_state', message, {
          payment_intent: toPublicPaymentIntent(tx, intent),
        })
      : unexpectedState(tx, intent, message);
  }
  const given = readPaymentMethod(tx, params, intent);
  const method = given ?? (intent.method === null ? null : tx.require('methods', intent.method));
  if (method === null) {
    throw invalidRequest(
      'You cannot confirm this PaymentIntent because it is missing a payment method.',
      'payment_method',
      'payment_intent_unexpected_state',
    );
  }
  const asksForExtension = readExtension(params) ?? intent.asksForExtension ?? false;
  const usesSdk = params.flag('use_stripe_sdk') ?? false;
  const authorized = authorizeCard(tx, { ...intent, futureUse, asksForExtension, usesSdk }, method, {
    isOffSession,
    returnUrl,
    isPublishable,
  });
  return isPublishable ? toPublicPaymentIntent(tx, authorized) : toPaymentIntent(tx, authorized);
}

export function capturePaymentIntent(tx: Transaction, id: string, params: Params): StripeObject {
  const intent = tx.require('intents', id, 'intent');
  const requested = params.positive('amount_to_capture');
  const updated = { ...intent, metadata: params.metadata(intent.metadata) };
  return toPaymentIntent(tx, captureHold(tx, updated, requested));
}

export function cancelPaymentIntent(tx: Transaction, id: string, params: Params): StripeObject {
  const intent = tx.require('intents', id, 'intent');
  const reasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'] as const;
  const reason = params.oneOf('cancellation_reason', reasons);
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpectedState(
      tx,
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
    );
  }
  return toPaymentIntent(tx, releaseHold(tx, intent, reason));
}

/** How long a slow test card delays this request, before the operation runs. */
export function cardDelayOf(params: Params): number {
  const token = params.text('payment_method');
  const number = params.group('payment_method_data')?.group('card')?.text('number') ?? null;
  const card = token !== null ? cardByToken(token) : number !== null ? cardByNumber(number) : null;
  return card?.delayMs ?? 0;
}
