// Registers our webhook endpoint at the embedded processor, as an operator does in the real processor's dashboard.
// Registering the same URL again returns the same endpoint.

import Stripe from 'stripe';

/** Returns a function that removes the endpoint. */
export async function registerWebhookEndpoint(
  processorUrl: string,
  secretKey: string,
  url: string,
): Promise<() => Promise<void>> {
  const processor = new URL(processorUrl);
  const stripe = new Stripe(secretKey, {
    protocol: processor.protocol === 'https:' ? 'https' : 'http',
    host: processor.hostname,
    port: Number(processor.port || (processor.protocol === 'https:' ? 443 : 80)),
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: 2_000,
  });
  const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });
  return async () => {
    await stripe.webhookEndpoints.del(endpoint.id);
  };
}
