// Payment intents as operations: made, changed, confirmed by a server or by a guest's browser, captured, canceled.
// What happens to money is in holds.ts; this file reads parameters and guards the state that each call may come in.

import { cardByNumber, cardByToken, declines } from './cards.ts';
import type { Params } from './form.ts';
import { askCard, captureHold, endIntent, unexpected } from './holds.ts';
import { cannot, invalid, missing, Refusal } from './refusal.ts';
import type { IntentRow, MethodRow } from './rows.ts';
import { guestIntentWire, intentWire, type Wire } from './shapes.ts';
import type { Work } from './work.ts';

/** The least that may be charged, in the smallest unit, as Stripe publishes it. Currencies not here have no least but 1. */
const LEAST: Readonly<Record<string, number>> = {
  usd: 50,
  eur: 50,
  gbp: 30,
  cad: 50,
  aud: 50,
  chf: 50,
  jpy: 50,
  mxn: 1000,
};
const MOST = 99_999_999;

export const createIntentParams = [
  'amount',
  'currency',
  // The name since API version 2026-10-28; the older `payment_method_types` is understood as well.
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
  const amount = params.needInteger('amount');
  if (amount < (LEAST[currency] ?? 1)) {
    throw invalid(`Amount must be at least ${LEAST[currency] ?? 1} ${currency}`, 'amount', 'amount_too_small');
  }
  if (amount > MOST) throw invalid(`Amount must be no more than ${MOST} ${currency}`, 'amount', 'amount_too_large');
  return amount;
}

export function readCurrency(params: Params): string {
  const currency = params.needText('currency').toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}.`, 'currency');
  return currency;
}

export function createIntent(work: Work, params: Params): Wire {
  const currency = readCurrency(params);
  const customer = params.text('customer');
  if (customer !== null) work.need('customers', customer, 'customer');
  const types = [...params.list('allowed_payment_method_types'), ...params.list('payment_method_types')];
  const id = work.newId('pi');
  const intent: IntentRow = {
    id,
    created: work.now,
    amount: readAmount(params, currency),
    currency,
    capture: params.oneOf('capture_method', ['manual', 'automatic', 'automatic_async']) ?? 'automatic_async',
    secret: `${id}_secret_${work.secretWord()}`,
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
  };
  const method = readMethod(work, params, intent);
  const confirm = params.flag('confirm') ?? false;
  const offSession = readOffSession(params);
  if (offSession && !confirm) {
    throw invalid('You can only set `off_session` when `confirm` is true.', 'off_session');
  }
  if (!confirm || method === null) {
    if (confirm) throw invalid('You cannot confirm a PaymentIntent without a payment method.', 'payment_method');
    const made: IntentRow =
      method === null ? intent : { ...intent, method: method.id, status: 'requires_confirmation' };
    return intentWire(work, work.put('intents', made));
  }
  work.put('intents', intent);
  return intentWire(work, askCard(work, intent, method, { offSession, returnUrl: intent.returnUrl, byGuest: false }));
}

function readOffSession(params: Params): boolean {
  const text = params.text('off_session');
  return text === 'true' || text === 'one_off' || text === 'recurring';
}

function readReturnUrl(params: Params): string | null {
  const text = params.text('return_url');
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalid('Not a valid URL', 'return_url', 'url_invalid');
  return text;
}

/** The method that the request brings: a saved one, a test token, or a card's own particulars. Null: none. */
function readMethod(work: Work, params: Params, intent: IntentRow): MethodRow | null {
  const given = params.text('payment_method');
  const card = given === null ? null : cardByToken(given);
  if (given !== null && card === null) return savedMethod(work, given, intent);
  if (card !== null) return newMethod(work, card.name, 12, expiryYear(work), null);
  const data = params.group('payment_method_data');
  return data === null ? null : methodFromData(work, data);
}

function savedMethod(work: Work, id: string, intent: IntentRow): MethodRow {
  const method = work.need('methods', id, 'payment_method');
  if (method.customer !== null && method.customer !== intent.customer) {
    const message = `The payment method ${id} belongs to a Customer. Please include the Customer in the \`customer\` parameter on the PaymentIntent.`;
    throw invalid(message, 'payment_method');
  }
  return method;
}

const expiryYear = (work: Work): number => new Date(work.nowMs).getUTCFullYear() + 3;

