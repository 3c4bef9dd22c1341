// The embedded processor's webhooks: signed so that the official client believes them, delivered in spite of a dead
// neighbour, tried again, doubled, mixed up and lost as asked; and the same events for a simulation that pulls them.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/base/random.ts';
import { makeBank } from '../../src/sandbox/processor/bank.ts';
import { memoryJournal } from '../../src/sandbox/processor/journal.ts';
import { createHold, createPayment, keys, startTestProcessor, type TestProcessor } from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

interface Listener {
  readonly url: string;
  readonly events: Stripe.Event[];
  /** What the next posts are answered with; then 200. */
  readonly answers: number[];
  posts: number;
  close(): void;
}

let bank: TestProcessor;
const open: Server[] = [];
beforeEach(async () => {
  bank = await startTestProcessor();
});
afterEach(async () => {
  await bank.close();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(secret = keys.test.webhookSecret): Promise<Listener> {
  const events: Stripe.Event[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      listener.posts++;
      const status = answers.shift() ?? 200;
      if (status === 200) {
        const signature = String(request.headers['stripe-signature']);
        events.push(bank.stripe.webhooks.constructEvent(Buffer.concat(chunks), signature, secret));
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const listener: Listener = { url, events, answers, posts: 0, close: () => server.close() };
  return listener;
}

const ask = (url: string, events = ['*']) =>
  bank.stripe.webhookEndpoints.create({
    url,
    enabled_events: events as Stripe.WebhookEndpointCreateParams.EnabledEvent[],
  });

describe('webhook endpoints', () => {
  it('are made once for an address, listed and deleted', async () => {
    const { url } = await listen();
    const first = await ask(url);
    expect(first.secret).toBe(keys.test.webhookSecret);
    expect((await ask(url)).id).toBe(first.id);
    expect((await bank.stripe.webhookEndpoints.list()).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await bank.live.webhookEndpoints.list()).data).toEqual([]);
    expect(await bank.stripe.webhookEndpoints.del(first.id)).toMatchObject({ deleted: true });
    expect((await bank.stripe.webhookEndpoints.list()).data).toEqual([]);
  });

  it('get every event of their mode, signed, and only those they asked for', async () => {
    const [all, some, live] = [await listen(), await listen(), await listen(keys.live.webhookSecret)];
    await ask(all.url);
    await ask(some.url, ['payment_intent.succeeded']);
    await bank.live.webhookEndpoints.create({ url: live.url, enabled_events: ['*'] });
    const paid = await createPayment(bank.stripe);
    await bank.stripe.refunds.create({ payment_intent: paid.id });
    await waitFor('five events and one come', () => all.events.length === 5 && some.events.length === 1);
    expect(all.events.map(({ type }) => type).sort()).toEqual([
      'charge.captured',
      'charge.refunded',
      'payment_intent.amount_capturable_updated',
      'payment_intent.succeeded',
      'refund.created',
    ]);
    expect(some.events[0]).toMatchObject({ type: 'payment_intent.succeeded', data: { object: { id: paid.id } } });
    expect(some.events[0]?.livemode).toBe(false);
    expect(live.posts).toBe(0);
    const other = await createPayment(bank.live);
    await waitFor('three live events come', () => live.events.length === 3);
    expect(live.events.every(({ livemode }) => livemode)).toBe(true);
    expect(JSON.stringify(live.events)).toContain(other.id);
  });

  it('that fail are tried again, and a dead one delays nobody', async () => {
    const [ill, well] = [await listen(), await listen()];
    ill.answers.push(500, 500);
    await ask('http://127.0.0.1:9/dead');
    await ask(ill.url);
    await ask(well.url);
    // Its clock may be read just before or after it is set: it is set on until what waits has come.
    const inTime = (isSo: () => boolean) =>
      waitFor('the failed delivery is tried again', () => {
        if (!isSo()) bank.clock.ahead += 1_000;
        return isSo();
      });
    await createHold(bank.stripe);
    await waitFor('one event comes', () => well.events.length === 1);
    await waitFor('one post comes', () => ill.posts === 1);
    expect(ill.events).toEqual([]);
    await inTime(() => ill.posts === 2);
    await inTime(() => ill.events.length === 1);
    expect(ill.events[0]?.id).toBe(well.events[0]?.id);
  });

  it('that fail for an hour without a single success are dropped', async () => {
    await ask('http://127.0.0.1:9/dead');
    await createHold(bank.stripe);
    await waitFor('the endpoint is gone', async () => {
      bank.clock.ahead += 600_000;
      return (await bank.stripe.webhookEndpoints.list()).data.length === 0;
    });
  });
});

describe('webhook faults', () => {
  it('duplicate: each event comes twice', async () => {
    const listener = await listen();
    await ask(listener.url);
    await bank.setFaults({ webhooks: { duplicate: 1 } });
    await createHold(bank.stripe);
    await waitFor('the event comes twice', () => listener.posts === 2);
    expect(listener.events[0]?.id).toBe(listener.events[1]?.id);
  });

  it('drop: an attempt is lost and the next one arrives', async () => {
    const listener = await listen();
    await ask(listener.url);
    await bank.setFaults({ webhooks: { drop: 1 } });
    await createHold(bank.stripe);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(listener.posts).toBe(0);
    await bank.setFaults({ webhooks: {} });
    bank.clock.ahead += 1000;
    await waitFor('the event comes', () => listener.events.length === 1);
  });

  it('delay_ms: it arrives late', async () => {
    const listener = await listen();
    await ask(listener.url);
    await bank.setFaults({ webhooks: { delay_ms: 250 } });
    const began = Date.now();
    await createHold(bank.stripe);
    await waitFor('the event comes', () => listener.events.length === 1);
    expect(Date.now() - began).toBeGreaterThanOrEqual(245);
  });
});

describe('a simulation that pulls events', () => {
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
    const made = makeBank({ clock, random, journal: memoryJournal(), keys });
    const headers = { authorization: `Bearer ${keys.test.secret}` };
    const pay = async () => {
      const body = 'amount=1000&currency=usd&payment_method=pm_card_visa&confirm=true';
      return made.handle({ method: 'POST', path: '/v1/payment_intents', headers, body });
    };
    return { clock, bank: made, pay };
  };

  it('gets each once, signed as of the hour it asks for', async () => {
    const { clock, bank: made, pay } = start();
    expect((await pay()).fault).toBe(undefined);
    const events = made.outbox.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(['charge.succeeded', 'payment_intent.succeeded']);
    expect(made.outbox.takeEvents()).toEqual([]);
    const [event] = events;
    if (event === undefined) throw new Error('there is no event');
    const signature = made.outbox.sign(event);
    const read = bank.stripe.webhooks.constructEvent(
      event.body,
      signature,
      keys.test.webhookSecret,
      300,
      undefined,
      clock.at,
    );
    expect(read.id).toBe(event.id);
  });

  it('gets them doubled, mixed up, late, or lost at first, as asked', async () => {
    const { clock, bank: made, pay } = start();
    made.faults.set({ webhooks: { duplicate: 1, shuffle: 1 } });
    for (let count = 0; count < 10; count++) await pay();
    const taken = made.outbox.takeEvents().map(({ id }) => id);
    expect([taken.length, new Set(taken).size]).toEqual([40, 20]);
    expect(taken.every((id, place) => place % 2 === 0 || id === taken[place - 1])).toBe(false);
    made.faults.set({ webhooks: { drop: 1 } });
    await pay();
    expect(made.outbox.takeEvents()).toEqual([]);
    made.faults.set({ webhooks: { delay_ms: 5000 } });
    await pay();
    clock.at += 1000;
    expect(made.outbox.takeEvents().length).toBe(2);
    clock.at += 4000;
    expect(made.outbox.takeEvents().length).toBe(2);
  });

  it('is the same again from the same seed', async () => {
    const play = async () => {
      const { bank: made, pay } = start(seeded());
      made.faults.set({
        rules: [{ id: 'one', on: '*', kind: 'timeout_after', probability: 0.5 }],
        webhooks: { shuffle: 1, duplicate: 0.5 },
      });
      const answers = [];
      for (let count = 0; count < 10; count++) answers.push(await pay());
      return JSON.stringify([answers, made.outbox.takeEvents()]);
    };
    const first = await play();
    expect(await play()).toBe(first);
    expect(first).toContain('"fault":"timeout"');
  });
});
