// Stored rows as Stripe objects: payment intents, charges, customers and payment methods. Fields that this processor
// never fills are null, or absent where Stripe marks them optional.

import { cardByName } from './cards.ts';
import type { ChargeRow, CustomerRow, IntentRow, MethodRow, Mode, Rows, TableName } from './row-types.ts';

/** What rendering needs besides the row. */
export interface RenderContext {
  readonly mode: Mode;
  readonly publicBase: string;
  /** Unix seconds. */
  readonly now: number;
  find<T extends TableName>(table: T, id: string): Rows[T] | undefined;
}

export type StripeObject = Record<string, unknown>;

export function toPaymentIntent(context: RenderContext, row: IntentRow): StripeObject {
  return {
    id: row.id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: row.amount,
    amount_capturable: row.capturable,
    amount_details: { tip: {} },
    amount_received: row.received,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: row.automaticMethods ? { allow_redirects: 'always', enabled: true } : null,
    canceled_at: row.canceledAt,
    cancellation_reason: row.cancelReason,
    capture_method: row.capture,
    client_secret: row.secret,
    confirmation_method: 'automatic',
    created: row.created,
    currency: row.currency,
    customer: row.customer,
    customer_account: null,
    description: row.description,
    excluded_payment_method_types: null,
    last_payment_error: toLastPaymentError(context, row),
    latest_charge: row.charge,
    livemode: context.mode === 'live',
    managed_payments: null,
    metadata: row.metadata,
    next_action: toNextAction(context, row),
    on_behalf_of: null,
    payment_method: row.method,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        ...(row.asksForExtension === true ? { request_extended_authorization: 'if_available' } : {}),
        request_three_d_secure: 'automatic',
      },
    },
    payment_method_types: row.methodTypes,
    payment_record: null,
    processing: null,
    receipt_email: row.receiptEmail,
    review: null,
    setup_future_usage: row.futureUse,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: row.statementSuffix ?? null,
    status: row.status,
    transfer_data: null,
    transfer_group: row.group,
  };
}

/** What a browser with a publishable key may see: nothing private to the merchant. */
export function toPublicPaymentIntent(context: RenderContext, row: IntentRow): StripeObject {
  const { metadata, customer, transfer_group, latest_charge, amount_capturable, amount_received, ...visible } =
    toPaymentIntent(context, row);
  return visible;
}

function toNextAction(context: RenderContext, row: IntentRow): StripeObject | null {
  if (row.status !== 'requires_action' || row.challenge === null) return null;
  const url = `${context.publicBase}/3ds/${row.id}?token=${row.challenge}`;
  // What Stripe.js reads is not documented, and is Stripe's own. Here it is the address of the same page.
  if (row.usesSdk === true) {
    return { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } };
  }
  return { type: 'redirect_to_url', redirect_to_url: { url, return_url: row.returnUrl } };
}

function toLastPaymentError(context: RenderContext, { failure }: IntentRow): StripeObject | null {
  if (failure === null) return null;
  const method = context.find('methods', failure.method);
  return {
    type: failure.code === 'payment_intent_authentication_failure' ? 'invalid_request_error' : 'card_error',
    code: failure.code,
    ...(failure.decline === null ? {} : { decline_code: failure.decline }),
    ...(failure.advice === undefined ? {} : { advice_code: failure.advice }),
    message: failure.message,
    ...(failure.charge === null ? {} : { charge: failure.charge }),
    ...(method === undefined ? {} : { payment_method: toPaymentMethod(context, method) }),
  };
}

