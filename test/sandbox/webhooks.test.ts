// The processor's webhooks: signed as the official client verifies them, delivered although another endpoint is dead,
// retried, and disturbed by faults; and the same events for a caller that pulls them.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProcessorApi } from '../../sandbox/processor/api.ts';
import { memoryJournal } from '../../sandbox/processor/journal.ts';
import { systemRandom } from '../../src/base/random.ts';
import {
  createHold,
  createPayee,
  createPayment,
  errorOf,
  keys,
  startTestProcessor,
  type TestProcessor,
} from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

interface Receiver {
  readonly url: string;
  readonly events: Stripe.Event[];
  readonly thinEvents: Stripe.V2.Core.EventNotification[];
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

/** The secret of the endpoint at a URL: a post that it has not signed fails the test. */
const secrets = new Map<string, string>();

async function startReceiver(): Promise<Receiver> {
  const events: Stripe.Event[] = [];
  const thinEvents: Stripe.V2.Core.EventNotification[] = [];
  const responses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.postCount++;
      const status = responses.shift() ?? 200;
      if (status === 200) {
        const signature = String(request.headers['stripe-signature']);
        const raw = Buffer.concat(chunks);
        const secret = secrets.get(url) ?? '';
        if (raw.includes('"v2.core.event"')) {
          thinEvents.push(processor.stripe.parseEventNotification(raw, signature, secret));
        } else events.push(processor.stripe.webhooks.constructEvent(raw, signature, secret));
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  openServers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const receiver: Receiver = {
    url,
    events,
    thinEvents,
    nextStatuses: responses,
    postCount: 0,
    close: () => server.close(),
  };
  return receiver;
}

async function createEndpoint(
  url: string,
  events = ['*'],
  { stripe = processor.stripe, connect = false } = {},
): Promise<Stripe.WebhookEndpoint> {
  const enabled = events as Stripe.WebhookEndpointCreateParams.EnabledEvent[];
  const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: enabled, connect });
  secrets.set(url, endpoint.secret ?? '');
  return endpoint;
}

async function createDestination(
  url: string,
  params: Partial<Stripe.V2.Core.EventDestinationCreateParams> = {},
  stripe = processor.stripe,
): Promise<Stripe.V2.Core.EventDestination> {
  const destination = await stripe.v2.core.eventDestinations.create({
    name: 'accounts',
    type: 'webhook_endpoint',
    event_payload: 'thin',
    events_from: ['@accounts'],
    enabled_events: ['*'],
    webhook_endpoint: { url },
    include: ['webhook_endpoint.signing_secret'],
    ...params,
  });
  secrets.set(url, destination.webhook_endpoint?.signing_secret ?? '');
  return destination;
}

