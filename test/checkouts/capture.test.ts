// All guests are charged or none: captures that fail temporarily, for good, for some guests or for all, or succeed
// without an answer.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { captureFunded } from '../../src/domain/checkouts/capture/capture.ts';
import { leaseCaptures } from '../../src/domain/checkouts/queries.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import {
  CARDS,
  DAY,
  HOUR,
  inFuture,
  intentIdOf,
  type Json,
  openTestVenue,
  type TestVenue,
} from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
  await venue.setFee(250, 30);
});
afterAll(() => world.close());
afterEach(() => world.processor.api.faults.clear());

const statusesOf = (checkout: Json): string[] => checkout.shares.map(({ status }: Json) => status);

async function paidWith(...cards: string[]): Promise<Json> {
  const checkout = await venue.collecting({ party_size: cards.length, amount: 9_001 * cards.length });
  await venue.payAll(checkout, cards);
  return checkout;
}

async function runDueWorkUntil(id: string, status: string, maxRounds = 8): Promise<Json> {
  for (let attempts = 0; attempts < maxRounds; attempts++) {
    const current = await venue.read(id);
    if (current.status === status) return current;
    await venue.finishDueWork(id);
  }
  return venue.read(id);
}

async function expectNoGuestCharged(id: string): Promise<void> {
  await venue.finishDueWork(id);
  expect(await venue.chargedAtProcessor(id)).toBe(0);
  expect(await venue.heldAtProcessor(id)).toBe(0);
  expect(await venue.paidOutAtProcessor(id)).toBe(0);
  expect(await venue.balances(id)).toEqual({});
}

async function expectEveryGuestCharged(checkout: Json): Promise<void> {
  await venue.finishDueWork(checkout.id);
  expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
  expect(await venue.paidOutAtProcessor(checkout.id)).toBe(checkout.net_amount);
  const { fee_amount: fee } = checkout;
  expect(await venue.balances(checkout.id)).toEqual({ processor_balance: fee, fee_income: -fee });
}

describe('a capture that fails temporarily', () => {
  it('is retried until it succeeds, and each guest is charged once', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForAWhile, CARDS.good);
    const between = await venue.read(checkout.id);
    expect([between.status, between.completed_at]).toEqual(['funded', null]);
    expect(await venue.paidOutAtProcessor(checkout.id)).toBe(0);
    const completed = await runDueWorkUntil(checkout.id, 'completed');
    expect([completed.status, statusesOf(completed)]).toEqual(['completed', Array(3).fill('captured')]);
    await expectEveryGuestCharged(completed);
    expect((await venue.eventTypes(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.completed']);
  });

  it.each(['error_500', 'error_500_after', 'drop_connection', 'rate_limited'] as const)(
    'because of %s at the processor is retried and done once',
    async (kind) => {
      world.processor.api.faults.set({ rules: [{ id: 'some', on: 'payment_intents.capture', kind, times: 2 }] });
      const checkout = await paidWith(CARDS.good, CARDS.good, CARDS.good);
      const completed = await runDueWorkUntil(checkout.id, 'completed');
      expect(completed.status).toBe('completed');
      await expectEveryGuestCharged(completed);
    },
  );

  it('while the processor does not answer the verification leaves the checkout funded', {
    tags: ['slow'],
  }, async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const secret = await venue.secretFor(checkout.id, checkout.shares[1].id);
    await venue.confirm(secret, CARDS.good);
    world.processor.api.faults.set({
      rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'drop_connection' }],
    });
    await venue.settleHold(secret.holdId);
    expect((await venue.read(checkout.id)).status).toBe('funded');
    await venue.finishDueWork(checkout.id);
    expect((await venue.read(checkout.id)).status).toBe('funded');
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    world.processor.api.faults.clear();
    await expectEveryGuestCharged(await runDueWorkUntil(checkout.id, 'completed'));
  });
});

