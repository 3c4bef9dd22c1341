// Tells the embedded processor where its notices go, as a partner of the real one would in its dashboard. The same address
// again is the same endpoint.

import Stripe from 'stripe';

/** Answers how to withdraw it. */
export async function registerWebhookEndpoint(
  processorUrl: string,
  secretKey: string,
  url: string,
): Promise<() => Promise<void>> {
  const at = new URL(processorUrl);
  const stripe = new Stripe(secretKey, {
    protocol: at.protocol === 'https:' ? 'https' : 'http',
    host: at.hostname,
    port: Number(at.port || (at.protocol === 'https:' ? 443 : 80)),
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: 2_000,
  });
  const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });
  return async () => {
    await stripe.webhookEndpoints.del(endpoint.id);
  };
}
