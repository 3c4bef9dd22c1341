// All or nothing at the bank: captures that fail for a while, for good, for some and for all, or are done without saying so.
// At the end either everybody has paid, or nobody has.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { captureFunded } from '../../src/domain/checkouts/capture/capture.ts';
import { claimFunded } from '../../src/domain/checkouts/queries.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import { CARDS, DAY, HOUR, inFuture, intentOf, openShop, type Seen, type Shop } from './shop.ts';

let world: TestWorld;
let shop: Shop;
beforeAll(async () => {
  world = await openTestWorld();
  shop = await openShop(world);
  await shop.fee(250, 30);
});
afterAll(() => world.close());
afterEach(() => world.processor.api.faults.clear());

const statusesOf = (checkout: Seen): string[] => checkout.shares.map(({ status }: Seen) => status);

async function paidWith(...cards: string[]): Promise<Seen> {
  const checkout = await shop.collecting({ party_size: cards.length, amount: 9_001 * cards.length });
  await shop.payAll(checkout, cards);
  return checkout;
}

async function hurryUntil(id: string, status: string, most = 8): Promise<Seen> {
  for (let tries = 0; tries < most; tries++) {
    const seen = await shop.read(id);
    if (seen.status === status) return seen;
    await shop.hurry(id);
  }
  return shop.read(id);
}

async function expectNobodyCharged(id: string): Promise<void> {
  await shop.hurry(id);
  expect(await shop.chargedAtBank(id)).toBe(0);
  expect(await shop.heldAtBank(id)).toBe(0);
  expect(await shop.paidOutAtBank(id)).toBe(0);
  expect(await shop.balances(id)).toEqual({});
}

async function expectEverybodyCharged(checkout: Seen): Promise<void> {
  await shop.hurry(checkout.id);
  expect(await shop.chargedAtBank(checkout.id)).toBe(checkout.amount);
  expect(await shop.paidOutAtBank(checkout.id)).toBe(checkout.net_amount);
  const { fee_amount: fee } = checkout;
  expect(await shop.balances(checkout.id)).toEqual({ processor_balance: fee, fee_income: -fee });
}

describe('a capture that fails for a while', () => {
  it('is tried again until it succeeds, and everybody is charged once', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForAWhile, CARDS.good);
    const between = await shop.read(checkout.id);
    expect([between.status, between.completed_at]).toEqual(['funded', null]);
    expect(await shop.paidOutAtBank(checkout.id)).toBe(0);
    const done = await hurryUntil(checkout.id, 'completed');
    expect([done.status, statusesOf(done)]).toEqual(['completed', Array(3).fill('captured')]);
    await expectEverybodyCharged(done);
    expect((await shop.told(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.completed']);
  });

  it.each(['error_500', 'error_500_after', 'drop_connection', 'rate_limited'] as const)(
    'because of %s at the bank is taken up again and done once',
    async (kind) => {
      world.processor.api.faults.set({ rules: [{ id: 'some', on: 'payment_intents.capture', kind, times: 2 }] });
      const checkout = await paidWith(CARDS.good, CARDS.good, CARDS.good);
      const done = await hurryUntil(checkout.id, 'completed');
      expect(done.status).toBe('completed');
      await expectEverybodyCharged(done);
    },
  );

  it('before any is begun, because the bank does not answer what stands, waits as funded', async () => {
    const checkout = await shop.collecting({ party_size: 2 });
    await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const secret = await shop.secretFor(checkout.id, checkout.shares[1].id);
    await shop.confirm(secret, CARDS.good);
    world.processor.api.faults.set({
      rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'drop_connection' }],
    });
    await shop.look(secret.holdId);
    expect((await shop.read(checkout.id)).status).toBe('funded');
    await shop.hurry(checkout.id);
    expect((await shop.read(checkout.id)).status).toBe('funded');
    expect(await shop.chargedAtBank(checkout.id)).toBe(0);
    world.processor.api.faults.clear();
    await expectEverybodyCharged(await hurryUntil(checkout.id, 'completed'));
  });
});

