// The embedded processor with the official client: idempotency keys, and every kind of fault that can be switched on.

import type Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createHold,
  errorOf,
  keys,
  startTestProcessor,
  stripeClient,
  type TestProcessor,
} from '../support/test-processor.ts';

let bank: TestProcessor;
let stripe: Stripe;
beforeAll(async () => {
  bank = await startTestProcessor();
  stripe = bank.stripe;
});
afterEach(() => bank.bank.faults.clear());
afterAll(() => bank.close());

const options = { amount: 1000, currency: 'usd', capture_method: 'manual' as const };
const once = (idempotencyKey: string) => ({ idempotencyKey });
const count = async (): Promise<number> => (await stripe.paymentIntents.list({ limit: 100 })).data.length;
const rule = (kind: string, more: object = {}) =>
  bank.setFaults({ rules: [{ id: 'one', on: 'payment_intents.create', kind, ...more }] });

describe('an idempotency key', () => {
  it('does the work once and gives the same answer again', async () => {
    const first = await stripe.paymentIntents.create(options, once('k-1'));
    const again = await stripe.paymentIntents.create(options, once('k-1'));
    expect(again).toEqual(first);
    expect(first.lastResponse.headers['idempotent-replayed']).toBe(undefined);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    const live = await bank.live.paymentIntents.create(options, once('k-1'));
    expect(live.id).not.toBe(first.id);
  });

  it('with other parameters is refused, and so is one for another call', async () => {
    await stripe.paymentIntents.create(options, once('k-2'));
    const other = await errorOf(stripe.paymentIntents.create({ ...options, amount: 1001 }, once('k-2')));
    expect([other.statusCode, other.rawType]).toEqual([400, 'idempotency_error']);
    expect((await errorOf(stripe.customers.create({}, once('k-2')))).rawType).toBe('idempotency_error');
  });

  it('keeps a decline too, and is free again after a request that was never begun', async () => {
    const { id } = await createHold(stripe, 'pm_card_captureFailsForAWhile');
    for (let tries = 0; tries < 5; tries++) {
      expect((await errorOf(stripe.paymentIntents.capture(id, {}, once('k-3')))).code).toBe('processing_error');
    }
    // The card had failed once only: the rest were the same answer.
    for (let tries = 0; tries < 2; tries++) await errorOf(stripe.paymentIntents.capture(id));
    expect((await stripe.paymentIntents.capture(id)).status).toBe('succeeded');
    await errorOf(stripe.paymentIntents.create({ ...options, amount: 1 }, once('k-4')));
    expect((await stripe.paymentIntents.create(options, once('k-4'))).object).toBe('payment_intent');
  });

  it('in flight is refused with 409, and the work is done once', async () => {
    await rule('slow', { ms: 1_000 });
    const before = await count();
    const first = stripe.paymentIntents.create(options, once('k-5'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const second = await errorOf(stripe.paymentIntents.create(options, once('k-5')));
    expect([second.statusCode, second.code]).toEqual([409, 'idempotency_key_in_use']);
    await first;
    expect(await count()).toBe(before + 1);
  });

  it('is forgotten after a day and not before', async () => {
    const first = await stripe.paymentIntents.create(options, once('k-6'));
    bank.clock.ahead += 24 * 3_600_000;
    bank.bank.tick();
    expect((await stripe.paymentIntents.create(options, once('k-6'))).id).toBe(first.id);
    bank.clock.ahead += 2 * 3_600_000;
    bank.bank.tick();
    expect((await stripe.paymentIntents.create(options, once('k-6'))).id).not.toBe(first.id);
  });
});

describe('faults', () => {
  const impatient = () => stripeClient(bank.port, keys.test.secret, { timeout: 1_000 });

  it('are set, read and cleared over HTTP with a secret key', async () => {
    const url = `${bank.url}/sandbox/faults`;
    const authorization = `Bearer ${keys.test.secret}`;
    expect((await fetch(url)).status).toBe(401);
    expect((await rule('error_500')).status).toBe(200);
    const read = (await (await fetch(url, { headers: { authorization } })).json()) as { rules: object[] };
    expect(read.rules).toEqual([{ id: 'one', on: 'payment_intents.create', kind: 'error_500' }]);
    expect((await rule('no such kind')).status).toBe(400);
    await fetch(url, { method: 'DELETE', headers: { authorization } });
    expect((await stripe.paymentIntents.create(options)).object).toBe('payment_intent');
  });

  it('timeout_before: no answer, no work', async () => {
    const before = await count();
    await rule('timeout_before', { times: 1 });
    expect((await errorOf(impatient().paymentIntents.create(options, once('f-1')))).type).toBe('StripeConnectionError');
    expect(await count()).toBe(before);
    await stripe.paymentIntents.create(options, once('f-1'));
    expect(await count()).toBe(before + 1);
  });

  it('timeout_after: no answer, but the work is done, and the same key tells of it', async () => {
    const before = await count();
    await rule('timeout_after', { times: 1 });
    expect((await errorOf(impatient().paymentIntents.create(options, once('f-2')))).type).toBe('StripeConnectionError');
    expect(await count()).toBe(before + 1);
    const again = await stripe.paymentIntents.create(options, once('f-2'));
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await count()).toBe(before + 1);
  });

  it('a silence ends by itself with a closed connection', async () => {
    await rule('timeout_before', { ms: 50, times: 2 });
    const began = Date.now();
    expect((await errorOf(stripe.paymentIntents.create(options))).type).toBe('StripeConnectionError');
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it('rate_limited and error_500: no work; error_500_after: work', async () => {
    const before = await count();
    await rule('rate_limited', { times: 1 });
    expect(await errorOf(stripe.paymentIntents.create(options, once('f-3')))).toMatchObject({ statusCode: 429 });
    await rule('error_500', { times: 1 });
    expect(await errorOf(stripe.paymentIntents.create(options, once('f-3')))).toMatchObject({ statusCode: 500 });
    expect(await count()).toBe(before);
    await rule('error_500_after', { times: 1 });
    expect(await errorOf(stripe.paymentIntents.create(options, once('f-3')))).toMatchObject({ statusCode: 500 });
    expect(await count()).toBe(before + 1);
    await stripe.paymentIntents.create(options, once('f-3'));
    expect(await count()).toBe(before + 1);
  });

  it('drop_connection: closed, and the client’s own retry gets through', async () => {
    const before = await count();
    await rule('drop_connection', { times: 1 });
    expect((await stripe.paymentIntents.create(options)).object).toBe('payment_intent');
    await rule('drop_connection', { times: 2 });
    expect((await errorOf(stripe.paymentIntents.create(options))).type).toBe('StripeConnectionError');
    expect(await count()).toBe(before + 1);
  });

  it('slow: late, but done', async () => {
    await rule('slow', { ms: 120 });
    const began = Date.now();
    await stripe.paymentIntents.create(options);
    expect(Date.now() - began).toBeGreaterThanOrEqual(115);
  });

  it('fire by chance, for one mode, for one operation, so many times', async () => {
    const fails = async (call: () => Promise<unknown>, times: number): Promise<number> => {
      let failed = 0;
      for (let tries = 0; tries < times; tries++) await call().catch(() => failed++);
      return failed;
    };
    await bank.setFaults({ rules: [{ on: '*', kind: 'error_500', probability: 0.5 }] });
    const failed = await fails(() => stripe.balance.retrieve(), 100);
    expect(failed).toBeGreaterThan(20);
    expect(failed).toBeLessThan(80);
    await bank.setFaults({ rules: [{ on: 'balance.retrieve', kind: 'error_500', mode: 'live', times: 2 }] });
    expect(await fails(() => stripe.balance.retrieve(), 5)).toBe(0);
    expect(await fails(() => bank.live.paymentIntents.list(), 5)).toBe(0);
    expect(await fails(() => bank.live.balance.retrieve(), 5)).toBe(2);
  });
});
