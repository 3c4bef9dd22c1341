// Events as a union that `type` discriminates: in `case 'offering.approved'` the object is an offering.

import type { Checkout, StoredOffering, StoredWebhookEndpoint, WebhookEventFields } from './types.gen.ts';

type EventOf<Type extends WebhookEventFields['type'], Data> = Omit<WebhookEventFields, 'type' | 'data'> & {
  readonly type: Type;
  readonly data: Data;
};

/** The types that a webhook endpoint can subscribe to. */
export type SubscribableEventType =
  | 'checkout.created'
  | 'checkout.collecting'
  | 'share.held'
  | 'checkout.funded'
  | 'checkout.completed'
  | 'checkout.expired'
  | 'checkout.canceled';

/** `data.object` is the checkout with its shares, as it was at that moment. */
export type CheckoutEvent = EventOf<SubscribableEventType, { readonly object: Checkout }>;

/** In the event log and the stream only: no endpoint can subscribe to it. */
export type RefundEvent = EventOf<
  'refund.created' | 'refund.failed',
  { readonly object: Checkout; readonly refund: NonNullable<WebhookEventFields['data']['refund']> }
>;

/** In the event log and the stream only: no endpoint can subscribe to it. */
export type OfferingEvent = EventOf<'offering.approved' | 'offering.rejected', { readonly object: StoredOffering }>;

/** In the event log and the stream only: no endpoint can subscribe to it. */
export type WebhookEndpointEvent = EventOf<'webhook_endpoint.disabled', { readonly object: StoredWebhookEndpoint }>;

/** An event as it is delivered, and as the event log has it. */
export type WebhookEvent = CheckoutEvent | RefundEvent | OfferingEvent | WebhookEndpointEvent;
