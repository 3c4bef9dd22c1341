// The processor with the official client: idempotency keys, and every kind of fault.

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

let processor: TestProcessor;
let stripe: Stripe;
beforeAll(async () => {
  processor = await startTestProcessor();
  stripe = processor.stripe;
});
afterEach(() => processor.api.faults.clear());
afterAll(() => processor.close());

const intentParams = { amount: 1000, currency: 'usd', capture_method: 'manual' as const };
const withKey = (idempotencyKey: string) => ({ idempotencyKey });
const countIntents = async (): Promise<number> => (await stripe.paymentIntents.list({ limit: 100 })).data.length;
const setRule = (kind: string, overrides: object = {}) =>
  processor.setFaults({ rules: [{ id: 'one', on: 'payment_intents.create', kind, ...overrides }] });

describe('an idempotency key', () => {
  it('runs the operation once and replays its response', async () => {
    const first = await stripe.paymentIntents.create(intentParams, withKey('k-1'));
    const repeated = await stripe.paymentIntents.create(intentParams, withKey('k-1'));
    expect(repeated).toEqual(first);
    expect(first.lastResponse.headers['idempotent-replayed']).toBe(undefined);
    expect(repeated.lastResponse.headers['idempotent-replayed']).toBe('true');
    const live = await processor.live.paymentIntents.create(intentParams, withKey('k-1'));
    expect(live.id).not.toBe(first.id);
  });

  it('is rejected with other parameters or for another operation', async () => {
    await stripe.paymentIntents.create(intentParams, withKey('k-2'));
    const other = await errorOf(stripe.paymentIntents.create({ ...intentParams, amount: 1001 }, withKey('k-2')));
    expect([other.statusCode, other.rawType]).toEqual([400, 'idempotency_error']);
    expect((await errorOf(stripe.customers.create({}, withKey('k-2')))).rawType).toBe('idempotency_error');
  });

  it('replays a decline, and stays unused after an invalid request', async () => {
    const { id } = await createHold(stripe, 'pm_card_captureFailsForAWhile');
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await errorOf(stripe.paymentIntents.capture(id, {}, withKey('k-3')))).code).toBe('processing_error');
    }
    // The card failed once; the other requests got the stored response.
    for (let tries = 0; tries < 2; tries++) await errorOf(stripe.paymentIntents.capture(id));
    expect((await stripe.paymentIntents.capture(id)).status).toBe('succeeded');
    await errorOf(stripe.paymentIntents.create({ ...intentParams, amount: 1 }, withKey('k-4')));
    expect((await stripe.paymentIntents.create(intentParams, withKey('k-4'))).object).toBe('payment_intent');
  });

  it('is rejected with 409 while its first request runs, and the operation runs once', { tags: ['slow'] }, async () => {
    await setRule('slow', { ms: 1_000 });
    const before = await countIntents();
    const create = () => stripe.paymentIntents.create(intentParams, withKey('k-5'));
    const ends = await Promise.allSettled([create(), create()]);
    // Either of the two may be the first.
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = ends.find((end) => end.status === 'rejected')?.reason;
    expect([refused.statusCode, refused.code]).toEqual([409, 'idempotency_key_in_use']);
    expect(await countIntents()).toBe(before + 1);
  });

  it('expires after a day and not before', async () => {
    const first = await stripe.paymentIntents.create(intentParams, withKey('k-6'));
    processor.clock.aheadMs += 24 * 3_600_000;
    processor.api.tick();
    expect((await stripe.paymentIntents.create(intentParams, withKey('k-6'))).id).toBe(first.id);
    processor.clock.aheadMs += 2 * 3_600_000;
    processor.api.tick();
    expect((await stripe.paymentIntents.create(intentParams, withKey('k-6'))).id).not.toBe(first.id);
  });
});

