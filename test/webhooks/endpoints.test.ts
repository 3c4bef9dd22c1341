// Endpoints: allowed URLs, secrets, the sample event, disabling and enabling, the delivery log, redelivery.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeOutbound } from '../../src/base/outbound/outbound.ts';
import { deleteOldSamples } from '../../src/domain/webhooks/deliveries/sample-queries.ts';
import { startCanary } from '../support/test-receivers.ts';
import {
  expectConflict,
  expectInvalid,
  type Json,
  openTestVenue,
  withNewKey,
  withoutRequestId,
} from '../support/test-venue.ts';
import { openTestWorld } from '../support/test-world.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.requests.length = 0;
  fixture.clock.at = Date.now() + 1_000;
  fixture.respond = (_request, response) => response.end('ok');
});

const DAY = 24 * 3_600_000;
const respondWithError = (): void => {
  fixture.respond = (_request, response) => {
    response.statusCode = 500;
    response.end('no');
  };
};
const v1Of = (secret: string, t: string, body: string): string =>
  createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
const expectSchema = (schema: string, value: Json): void =>
  expect(
    fixture.world.context.validator.problems(schema, {
      value: value as never,
      text: JSON.stringify(value),
      badTexts: [],
    }),
  ).toEqual([]);

describe('a URL without a public address', () => {
  it('is refused at creation with a message that reveals nothing about our network, and stores nothing', async () => {
    const world = await openTestWorld();
    const canary = await startCanary();
    const venue = await openTestVenue(world);
    const messages = new Set<string>();
    for (const host of [
      '127.0.0.1',
      '10.0.0.8',
      '192.168.1.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:7f00:1]',
      '2130706433',
    ]) {
      const url = `https://${host}:${canary.httpsPort}/hooks`;
      const response = await venue.post('/v1/webhook_endpoints', { url, events: ['checkout.created'] });
      expectInvalid(response, 'invalid_value', '/url');
      messages.add(response.json.error.message);
    }
    expect([...messages]).toEqual(['The host name does not lead to a public address.']);
    for (const url of [
      'https://localhost/x',
      'https://printer.local/x',
      'https://metadata.google.internal/',
      'https://a:b@x.example/',
    ]) {
      expectInvalid(
        await venue.post('/v1/webhook_endpoints', { url, events: ['checkout.created'] }),
        'invalid_value',
        '/url',
      );
    }
    expect((await venue.get('/v1/webhook_endpoints')).json.data).toEqual([]);
    expect(canary.connectionCount()).toBe(0);
    await canary.close();
    await world.close();
  });

  it('is refused again at each delivery, if DNS has changed since', async () => {
    const canary = await startCanary();
    let resolvedAddress = '93.184.216.34';
    const outbound = makeOutbound({
      allowInsecureTargets: false,
      resolve: async () => [resolvedAddress],
      dnsCacheMs: 0,
    });
    const venue = await fixture.openVenue();
    expect(await outbound.refusal('https://rebinding.example/hooks')).toBeNull();
    const endpoint = await fixture.endpoint(venue, '/rebound', ['checkout.created']);
    await fixture.world.db.query('update webhook_endpoints set url = $2 where endpoint_id = $1', [
      endpoint.id,
      `https://rebinding.example:${canary.httpsPort}/hooks`,
    ]);
    resolvedAddress = '127.0.0.1';
    await venue.create();
    await fixture.dispatch();
    const { deliverDue } = await import('../../src/domain/webhooks/deliveries/deliver.ts');
    await deliverDue({ ...fixture.services, outbound }, new AbortController().signal);
    const [delivery] = await fixture.deliveries(venue, endpoint.id);
    expect(delivery).toMatchObject({ status: 'pending', last_error: 'no_public_address', last_status: null });
    expect(canary.connectionCount()).toBe(0);
    await canary.close();
    await outbound.close();
  });
});

