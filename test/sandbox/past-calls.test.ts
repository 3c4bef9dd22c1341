// POST /sandbox/past: calls at times in the past, with which demo data is written.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AnyJson,
  createHold,
  createPayee,
  errorOf,
  startTestProcessor,
  type TestProcessor,
} from '../support/test-processor.ts';

const DAY_MS = 86_400_000;

let folder: string;
let processor: TestProcessor;
let stripe: Stripe;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everyshare-past-'));
  processor = await startTestProcessor(folder);
  stripe = processor.stripe;
});
afterEach(async () => {
  await processor.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Read once: a time that is sent and later expected is the same, also when a second ends in between. */
const NOW = Date.now();
const daysAgo = (days: number): number => Math.floor((NOW - days * DAY_MS) / 1000) * 1000;
const hold = { amount: 2500, currency: 'usd', capture_method: 'manual', payment_method: 'pm_card_visa', confirm: true };

async function callPast(calls: unknown): Promise<AnyJson[]> {
  return ((await stripe.rawRequest('POST', '/sandbox/past', { calls: JSON.stringify(calls) })) as AnyJson).data;
}

it('a payment of the past is held, captured, transferred and refunded at its own times, without an event', async () => {
  const { id: account } = await createPayee(stripe);
  const [intent, captured, transfer, refund] = await callPast([
    { at: daysAgo(40), path: '/v1/payment_intents', params: { ...hold, expand: ['latest_charge'] } },
    { at: daysAgo(39), path: '/v1/payment_intents/$0/capture', params: {} },
    {
      at: daysAgo(38),
      path: '/v1/transfers',
      params: { amount: 2000, currency: 'usd', destination: account, metadata: { movement_id: 'one' } },
    },
    { at: daysAgo(30), path: '/v1/refunds', params: { payment_intent: '$0', amount: 100 } },
  ]);
  expect(intent).toMatchObject({ status: 'requires_capture', created: daysAgo(40) / 1000 });
  expect(intent.latest_charge.payment_method_details.card.capture_before).toBe(daysAgo(33) / 1000);
  expect(captured).toMatchObject({ id: intent.id, status: 'succeeded', amount_received: 2500 });
  expect(transfer).toMatchObject({ created: daysAgo(38) / 1000, metadata: { movement_id: 'one' } });
  expect(refund).toMatchObject({ created: daysAgo(30) / 1000, status: 'succeeded' });
  expect((await stripe.events.list()).data).toEqual([]);
});

it('a list shows objects of the past by their time, also after a restart', async () => {
  const newest = await createHold(stripe);
  const params = { ...hold, metadata: { who: 'old' } };
  const past = await callPast([
    { at: daysAgo(5), path: '/v1/payment_intents', params },
    { at: daysAgo(50), path: '/v1/payment_intents', params },
    { at: daysAgo(20), path: '/v1/payment_intents', params },
  ]);
  const ordered = [newest.id, past[0].id, past[2].id, past[1].id];
  const ids = async (more: object = {}) =>
    (await processor.stripe.paymentIntents.list({ limit: 100, ...more })).data.map(({ id }) => id);
  expect(await ids()).toEqual(ordered);
  expect(await ids({ created: { gte: daysAgo(30) / 1000 } })).toEqual(ordered.slice(0, 3));
  expect(await ids({ starting_after: past[0].id })).toEqual(ordered.slice(2));
  await processor.close();
  processor = await startTestProcessor(folder);
  expect(await ids()).toEqual(ordered);
});

it('a hold of the past that was never captured has lapsed', async () => {
  const [intent] = await callPast([{ at: daysAgo(8), path: '/v1/payment_intents', params: hold }]);
  expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('canceled');
});

it('a declined card is an answer, and the next call can pay the same intent', async () => {
  const [waiting, declined, held] = await callPast([
    { at: daysAgo(2), path: '/v1/payment_intents', params: { amount: 900, currency: 'usd', capture_method: 'manual' } },
    { at: daysAgo(2), path: '/v1/payment_intents/$0/confirm', params: { payment_method: 'pm_card_chargeDeclined' } },
    { at: daysAgo(2), path: '/v1/payment_intents/$0/confirm', params: { payment_method: 'pm_card_visa' } },
  ]);
  expect(declined.error).toMatchObject({ code: 'card_declined', payment_intent: { id: waiting.id } });
  expect(held).toMatchObject({ id: waiting.id, status: 'requires_capture' });
});

it('a wrong call is refused with what is wrong about it', async () => {
  const refusal = async (calls: unknown) => (await errorOf(callPast(calls))).message;
  expect(await refusal({})).toContain('calls must be a list');
  expect(await refusal([{ at: Date.now() + DAY_MS, path: '/v1/refunds', params: {} }])).toContain('up to now');
  expect(await refusal([{ at: 1, path: '/v1/nothing', params: {} }])).toContain('there is no POST /v1/nothing');
  expect(await refusal([{ at: 1, path: '/v1/refunds' }])).toContain('calls[0] must have a path and params');
  expect(await refusal([{ at: 1, path: '/v1/refunds', params: { colour: 'red' } }])).toContain('colour');
});