describe('faults', () => {
  const shortTimeout = () => stripeClient(processor.port, keys.test.secret, { timeout: 400 });

  it('are set, read and cleared over HTTP with a secret key', async () => {
    const url = `${processor.url}/sandbox/faults`;
    const authorization = `Bearer ${keys.test.secret}`;
    expect((await fetch(url)).status).toBe(401);
    expect((await setRule('error_500')).status).toBe(200);
    const read = (await (await fetch(url, { headers: { authorization } })).json()) as { rules: object[] };
    expect(read.rules).toEqual([{ id: 'one', on: 'payment_intents.create', kind: 'error_500' }]);
    expect((await setRule('no such kind')).status).toBe(400);
    await fetch(url, { method: 'DELETE', headers: { authorization } });
    expect((await stripe.paymentIntents.create(intentParams)).object).toBe('payment_intent');
  });

  it('timeout_before: no response, and the operation does not run', async () => {
    const before = await countIntents();
    await setRule('timeout_before', { times: 1 });
    expect((await errorOf(shortTimeout().paymentIntents.create(intentParams, withKey('f-1')))).type).toBe(
      'StripeConnectionError',
    );
    expect(await countIntents()).toBe(before);
    await stripe.paymentIntents.create(intentParams, withKey('f-1'));
    expect(await countIntents()).toBe(before + 1);
  });

  it('timeout_after: no response, but the operation runs, and the same key replays its response', async () => {
    const before = await countIntents();
    await setRule('timeout_after', { times: 1 });
    expect((await errorOf(shortTimeout().paymentIntents.create(intentParams, withKey('f-2')))).type).toBe(
      'StripeConnectionError',
    );
    await expect.poll(countIntents).toBe(before + 1);
    const repeated = await stripe.paymentIntents.create(intentParams, withKey('f-2'));
    expect(repeated.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await countIntents()).toBe(before + 1);
  });

  it('a timeout fault closes the connection after its ms', async () => {
    await setRule('timeout_before', { ms: 50, times: 2 });
    const startedAt = Date.now();
    expect((await errorOf(stripe.paymentIntents.create(intentParams))).type).toBe('StripeConnectionError');
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  });

  it('rate_limited and error_500 do not run the operation, and store nothing', async () => {
    const before = await countIntents();
    await setRule('rate_limited', { times: 1 });
    expect(await errorOf(stripe.paymentIntents.create(intentParams, withKey('f-3')))).toMatchObject({
      statusCode: 429,
    });
    await setRule('error_500', { times: 1 });
    expect(await errorOf(stripe.paymentIntents.create(intentParams, withKey('f-3')))).toMatchObject({
      statusCode: 500,
    });
    expect(await countIntents()).toBe(before);
    await stripe.paymentIntents.create(intentParams, withKey('f-3'));
    expect(await countIntents()).toBe(before + 1);
  });

  it.each([
    ['error_500_rolled_back', 0],
    ['error_500_after', 1],
  ])('%s: the 500 is stored and replayed for its key; another key runs the operation', async (kind, created) => {
    const before = await countIntents();
    await setRule(kind, { times: 1 });
    for (const replayed of [undefined, 'true', 'true']) {
      const error = await errorOf(stripe.paymentIntents.create(intentParams, withKey(`f-4 ${kind}`)));
      expect([error.statusCode, error.headers?.['idempotent-replayed']]).toEqual([500, replayed]);
    }
    expect(await countIntents()).toBe(before + created);
    await stripe.paymentIntents.create(intentParams, withKey(`f-5 ${kind}`));
    expect(await countIntents()).toBe(before + created + 1);
  });

  it('drop_connection: the connection closes, and the SDK’s own retry succeeds', async () => {
    const before = await countIntents();
    await setRule('drop_connection', { times: 1 });
    expect((await stripe.paymentIntents.create(intentParams)).object).toBe('payment_intent');
    await setRule('drop_connection', { times: 2 });
    expect((await errorOf(stripe.paymentIntents.create(intentParams))).type).toBe('StripeConnectionError');
    expect(await countIntents()).toBe(before + 1);
  });

  it('slow: the response comes after the delay', async () => {
    await setRule('slow', { ms: 120 });
    const startedAt = Date.now();
    await stripe.paymentIntents.create(intentParams);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(115);
  });

  it('fire by probability, for one mode, for one operation, a limited number of times', {
    tags: ['slow'],
  }, async () => {
    const fails = async (call: () => Promise<unknown>, times: number): Promise<number> => {
      let failed = 0;
      for (let attempt = 0; attempt < times; attempt++) await call().catch(() => failed++);
      return failed;
    };
    await processor.setFaults({ rules: [{ on: '*', kind: 'error_500', probability: 0.5 }] });
    const failed = await fails(() => stripe.balance.retrieve(), 100);
    expect(failed).toBeGreaterThan(20);
    expect(failed).toBeLessThan(80);
    await processor.setFaults({ rules: [{ on: 'balance.retrieve', kind: 'error_500', mode: 'live', times: 2 }] });
    expect(await fails(() => stripe.balance.retrieve(), 5)).toBe(0);
    expect(await fails(() => processor.live.paymentIntents.list(), 5)).toBe(0);
    expect(await fails(() => processor.live.balance.retrieve(), 5)).toBe(2);
  });
});