describe('a rotated secret', () => {
  it('is shown once; both secrets sign for 24 hours, then only the new one', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/rotated', ['checkout.created']);
    const rotated = await venue.post(`/v1/webhook_endpoints/${endpoint.id}/rotate_secret`);
    expect(rotated.status).toBe(200);
    expectSchema('rotated_secret', rotated.json);
    expect(rotated.json.secret).not.toBe(endpoint.secret);
    const until = Date.parse(rotated.json.previous_secret_expires_at);
    expect(Math.abs(until - Date.now() - DAY)).toBeLessThan(60_000);
    const signaturesAt = async (at: number) => {
      fixture.requests.length = 0;
      fixture.clock.at = at;
      await venue.create();
      await fixture.deliver();
      const [request] = fixture.requestsTo('/rotated');
      const [t = '', ...v1] = (request?.signature ?? '').split(',').map((part) => part.split('=')[1] ?? '');
      const by = (secret: string): string => v1Of(secret, t, request?.body ?? '');
      return { v1, by };
    };
    const during = await signaturesAt(until - 60_000);
    expect(during.v1).toEqual([during.by(rotated.json.secret), during.by(endpoint.secret)]);
    const after = await signaturesAt(until + 1);
    expect(after.v1).toEqual([after.by(rotated.json.secret)]);
    const rows = await fixture.world.db.query('select secret, earlier_secrets from webhook_endpoints');
    expect(JSON.stringify(rows.map((row) => Object.values(row).map(String)))).not.toContain('whsec_');
  });

  it('that is rotated again expires no other early: each signs for its own 24 hours', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/again', ['checkout.created']);
    const rotate = () => venue.post(`/v1/webhook_endpoints/${endpoint.id}/rotate_secret`);
    /** Moves all expiry times nearer. */
    const passHours = (hours: number) =>
      fixture.world.db.query(
        `update webhook_endpoints set earlier_until =
           array(select u - make_interval(hours => $2) from unnest(earlier_until) with ordinality as e(u, place) order by place)
         where endpoint_id = $1`,
        [endpoint.id, hours],
      );
    const secrets = [endpoint.secret];
    /** By their index among the secrets, newest first. */
    const signingSecrets = async (): Promise<number[]> => {
      fixture.requests.length = 0;
      fixture.clock.at = Date.now();
      await venue.create();
      await fixture.deliver();
      const [request] = fixture.requestsTo('/again');
      const [t = '', ...v1] = (request?.signature ?? '').split(',').map((part) => part.split('=')[1] ?? '');
      return v1.map((one) => secrets.findIndex((secret) => v1Of(secret, t, request?.body ?? '') === one));
    };
    for (let rotation = 0; rotation < 4; rotation++) {
      const rotated = await rotate();
      expect(rotated.status).toBe(200);
      secrets.unshift(rotated.json.secret);
      await passHours(5);
    }
    expect(await signingSecrets()).toEqual([0, 1, 2, 3, 4]);
    expectConflict(await rotate(), 'secrets_still_valid');
    await passHours(5);
    expect(await signingSecrets()).toEqual([0, 1, 2, 3]);
    const rotated = await rotate();
    expect(rotated.status).toBe(200);
    secrets.unshift(rotated.json.secret);
    await passHours(5);
    expect(await signingSecrets()).toEqual([0, 1, 2, 3]);
  });

  it('is returned again to a caller that lost the response and retries with the same idempotency key', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/lost', ['checkout.created']);
    const path = `/v1/webhook_endpoints/${endpoint.id}/rotate_secret`;
    const [first, second] = await Promise.all(
      [1, 2].map(() => venue.post(path, {}, { headers: { 'idempotency-key': 'rotate-1' } })),
    );
    const third = await venue.post(path, {}, { headers: { 'idempotency-key': 'rotate-1' } });
    const succeeded = [first, second, third].filter((response) => response?.status === 200);
    expect(succeeded.length).toBeGreaterThanOrEqual(2);
    expect(new Set(succeeded.map((response) => response?.json.secret)).size).toBe(1);
    const [rows] = await fixture.world.db.query<{ count: number }>(
      'select cardinality(earlier_secrets) as count from webhook_endpoints where endpoint_id = $1',
      [endpoint.id],
    );
    expect(rows?.count).toBe(1);
  });
});

