// The processor fails (500) and repeats that answer for the call's idempotency key, as the real one does. Whether the
// failed call had done its work or not, each call is then done once under another key: no guest is charged twice, no
// card is held twice, no venue is paid twice, and nothing waits for ever.

import type Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reconcile } from '../../src/domain/checkouts/accounting/reconcile.ts';
import { captureFunded } from '../../src/domain/checkouts/capture/capture.ts';
import { type Processor, ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { CARDS, DAY, HOUR, inFuture, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
  await venue.setFee(250, 30);
});
afterAll(() => world.close());
afterEach(() => world.processor.api.faults.clear());

const KINDS = ['error_500_rolled_back', 'error_500_after'] as const;
type Kind = (typeof KINDS)[number] | 'refused_for_now';

/** The first two calls of each operation fail. */
function failTwice(kind: Kind, ...operations: string[]): void {
  world.processor.api.faults.set({ rules: operations.map((on) => ({ id: on, on, kind, times: 2 })) });
}

async function runDueWork(id: string, rounds = 5): Promise<Json> {
  for (let round = 0; round < rounds; round++) await venue.finishDueWork(id);
  return venue.read(id);
}

/** Every intent of the checkout at the processor, also those that no hold of ours names. */
async function intentsOf(checkoutId: string): Promise<Stripe.PaymentIntent[]> {
  const { data } = await venue.stripe.paymentIntents.list({ limit: 100, expand: ['data.latest_charge'] });
  return data.filter(({ metadata }) => metadata.checkout_id === checkoutId);
}

async function expectPaidOnce(checkout: Json): Promise<void> {
  const intents = await intentsOf(checkout.id);
  const received = intents.reduce((sum, intent) => sum + intent.amount_received, 0);
  const held = intents.reduce((sum, intent) => sum + intent.amount_capturable, 0);
  expect([received, held]).toEqual([checkout.amount, 0]);
  expect(await venue.paidOutAtProcessor(checkout.id)).toBe(checkout.net_amount);
  const { fee_amount: fee } = checkout;
  expect(await venue.balances(checkout.id)).toEqual({ processor_balance: fee, fee_income: -fee });
}

describe('reconcile', () => {
  it('reports a checkout that has charged one guest for more than five minutes, and not the others', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    const { services } = world.context;
    let captures = 0;
    // The first capture succeeds, every later one gets no answer.
    const test = new Proxy(services.processors.test as Processor, {
      get:
        (processor, name: keyof Processor) =>
        async (...args: unknown[]) => {
          if (name === 'capture' && captures++ > 0) throw new ProcessorUnavailable('capture: no answer');
          return (processor[name] as (...args: unknown[]) => unknown).apply(processor, args);
        },
    });
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
    await venue.payAll(checkout, []);
    world.processor.api.faults.clear();
    await captureFunded({ ...services, processors: { test } }, venue.venueId, checkout.id);
    const reported = async (aheadMs: number) => {
      const clock = { ...services.clock, now: () => Date.now() + aheadMs };
      const report = await reconcile(
        { ...services, clock, processors: { test } },
        { mode: 'test', since: Date.now(), apply: null },
      );
      return report.differences.filter(({ subject }) => subject === checkout.id);
    };
    expect(await reported(4 * 60_000)).toEqual([]);
    expect(await reported(6 * 60_000)).toEqual([
      {
        mode: 'test',
        subject: checkout.id,
        what: 'a guest was charged 6 minutes ago, and the other guests are not charged yet',
        done: null,
      },
    ]);
    await runDueWork(checkout.id);
    expect((await venue.read(checkout.id)).status).toBe('completed');
  });
});