export function toCharge(context: RenderContext, row: ChargeRow): StripeObject {
  const method = context.find('methods', row.method);
  const statementSuffix = context.find('intents', row.intent)?.statementSuffix ?? null;
  // As at Stripe, the uncaptured remainder of a capture and a released hold count as refunded.
  const refunded = row.refunded + (row.captured || row.released ? row.amount - row.amountCaptured : 0);
  return {
    id: row.id,
    object: 'charge',
    amount: row.amount,
    amount_captured: row.amountCaptured,
    amount_refunded: row.failure === null ? refunded : 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: row.captured && (row.settlesAt ?? 0) <= context.now ? `txn_${row.id.slice(3)}` : null,
    billing_details: toBillingDetails(method),
    calculated_statement_descriptor:
      statementSuffix === null ? 'EVERYSHARE SANDBOX' : `EVERYSHARE* ${statementSuffix}`.slice(0, 22),
    captured: row.captured,
    created: row.created,
    currency: row.currency,
    customer: row.customer,
    description: row.description,
    disputed: row.dispute !== null,
    failure_balance_transaction: null,
    failure_code: row.failure?.code ?? null,
    failure_message: row.failure?.message ?? null,
    fraud_details: {},
    livemode: context.mode === 'live',
    metadata: row.metadata,
    on_behalf_of: null,
    outcome: toOutcome(row),
    paid: row.failure === null,
    payment_intent: row.intent,
    payment_method: row.method,
    payment_method_details: method === undefined ? null : { type: 'card', card: toCardDetails(row, method) },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: row.failure === null && refunded > 0 && refunded >= row.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: statementSuffix,
    status: row.failure === null ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: row.group,
  };
}

function toOutcome({ failure }: ChargeRow): StripeObject {
  return failure === null
    ? {
        advice_code: null,
        network_advice_code: null,
        network_decline_code: null,
        network_status: 'approved_by_network',
        reason: null,
        risk_level: 'normal',
        seller_message: 'Payment complete.',
        type: 'authorized',
      }
    : {
        advice_code: failure.advice ?? null,
        network_advice_code: null,
        network_decline_code: null,
        network_status: 'declined_by_network',
        reason: failure.decline ?? failure.code,
        risk_level: 'normal',
        seller_message: 'The bank returned the decline code.',
        type: 'issuer_declined',
      };
}

const AUTHENTICATED = {
  authentication_flow: 'challenge',
  electronic_commerce_indicator: '05',
  exemption_indicator: null,
  result: 'authenticated',
  result_reason: null,
  transaction_id: null,
  version: '2.2.0',
};

function toCardDetails(row: ChargeRow, method: MethodRow): StripeObject {
  const { brand, number } = cardByName(method.card);
  return {
    amount_authorized: row.failure === null ? row.amount : null,
    authorization_code: null,
    brand,
    ...(row.captureBefore === null ? {} : { capture_before: row.captureBefore }),
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: 'US',
    electronic_commerce_indicator: null,
    exp_month: method.expMonth,
    exp_year: method.expYear,
    extended_authorization: { status: row.isExtended === true ? 'enabled' : 'disabled' },
    fingerprint: `sandbox${method.card}`,
    funding: 'credit',
    installments: null,
    last4: number.slice(-4),
    mandate: null,
    network: brand,
    network_transaction_id: null,
    regulated_status: 'unregulated',
    three_d_secure: row.authenticated ? AUTHENTICATED : null,
    transaction_link_id: null,
    wallet: null,
  };
}

function toBillingDetails(method: MethodRow | undefined): StripeObject {
  const { email = null, name = null, postal = null } = method?.billing ?? {};
  const address = { city: null, country: null, line1: null, line2: null, postal_code: postal, state: null };
  return { address, email, name, phone: null, tax_id: null };
}

export function toPaymentMethod(context: RenderContext, row: MethodRow): StripeObject {
  const { brand, number } = cardByName(row.card);
  return {
    id: row.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: toBillingDetails(row),
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'unchecked' },
      country: 'US',
      display_brand: brand,
      exp_month: row.expMonth,
      exp_year: row.expYear,
      fingerprint: `sandbox${row.card}`,
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: row.created,
    customer: row.customer,
    customer_account: null,
    livemode: context.mode === 'live',
    metadata: {},
    type: 'card',
  };
}

export function toCustomer(context: RenderContext, row: CustomerRow): StripeObject {
  return {
    id: row.id,
    object: 'customer',
    address: null,
    balance: 0,
    created: row.created,
    currency: null,
    default_source: null,
    delinquent: false,
    description: row.description,
    discount: null,
    email: row.email,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: context.mode === 'live',
    metadata: row.metadata,
    name: row.name,
    phone: row.phone,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** For error messages. */
export const formatAmount = (amount: number, currency: string): string =>
  `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