describe('a worker that stalls during a capture', () => {
  it('writes nothing when it continues with a stale lease token', async () => {
    world.processor.api.faults.set({
      rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'drop_connection' }],
    });
    const checkout = await paidWith(CARDS.good, CARDS.good);
    world.processor.api.faults.clear();
    const { services } = world.context;
    const claimAgain = () => leaseCaptures(world.db, venue.venueId, checkout.id, services.clock.now() + HOUR);
    const firstToken = await claimAgain();
    // While it calls the processor, another worker claims the checkout.
    const test = new Proxy(services.processors.test as Processor, {
      get:
        (processor, name: keyof Processor) =>
        async (...args: unknown[]) => {
          await claimAgain();
          return (processor[name] as (...args: unknown[]) => unknown)(...args);
        },
    });
    await captureFunded({ ...services, processors: { test } }, venue.venueId, checkout.id);
    const [{ status, leaseToken, due } = {}] = await world.db.query(
      'select status, lease_token as "leaseToken", capture_due_at > now() + $2 as due from checkouts where checkout_id = $1',
      [checkout.id, '30 minutes'],
    );
    // Both workers called the processor. The stalled one writes neither the answers nor the other's lease.
    expect([status, leaseToken, due]).toEqual(['funded', (firstToken ?? 0) + 3, true]);
    await expectEveryGuestCharged(await runDueWorkUntil(checkout.id, 'completed'));
  });
});

describe('a capture that fails for good', () => {
  it('after other captures succeeded cancels the checkout and returns those captures, so that no guest is charged', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood, CARDS.good);
    const current = await runDueWorkUntil(checkout.id, 'canceled');
    expect([current.status, current.cancellation_reason]).toEqual(['canceled', 'capture_failed']);
    expect(statusesOf(current)).toEqual(['refunded', 'failed', 'refunded']);
    expect(current.refunded_amount).toBe(18_002);
    expect(current.shares.map(({ refunded_amount }: Json) => refunded_amount)).toEqual([9_001, 0, 9_001]);
    expect(current.completed_at).toBeNull();
    await expectNoGuestCharged(checkout.id);
    expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'checkout.canceled')).toHaveLength(1);
    expect(await venue.eventTypes(checkout.id)).not.toContain('checkout.completed');
  });

  it('beside a capture with an unknown outcome waits for that one; then no guest is charged', async () => {
    const checkout = await paidWith(CARDS.captureFailsForAWhile, CARDS.captureFailsForGood);
    expect((await venue.read(checkout.id)).status).toBe('funded');
    const current = await runDueWorkUntil(checkout.id, 'canceled');
    expect([current.status, current.cancellation_reason]).toEqual(['canceled', 'capture_failed']);
    expect(statusesOf(current)).toEqual(['refunded', 'failed']);
    await expectNoGuestCharged(checkout.id);
  });

  it('after one capture succeeded and beside an unknown one releases the unknown one', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood, CARDS.captureFailsForAWhile);
    const current = await runDueWorkUntil(checkout.id, 'canceled');
    expect([current.status, statusesOf(current)]).toEqual(['canceled', ['refunded', 'failed', 'released']]);
    await expectNoGuestCharged(checkout.id);
  });

  it('for every share leads back to collecting; other cards complete the checkout', async () => {
    const checkout = await paidWith(CARDS.captureFailsForGood, CARDS.captureFailsForGood);
    const back = await venue.read(checkout.id);
    expect([back.status, statusesOf(back), back.funded_amount]).toEqual(['collecting', ['failed', 'failed'], 0]);
    expect((await venue.eventTypes(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.collecting']);
    await expectNoGuestCharged(checkout.id);
    await venue.payAll(checkout, []);
    const completed = await runDueWorkUntil(checkout.id, 'completed');
    expect(completed.status).toBe('completed');
    await expectEveryGuestCharged(completed);
  });

  it('frees the booking: the same booking id gets a new checkout', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood);
    await runDueWorkUntil(checkout.id, 'canceled');
    const repeated = await venue.create({ external_booking_id: checkout.external_booking_id });
    expect([repeated.status, repeated.id === checkout.id]).toEqual(['open', false]);
  });

  it('is followed by a return that the worker retries until the processor accepts it', async () => {
    world.processor.api.faults.set({
      rules: [{ id: 'refunds', on: 'refunds.create', kind: 'error_500_after', times: 2 }],
    });
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood, CARDS.good);
    await runDueWorkUntil(checkout.id, 'canceled');
    await venue.finishDueWork(checkout.id);
    await venue.finishDueWork(checkout.id);
    await expectNoGuestCharged(checkout.id);
  });
});

