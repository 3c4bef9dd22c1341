// Rows of the books as Stripe's objects: refunds, disputes, connected accounts, transfers, webhook endpoints and events.

import type { RenderContext, StripeObject } from './payment-objects.ts';
import type {
  AccountRow,
  DisputeRow,
  EndpointRow,
  EventRow,
  Mode,
  RefundRow,
  ReversalRow,
  TransferRow,
} from './row-types.ts';

export const API_VERSION = '2026-10-28.endive';

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

const EVIDENCE_SECONDS = 7 * 86_400;

export function toDispute(context: RenderContext, row: DisputeRow): StripeObject {
  return {
    id: row.id,
    object: 'dispute',
    amount: row.amount,
    balance_transactions: [],
    charge: row.charge,
    created: row.created,
    currency: row.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: row.status === 'needs_response' ? row.created + EVIDENCE_SECONDS : null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
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

export function toAccount(_view: RenderContext, row: AccountRow): StripeObject {
  const due = row.onboarded ? [] : ['business_profile.url', 'external_account', 'tos_acceptance.date'];
  const standing = row.onboarded ? 'active' : 'inactive';
  const requirements = {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: row.onboarded ? null : 'requirements.past_due',
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
  return {
    id: row.id,
    object: 'account',
    business_profile: { name: row.businessName, mcc: null, support_email: null, url: null },
    business_type: null,
    capabilities: { card_payments: standing, transfers: standing },
    charges_enabled: row.onboarded,
    controller: { type: 'application', is_controller: true, stripe_dashboard: { type: row.type } },
    country: row.country,
    created: row.created,
    default_currency: 'usd',
    details_submitted: row.onboarded,
    email: row.email,
    external_accounts: { object: 'list', data: [], has_more: false, url: `/v1/accounts/${row.id}/external_accounts` },
    future_requirements: {
      ...requirements,
      currently_due: [],
      eventually_due: [],
      past_due: [],
      disabled_reason: null,
    },
    metadata: row.metadata,
    payouts_enabled: row.onboarded,
    requirements,
    settings: { payouts: { debit_negative_balances: true, schedule: { delay_days: 2, interval: 'daily' } } },
    tos_acceptance: { date: row.onboarded ? row.created : null },
    type: row.type,
  };
}

export function toTransferReversal(_view: RenderContext, row: ReversalRow): StripeObject {
  return {
    id: row.id,
    object: 'transfer_reversal',
    amount: row.amount,
    balance_transaction: `txn_${row.id.slice(4)}`,
    created: row.created,
    currency: row.currency,
    destination_payment_refund: null,
    metadata: row.metadata,
    source_refund: null,
    transfer: row.transfer,
  };
}

/** `reversals`: the newest first, as many as Stripe puts in. */
export function toTransfer(context: RenderContext, row: TransferRow, reversals: readonly ReversalRow[]): StripeObject {
  return {
    id: row.id,
    object: 'transfer',
    amount: row.amount,
    amount_reversed: row.reversed,
    balance_transaction: `txn_${row.id.slice(3)}`,
    created: row.created,
    currency: row.currency,
    description: row.description,
    destination: row.destination,
    destination_payment: `py_${row.id.slice(3)}`,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    reversals: {
      object: 'list',
      data: reversals.slice(0, 10).map((reversal) => toTransferReversal(context, reversal)),
      has_more: reversals.length > 10,
      total_count: reversals.length,
      url: `/v1/transfers/${row.id}/reversals`,
    },
    reversed: row.reversed === row.amount,
    source_transaction: row.source,
    source_type: 'card',
    transfer_group: row.group,
  };
}

export function toWebhookEndpoint(context: RenderContext, row: EndpointRow, secret?: string): StripeObject {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    api_version: API_VERSION,
    application: null,
    created: row.created,
    description: row.description,
    enabled_events: row.events,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    ...(secret === undefined ? {} : { secret }),
    status: 'enabled',
    url: row.url,
  };
}

/** Always the same for a row, to the byte: it is what is signed. */
export function toEvent(mode: Mode, row: EventRow): StripeObject {
  return {
    id: row.id,
    object: 'event',
    api_version: API_VERSION,
    created: row.created,
    data: { object: row.object },
    livemode: mode === 'live',
    pending_webhooks: row.pending,
    request: row.request,
    type: row.type,
  };
}
