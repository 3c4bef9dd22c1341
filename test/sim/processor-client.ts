// The wire between the card processor's SDK and the embedded bank in this process: every request is handed to whoever
// simulates the network, and its answer, silence or loss is given back as a real connection would give it.

import Stripe from 'stripe';
import type { ApiOutcome, ApiRequest } from '../../sandbox/processor/messages.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';

const keysOf = (mode: 'test' | 'live') => ({
  secret: `sk_${mode}_simulation`,
  publishable: `pk_${mode}_simulation`,
  webhookSecret: `whsec_${mode}_simulation`,
});
export const PROCESSOR_KEYS = { test: keysOf('test'), live: keysOf('live') };

/** A client of the processor whose requests go wherever `carry` takes them. */
export interface Slot {
  carry: (request: ApiRequest) => Promise<ApiOutcome>;
  readonly processor: Processor;
}

export function makeSlot(): Slot {
  const httpClient: Stripe.HttpClient = {
    getClientName: () => 'simulation',
    async makeRequest(_host, _port, path, method, headers, requestData) {
      const lower: Record<string, string> = {};
      for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = String(value);
      const answer = await slot.carry({ method, path, headers: lower, body: requestData ?? '' });
      if (answer.fault === 'timeout') throw Stripe.HttpClient.makeTimeoutError();
      // Not ECONNRESET: the SDK would then wait by the clock on the wall and send it once more.
      if (answer.fault !== undefined) throw Object.assign(new Error('connection lost'), { code: 'ECONNREFUSED' });
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => ({ ...answer.headers }),
        getRawResponse: () => ({}),
        toStream: () => {
          throw new Error('nothing is streamed');
        },
        toJSON: () => Promise.resolve(JSON.parse(answer.body)),
      };
    },
  };
  const slot: Slot = {
    carry: () => Promise.reject(new Error('nobody carries this request')),
    processor: makeStripeProcessor({
      mode: 'test',
      secretKey: PROCESSOR_KEYS.test.secret,
      publishableKey: PROCESSOR_KEYS.test.publishable,
      // Never connected to: it says that the other side is the sandbox.
      address: { protocol: 'http', host: '127.0.0.1', port: 1 },
      httpClient,
    }),
  };
  return slot;
}
