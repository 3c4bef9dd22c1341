// The processor's webhooks: signed as the official client verifies them, delivered although another endpoint is dead,
// retried, and disturbed by faults; and the same events for a caller that pulls them.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProcessorApi } from '../../sandbox/processor/api.ts';
import { memoryJournal } from '../../sandbox/processor/journal.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createHold, createPayment, keys, startTestProcessor, type TestProcessor } from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

interface Receiver {
  readonly url: string;
  readonly events: Stripe.Event[];
  /** The statuses of the next responses; then 200. */
  readonly nextStatuses: number[];
  postCount: number;
  close(): void;
}

let processor: TestProcessor;
const openServers: Server[] = [];
beforeEach(async () => {
  processor = await startTestProcessor();
});
afterEach(async () => {
  await processor.close();
  for (const server of openServers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function startReceiver(secret = keys.test.webhookSecret): Promise<Receiver> {
  const events: Stripe.Event[] = [];
  const responses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.postCount++;
      const status = responses.shift() ?? 200;
      if (status === 200) {
        const signature = String(request.headers['stripe-signature']);
        events.push(processor.stripe.webhooks.constructEvent(Buffer.concat(chunks), signature, secret));
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  openServers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const receiver: Receiver = { url, events, nextStatuses: responses, postCount: 0, close: () => server.close() };
  return receiver;
}

const createEndpoint = (url: string, events = ['*']) =>
  processor.stripe.webhookEndpoints.create({
    url,
    enabled_events: events as Stripe.WebhookEndpointCreateParams.EnabledEvent[],
  });

describe('webhook endpoints', () => {
  it('are created once for each URL, listed and deleted', async () => {
    const { url } = await startReceiver();
    const first = await createEndpoint(url);
    expect(first.secret).toBe(keys.test.webhookSecret);
    expect((await createEndpoint(url)).id).toBe(first.id);
    expect((await processor.stripe.webhookEndpoints.list()).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await processor.live.webhookEndpoints.list()).data).toEqual([]);
    expect(await processor.stripe.webhookEndpoints.del(first.id)).toMatchObject({ deleted: true });
    expect((await processor.stripe.webhookEndpoints.list()).data).toEqual([]);
  });

  it('get the events of their mode and types, signed', async () => {
    const [all, some, live] = [
      await startReceiver(),
      await startReceiver(),
      await startReceiver(keys.live.webhookSecret),
    ];
    await createEndpoint(all.url);
    await createEndpoint(some.url, ['payment_intent.succeeded']);
    await processor.live.webhookEndpoints.create({ url: live.url, enabled_events: ['*'] });
    const paid = await createPayment(processor.stripe);
    await processor.stripe.refunds.create({ payment_intent: paid.id });
    await waitFor('five events and one arrive', () => all.events.length === 5 && some.events.length === 1);
    expect(all.events.map(({ type }) => type).sort()).toEqual([
      'charge.captured',
      'charge.refunded',
      'payment_intent.amount_capturable_updated',
      'payment_intent.succeeded',
      'refund.created',
    ]);
    expect(some.events[0]).toMatchObject({ type: 'payment_intent.succeeded', data: { object: { id: paid.id } } });
    expect(some.events[0]?.livemode).toBe(false);
    expect(live.postCount).toBe(0);
    const other = await createPayment(processor.live);
    await waitFor('three live events arrive', () => live.events.length === 3);
    expect(live.events.every(({ livemode }) => livemode)).toBe(true);
    expect(JSON.stringify(live.events)).toContain(other.id);
  });

  it('that fail get a retry, and a dead endpoint delays no other', async () => {
    const [failing, healthy] = [await startReceiver(), await startReceiver()];
    failing.nextStatuses.push(500, 500);
    await createEndpoint('http://127.0.0.1:9/dead');
    await createEndpoint(failing.url);
    await createEndpoint(healthy.url);
    // The sender may read the clock just before or after the test sets it, so the test sets it until the delivery is
    // there.
    const inTime = (isDone: () => boolean) =>
      waitFor('the failed delivery is tried again', () => {
        if (!isDone()) processor.clock.aheadMs += 1_000;
        return isDone();
      });
    await createHold(processor.stripe);
    await waitFor('one event arrives', () => healthy.events.length === 1);
    await waitFor('one post arrives', () => failing.postCount === 1);
    expect(failing.events).toEqual([]);
    await inTime(() => failing.postCount === 2);
    await inTime(() => failing.events.length === 1);
    expect(failing.events[0]?.id).toBe(healthy.events[0]?.id);
  });

  it('that fail for an hour without one success are removed', async () => {
    await createEndpoint('http://127.0.0.1:9/dead');
    await createHold(processor.stripe);
    await waitFor('the endpoint is removed', async () => {
      processor.clock.aheadMs += 600_000;
      return (await processor.stripe.webhookEndpoints.list()).data.length === 0;
    });
  });
});

describe('webhook faults', () => {
  it('duplicate: each event arrives twice', async () => {
    const receiver = await startReceiver();
    await createEndpoint(receiver.url);
    await processor.setFaults({ webhooks: { duplicate: 1 } });
    await createHold(processor.stripe);
    await waitFor('the event arrives twice', () => receiver.postCount === 2);
    expect(receiver.events[0]?.id).toBe(receiver.events[1]?.id);
  });

  it('drop: an attempt is lost, and the retry arrives', async () => {
    const receiver = await startReceiver();
    await createEndpoint(receiver.url);
    await processor.setFaults({ webhooks: { drop: 1 } });
    await createHold(processor.stripe);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(receiver.postCount).toBe(0);
    await processor.setFaults({ webhooks: {} });
    processor.clock.aheadMs += 1000;
    await waitFor('the event arrives', () => receiver.events.length === 1);
  });

  it('delay_ms: the event arrives after the delay', async () => {
    const receiver = await startReceiver();
    await createEndpoint(receiver.url);
    await processor.setFaults({ webhooks: { delay_ms: 250 } });
    const startedAt = Date.now();
    await createHold(processor.stripe);
    await waitFor('the event arrives', () => receiver.events.length === 1);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(245);
  });
});

describe('a caller that pulls events', () => {
  const seeded = () => {
    let state = 42;
    return {
      bytes: (length: number) => {
        const drawn = Buffer.alloc(length);
        for (let at = 0; at < length; at++) {
          state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
          drawn[at] = state >>> 16;
        }
        return drawn;
      },
    };
  };
  const start = (random = systemRandom) => {
    const clock = { at: 1_800_000_000_000, now: () => clock.at };
    const api = makeProcessorApi({ clock, random, journal: memoryJournal(), keys });
    const headers = { authorization: `Bearer ${keys.test.secret}` };
    const pay = async () => {
      const body = 'amount=1000&currency=usd&payment_method=pm_card_visa&confirm=true';
      return api.handle({ method: 'POST', path: '/v1/payment_intents', headers, body });
    };
    return { clock, api, pay };
  };

  it('gets each event once, with a signature for the current time', async () => {
    const { clock, api, pay } = start();
    expect((await pay()).fault).toBe(undefined);
    const events = api.webhooks.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(['charge.succeeded', 'payment_intent.succeeded']);
    expect(api.webhooks.takeEvents()).toEqual([]);
    const [event] = events;
    if (event === undefined) throw new Error('there is no event');
    const signature = api.webhooks.sign(event);
    const read = processor.stripe.webhooks.constructEvent(
      event.body,
      signature,
      keys.test.webhookSecret,
      300,
      undefined,
      clock.at,
    );
    expect(read.id).toBe(event.id);
  });

  it('gets events duplicated, shuffled, delayed or dropped as the faults say', async () => {
    const { clock, api, pay } = start();
    api.faults.set({ webhooks: { duplicate: 1, shuffle: 1 } });
    for (let count = 0; count < 10; count++) await pay();
    const events = api.webhooks.takeEvents().map(({ id }) => id);
    expect([events.length, new Set(events).size]).toEqual([40, 20]);
    expect(events.every((id, place) => place % 2 === 0 || id === events[place - 1])).toBe(false);
    api.faults.set({ webhooks: { drop: 1 } });
    await pay();
    expect(api.webhooks.takeEvents()).toEqual([]);
    api.faults.set({ webhooks: { delay_ms: 5000 } });
    await pay();
    clock.at += 1000;
    expect(api.webhooks.takeEvents().length).toBe(2);
    clock.at += 4000;
    expect(api.webhooks.takeEvents().length).toBe(2);
  });

  it('gets the same responses and events from the same seed', async () => {
    const play = async () => {
      const { api, pay } = start(seeded());
      api.faults.set({
        rules: [{ id: 'one', on: '*', kind: 'timeout_after', probability: 0.5 }],
        webhooks: { shuffle: 1, duplicate: 0.5 },
      });
      const responses = [];
      for (let count = 0; count < 10; count++) responses.push(await pay());
      return JSON.stringify([responses, api.webhooks.takeEvents()]);
    };
    const first = await play();
    expect(await play()).toBe(first);
    expect(first).toContain('"fault":"timeout"');
  });
});
