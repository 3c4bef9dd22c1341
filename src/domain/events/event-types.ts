// The types of event, what each means, and whether a webhook endpoint can subscribe to it. Tests compare them with the
// schemas (fields.json: event_type, subscribed_events).

export interface EventType {
  readonly type: string;
  readonly meaning: string;
  /** False: the event is in the event log and its stream only. */
  readonly isSubscribable: boolean;
}

const forEndpoints = (type: string, meaning: string): EventType => ({ type, meaning, isSubscribable: true });
const forLogOnly = (type: string, meaning: string): EventType => ({ type, meaning, isSubscribable: false });

export const EVENT_LIST: readonly EventType[] = [
  forEndpoints('checkout.created', 'a checkout was created'),
  forEndpoints('checkout.collecting', 'the organizer chose the party, or changed it'),
  forEndpoints('share.held', 'one share is held'),
  forEndpoints('checkout.funded', 'every share is held'),
  forEndpoints('checkout.completed', 'every card was charged: confirm the booking'),
  forEndpoints('checkout.expired', 'pay_by passed, and every hold was released'),
  forEndpoints('checkout.canceled', 'it was canceled, and every hold was released'),
  forLogOnly('refund.created', 'a refund was made'),
  forLogOnly('refund.failed', 'a refund did not reach the guest'),
  forLogOnly('offering.approved', 'an offering was approved'),
  forLogOnly('offering.rejected', 'an offering was rejected'),
  forLogOnly('webhook_endpoint.disabled', 'an endpoint failed for 72 hours and was disabled'),
];

/** An unknown type is taken for one that endpoints can subscribe to: it is not marked. */
export function isSubscribable(type: string): boolean {
  return EVENT_LIST.find((known) => known.type === type)?.isSubscribable ?? true;
}
