// Sets up the platform's account at the processor: domains for wallets, and the endpoint for events. Everything is looked
// for first, so that a second run changes nothing. Endpoints and domains that are not ours stay as they are.

import type Stripe from 'stripe';
import type { RegisteredEndpoint, SetupChange } from './processor.ts';

/** What processor-event.ts reads, and the states of refunds. */
export const HEARD_EVENTS: readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [
  'account.updated',
  'charge.captured',
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
  'charge.refund.updated',
  'charge.refunded',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'refund.created',
  'refund.failed',
  'refund.updated',
];

const PAGE_SIZE = 100;

export async function registerDomain(stripe: Stripe, key: string, domain: string): Promise<SetupChange> {
  const { data } = await stripe.paymentMethodDomains.list({ domain_name: domain, limit: 1 });
  const [found] = data;
  if (found?.enabled === true) return 'unchanged';
  if (found === undefined) {
    await stripe.paymentMethodDomains.create({ domain_name: domain }, { idempotencyKey: key });
    return 'created';
  }
  await stripe.paymentMethodDomains.update(found.id, { enabled: true }, { idempotencyKey: key });
  return 'updated';
}

export async function registerEndpoint(stripe: Stripe, key: string, url: string): Promise<RegisteredEndpoint> {
  // The processor allows at most 16 endpoints for each mode, so one page has them all.
  const { data } = await stripe.webhookEndpoints.list({ limit: PAGE_SIZE });
  const found = data.find((endpoint) => endpoint.url === url);
  if (found === undefined) {
    const created = await stripe.webhookEndpoints.create(
      { url, enabled_events: [...HEARD_EVENTS], description: 'everyshare' },
      { idempotencyKey: key },
    );
    return { change: 'created', secret: created.secret ?? null };
  }
  const enabled: readonly string[] = found.enabled_events;
  const hasAll = enabled.includes('*') || HEARD_EVENTS.every((event) => enabled.includes(event));
  if (hasAll && found.status === 'enabled') return { change: 'unchanged', secret: null };
  const events = hasAll ? {} : { enabled_events: [...HEARD_EVENTS] };
  await stripe.webhookEndpoints.update(found.id, { ...events, disabled: false }, { idempotencyKey: key });
  return { change: 'updated', secret: null };
}