describe.each(KINDS)('after a stored failure (%s)', (kind) => {
  it('a share is held by one card', async () => {
    const checkout = await venue.collecting({ party_size: 2, pay_by: inFuture(20 * DAY) });
    failTwice(kind, 'customers.create', 'payment_intents.create');
    const [share] = checkout.shares;
    for (let attempt = 0; attempt < 4; attempt++) {
      await expect(venue.secretFor(checkout.id, share.id)).rejects.toThrow('has not answered yet');
    }
    await venue.pay(checkout.id, share.id, CARDS.good);
    const current = await venue.read(checkout.id);
    expect(current.shares.map(({ status }: Json) => status)).toEqual(['held', 'invited']);
    const statuses = (await intentsOf(checkout.id)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 'requires_payment_method')).toEqual(['requires_capture']);
  });

  it('a hold is renewed once', async () => {
    const checkout = await venue.collecting({ party_size: 2, pay_by: inFuture(20 * DAY) });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    failTwice(kind, 'payment_intents.create', 'payment_intents.cancel');
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(6 * DAY + 2 * HOUR) });
    await world.work();
    const current = await runDueWork(checkout.id);
    expect(current.shares.map(({ status }: Json) => status)).toEqual(['held', 'invited']);
    const intents = await intentsOf(checkout.id);
    expect(intents.map(({ status }) => status).sort()).toEqual(['canceled', 'requires_capture']);
  });

  it('every guest is charged once', async () => {
    const checkout = await venue.collecting({ party_size: 3, amount: 27_003 });
    failTwice(kind, 'payment_intents.capture');
    await venue.payAll(checkout, []);
    expect((await venue.read(checkout.id)).status).toBe('funded');
    const completed = await runDueWork(checkout.id);
    expect(completed.status).toBe('completed');
    await expectPaidOnce(completed);
  });

  it('the venue is paid once', async () => {
    failTwice(kind, 'transfers.create');
    const completed = await venue.completed({ amount: 9_000, party_size: 3 });
    await runDueWork(completed.id);
    await expectPaidOnce(completed);
  });

  it('a canceled checkout releases its cards', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    failTwice(kind, 'payment_intents.cancel');
    const response = await venue.post(`/v1/checkouts/${checkout.id}/cancel`);
    expect([response.status, response.json.status], response.text).toEqual([200, 'canceled']);
    await runDueWork(checkout.id);
    expect((await intentsOf(checkout.id)).map(({ status }) => status)).toEqual(['canceled']);
  });

  it('a refund and the reversal of its transfer happen once', async () => {
    const completed = await venue.completed({ amount: 9_000, party_size: 3 });
    failTwice(kind, 'refunds.create', 'transfer_reversals.create');
    const response = await venue.post(`/v1/checkouts/${completed.id}/refund`, { amount: 900 });
    expect(response.status, response.text).toBe(200);
    await runDueWork(completed.id);
    expect(await venue.chargedAtProcessor(completed.id)).toBe(8_100);
    const { processor_balance: balance } = await venue.balances(completed.id);
    expect(8_100 - (await venue.paidOutAtProcessor(completed.id))).toBe(balance);
  });
});

describe('after a stored refusal of a hold that still stands', () => {
  it('every guest is charged once', async () => {
    const checkout = await venue.collecting({ party_size: 3, amount: 27_003 });
    failTwice('refused_for_now', 'payment_intents.capture');
    await venue.payAll(checkout, []);
    expect((await venue.read(checkout.id)).status).toBe('funded');
    const completed = await runDueWork(checkout.id);
    expect(completed.status).toBe('completed');
    await expectPaidOnce(completed);
  });

  it('a canceled checkout releases its cards', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    failTwice('refused_for_now', 'payment_intents.cancel');
    expect((await venue.post(`/v1/checkouts/${checkout.id}/cancel`)).json.status).toBe('canceled');
    await runDueWork(checkout.id);
    expect((await intentsOf(checkout.id)).map(({ status }) => status)).toEqual(['canceled']);
  });
});

describe('a refund', () => {
  it('that the processor made, and that failed before the worker knew of it, is not recorded as done', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const refundFails = '4000000000005126';
    await venue.payAll(checkout, [refundFails, CARDS.good]);
    const completed = await runDueWork(checkout.id);
    // The answer is lost, and the same key gets it again.
    const lost = { id: 'lost', on: 'refunds.create', kind: 'timeout_after' as const, ms: 1 };
    world.processor.api.faults.set({ rules: [lost] });
    await venue.post(`/v1/checkouts/${completed.id}/refund`);
    await settleDueMovements(world.context.services, 10);
    world.processor.api.faults.clear();
    // Meanwhile one refund fails at the processor.
    world.processorClock.aheadMs += HOUR;
    await world.db.query("update movements set due_at = now() - interval '1 second' where status = 'sending'");
    await settleDueMovements(world.context.services, 10);
    const { refunded_amount, failed_refund_amount } = await venue.read(completed.id);
    expect({ refunded_amount, failed_refund_amount }).toEqual({
      refunded_amount: 10_000,
      failed_refund_amount: 10_000,
    });
  });
});
