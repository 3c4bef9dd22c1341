// Converts the processor's payment intents to our facts, and our metadata to the processor's and back. Pure. An unknown
// status throws ProcessorUnavailable; it is never guessed.

import type Stripe from 'stripe';
import {
  type ChargeTotals,
  type HeldCard,
  type HoldFacts,
  type HoldMetadata,
  type ProcessorHoldStatus,
  ProcessorUnavailable,
  type RefundFacts,
} from './processor.ts';
import { errorCodeOf } from './stripe-errors.ts';

const STATUSES: ReadonlyMap<string, ProcessorHoldStatus> = new Map([
  ['requires_payment_method', 'waiting'],
  ['requires_confirmation', 'waiting'],
  ['requires_action', 'processing'],
  ['processing', 'processing'],
  ['requires_capture', 'held'],
  ['succeeded', 'captured'],
  ['canceled', 'voided'],
]);

export function toStripeMetadata(metadata: HoldMetadata): Record<string, string> {
  return {
    venue_id: metadata.venueId,
    checkout_id: metadata.checkoutId,
    share_id: metadata.shareId,
    hold_id: metadata.holdId,
  };
}

/** Reads only the fields that are non-empty text: the object may not be ours. */
export function fromStripeMetadata(metadata: unknown): Partial<HoldMetadata> {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const record = metadata as Readonly<Record<string, unknown>>;
  const field = <K extends keyof HoldMetadata>(name: K, key: string): Partial<Record<K, string>> => {
    const value = Object.hasOwn(record, key) ? record[key] : undefined;
    return typeof value === 'string' && value !== '' ? ({ [name]: value } as Record<K, string>) : {};
  };
  return {
    ...field('venueId', 'venue_id'),
    ...field('checkoutId', 'checkout_id'),
    ...field('shareId', 'share_id'),
    ...field('holdId', 'hold_id'),
  };
}

/**
 * The intent must be retrieved with `latest_charge.balance_transaction` expanded, or `heldAt`, `captureBefore` and
 * `processorFee` are null.
 */
export function factsOf(intent: Stripe.PaymentIntent): HoldFacts {
  const status = STATUSES.get(intent.status);
  if (status === undefined) {
    throw new ProcessorUnavailable(`the card processor returned an unknown status: ${intent.status}`);
  }
  // Before the issuer authorizes the card, the latest charge is a declined one, which holds no money.
  const charge = status === 'held' || status === 'captured' ? chargeOf(intent) : null;
  const captureBefore = charge?.payment_method_details?.card?.capture_before;
  return {
    intentId: intent.id,
    status,
    mode: intent.livemode ? 'live' : 'test',
    amount: intent.amount,
    capturable: intent.amount_capturable,
    captured: intent.amount_received,
    currency: intent.currency,
    metadata: fromStripeMetadata(intent.metadata),
    heldAt: charge === null ? null : charge.created * 1000,
    captureBefore: captureBefore === undefined ? null : captureBefore * 1000,
    chargeId: charge?.id ?? null,
    processorFee: status === 'captured' && charge !== null ? processorFeeOf(charge) : null,
    customerId: idOf(intent.customer),
    paymentMethodId: idOf(intent.payment_method),
    card: charge === null ? null : cardOf(charge),
    declineCode: intent.last_payment_error === null ? null : errorCodeOf(intent.last_payment_error),
    decline: status === 'waiting' ? declineOf(intent) : null,
  };
}

const LAST4 = /^\d{4}$/;

function cardOf(charge: Stripe.Charge): HeldCard | null {
  const { brand = null, last4 = null } = charge.payment_method_details?.card ?? {};
  return brand === null || brand === '' || last4 === null || !LAST4.test(last4) ? null : { brand, last4 };
}

/**
 * The processor's fee in the currency of the charge, which is that of our books; null: it is not known yet. An account
 * whose balance is in another currency pays the fee in that one: the exchange rate of the charge converts it back.
 */
function processorFeeOf(charge: Stripe.Charge): number | null {
  const change = charge.balance_transaction;
  if (typeof change !== 'object' || change === null) return null;
  if (change.currency === charge.currency) return change.fee;
  return change.exchange_rate === null ? null : Math.round(change.fee / change.exchange_rate);
}

/** The captured amount, and how much of it was refunded. */
export function chargeTotalsOf(intent: Stripe.PaymentIntent): ChargeTotals {
  const charge = chargeOf(intent);
  if (charge === null || charge.amount_captured === 0) return { captured: 0, refunded: 0 };
  // The processor counts the part of a hold that was not captured as refunded, although no guest paid it.
  const released = charge.amount - charge.amount_captured;
  const refunded = charge.amount_refunded >= released ? charge.amount_refunded - released : charge.amount_refunded;
  return { captured: charge.amount_captured, refunded };
}

const REFUND_STATUSES: ReadonlyMap<string, RefundFacts['status']> = new Map([
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  ['succeeded', 'done'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

export function refundFactsOf(refund: Stripe.Refund): RefundFacts {
  const status = REFUND_STATUSES.get(refund.status ?? '');
  if (status === undefined) {
    throw new ProcessorUnavailable(`the card processor returned an unknown status of a refund: ${refund.status}`);
  }
  const failure = refund.failure_reason ?? `refund_${refund.status}`;
  return { refundId: refund.id, status, reason: status === 'failed' ? failure : (refund.pending_reason ?? null) };
}

/** Null unless the declined charge is the latest one: only that one has a time. */
function declineOf(intent: Stripe.PaymentIntent): HoldFacts['decline'] {
  const charge = chargeOf(intent);
  const isLatest = charge !== null && intent.last_payment_error?.charge === charge.id;
  return isLatest ? { chargeId: charge.id, at: charge.created * 1000 } : null;
}

function chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge | null {
  const charge = intent.latest_charge;
  return typeof charge === 'object' ? charge : null;
}

/** The id of a reference, which is an id or an expanded object. */
export function idOf(reference: string | { readonly id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