describe('a worker that stopped on the way', () => {
  it('writes nothing when it goes on, once another has begun a later turn', async () => {
    world.processor.api.faults.set({
      rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'drop_connection' }],
    });
    const checkout = await paidWith(CARDS.good, CARDS.good);
    world.processor.api.faults.clear();
    const { services: money } = world.context;
    const nextTurn = () => claimFunded(world.db, shop.venueId, checkout.id, money.clock.now() + HOUR);
    const began = await nextTurn();
    // While it asks the bank, another takes the checkout over.
    const test = new Proxy(money.processors.test as Processor, {
      get:
        (bank, name: keyof Processor) =>
        async (...args: unknown[]) => {
          await nextTurn();
          return (bank[name] as (...given: unknown[]) => unknown)(...args);
        },
    });
    await captureFunded({ ...money, processors: { test } }, shop.venueId, checkout.id);
    const [{ status, turn, due } = {}] = await world.db.query(
      'select status, turn, work_at > now() + $2 as due from checkouts where checkout_id = $1',
      [checkout.id, '30 minutes'],
    );
    // The bank was asked twice; what it said is not written, nor is the other's lease.
    expect([status, turn, due]).toEqual(['funded', (began ?? 0) + 3, true]);
    await expectEverybodyCharged(await hurryUntil(checkout.id, 'completed'));
  });
});

describe('a capture that fails for good', () => {
  it('after others went through cancels the checkout, refunds those, and leaves nobody charged', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood, CARDS.good);
    const seen = await hurryUntil(checkout.id, 'canceled');
    expect([seen.status, seen.cancellation_reason]).toEqual(['canceled', 'capture_failed']);
    expect(statusesOf(seen)).toEqual(['refunded', 'failed', 'refunded']);
    expect(seen.refunded_amount).toBe(18_002);
    expect(seen.shares.map(({ refunded_amount }: Seen) => refunded_amount)).toEqual([9_001, 0, 9_001]);
    expect(seen.completed_at).toBeNull();
    await expectNobodyCharged(checkout.id);
    expect((await shop.told(checkout.id)).filter((type) => type === 'checkout.canceled')).toHaveLength(1);
    expect(await shop.told(checkout.id)).not.toContain('checkout.completed');
  });

  it('beside one whose outcome is not known waits for that one, then nobody is charged', async () => {
    const checkout = await paidWith(CARDS.captureFailsForAWhile, CARDS.captureFailsForGood);
    expect((await shop.read(checkout.id)).status).toBe('funded');
    const seen = await hurryUntil(checkout.id, 'canceled');
    expect([seen.status, seen.cancellation_reason]).toEqual(['canceled', 'capture_failed']);
    expect(statusesOf(seen)).toEqual(['refunded', 'failed']);
    await expectNobodyCharged(checkout.id);
  });

  it('after one went through and beside one that is not known lets that one go', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood, CARDS.captureFailsForAWhile);
    const seen = await hurryUntil(checkout.id, 'canceled');
    expect([seen.status, statusesOf(seen)]).toEqual(['canceled', ['refunded', 'failed', 'released']]);
    await expectNobodyCharged(checkout.id);
  });

  it('for everybody leads back to collecting; another card each completes it', async () => {
    const checkout = await paidWith(CARDS.captureFailsForGood, CARDS.captureFailsForGood);
    const back = await shop.read(checkout.id);
    expect([back.status, statusesOf(back), back.funded_amount]).toEqual(['collecting', ['failed', 'failed'], 0]);
    expect((await shop.told(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.collecting']);
    await expectNobodyCharged(checkout.id);
    await shop.payAll(checkout, []);
    const done = await hurryUntil(checkout.id, 'completed');
    expect(done.status).toBe('completed');
    await expectEverybodyCharged(done);
  });

  it('frees the booking: the same booking id starts anew', async () => {
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood);
    await hurryUntil(checkout.id, 'canceled');
    const again = await shop.create({ external_booking_id: checkout.external_booking_id });
    expect([again.status, again.id === checkout.id]).toEqual(['open', false]);
  });

  it('and a refund that the bank does not take at first is tried until it is done', async () => {
    world.processor.api.faults.set({
      rules: [{ id: 'refunds', on: 'refunds.create', kind: 'error_500_after', times: 2 }],
    });
    const checkout = await paidWith(CARDS.good, CARDS.captureFailsForGood, CARDS.good);
    await hurryUntil(checkout.id, 'canceled');
    await shop.hurry(checkout.id);
    await shop.hurry(checkout.id);
    await expectNobodyCharged(checkout.id);
  });
});

