// Every operation of the OpenAPI document, called through the SDK against a real server. The list comes from the
// document: a new operation that no test here calls fails the last test.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckoutCreate, Everyshare, type WebhookEvent } from '../../sdk/src/everyshare.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { CARDS, ORIGIN, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import { zoneAt } from '../support/zone-at.ts';
import { DeliveryFixture } from '../webhooks/delivery-fixture.ts';

interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
}

const document = JSON.parse(readFileSync(join(packageRoot, 'schemas/openapi.gen.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
};
const operations: DocumentedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId: id }]) => ({
    id,
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  })),
);

let fixture: DeliveryFixture;
let venue: TestVenue;
let client: Everyshare;
/** The operations that the server answered with a success. */
const succeeded = new Set<string>();

/** `fetch`, and a record of what succeeded. */
const recordingFetch = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init);
  const { pathname } = new URL(url);
  // `/v1/events/stream` also fits `/v1/events/{id}`: the address without a parameter is meant.
  const found = operations
    .filter(({ method, path }) => method === init.method && path.test(pathname))
    .sort((a, b) => a.path.source.split('[^/]+').length - b.path.source.split('[^/]+').length)[0];
  if (response.ok && found !== undefined) succeeded.add(found.id);
  return response;
};

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
  fixture.clock.at = Date.now() + 60_000;
  venue = await openTestVenue(fixture.world);
  client = clientWith(venue.key);
});
afterAll(() => fixture.close());

const clientWith = (apiKey: string): Everyshare =>
  new Everyshare({ apiKey, baseUrl: fixture.world.urls[0] ?? '', fetch: recordingFetch, maxRetries: 0 });

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
let count = 0;
const uniqueName = (): string => `sdk-${++count}`;
const checkoutBody = (more: Partial<CheckoutCreate> = {}): CheckoutCreate => ({
  amount: 12_000,
  currency: 'usd',
  party_size: 3,
  pay_by: inHours(48),
  description: 'Cabana 3',
  return_url: `${ORIGIN}/thanks`,
  external_booking_id: uniqueName(),
  ...more,
});

/** A member who is signed in: the token is the `apiKey` of the guests' operations. */
async function createGuest(name: string) {
  const phone = `+1213555${String(++count).padStart(4, '0')}`;
  const { world } = fixture;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
  return { id, phone, apiKey: await world.context.tokens.sign(id) };
}

/** A checkout that this guest paid alone, with a test card. */
async function completeWith({ apiKey }: { readonly apiKey: string }): Promise<string> {
  const { id } = await client.checkouts.create(checkoutBody());
  const { shares } = await client.guests.checkouts.chooseParty(id, { members: [], split: 'equal' }, { apiKey });
  await venue.pay(id, shares[0]?.id ?? '', CARDS.good);
  await fixture.world.work();
  return id;
}