describe('a hold that was captured at the processor without us', () => {
  async function captured(): Promise<Json> {
    const checkout = await venue.collecting({ party_size: 2 });
    const secret = await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await venue.stripe.paymentIntents.capture(intentIdOf(secret));
    await venue.settleHold(secret.holdId);
    await venue.finishDueWork(checkout.id);
    await venue.finishDueWork(checkout.id);
    return checkout;
  }

  it('is paid back, its share fails, and the guest can pay again', async () => {
    const checkout = await captured();
    const current = await venue.read(checkout.id);
    expect([current.status, statusesOf(current)]).toEqual(['collecting', ['failed', 'invited']]);
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    await venue.payAll(checkout, []);
    const completed = await runDueWorkUntil(checkout.id, 'completed');
    expect(completed.status).toBe('completed');
    await expectEveryGuestCharged(completed);
  });

  it('does not prevent a cancel', async () => {
    const checkout = await captured();
    const response = await venue.post(`/v1/checkouts/${checkout.id}/cancel`);
    expect([response.status, response.json.status], response.text).toEqual([200, 'canceled']);
    await expectNoGuestCharged(checkout.id);
  });
});

describe('an old hold that is released late', () => {
  const faults = (...names: string[]): void =>
    world.processor.api.faults.set({
      rules: names.map((on) => ({ id: on, on: `payment_intents.${on}`, kind: 'error_500' as const })),
    });

  /** A funded checkout whose captures wait for the processor, while an earlier hold is released only now. */
  async function expectStillCompleted(checkout: Json): Promise<void> {
    expect((await venue.read(checkout.id)).status).toBe('funded');
    faults('capture');
    await venue.finishDueWork(checkout.id);
    const between = await venue.read(checkout.id);
    expect([between.status, statusesOf(between)]).toEqual(['funded', ['held', 'held']]);
    world.processor.api.faults.clear();
    const completed = await runDueWorkUntil(checkout.id, 'completed');
    expect(completed.status).toBe('completed');
    await expectEveryGuestCharged(completed);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
  }

  it('because it was renewed, does not affect the checkout that was funded meanwhile', async () => {
    const checkout = await venue.collecting({ party_size: 2, pay_by: inFuture(20 * DAY) });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    faults('cancel', 'capture');
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(6 * DAY + 2 * HOUR) });
    await world.work();
    expect(await venue.intents(checkout.id)).toHaveLength(2);
    await venue.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await expectStillCompleted(checkout);
  });

  it('because it was refused, does not affect the party that has paid again meanwhile', async () => {
    faults('cancel');
    const checkout = await paidWith(CARDS.captureFailsForGood, CARDS.captureFailsForGood);
    expect((await venue.read(checkout.id)).status).toBe('collecting');
    faults('cancel', 'capture');
    await venue.payAll(checkout, []);
    await expectStillCompleted(checkout);
  });
});

describe('payouts', () => {
  it('that the processor made without an answer are made once', async () => {
    world.processor.api.faults.set({
      rules: [{ id: 'transfers', on: 'transfers.create', kind: 'error_500_after', times: 2 }],
    });
    const checkout = await paidWith(CARDS.good, CARDS.good);
    const completed = await runDueWorkUntil(checkout.id, 'completed');
    await venue.finishDueWork(checkout.id);
    await venue.finishDueWork(checkout.id);
    await expectEveryGuestCharged(completed);
  });

  it('of a checkout whose whole amount is our fee have no transfer', async () => {
    const greedy = await openTestVenue(world);
    await greedy.setFee(10_000, 0);
    const completed = await greedy.completed({ amount: 1_000, party_size: 2 });
    expect(completed.net_amount).toBe(0);
    expect(await greedy.paidOutAtProcessor(completed.id)).toBe(0);
    expect(await greedy.balances(completed.id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
  });
});