function newMethod(work: Work, card: string, month: number, year: number, details: Params | null): MethodRow {
  return work.put('methods', {
    id: work.newId('pm'),
    created: work.now,
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

function methodFromData(work: Work, data: Params): MethodRow {
  if (data.needText('type') !== 'card') throw invalid('This sandbox takes cards only.', data.nameOf('type'));
  const particulars = data.group('card');
  if (particulars === null) throw invalid('Missing required param: card.', data.nameOf('card'), 'parameter_missing');
  const card = cardByNumber(particulars.needText('number'));
  if (card === null) throw wrongCard(declines.number, 'number');
  const month = particulars.needInteger('exp_month');
  if (month < 1 || month > 12) throw wrongCard(declines.month, 'exp_month');
  const given = particulars.needInteger('exp_year');
  const year = given < 100 ? 2000 + given : given;
  const today = new Date(work.nowMs);
  if (year < today.getUTCFullYear() || year > today.getUTCFullYear() + 50) throw wrongCard(declines.year, 'exp_year');
  if (year === today.getUTCFullYear() && month < today.getUTCMonth() + 1) {
    throw wrongCard(declines.expired, 'exp_month');
  }
  const cvc = particulars.text('cvc');
  if (cvc !== null && !(card.brand === 'amex' ? /^\d{3,4}$/ : /^\d{3}$/).test(cvc)) {
    throw wrongCard({ code: 'invalid_cvc', message: "Your card's security code is invalid." }, 'cvc');
  }
  return newMethod(work, card.name, month, year, data.group('billing_details'));
}

/** Particulars no card can have: refused before any bank is asked. */
function wrongCard({ code, message }: { code: string; message: string }, param: string): Refusal {
  return new Refusal(402, { type: 'card_error', code, message, param }, false);
}

export function updateIntent(work: Work, id: string, params: Params): Wire {
  const intent = work.need('intents', id, 'intent');
  const fixed = intent.status === 'succeeded' || intent.status === 'canceled' || intent.status === 'requires_capture';
  if (fixed && (params.has('amount') || params.has('payment_method') || params.has('setup_future_usage'))) {
    throw unexpected(
      work,
      intent,
      `This PaymentIntent could not be updated because it has a status of ${intent.status}.`,
    );
  }
  return intentWire(
    work,
    work.put('intents', {
      ...intent,
      amount: params.has('amount') ? readAmount(params, intent.currency) : intent.amount,
      metadata: params.metadata(intent.metadata),
      description: params.text('description', 1000) ?? intent.description,
      group: params.text('transfer_group') ?? intent.group,
      receiptEmail: params.text('receipt_email') ?? intent.receiptEmail,
      futureUse: params.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? intent.futureUse,
    }),
  );
}

/** For a browser: the secret is the proof. A wrong one is answered as if there were no such intent. */
export function guestsIntent(work: Work, id: string, params: Params): IntentRow {
  const intent = work.find('intents', id);
  if (intent === undefined || intent.secret !== params.needText('client_secret')) {
    throw missing('payment_intent', id, 'intent');
  }
  return intent;
}

const confirmable: readonly string[] = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export function confirmIntent(work: Work, id: string, params: Params, byGuest: boolean): Wire {
  const intent = byGuest ? guestsIntent(work, id, params) : work.need('intents', id, 'intent');
  const offSession = !byGuest && readOffSession(params);
  const returnUrl = readReturnUrl(params) ?? intent.returnUrl;
  if (byGuest && params.has('payment_method') && cardByToken(params.needText('payment_method')) === null) {
    throw missing('PaymentMethod', params.needText('payment_method'), 'payment_method');
  }
  const futureUse = params.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? intent.futureUse;
  if (!confirmable.includes(intent.status)) {
    const why =
      intent.status === 'succeeded' || intent.status === 'requires_capture'
        ? 'it has already succeeded after being previously confirmed'
        : `it has a status of ${intent.status}`;
    const message = `You cannot confirm this PaymentIntent because ${why}.`;
    throw byGuest
      ? cannot('payment_intent_unexpected_state', message, { payment_intent: guestIntentWire(work, intent) })
      : unexpected(work, intent, message);
  }
  const given = readMethod(work, params, intent);
  const method = given ?? (intent.method === null ? null : work.need('methods', intent.method));
  if (method === null) {
    throw invalid(
      'You cannot confirm this PaymentIntent because it is missing a payment method.',
      'payment_method',
      'payment_intent_unexpected_state',
    );
  }
  const asked = askCard(work, { ...intent, futureUse }, method, { offSession, returnUrl, byGuest });
  return byGuest ? guestIntentWire(work, asked) : intentWire(work, asked);
}

export function captureIntent(work: Work, id: string, params: Params): Wire {
  const intent = work.need('intents', id, 'intent');
  const wanted = params.positive('amount_to_capture');
  const marked = { ...intent, metadata: params.metadata(intent.metadata) };
  return intentWire(work, captureHold(work, marked, wanted));
}

export function cancelIntent(work: Work, id: string, params: Params): Wire {
  const intent = work.need('intents', id, 'intent');
  const reasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'] as const;
  const reason = params.oneOf('cancellation_reason', reasons);
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpected(
      work,
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
    );
  }
  return intentWire(work, endIntent(work, intent, reason));
}

/** Whether the card of this request is a slow one, and how slow: the wait comes before the work. */
export function slownessOf(params: Params): number {
  const token = params.text('payment_method');
  const number = params.group('payment_method_data')?.group('card')?.text('number') ?? null;
  const card = token !== null ? cardByToken(token) : number !== null ? cardByNumber(number) : null;
  return card?.slowMs ?? 0;
}
