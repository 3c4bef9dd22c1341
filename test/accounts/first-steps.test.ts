// The first steps of a newcomer: each ticks itself off when the real thing happens. The built-in test inbox receives
// deliveries without a server, and without the guarded client allowing more than before.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attempt } from '../../src/domain/webhooks/deliveries/attempt.ts';
import { isSignedBy, signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import { deleteOldInboxMessages } from '../../src/domain/webhooks/inbox/queries.ts';
import { attemptAt, inboxUrl } from '../../src/domain/webhooks/inbox/receive.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { CARDS, type Json, type TestVenue } from '../support/test-venue.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { DeliveryFixture } from '../webhooks/delivery-fixture.ts';

let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await DeliveryFixture.open({ REQUEST_LOG: 'on' });
});
afterAll(() => fixture.close());

interface Newcomer {
  readonly venue: TestVenue;
  call(method: string, path: string, more?: object): Promise<HttpResponse>;
  steps(): Promise<Json>;
}

let people = 0;
async function newcomer(role: 'owner' | 'viewer' = 'owner'): Promise<Newcomer> {
  const venue = await fixture.openVenue();
  const { context } = fixture.world;
  const account = await createAccount(context, `new${++people}@harbor.example`, [[venue.venueId, role]]);
  const { token } = await createSession(context, account);
  const call = (method: string, path: string, more: object = {}) =>
    callConsole(fixture.world, method, path, { token, venue: venue.venueId, ...more });
  const steps = async (): Promise<Json> => {
    const { status, json, text } = await call('GET', '/console/api/first_steps');
    expect(status, text).toBe(200);
    return json;
  };
  return { venue, call, steps };
}

describe('the first steps', () => {
  it('tick themselves off: a checkout is created, every share is held, the event is delivered to the inbox', async () => {
    const { venue, call, steps } = await newcomer();
    expect(await steps()).toMatchObject({
      done: 0,
      request: { done: false, key: null },
      hold: { done: false, checkout: null },
      event: { done: false, is_listening: false },
      inbox: null,
    });
    const checkout = await venue.collecting({ party_size: 2 });
    expect(await steps()).toMatchObject({
      done: 1,
      request: { done: true, checkout_id: checkout.id, key: { name: null } },
    });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    expect((await steps()).hold).toMatchObject({
      done: false,
      checkout: { id: checkout.id, status: 'collecting', held: 1, party_size: 2, url: checkout.url },
    });
    const inbox = await call('POST', '/console/api/test_inbox');
    expect(inbox.status, inbox.text).toBe(201);
    await venue.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await fixture.world.work();
    expect(await steps()).toMatchObject({ done: 2, hold: { done: true, checkout: { held: 2 } } });
    await fixture.deliver();
    expect(await steps()).toMatchObject({
      done: 3,
      event: { done: true, checkout_id: checkout.id, via: 'inbox', endpoint_id: inbox.json.endpoint_id },
      inbox: { endpoint_id: inbox.json.endpoint_id },
    });
    // Later checkouts change nothing about what was done.
    await venue.create();
    expect(await steps()).toMatchObject({
      done: 3,
      request: { checkout_id: checkout.id },
      hold: { checkout: { id: checkout.id } },
    });
  });

  it('count an endpoint of the partner, and a program that reads the stream', async () => {
    const byEndpoint = await newcomer('viewer');
    const endpoint = await fixture.endpoint(byEndpoint.venue);
    await byEndpoint.venue.completed({ party_size: 2 });
    await fixture.deliver();
    expect((await byEndpoint.steps()).event).toMatchObject({ done: true, via: 'endpoint', endpoint_id: endpoint.id });

    const byStream = await newcomer();
    const client = await EventStreamClient.open(`${fixture.world.urls[0]}/v1/events/stream`, {
      authorization: `Bearer ${byStream.venue.key}`,
    });
    try {
      expect((await byStream.steps()).event).toMatchObject({ done: false, is_listening: true });
      const { id } = await byStream.venue.completed({ party_size: 2 });
      await waitFor('the completion that was streamed', async () => (await byStream.steps()).event.done === true);
      expect((await byStream.steps()).event).toMatchObject({ via: 'stream', checkout_id: id, endpoint_id: null });
    } finally {
      client.leave();
    }
  });

  it('show the newest call with a key until a checkout is created, also a refused one, and then the call that did it', async () => {
    const { venue, steps } = await newcomer();
    expect((await steps()).request).toMatchObject({ done: false, call: null });
    await venue.post('/v1/checkouts', { amount: 100 });
    const refused = await waitFor('the refused call is logged', async () => (await steps()).request.call);
    expect(refused).toMatchObject({ method: 'POST', path: '/v1/checkouts', status: 422, code: 'missing_field' });
    const { id } = await venue.create();
    const created = await waitFor('the call that succeeded is logged', async () => (await steps()).request.call);
    expect(created).toMatchObject({ status: 201, code: null });
    expect((await steps()).request).toMatchObject({ done: true, checkout_id: id });
  });

  it('take fewer than 16 statements, because a page polls them', async () => {
    const { venue, steps } = await newcomer();
    await venue.completed({ party_size: 2 });
    const before = fixture.world.statements.length;
    await steps();
    expect(fixture.world.statements.length - before).toBeLessThan(16);
  });
});

