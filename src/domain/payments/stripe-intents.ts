// The parameters of the payment intents that hold a card.

import type { NewHold, SavedCardConfirmation } from './processor.ts';
import { toStripeMetadata } from './stripe-facts.ts';

export function newIntentParams(request: NewHold) {
  return {
    amount: request.amount,
    currency: request.currency,
    capture_method: 'manual' as const,
    // Cards and card wallets only: other methods cannot be held, and a dashboard setting must not add them.
    allowed_payment_method_types: ['card' as const],
    description: request.description,
    metadata: toStripeMetadata(request.metadata),
    transfer_group: request.metadata.checkoutId,
    ...(request.customerId === null ? {} : { customer: request.customerId }),
    ...(request.statementSuffix === null ? {} : { statement_descriptor_suffix: request.statementSuffix }),
  };
}

export function savedCardParams(request: SavedCardConfirmation) {
  return {
    payment_method: request.paymentMethodId,
    return_url: request.returnUrl,
    // The guest is on the page: Stripe.js leads through 3-D Secure there (handleNextAction).
    use_stripe_sdk: true,
  };
}
