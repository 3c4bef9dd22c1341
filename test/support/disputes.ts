// Disputes in tests: opens and closes them at the embedded processor, and delivers their events.

import { expect } from 'vitest';
import type { Json, TestVenue } from './test-venue.ts';
import type { TestWorld } from './test-world.ts';

export interface DisputeTools {
  /** Opens a dispute of the charge of this intent; its events are not delivered yet. Returns its id. */
  open(intent: string, amount: number, form?: Record<string, string>): Promise<string>;
  close(disputeId: string, outcome: 'won' | 'lost', form?: Record<string, string>): Promise<void>;
  /** Calls a test helper of disputes at the embedded processor. */
  call(path: string, form?: Record<string, string>): Promise<Json>;
  /** Sends the processor's events about the dispute of an intent, each twice, the newest first, and runs the workers. */
  deliverEvents(intent: string): Promise<void>;
}

export function disputeTools(world: TestWorld, venue: TestVenue): DisputeTools {
  const call = async (path: string, form: Record<string, string> = {}): Promise<Json> => {
    const response = await fetch(`${world.processor.url}/v1/test_helpers/disputes${path === '' ? '' : '/'}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_for_tests' },
      body: new URLSearchParams(form),
    });
    const object = (await response.json()) as Json;
    expect(response.status, JSON.stringify(object)).toBe(200);
    return object;
  };
  return {
    call,
    async open(intent, amount, form = {}) {
      const created = await call('', { payment_intent: intent, amount: String(amount), ...form });
      return created.id;
    },
    async close(disputeId, outcome, form) {
      await call(`${disputeId}/${outcome}`, form);
    },
    async deliverEvents(intent) {
      const { data } = await venue.stripe.events.list({ limit: 100 });
      const bodies = data
        .filter(
          ({ type, data: { object } }) =>
            type.startsWith('charge.dispute') && (object as Json).payment_intent === intent,
        )
        .map((event) => JSON.stringify(event));
      for (const body of [...bodies, ...bodies]) {
        const signature = world.processor.api.webhooks.sign({ mode: 'test', body });
        const response = await world.call('POST', '/processor/notices/test', {
          body,
          headers: { 'stripe-signature': signature },
        });
        expect(response.status, response.text).toBe(200);
      }
      await world.work();
    },
  };
}