describe('the test inbox', () => {
  it('keeps what it received with its verified signature, and is an endpoint like any other', async () => {
    const { venue, call } = await newcomer();
    expect((await call('GET', '/console/api/test_inbox')).status).toBe(404);
    const made = await Promise.all([1, 2].map(() => call('POST', '/console/api/test_inbox')));
    expect(made.map(({ status }) => status).sort()).toEqual([200, 201]);
    const { endpoint_id: id, url } = made[0]?.json ?? {};
    expect(url).toBe(inboxUrl(id));
    await venue.completed({ party_size: 2 });
    await fixture.deliver();
    expect((await call('GET', '/console/api/test_inbox?limit=1')).json.messages).toHaveLength(1);
    // Events are delivered side by side, so the newest message is not always the newest event.
    const { messages } = (await call('GET', '/console/api/test_inbox')).json;
    const completed = messages.find(({ type }: { type: string }) => type === 'checkout.completed');
    expect(JSON.parse(completed.body)).toMatchObject({ id: completed.event_id, type: 'checkout.completed' });
    expect(completed.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    const log = await fixture.deliveries(venue, id);
    expect(log[0]).toMatchObject({ status: 'delivered', last_status: 200, attempts: 1 });
    const tested = await venue.post(`/v1/webhook_endpoints/${id}/test`);
    expect(tested.json).toMatchObject({ delivered: true, status: 200 });
    expect((await venue.world.call('DELETE', `/v1/webhook_endpoints/${id}`, { key: venue.key })).status).toBe(200);
    expect((await call('GET', '/console/api/test_inbox')).status).toBe(404);
    expect(await fixture.world.db.query('select 1 from test_inbox_messages where endpoint_id = $1', [id])).toEqual([]);
  });

  it('refuses a wrong signature, and no other endpoint can have its address', async () => {
    const { venue, call } = await newcomer();
    const { endpoint_id: id } = (await call('POST', '/console/api/test_inbox')).json;
    const services = fixture.world.context.services;
    const receiver = { venueId: venue.venueId, endpointId: id, url: inboxUrl(id) };
    const body = '{"id":"evt_1","type":"checkout.completed"}';
    const wrong = await attemptAt(services, receiver, ['whsec_of_another'], body);
    expect(wrong).toMatchObject({ delivered: false, status: 401 });
    // The same address for another endpoint goes to the guarded client, for which the host has no address.
    const other = await attemptAt(services, { ...receiver, endpointId: 'whe_other' }, ['whsec_x'], body);
    expect(other).toMatchObject({ delivered: false, status: null, error: 'no_public_address' });
    const direct = await attempt(services, inboxUrl(id), ['whsec_x'], body);
    expect(direct).toMatchObject({ delivered: false, error: 'no_public_address' });
    expect((await call('GET', '/console/api/test_inbox')).json.messages).toEqual([]);
  });

  it('keeps the newest 50 messages, for 24 hours', async () => {
    const { venue, call } = await newcomer();
    const { endpoint_id: id } = (await call('POST', '/console/api/test_inbox')).json;
    for (let count = 0; count < 52; count++) await venue.post(`/v1/webhook_endpoints/${id}/test`);
    const { db } = fixture.world;
    const kept = await db.query('select 1 from test_inbox_messages where endpoint_id = $1', [id]);
    expect(kept).toHaveLength(50);
    await db.query(`update test_inbox_messages set received_at = now() - interval '25 hours' where endpoint_id = $1`, [
      id,
    ]);
    expect((await call('GET', '/console/api/test_inbox')).json.messages).toEqual([]);
    expect(await deleteOldInboxMessages(db, Date.now(), 1_000)).toBe(50);
  });

  it('is for owners and developers, in test mode only', async () => {
    const { call } = await newcomer('viewer');
    expect((await call('POST', '/console/api/test_inbox')).json.error.code).toBe('role_not_allowed');
    const owner = await newcomer();
    const live = await owner.call('POST', '/console/api/test_inbox', { mode: 'live' });
    expect(live.status, live.text).toBe(403);
  });

  it('accepts a signature of these bytes by this secret within five minutes, and nothing else', () => {
    const body = Buffer.from('{"id":"evt_1"}');
    const now = 1_800_000_000_000;
    const header = (secret: string, at = now) => signatureOf([secret], body, at);
    expect(isSignedBy(['a', 'b'], body, header('b'), now)).toBe(true);
    expect(isSignedBy(['a'], body, header('b'), now)).toBe(false);
    expect(isSignedBy(['a'], Buffer.from('{}'), header('a'), now)).toBe(false);
    expect(isSignedBy(['a'], body, header('a', now - 301_000), now)).toBe(false);
    expect(isSignedBy(['a'], body, 'nonsense', now)).toBe(false);
  });
});