describe('a hold that somebody captured at the bank behind our back', () => {
  async function captured(): Promise<Seen> {
    const checkout = await shop.collecting({ party_size: 2 });
    const secret = await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await shop.stripe.paymentIntents.capture(intentOf(secret));
    await shop.look(secret.holdId);
    await shop.hurry(checkout.id);
    await shop.hurry(checkout.id);
    return checkout;
  }

  it('is given back, and its person is asked again and can pay', async () => {
    const checkout = await captured();
    const seen = await shop.read(checkout.id);
    expect([seen.status, statusesOf(seen)]).toEqual(['collecting', ['failed', 'invited']]);
    expect(await shop.chargedAtBank(checkout.id)).toBe(0);
    await shop.payAll(checkout, []);
    const done = await hurryUntil(checkout.id, 'completed');
    expect(done.status).toBe('completed');
    await expectEverybodyCharged(done);
  });

  it('does not stand in the way of a cancel', async () => {
    const checkout = await captured();
    const told = await shop.post(`/v1/checkouts/${checkout.id}/cancel`);
    expect([told.status, told.json.status], told.text).toEqual([200, 'canceled']);
    await expectNobodyCharged(checkout.id);
  });
});

describe('an old hold that is let go late', () => {
  const faults = (...names: string[]): void =>
    world.processor.api.faults.set({
      rules: names.map((on) => ({ id: on, on: `payment_intents.${on}`, kind: 'error_500' as const })),
    });

  /** Funded, its captures waiting for the bank, while a hold from before is only now let go. */
  async function expectStillCompleted(checkout: Seen): Promise<void> {
    expect((await shop.read(checkout.id)).status).toBe('funded');
    faults('capture');
    await shop.hurry(checkout.id);
    const between = await shop.read(checkout.id);
    expect([between.status, statusesOf(between)]).toEqual(['funded', ['held', 'held']]);
    world.processor.api.faults.clear();
    const done = await hurryUntil(checkout.id, 'completed');
    expect(done.status).toBe('completed');
    await expectEverybodyCharged(done);
    expect(await shop.heldAtBank(checkout.id)).toBe(0);
  }

  it('because it was renewed, does not harm the party that was funded meanwhile', async () => {
    const checkout = await shop.collecting({ party_size: 2, pay_by: inFuture(20 * DAY) });
    await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    faults('cancel', 'capture');
    await shop.drive(checkout.id, 'advance', { to: inFuture(6 * DAY + 2 * HOUR) });
    await world.work();
    expect(await shop.intents(checkout.id)).toHaveLength(2);
    await shop.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await expectStillCompleted(checkout);
  });

  it('because it was refused, does not harm the party that has paid again meanwhile', async () => {
    faults('cancel');
    const checkout = await paidWith(CARDS.captureFailsForGood, CARDS.captureFailsForGood);
    expect((await shop.read(checkout.id)).status).toBe('collecting');
    faults('cancel', 'capture');
    await shop.payAll(checkout, []);
    await expectStillCompleted(checkout);
  });
});

describe('payouts', () => {
  it('that the bank made without saying so are made once', async () => {
    world.processor.api.faults.set({
      rules: [{ id: 'transfers', on: 'transfers.create', kind: 'error_500_after', times: 2 }],
    });
    const checkout = await paidWith(CARDS.good, CARDS.good);
    const done = await hurryUntil(checkout.id, 'completed');
    await shop.hurry(checkout.id);
    await shop.hurry(checkout.id);
    await expectEverybodyCharged(done);
  });

  it('of a checkout whose whole total is our fee are none', async () => {
    const greedy = await openShop(world);
    await greedy.fee(10_000, 0);
    const done = await greedy.completed({ amount: 1_000, party_size: 2 });
    expect(done.net_amount).toBe(0);
    expect(await greedy.paidOutAtBank(done.id)).toBe(0);
    expect(await greedy.balances(done.id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
  });
});
