// The guest's page reports the last card of a party: the hold, the checkout as funded and the decision to capture are one
// transaction, and the captures follow at once.

import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { settleDueHolds, settleHoldNow } from '../../src/domain/checkouts/holds/settle-hold.ts';
import type { PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { stripeClient } from '../support/test-processor.ts';
import { CARDS, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openSharedWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';

let world: TestWorld;
let venue: TestVenue;
let stripe: Stripe;
let services: PaymentServices;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
  services = world.context.services;
  stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.test.secret);
});
afterAll(() => world.close());

describe('the last hold of a party, reported by the guest’s page', () => {
  async function waitingForLast(): Promise<{ id: string; lastHold: string; intents: string[] }> {
    const checkout = await venue.collecting({ party_size: 3 });
    const intents: string[] = [];
    for (const share of checkout.shares.slice(0, 2)) {
      const paid = await venue.secretFor(checkout.id, share.id);
      intents.push(intentIdOf(paid));
      await venue.confirm(paid, CARDS.good);
      await settleHoldNow(services, venue.venueId, paid.holdId);
    }
    const secret = await venue.secretFor(checkout.id, checkout.shares[2].id);
    await venue.confirm(secret, CARDS.good);
    return { id: checkout.id, lastHold: secret.holdId, intents: [...intents, intentIdOf(secret)] };
  }

  /** Settles the last hold, and counts what is asked of the processor. */
  async function report({ id, lastHold }: { id: string; lastHold: string }): Promise<string[]> {
    const calls: string[] = [];
    const test = new Proxy(services.processors.test as Processor, {
      get: (processor, name: keyof Processor) => (intent: string, amount: number, key: string) => {
        calls.push(`${name} ${intent}`);
        return (processor[name] as (...args: unknown[]) => unknown).call(processor, intent, amount, key);
      },
    });
    const seen = await readCheckout(world.db, venue.venueId, id);
    await settleHoldNow({ ...services, processors: { test } }, venue.venueId, lastHold, seen);
    return calls;
  }

  it('is recorded with the decision to capture, after every hold was retrieved once', async () => {
    const party = await waitingForLast();
    const calls = await report(party);
    expect(calls.slice(0, 3).sort()).toEqual(party.intents.map((intent) => `retrieveHold ${intent}`).sort());
    expect(calls.slice(3).sort()).toEqual(party.intents.map((intent) => `capture ${intent}`).sort());
    expect((await venue.read(party.id)).status).toBe('completed');
  });

  it('charges no guest when another hold has lapsed at the processor meanwhile', async () => {
    const party = await waitingForLast();
    await stripe.paymentIntents.cancel(party.intents[0] ?? '');
    const calls = await report(party);
    expect(calls.filter((call) => call.startsWith('capture'))).toEqual([]);
    const checkout = await venue.read(party.id);
    expect([checkout.status, ...checkout.shares.map(({ status }: Json) => status)]).toEqual([
      'collecting',
      'failed',
      'held',
      'held',
    ]);
    expect(await venue.chargedAtProcessor(party.id)).toBe(0);
  });

  it('leaves the captures to the settlement that has funded the checkout before it', async () => {
    const party = await waitingForLast();
    const seen = await readCheckout(world.db, venue.venueId, party.id);
    await Promise.all([1, 2].map(() => settleHoldNow(services, venue.venueId, party.lastHold, seen)));
    await runUntilIdle('settling', () => settleDueHolds(services, 100));
    await runUntilIdle('capturing', () => captureDue(services, 100));
    expect((await venue.read(party.id)).status).toBe('completed');
    expect(await venue.chargedAtProcessor(party.id)).toBe((await venue.read(party.id)).amount);
  });
});
