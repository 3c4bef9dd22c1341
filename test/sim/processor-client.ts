// Connects the card processor's SDK with the embedded processor in this process: every request goes to the simulated
// network, and its response, time-out or loss reaches the SDK as from a real connection.

import Stripe from 'stripe';
import type { ApiOutcome, ApiRequest } from '../../sandbox/processor/messages.ts';
import type { Mode } from '../../src/base/config.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';

const keysFor = (mode: Mode) => ({
  secret: `sk_${mode}_simulation`,
  publishable: `pk_${mode}_simulation`,
  webhookSecret: `whsec_${mode}_simulation`,
});
export const PROCESSOR_KEYS = { test: keysFor('test'), live: keysFor('live') };

/** A client of the processor whose requests go to `send`. */
export interface ProcessorClient {
  send: (request: ApiRequest) => Promise<ApiOutcome>;
  readonly processor: Processor;
}

export function makeProcessorClient(mode: Mode): ProcessorClient {
  const httpClient: Stripe.HttpClient = {
    getClientName: () => 'simulation',
    async makeRequest(_host, _port, path, method, headers, requestData) {
      const lower: Record<string, string> = {};
      for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = String(value);
      const response = await client.send({ method, path, headers: lower, body: requestData ?? '' });
      if (response.fault === 'timeout') throw Stripe.HttpClient.makeTimeoutError();
      // Not ECONNRESET, because the SDK would then wait by the system clock and send the request again.
      if (response.fault !== undefined) throw Object.assign(new Error('connection lost'), { code: 'ECONNREFUSED' });
      return {
        getStatusCode: () => response.status,
        getHeaders: () => ({ ...response.headers }),
        getRawResponse: () => ({}),
        toStream: () => {
          throw new Error('responses are not streamed');
        },
        toJSON: () => Promise.resolve(JSON.parse(response.body)),
      };
    },
  };
  const client: ProcessorClient = {
    send: () => Promise.reject(new Error('this client has no transport')),
    processor: makeStripeProcessor({
      mode,
      secretKey: PROCESSOR_KEYS[mode].secret,
      publishableKey: PROCESSOR_KEYS[mode].publishable,
      // Never connected to: an http address tells the adapter that the other side is the sandbox.
      address: { protocol: 'http', host: '127.0.0.1', port: 1 },
      httpClient,
    }),
  };
  return client;
}