describe('the SDK against a real server', () => {
  it('reads the venue of the key', async () => {
    const me = await client.me.retrieve();
    expect([me.mode, me.venue.name, me.key.kind]).toEqual(['test', 'Harbor Club', 'secret']);
  });

  it('publishes offerings, one or many, and lists their slots', async () => {
    const offering = {
      external_id: uniqueName(),
      kind: 'tee_time',
      title: 'Eighteen holes',
      tiers: [{ amount: 4_500, currency: 'usd', unit: 'per_person' }],
      availability: { timezone: 'America/New_York', slots: [{ starts_at: inHours(72), capacity: 4 }] },
    } as const;
    const created = await client.offerings.upsert(offering).withResponse();
    expect([created.response.status, created.data.duplicate]).toEqual([201, false]);
    const batch = await client.offerings.upsert({ offerings: [offering, { ...offering, external_id: 'a/b?ü' }] });
    expect(batch.results.map(({ result }) => result)).toEqual(['unchanged', 'created']);
    expect((await client.offerings.retrieve('a/b?ü')).external_id).toBe('a/b?ü');
    const listed = await client.offerings.list({ status: 'pending' }).toArray({ limit: 10 });
    expect(listed.map(({ external_id }) => external_id).sort()).toEqual(['a/b?ü', offering.external_id].sort());
    const slots = client.offerings.listSlots(offering.external_id, { from: inHours(0), to: inHours(100) });
    expect((await slots.page()).data[0]?.prices[0]?.total).toBe(9_000);
    const reviewed = await client.testHelpers.review({ id: created.data.data.id, status: 'approved' });
    expect(reviewed.status).toBe('approved');
  });

  it('submits experiences and reads the analytics', async () => {
    const { data } = await client.experiences.submit({ title: 'Sunset sail', starts_at: inHours(200) });
    expect((await client.experiences.retrieve(data.id)).status).toBe('pending');
    expect((await client.experiences.list().page()).data.map(({ id }) => id)).toEqual([data.id]);
    expect((await client.analytics.retrieve()).totals.experiences).toBe(0);
    expect(await client.analytics.retrieveCsv()).toMatch(/^[a-z_,]+\r\n/);
  });

  it('sends boats, one or a fleet', async () => {
    const boat = {
      external_id: uniqueName(),
      name: 'Second Wind',
      type: 'catamaran',
      length_ft: 42,
      capacity: 12,
      captain: 'included',
      location: { city: 'Miami' },
      pricing: [{ duration_hours: 4, amount: 120_000, currency: 'usd' }],
      photo_urls: ['https://cdn.fleet.example/1.jpg'],
    } as const;
    const { data, result } = await client.boats.upsert(boat);
    expect(result).toBe('created');
    expect((await client.boats.upsert({ boats: [boat] })).summary.unchanged).toBe(1);
    expect((await client.boats.retrieve(data.id)).name).toBe('Second Wind');
    expect((await client.boats.list().page()).data).toHaveLength(1);
    expect((await client.boats.deactivate(data.id)).status).toBe('inactive');
  });

  it('takes a checkout from its creation to its refund', async () => {
    const { checkouts, testHelpers } = client;
    const created = await checkouts.create(checkoutBody());
    expect([created.object, created.status, created.shares]).toEqual(['checkout', 'open', []]);
    expect((await testHelpers.checkouts.collect(created.id)).shares).toHaveLength(3);
    expect((await testHelpers.checkouts.hold(created.id)).status).toMatch(/funded|completed/);
    expect((await testHelpers.checkouts.complete(created.id)).status).toBe('completed');
    await fixture.world.work();
    expect((await checkouts.refund(created.id, { amount: 600 })).refunded_amount).toBe(600);
    expect((await checkouts.retrieve(created.id)).refunded_amount).toBe(600);
    const payouts = await client.payouts.list().page();
    expect([payouts.data.length, payouts.answer.totals.count]).toEqual([1, 1]);
    expect(await client.payouts.listCsv()).toContain(created.id);
    const canceled = await checkouts.cancel((await checkouts.create(checkoutBody())).id);
    expect(canceled.status).toBe('canceled');
    const late = await checkouts.create(checkoutBody());
    await testHelpers.checkouts.advance(late.id, { to: inHours(24) });
    expect((await testHelpers.checkouts.expire(late.id)).status).toBe('expired');
    const ids: string[] = [];
    for await (const { id } of checkouts.list({ limit: 1 })) ids.push(id);
    expect(ids).toHaveLength(3);
  });

  it('creates one checkout for a booking, also when an answer is lost or the program calls again', async () => {
    const body = checkoutBody();
    let isFirst = true;
    const losesFirstAnswer = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      if (!isFirst) return response;
      isFirst = false;
      throw new TypeError('the connection was cut');
    };
    const unlucky = new Everyshare({
      apiKey: venue.key,
      baseUrl: fixture.world.urls[0] ?? '',
      fetch: losesFirstAnswer,
    });
    const { data: first, isReplay } = await unlucky.checkouts.create(body).withResponse();
    expect(isReplay).toBe(true);
    // As after a crash: another client, which knows nothing of the first key.
    expect(await client.checkouts.create(body)).toEqual(first);
    const other = client.checkouts.create({ ...body, amount: 99_000 });
    await expect(other).rejects.toMatchObject({ status: 409, reason: 'idempotency_key_reused' });
    // Canceled, the booking can start anew.
    await client.checkouts.cancel(first.id);
    const second = await client.checkouts.create(body);
    expect([second.status, second.id === first.id]).toEqual(['open', false]);
    await client.checkouts.cancel(second.id);
  });

  it('manages webhook endpoints, verifies what they get, and reads the event log', async () => {
    const { webhookEndpoints, events } = client;
    const endpoint = await webhookEndpoints.create({ url: fixture.url('/sdk'), events: ['checkout.created'] });
    const { id } = await client.checkouts.create(checkoutBody());
    await fixture.deliver();
    const [request] = fixture.requestsTo('/sdk');
    if (request === undefined) throw new Error('the receiver got no request');
    const now = fixture.clock.at / 1000;
    const event = await client.webhooks.constructEvent(request.body, request.headers, endpoint.secret, { now });
    expect([event.type, event.type === 'checkout.created' && event.data.object.id]).toEqual(['checkout.created', id]);
    const [logged] = (await events.list({ checkout: id }).page()).data;
    expect(await events.retrieve(logged?.id ?? '')).toEqual(event);
    const [delivery] = (await webhookEndpoints.listDeliveries(endpoint.id).page()).data;
    expect(delivery?.status).toBe('delivered');
    await webhookEndpoints.redeliver(endpoint.id, delivery?.id ?? '');
    expect((await webhookEndpoints.recover(endpoint.id, { since: inHours(-1) })).recovered).toBe(0);
    expect((await webhookEndpoints.rotateSecret(endpoint.id)).secret).not.toBe(endpoint.secret);
    expect((await webhookEndpoints.test(endpoint.id)).delivered).toBe(true);
    expect((await webhookEndpoints.disable(endpoint.id)).status).toBe('disabled');
    expect((await webhookEndpoints.enable(endpoint.id)).status).toBe('active');
    expect((await webhookEndpoints.list().page()).data.map((one) => one.id)).toEqual([endpoint.id]);
    expect((await webhookEndpoints.delete(endpoint.id)).deleted).toBe(true);
  });

  it('follows the event log', async () => {
    const stop = new AbortController();
    const received: WebhookEvent[] = [];
    let isOpen = false;
    const stream = client.events.stream({ signal: stop.signal, onOpen: () => (isOpen = true) });
    const reading = (async () => {
      for await (const event of stream) received.push(event);
    })();
    await waitFor('the stream is open', () => isOpen);
    const { id } = await client.checkouts.create(checkoutBody());
    await waitFor('the event arrives', () => received.length > 0);
    stop.abort();
    await reading;
    expect(received.map(({ data }) => data.object.id)).toEqual([id]);
    expect(stream.lastEventId).toBe(received[0]?.id);
  });

  it('follows the progress of a group until its checkout ends', async () => {
    const { id } = await client.checkouts.create(checkoutBody());
    const { apiKey } = await createGuest('Ada');
    const { checkouts } = client.guests;
    expect((await checkouts.retrieveProgress(id, { apiKey })).share_count).toBe(0);
    const seen: string[] = [];
    for await (const { status } of checkouts.streamProgress(id, { apiKey })) {
      seen.push(status);
      if (status === 'open') await client.checkouts.cancel(id);
    }
    expect(seen).toEqual(['open', 'canceled']);
  });

  it('connects a venue system and delivers to it', async () => {
    const { integrations, webhooks, hooks } = client;
    const { id, webhook_url, signing_secret } = await integrations.create({ provider: 'custom' });
    const token = new URL(webhook_url ?? '').pathname.split('/').at(-1) ?? '';
    const payload = JSON.stringify({ id: 'e-1', type: 'offering.cancel', data: { external_id: 'tee-1' } });
    const signature = await webhooks.generateTestHeader({ payload, secret: signing_secret ?? '' });
    const receipt = await hooks.deliver('custom', token, payload, { headers: { 'Service-Signature': signature } });
    expect(receipt.received).toBe(true);
    const [delivery] = (await integrations.listDeliveries(id).page()).data;
    expect(delivery?.id).toBe(receipt.id);
    expect((await integrations.replayDelivery(id, receipt.id ?? '')).id).toBe(receipt.id);
    expect((await integrations.list().page()).data.map((one) => one.id)).toEqual([id]);
    const { id: readable } = await integrations.create({ provider: 'eventbrite' });
    const reading = await integrations.setCredentials(readable, { credentials: { token: 'a-token' } });
    expect(reading.reads?.status).toBe('checking');
    const run = await integrations.sync(readable);
    expect((await integrations.getSync(readable)).id).toBe(run.id);
    expect((await integrations.deleteCredentials(readable)).reads?.status).toBe('no_credentials');
    expect((await integrations.revoke(id)).status).toBe('revoked');
  });

  it('does what guests do, with a member’s token as the key of the call', async () => {
    const { guests } = client;
    const [ada, ben, cal] = [await createGuest('Ada'), await createGuest('Ben'), await createGuest('Cal')];
    const offering = {
      external_id: uniqueName(),
      kind: 'cabana',
      title: 'Cabana',
      tiers: [{ amount: 4_500, currency: 'usd', unit: 'per_person' }],
      // Texts are sent by day alone: it is noon at this offering.
      availability: { timezone: zoneAt(12), slots: [] },
    } as const;
    await client.offerings.upsert(offering);
    const { id } = await client.checkouts.create(checkoutBody({ offering_external_id: offering.external_id }));
    const party = { members: [{ user_id: ben.id }, { user_id: cal.id }], split: 'equal' } as const;
    const { shares } = await guests.checkouts.chooseParty(id, party, ada);
    expect((await guests.checkouts.retrieve(id, ben)).my_share_id).toBe(shares[1]?.id);
    expect((await guests.shares.remind(shares[1]?.id ?? '', ada)).share_id).toBe(shares[1]?.id);
    expect((await guests.shares.hold(shares[0]?.id ?? '', {}, ada)).client_secret).toMatch(/_secret_/);
    await guests.shares.decline(shares[1]?.id ?? '', ben);
    await guests.checkouts.takeSeat(id, {}, ben);
    await guests.shares.remove(shares[2]?.id ?? '', ada);
    const invite = await guests.checkouts.chooseParty(
      (await client.checkouts.create(checkoutBody())).id,
      { members: [{ user_id: ben.id }], split: 'equal' },
      ada,
    );
    const token = invite.shares[1]?.url.split('/s/')[1] ?? '';
    expect(await guests.invites.decline({ token })).toBeTypeOf('object');
    const paid = await completeWith(ada);
    expect(await guests.checkouts.mailReceipt(paid, { email: 'ada@example.com' }, ada)).toBeTypeOf('object');
    const { challenge_id } = await guests.signIn.create({ phone: '+15550100007' });
    expect((await guests.signIn.verify({ challenge_id, code: '000000' })).token).toMatch(/^ey/);
  });

  it('calls the tools for agents', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe_venue', arguments: {} } };
    const answer = await client.tools.call(message);
    expect(answer?.result).toMatchObject({ structuredContent: { venue: { name: 'Harbor Club' } } });
    expect(await client.tools.call({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });

  it('has a method for every operation of the OpenAPI document, and each was called with success', () => {
    expect(operations.length).toBeGreaterThan(50);
    expect(operations.map(({ id }) => id).filter((id) => !succeeded.has(id))).toEqual([]);
  });
});