describe('webhook endpoints', () => {
  it('are created with a secret of their own that is shown once, listed and deleted', async () => {
    const { url } = await startReceiver();
    const [first, second] = [await createEndpoint(url), await createEndpoint(url)];
    expect(first.secret).toMatch(/^whsec_[0-9a-f]{32}$/);
    expect(second.id).not.toBe(first.id);
    expect(second.secret).not.toBe(first.secret);
    await processor.stripe.webhookEndpoints.del(second.id);
    const { data } = await processor.stripe.webhookEndpoints.list();
    expect(data.map(({ id, secret }) => [id, secret])).toEqual([[first.id, undefined]]);
    expect((await processor.live.webhookEndpoints.list()).data).toEqual([]);
    expect(await processor.stripe.webhookEndpoints.del(first.id)).toMatchObject({ deleted: true });
    expect((await processor.stripe.webhookEndpoints.list()).data).toEqual([]);
  });

  it('get nothing while they are disabled', async () => {
    const [disabled, enabled] = [await startReceiver(), await startReceiver()];
    const { id } = await createEndpoint(disabled.url);
    expect(await processor.stripe.webhookEndpoints.update(id, { disabled: true })).toMatchObject({
      status: 'disabled',
    });
    await createEndpoint(enabled.url);
    await createHold(processor.stripe);
    await waitFor('the other endpoint gets the event', () => enabled.events.length === 1);
    expect(disabled.postCount).toBe(0);
  });

  it('get the events of their mode and types, signed', async () => {
    const [all, some, live] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await createEndpoint(all.url);
    await createEndpoint(some.url, ['payment_intent.succeeded']);
    await createEndpoint(live.url, ['*'], { stripe: processor.live });
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

describe('events of connected accounts', () => {
  const CAPABILITY = 'v2.core.account[configuration.recipient].capability_status_updated';

  it('go to Connect endpoints and event destinations, each signed with its own secret, and to no other', async () => {
    const [account, connect, thin, self] = [
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
    ];
    await createEndpoint(account.url);
    await createEndpoint(connect.url, ['*'], { connect: true });
    await createDestination(thin.url);
    await createDestination(self.url, { events_from: ['@self'] });
    const { id } = await createPayee(processor.stripe);
    await createHold(processor.stripe);
    await waitFor('all have got theirs', () => account.events.length === 1 && thin.thinEvents.length === 2);
    await waitFor('the Connect endpoint has got its event', () => connect.events.length === 1);
    expect(account.events.map(({ type }) => type)).toEqual(['payment_intent.amount_capturable_updated']);
    expect(connect.events[0]).toMatchObject({ type: 'account.updated', account: id, data: { object: { id } } });
    expect(thin.events).toEqual([]);
    expect(thin.thinEvents.map(({ type }) => type).sort()).toEqual([
      CAPABILITY,
      'v2.core.account[requirements].updated',
    ]);
    const [event] = thin.thinEvents;
    expect(event).toMatchObject({
      livemode: false,
      related_object: { id, type: 'v2.core.account', url: `/v2/core/accounts/${id}` },
    });
    expect(event).not.toHaveProperty('data');
    if (event === undefined || !('fetchRelatedObject' in event)) throw new Error('there is no thin event');
    expect(await event.fetchRelatedObject()).toMatchObject({ id, object: 'v2.core.account' });
    expect([account.postCount, connect.postCount, thin.postCount, self.postCount]).toEqual([1, 1, 2, 0]);
    const listed = (await processor.stripe.events.list()).data.map(({ type }) => type);
    expect(listed).toEqual(['payment_intent.amount_capturable_updated']);
  });

  it('of test mode go to a live Connect endpoint too, marked as test events; not the other way round', async () => {
    const [test, live] = [await startReceiver(), await startReceiver()];
    await createEndpoint(test.url, ['*'], { connect: true });
    await createEndpoint(live.url, ['*'], { stripe: processor.live, connect: true });
    const { id } = await createPayee(processor.stripe);
    await waitFor('both have got the event', () => test.events.length === 1 && live.events.length === 1);
    expect(live.events[0]).toMatchObject({ account: id, livemode: false });
    await createPayee(processor.live);
    await waitFor('the live event arrives', () => live.events.length === 2);
    expect(live.events[1]).toMatchObject({ livemode: true });
    expect(test.postCount).toBe(1);
  });
});

describe('event destinations', () => {
  it('show their secret once and their URL on request, and are listed, changed, disabled and deleted', async () => {
    const { stripe } = processor;
    const url = 'https://venue.example/thin';
    const created = await createDestination(url, { enabled_events: ['v2.core.account.created'] });
    const { id } = created;
    expect(created.webhook_endpoint?.signing_secret).toMatch(/^whsec_[0-9a-f]{32}$/);
    expect(created.webhook_endpoint?.url).toBeUndefined();
    const include: ['webhook_endpoint.url'] = ['webhook_endpoint.url'];
    expect((await stripe.v2.core.eventDestinations.retrieve(id, { include })).webhook_endpoint).toEqual({ url });
    expect((await stripe.v2.core.eventDestinations.list()).data).toMatchObject([{ id, webhook_endpoint: {} }]);
    expect((await stripe.webhookEndpoints.list()).data).toEqual([]);
    expect(await errorOf(stripe.webhookEndpoints.del(id))).toMatchObject({ statusCode: 404 });
    const changed = await stripe.v2.core.eventDestinations.update(id, { enabled_events: ['*'], name: 'all' });
    expect(changed).toMatchObject({ enabled_events: ['*'], name: 'all', status: 'enabled' });
    const disabled = await stripe.v2.core.eventDestinations.disable(id);
    expect(disabled).toMatchObject({ status: 'disabled', status_details: { disabled: { reason: 'user' } } });
    expect(await stripe.v2.core.eventDestinations.enable(id)).toMatchObject({ status: 'enabled' });
    expect(await errorOf(stripe.v2.core.eventDestinations.enable(id))).toMatchObject({ statusCode: 400 });
    expect(await stripe.v2.core.eventDestinations.del(id)).toMatchObject({ id });
    expect(await errorOf(stripe.v2.core.eventDestinations.retrieve(id))).toMatchObject({ statusCode: 404 });
  });

  it.each([
    ['snapshots', { event_payload: 'snapshot' as const }],
    ['events of API v1', { enabled_events: ['charge.captured'] }],
    ['an unknown scope', { events_from: ['@everybody'] }],
    ['an address that is no URL', { webhook_endpoint: { url: 'nowhere' } }],
  ])('refuse %s', async (_what, params) => {
    expect(await errorOf(createDestination('https://venue.example/thin', params))).toMatchObject({ statusCode: 400 });
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