describe('an endpoint of the other mode', () => {
  it('does not exist for a key of the same venue, for every operation', async () => {
    const venue = await fixture.openVenue();
    const live = await withNewKey(venue, 'live');
    const endpoint = await fixture.endpoint(venue, '/other-mode', ['checkout.created']);
    const path = `/v1/webhook_endpoints/${endpoint.id}`;
    const responses = [
      await live.post(`${path}/rotate_secret`),
      await live.post(`${path}/test`),
      await live.post(`${path}/disable`),
      await live.post(`${path}/enable`),
      await live.get(`${path}/deliveries`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe('the sample event', () => {
  it('is sent at once, signed, marked as a sample, shaped like a real event, and the response is returned', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/sample', ['checkout.expired']);
    fixture.respond = (_request, response) => {
      response.statusCode = 418;
      response.end('teapot');
    };
    const result = await venue.post(`/v1/webhook_endpoints/${endpoint.id}/test`);
    expect(result.status).toBe(200);
    expectSchema('webhook_test_result', result.json);
    expect(result.json).toMatchObject({ delivered: false, status: 418, response: 'teapot', error: 'http_status' });
    const [request] = fixture.requestsTo('/sample');
    expect(request?.event).toMatchObject({
      id: result.json.event_id,
      type: 'checkout.completed',
      sample: true,
      mode: 'test',
    });
    expectSchema('webhook_event', request?.event);
    const t = /t=(\d+)/.exec(request?.signature ?? '')?.[1] ?? '';
    expect(request?.signature).toBe(`t=${t},v1=${v1Of(endpoint.secret, t, request?.body ?? '')}`);
    expect((await venue.get('/v1/events')).json.data).toEqual([]);
  });

  it('is in the endpoint’s log beside the deliveries of events, newest first, page by page, and is never recovered', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/sample-log', ['checkout.created']);
    const began = new Date(Date.now() - 1_000).toISOString();
    respondWithError();
    const failed = (await venue.post(`/v1/webhook_endpoints/${endpoint.id}/test`)).json;
    fixture.respond = (_request, response) => response.end('ok');
    await venue.create();
    await fixture.deliver();
    const delivered = (await venue.post(`/v1/webhook_endpoints/${endpoint.id}/test`)).json;
    const log = await fixture.deliveries(venue, endpoint.id);
    for (const one of log) expectSchema('delivery', one);
    expect(log.map(({ event_id, sample, status, last_error }) => [event_id, sample, status, last_error])).toEqual([
      [delivered.event_id, true, 'delivered', null],
      [expect.any(String), false, 'delivered', null],
      [failed.event_id, true, 'failed', 'http_status'],
    ]);
    const path = `/v1/webhook_endpoints/${endpoint.id}/deliveries`;
    const paged: Json[] = [];
    for (let before: string | null = ''; before !== null && paged.length < 10; ) {
      const { json }: Json = await venue.get(`${path}?limit=1${before === '' ? '' : `&before=${before}`}`);
      paged.push(...json.data);
      before = json.next_before;
    }
    expect(paged).toEqual(log);
    expect((await venue.get(`${path}?status=failed`)).json.data).toEqual([log[2]]);
    const recovered = await venue.post(`/v1/webhook_endpoints/${endpoint.id}/recover`, { since: began });
    expect(recovered.json.recovered).toBe(0);
    expect((await venue.post(`${path}/${log[0].id}/redeliver`)).status).toBe(404);
  });

  it('leaves the log after 30 days', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/sample-old', ['checkout.created']);
    await venue.post(`/v1/webhook_endpoints/${endpoint.id}/test`);
    const { db } = fixture.world;
    await deleteOldSamples(db, Date.now() + 29 * DAY, 30, 1_000);
    expect(await fixture.deliveries(venue, endpoint.id)).toHaveLength(1);
    await deleteOldSamples(db, Date.now() + 31 * DAY, 30, 1_000);
    expect(await fixture.deliveries(venue, endpoint.id)).toEqual([]);
  });
});

describe('recovery', () => {
  it('sends what waits for its next try at once, and nothing twice', async () => {
    fixture.clock.at = Date.now();
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/outage', ['checkout.created']);
    const since = new Date(Date.now() - 1_000).toISOString();
    respondWithError();
    for (let n = 0; n < 3; n++) await venue.create();
    await fixture.deliver();
    fixture.respond = (_request, response) => response.end();
    await fixture.deliver();
    expect(fixture.requestsTo('/outage')).toHaveLength(3);
    const recover = async () => (await venue.post(`/v1/webhook_endpoints/${endpoint.id}/recover`, { since })).json;
    expect(await recover()).toMatchObject({ recovered: 3, has_more: false });
    fixture.clock.at = Date.now();
    // They are due already.
    expect(await recover()).toMatchObject({ recovered: 0 });
    await fixture.deliver();
    expect(fixture.requestsTo('/outage')).toHaveLength(6);
    expect(await fixture.deliveries(venue, endpoint.id, '?status=delivered')).toHaveLength(3);
    expect(await recover()).toMatchObject({ recovered: 0 });
  });
});

describe('a disabled endpoint', () => {
  it('receives nothing; waiting and new deliveries are logged as failed and are sent after enabling and recovery', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/paused', ['checkout.created']);
    const began = new Date(Date.now() - 1_000).toISOString();
    respondWithError();
    await venue.create();
    await fixture.deliver();
    const disabled = await venue.post(`/v1/webhook_endpoints/${endpoint.id}/disable`);
    expect(disabled.json).toMatchObject({ status: 'disabled', disabled_reason: 'requested' });
    expectSchema('stored_webhook_endpoint', disabled.json);
    expect((await venue.post(`/v1/webhook_endpoints/${endpoint.id}/disable`)).json).toEqual(disabled.json);
    await venue.create();
    fixture.respond = (_request, response) => response.end();
    fixture.clock.at += DAY;
    await fixture.deliver();
    expect(fixture.requestsTo('/paused')).toHaveLength(1);
    const waiting = await fixture.deliveries(venue, endpoint.id);
    expect(waiting.map(({ status, last_error, attempts }) => [status, last_error, attempts])).toEqual([
      ['failed', 'endpoint_disabled', 0],
      ['failed', 'endpoint_disabled', 1],
    ]);
    const recover = () => venue.post(`/v1/webhook_endpoints/${endpoint.id}/recover`, { since: began });
    expectConflict(await recover(), 'endpoint_disabled');
    expectConflict(
      await venue.post(`/v1/webhook_endpoints/${endpoint.id}/deliveries/${waiting[0].id}/redeliver`),
      'endpoint_disabled',
    );
    const enabled = await venue.post(`/v1/webhook_endpoints/${endpoint.id}/enable`);
    expect(enabled.json).toMatchObject({ status: 'active', disabled_at: null, disabled_reason: null });
    const recovered = await recover();
    expect(recovered.status).toBe(202);
    expectSchema('webhook_recovered', recovered.json);
    expect(recovered.json).toMatchObject({ recovered: 2, has_more: false });
    await fixture.deliver();
    expect(fixture.requestsTo('/paused')).toHaveLength(3);
    expect((await fixture.deliveries(venue, endpoint.id, '?status=delivered')).length).toBe(2);
    expect(await fixture.deliveries(venue, endpoint.id, '?status=failed')).toEqual([]);
  });

  it('has every change in the audit log', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/audited', ['checkout.created']);
    for (const command of ['rotate_secret', 'test', 'disable', 'enable'])
      await venue.post(`/v1/webhook_endpoints/${id}/${command}`);
    const rows = await fixture.world.db.query<{ action: string }>(
      'select action from audit_log where venue_id = $1 and subject = $2 order by audit_id',
      [venue.venueId, id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'webhook_endpoint.create',
      'webhook_endpoint.rotate_secret',
      'webhook_endpoint.test',
      'webhook_endpoint.disable',
      'webhook_endpoint.enable',
    ]);
  });
});

describe('the delivery log', () => {
  it('pages without skipping or repeating, and matches the published schema', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/paged');
    await venue.completed();
    await venue.completed();
    await fixture.deliver();
    const seen: string[] = [];
    for (let before: string | null = ''; before !== null; ) {
      const query = before === '' ? '?limit=4' : `?limit=4&before=${encodeURIComponent(before)}`;
      const { json } = await venue.get(`/v1/webhook_endpoints/${id}/deliveries${query}`);
      for (const delivery of json.data) expectSchema('delivery', delivery);
      seen.push(...json.data.map((one: Json) => one.event_id));
      before = json.next_before;
    }
    expect(seen).toHaveLength(14);
    expect(new Set(seen).size).toBe(14);
  });

  it('redelivers one in any status, with new 72 hours', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/again', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    const [delivery] = await fixture.deliveries(venue, id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, last_response: 'ok' });
    const response = await venue.post(`/v1/webhook_endpoints/${id}/deliveries/${delivery.id}/redeliver`);
    expect(response.status).toBe(202);
    expectSchema('delivery', response.json);
    expect(response.json).toMatchObject({ id: delivery.id, status: 'pending', attempts: 1 });
    fixture.clock.at = Date.now() + 1_000;
    await fixture.deliver();
    const requests = fixture.requestsTo('/again');
    expect(requests).toHaveLength(2);
    expect(requests[0]?.body).toBe(requests[1]?.body);
    expect((await fixture.deliveries(venue, id))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('recovers only deliveries of the last 30 days', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/far', ['checkout.created']);
    for (const since of [Date.now() - 31 * DAY, Date.now() + DAY]) {
      const response = await venue.post(`/v1/webhook_endpoints/${id}/recover`, {
        since: new Date(since).toISOString(),
      });
      expectInvalid(response, 'out_of_range', '/since');
    }
    expectInvalid(await venue.post(`/v1/webhook_endpoints/${id}/recover`, {}), 'missing_field', '/since');
  });

  it('is deleted after 30 days, apart from deliveries that still have attempts to come', async () => {
    const { deleteOldDeliveries } = await import('../../src/domain/webhooks/deliveries/queries.ts');
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/old', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    respondWithError();
    await venue.create();
    await fixture.deliver();
    const deleteOld = (now: number): Promise<number> => deleteOldDeliveries(fixture.world.db, now, 30, 10_000);
    await deleteOld(Date.now());
    expect(await fixture.deliveries(venue, id)).toHaveLength(2);
    await fixture.world.db.query(
      `update deliveries set ends_at = (ends_at at time zone 'UTC' + interval '29 days') at time zone 'UTC' where endpoint_id = $1 and status = 'pending'`,
      [id],
    );
    await deleteOld(Date.now() + 31 * DAY);
    expect((await fixture.deliveries(venue, id)).map(({ status }) => status)).toEqual(['pending']);
  });
});

describe('another venue’s endpoint', () => {
  it('gives the same 404 as an unknown endpoint, for every operation', async () => {
    const [mine, theirs] = [await fixture.openVenue(), await fixture.openVenue()];
    const foreign = await fixture.endpoint(theirs, '/foreign', ['checkout.created']);
    await theirs.create();
    await fixture.deliver();
    const [delivery] = await fixture.deliveries(theirs, foreign.id);
    const own = await fixture.endpoint(mine, '/own', ['checkout.created']);
    const responses = new Set<string>();
    const none = 'whe_01m7fz623jger8fhnv4m7aakfs';
    for (const id of [foreign.id, none, 'nonsense', `${foreign.id}%00`]) {
      for (const command of ['rotate_secret', 'test', 'enable', 'disable', `deliveries/${delivery.id}/redeliver`])
        responses.add(withoutRequestId(await mine.post(`/v1/webhook_endpoints/${id}/${command}`)));
      responses.add(
        withoutRequestId(await mine.post(`/v1/webhook_endpoints/${id}/recover`, { since: new Date().toISOString() })),
      );
      responses.add(withoutRequestId(await mine.get(`/v1/webhook_endpoints/${id}/deliveries`)));
    }
    responses.add(
      withoutRequestId(await mine.post(`/v1/webhook_endpoints/${own.id}/deliveries/${delivery.id}/redeliver`)),
    );
    responses.add(withoutRequestId(await mine.get(`/v1/events/${delivery.event_id}`)));
    expect(responses.size).toBe(1);
    expect([...responses][0]).toContain('not_found');
    expect((await mine.get('/v1/events')).json.data).toEqual([]);
  });
});
