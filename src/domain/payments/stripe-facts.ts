// From the card processor's payment intent to the facts that we keep, and the marks that tie the two together. A standing
// that we do not know is trouble, never a guess. Nothing here asks the processor anything.

import type Stripe from 'stripe';
import {
  type ChargeTotals,
  type HoldFacts,
  type HoldMetadata,
  type ProcessorHoldStatus,
  ProcessorUnavailable,
} from './processor.ts';
import { errorCodeOf } from './stripe-errors.ts';

const STATUSES: ReadonlyMap<string, ProcessorHoldStatus> = new Map([
  ['requires_payment_method', 'waiting'],
  ['requires_confirmation', 'waiting'],
  ['requires_action', 'underway'],
  ['processing', 'underway'],
  ['requires_capture', 'held'],
  ['succeeded', 'captured'],
  ['canceled', 'gone'],
]);

export function toStripeMetadata(metadata: HoldMetadata): Record<string, string> {
  return {
    venue_id: metadata.venueId,
    checkout_id: metadata.checkoutId,
    share_id: metadata.shareId,
    hold_id: metadata.holdId,
  };
}

/** Only what is there, and only text: the processor's record may be somebody else's. */
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

/** The intent must have been fetched with its latest charge, or `heldAt` and `captureBefore` stay unknown. */
export function factsOf(intent: Stripe.PaymentIntent): HoldFacts {
  const standing = STATUSES.get(intent.status);
  if (standing === undefined) {
    throw new ProcessorUnavailable(`the card processor has a standing that we do not know: ${intent.status}`);
  }
  // Before the bank has said yes, the latest charge is one that it declined: no money is in it, so it is not shown.
  const charge = standing === 'held' || standing === 'captured' ? chargeOf(intent) : null;
  const captureBefore = charge?.payment_method_details?.card?.capture_before;
  return {
    intentId: intent.id,
    status: standing,
    mode: intent.livemode ? 'live' : 'test',
    amount: intent.amount,
    capturable: intent.amount_capturable,
    captured: intent.amount_received,
    currency: intent.currency,
    metadata: fromStripeMetadata(intent.metadata),
    heldAt: charge === null ? null : charge.created * 1000,
    captureBefore: captureBefore === undefined ? null : captureBefore * 1000,
    chargeId: charge?.id ?? null,
    customerId: idOf(intent.customer),
    paymentMethodId: idOf(intent.payment_method),
    refusal: intent.last_payment_error === null ? null : errorCodeOf(intent.last_payment_error),
    decline: standing === 'waiting' ? declineOf(intent) : null,
  };
}

/** What was really taken, and what of that was given back. */
export function chargeTotalsOf(intent: Stripe.PaymentIntent): ChargeTotals {
  const charge = chargeOf(intent);
  if (charge === null || charge.amount_captured === 0) return { captured: 0, refunded: 0 };
  // The processor books what a capture left over as refunded, though nobody ever paid it.
  const released = charge.amount - charge.amount_captured;
  const refunded = charge.amount_refunded >= released ? charge.amount_refunded - released : charge.amount_refunded;
  return { captured: charge.amount_captured, refunded };
}

/** Only of the latest charge is it known when it was made. */
function declineOf(intent: Stripe.PaymentIntent): HoldFacts['decline'] {
  const charge = chargeOf(intent);
  const isIt = charge !== null && intent.last_payment_error?.charge === charge.id;
  return isIt ? { chargeId: charge.id, at: charge.created * 1000 } : null;
}

function chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge | null {
  const charge = intent.latest_charge;
  return typeof charge === 'object' ? charge : null;
}

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
