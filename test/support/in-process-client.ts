// The SDK's transport to an embedded processor in this process, without a network.

import Stripe from 'stripe';
import type { ProcessorApi } from '../../sandbox/processor/api.ts';

export function inProcessClient(api: Pick<ProcessorApi, 'handle'>): Stripe.HttpClient {
  return {
    getClientName: () => 'in-process',
    async makeRequest(_host, _port, path, method, sent, body) {
      const headers = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)]);
      const response = await api.handle({ method, path, headers: Object.fromEntries(headers), body: body ?? '' });
      if (response.fault !== undefined) throw Stripe.HttpClient.makeTimeoutError();
      return {
        getStatusCode: () => response.status,
        getHeaders: () => ({ ...response.headers }),
        getRawResponse: () => ({}),
        toStream: () => null,
        toJSON: async () => JSON.parse(response.body),
      };
    },
  };
}
