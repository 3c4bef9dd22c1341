// A partner's requests while servers are replaced: checkouts are created, held, read and listed, through any server in the
// rotation. Each answer must be the expected one; none is repeated.

import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';

/** The servers start beside the load, and need the processors too. */
const PAUSE_MS = 100;
const ORIGIN = 'https://harbor.example';

export interface LoadFigures {
  requests: number;
  readonly created: string[];
  readonly failures: string[];
}

export interface Load {
  readonly figures: LoadFigures;
  stop(): Promise<void>;
}

export function startLoad(fleet: Fleet, key: string, clients: number): Load {
  const figures: LoadFigures = { requests: 0, created: [], failures: [] };
  let isStopping = false;
  let turn = 0;
  const send = async (method: string, path: string, expected: number, body?: unknown): Promise<unknown> => {
    const url = fleet.rotation[turn++ % fleet.rotation.length] ?? '';
    figures.requests++;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      if (response.status === expected) return JSON.parse(text);
      figures.failures.push(`${method} ${path} at ${url}: ${response.status} ${text.slice(0, 300)}`);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
      figures.failures.push(`${method} ${path} at ${url}: ${error}${cause}`);
    }
    return null;
  };
  const client = async (name: string): Promise<void> => {
    for (let number = 0; !isStopping; number++) {
      await delay(PAUSE_MS);
      const checkout = (await send('POST', '/v1/checkouts', 201, newCheckout(`${name}-${number}`))) as {
        readonly id: string;
      } | null;
      if (checkout === null) continue;
      figures.created.push(checkout.id);
      await send('POST', `/v1/test_helpers/checkouts/${checkout.id}/collect`, 200, {});
      await send('POST', `/v1/test_helpers/checkouts/${checkout.id}/hold`, 200, {});
      await send('GET', `/v1/checkouts/${checkout.id}`, 200);
      if (number % 5 === 0) await send('GET', '/v1/checkouts?limit=20', 200);
      if (number % 5 === 1) await send('GET', '/v1/events?limit=20', 200);
    }
  };
  const running = Array.from({ length: clients }, (_, index) => client(`client-${index}`));
  return {
    figures,
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

function newCheckout(booking: string): unknown {
  return {
    amount: 24_000,
    currency: 'usd',
    party_size: 3,
    pay_by: new Date(Date.now() + 3_600_000).toISOString(),
    description: 'Cabana 3',
    return_url: `${ORIGIN}/bookings/1`,
    external_booking_id: booking,
  };
}
