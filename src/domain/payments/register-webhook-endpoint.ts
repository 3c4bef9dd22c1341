// Registers a server at the embedded processor, as "everyshare processor setup" does at the real one: a webhook endpoint
// for all events of the account, and an event destination for the thin events of connected accounts. A server that starts
// again finds what it registered before it was killed, and with it the events that wait there.

import Stripe from 'stripe';

export interface RegisteredEndpoints {
  readonly ids: readonly string[];
  unregister(): Promise<void>;
}

export async function registerWebhookEndpoints(
  processorUrl: string,
  secretKey: string,
  url: string,
): Promise<RegisteredEndpoints> {
  const processor = new URL(processorUrl);
  const stripe = new Stripe(secretKey, {
    protocol: processor.protocol === 'https:' ? 'https' : 'http',
    host: processor.hostname,
    port: Number(processor.port || (processor.protocol === 'https:' ? 443 : 80)),
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: 2_000,
  });
  const endpoints = await stripe.webhookEndpoints.list({ limit: 20 });
  const endpoint =
    endpoints.data.find((one) => one.url === url) ??
    (await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] }));
  const include: ['webhook_endpoint.url'] = ['webhook_endpoint.url'];
  const destinations = await stripe.v2.core.eventDestinations.list({ limit: 20, include });
  const destination =
    destinations.data.find((one) => one.webhook_endpoint?.url === url) ??
    (await stripe.v2.core.eventDestinations.create({
      name: 'everyshare',
      type: 'webhook_endpoint',
      event_payload: 'thin',
      events_from: ['@accounts'],
      enabled_events: ['*'],
      webhook_endpoint: { url },
    }));
  return {
    ids: [endpoint.id, destination.id],
    async unregister() {
      await stripe.webhookEndpoints.del(endpoint.id);
      await stripe.v2.core.eventDestinations.del(destination.id);
    },
  };
}
