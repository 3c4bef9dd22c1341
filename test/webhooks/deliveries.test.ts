// Deliveries: what the worker sends, how it is signed, what is recorded, and that the official packages stripe and
// standardwebhooks verify it.

import { createHmac } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../src/domain/webhooks/deliveries/signature.ts';
import type { Json } from '../support/test-venue.ts';
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

describe('a delivery', () => {
  it('sends the event exactly as in the event log, to each endpoint that subscribes to its type and to no other', async () => {
    const venue = await fixture.openVenue();
    const all = await fixture.endpoint(venue, '/all');
    await fixture.endpoint(venue, '/done', ['checkout.completed']);
    const other = await fixture.openVenue();
    await fixture.endpoint(other, '/other');
    const done = await venue.completed();
    await fixture.deliver();
    const log = (await venue.get(`/v1/events?checkout=${done.id}`)).json.data.reverse();
    expect(log.map((event: { type: string }) => event.type)).toEqual([
      'checkout.created',
      'checkout.collecting',
      'share.held',
      'share.held',
      'share.held',
      'checkout.funded',
      'checkout.completed',
    ]);
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect(
      fixture
        .requestsTo('/all')
        .map(({ event }) => event)
        .sort(byId),
    ).toEqual([...log].sort(byId));
    expect(fixture.requestsTo('/done').map(({ event }) => event.type)).toEqual(['checkout.completed']);
    expect(fixture.requestsTo('/other')).toEqual([]);
    const { text } = await venue.get(`/v1/events/${log[6].id}`);
    expect(fixture.requestsTo('/done')[0]?.body).toBe(text);
    expect(await fixture.deliveries(venue, all.id)).toHaveLength(7);
  });

  it('is signed over its bytes with the whole secret, and the official stripe package verifies it', async () => {
    const venue = await fixture.openVenue();
    const { secret } = await fixture.endpoint(venue, '/signed', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    const [request] = fixture.requestsTo('/signed');
    if (request === undefined) throw new Error('the receiver got no request');
    const t = Math.floor(fixture.clock.at / 1000);
    const v1 = createHmac('sha256', secret).update(`${t}.${request.body}`).digest('hex');
    expect(request.signature).toBe(`t=${t},v1=${v1}`);
    const { webhooks } = new Stripe('sk_test_unused');
    expect(webhooks.constructEvent(request.body, request.signature, secret)).toEqual(JSON.parse(request.body));
    const changed = request.body.replace('checkout.created', 'checkout.Created');
    expect(() => webhooks.constructEvent(changed, request.signature, secret)).toThrow(/signature/);
    expect(() => webhooks.constructEvent(request.body, request.signature, `${secret}x`)).toThrow(/signature/);
    const late = fixture.clock.at / 1000 + 301;
    expect(() => webhooks.constructEvent(request.body, request.signature, secret, 300, undefined, late * 1000)).toThrow(
      /tolerance/,
    );
    expect(request.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(request.headers['user-agent']).toBe('Everyshare-Webhooks/1');
  });

  it('has the headers of Standard Webhooks, signed with the base64-decoded secret, also with both secrets of a rotation', async () => {
    const venue = await fixture.openVenue();
    const { id, secret } = await fixture.endpoint(venue, '/standard', ['checkout.created']);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const { json: rotated } = await venue.post(`/v1/webhook_endpoints/${id}/rotate_secret`);
    await venue.create();
    await fixture.deliver();
    const [request] = fixture.requestsTo('/standard');
    if (request === undefined) throw new Error('the receiver got no request');
    const { headers, body, event } = request;
    const t = String(Math.floor(fixture.clock.at / 1000));
    expect([headers['webhook-id'], headers['webhook-timestamp']]).toEqual([event.id, t]);
    const signedWith = (key: string): string =>
      createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
        .update(`${event.id}.${t}.${body}`)
        .digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signedWith(rotated.secret)} v1,${signedWith(secret)}`);
  });

  it('is verified by the official standardwebhooks package, also with each secret of a rotation', async () => {
    const venue = await fixture.openVenue();
    const { id, secret } = await fixture.endpoint(venue, '/official', ['checkout.created']);
    const rotated = (await venue.post(`/v1/webhook_endpoints/${id}/rotate_secret`)).json;
    // The package compares with the time of this machine.
    fixture.clock.at = Date.now();
    await venue.create({ description: 'Café ☕ at 8' });
    fixture.clock.at = Date.now();
    await fixture.deliver();
    const [request] = fixture.requestsTo('/official');
    if (request === undefined) throw new Error('the receiver got no request');
    const headers = request.headers as Record<string, string>;
    for (const valid of [secret, rotated.secret])
      expect(new Webhook(valid).verify(request.body, headers)).toEqual(request.event);
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    expect(() => new Webhook(other).verify(request.body, headers)).toThrow(WebhookVerificationError);
    const changed = request.body.replace('checkout.created', 'checkout.Created');
    expect(() => new Webhook(secret).verify(changed, headers)).toThrow(WebhookVerificationError);
    const renamed = { ...headers, 'webhook-id': 'evt_other' };
    expect(() => new Webhook(secret).verify(request.body, renamed)).toThrow(WebhookVerificationError);
  });

  it('signs the Standard Webhooks header of an older secret with its characters as they are', () => {
    const body = Buffer.from('{"id":"evt_1","object":"event"}');
    const characters = '4f9b1c7e2a6d8053b7e1f0c92d6a4e8b';
    const { 'webhook-signature': signature } = signatureHeaders([`whsec_${characters}`], body, 1_812_105_603_999);
    const expected = createHmac('sha256', characters).update('evt_1.1812105603.').update(body).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
  });

  it('has the same bytes at each retry, with a new t, so that receivers deduplicate on the event id', async () => {
    const venue = await fixture.openVenue();
    const { secret } = await fixture.endpoint(venue, '/retried', ['checkout.created']);
    fixture.respond = (_request, response) => {
      response.statusCode = fixture.requestsTo('/retried').length < 3 ? 500 : 200;
      response.end();
    };
    await venue.create();
    await fixture.deliver();
    for (const wait of [6_000, 34_000]) {
      fixture.clock.at += wait;
      await fixture.deliver();
    }
    const requests = fixture.requestsTo('/retried');
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ signature }) => signature)).size).toBe(3);
    const { webhooks } = new Stripe('sk_test_unused');
    for (const { body, signature } of requests) webhooks.constructEvent(body, signature, secret, 600);
  });

  it('succeeds with any 2xx; a redirect is a failure and is not followed', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/codes', ['checkout.created']);
    const codes = [204, 299, 301, 404, 500];
    for (const code of codes) {
      fixture.respond = (_request, response) => {
        response.writeHead(code, { location: fixture.url('/elsewhere') });
        response.end();
      };
      await venue.create();
      await fixture.deliver();
    }
    const found = (await fixture.deliveries(venue, id)).reverse();
    expect(found.map(({ status, last_status, last_error }) => [status, last_status, last_error])).toEqual([
      ['delivered', 204, null],
      ['delivered', 299, null],
      ['pending', 301, 'redirect'],
      ['pending', 404, 'http_status'],
      ['pending', 500, 'http_status'],
    ]);
    expect(fixture.requestsTo('/elsewhere')).toEqual([]);
  });

  it('succeeds or fails by its status, even if the rest of the response stalls or is cut', {
    tags: ['slow'],
  }, async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/stalls', ['checkout.created']);
    fixture.respond = (request, response) => {
      const n = fixture.requestsTo('/stalls').indexOf(request);
      response.writeHead(n === 2 ? 503 : 200);
      response.write('begun');
      // The first response never ends; the others are cut after the written part was sent.
      if (n > 0) setTimeout(() => response.destroy(), 50);
    };
    for (let n = 0; n < 3; n++) {
      await venue.create();
      await fixture.deliver();
    }
    const found = (await fixture.deliveries(venue, id)).reverse();
    expect(found.map((one) => [one.status, one.last_status, one.last_error, one.last_response])).toEqual([
      ['delivered', 200, null, 'begun'],
      ['delivered', 200, null, 'begun'],
      ['pending', 503, 'http_status', 'begun'],
    ]);
  });

  it('stores the first 4 KB of the response, for any content', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/long', ['checkout.created']);
    fixture.respond = (_request, response) => {
      response.statusCode = 500;
      response.end(Buffer.concat([Buffer.from([0, 0xff]), Buffer.from('é'.repeat(10_000))]));
    };
    await venue.create();
    await fixture.deliver();
    const [delivery] = await fixture.deliveries(venue, id);
    expect(delivery.last_response).toBe(`\ufffd\ufffd${'é'.repeat(2_047)}`);
    expect(delivery.attempts).toBe(1);
    expect(delivery.last_duration_ms).toBeGreaterThanOrEqual(0);
    const problems = fixture.world.context.validator.problems('delivery', {
      value: delivery as never,
      text: JSON.stringify(delivery),
      badTexts: [],
    });
    expect(problems).toEqual([]);
  });

  it('waits as long as Retry-After says, and no other delivery of the endpoint waits for it', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/busy', ['checkout.created']);
    fixture.respond = (_request, response) => {
      response.writeHead(429, { 'retry-after': '90' });
      response.end();
    };
    await venue.create();
    await fixture.deliver();
    const [delivery] = await fixture.deliveries(venue, id);
    expect(Date.parse(delivery.next_attempt_at)).toBe(fixture.clock.at + 90_000);
    await venue.create();
    fixture.clock.at += 80_000;
    await fixture.deliver();
    expect(fixture.requestsTo('/busy')).toHaveLength(2);
    fixture.respond = (_request, response) => response.end();
    fixture.clock.at += 11_000;
    await fixture.deliver();
    expect(fixture.requestsTo('/busy')).toHaveLength(3);
  });

  it('is created once for an event, however many workers dispatch at the same time', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/once', ['checkout.created']);
    for (let n = 0; n < 12; n++) await venue.create();
    const dispatchCounts = await Promise.all(Array.from({ length: 8 }, () => fixture.dispatch()));
    expect(dispatchCounts.reduce((sum, one) => sum + one, 0)).toBe(12);
    expect(await fixture.deliveries(venue, id)).toHaveLength(12);
    await Promise.all([fixture.deliver(), fixture.deliver(), fixture.deliver()]);
    expect(fixture.requestsTo('/once')).toHaveLength(12);
    expect(new Set(fixture.requestsTo('/once').map(({ event }) => event.id)).size).toBe(12);
  });
});

describe('the attempts of a delivery', () => {
  it('are stored: the last ten, each with its result', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/tried', ['checkout.created']);
    fixture.respond = (_request, response) => response.writeHead(499 + fixture.requestsTo('/tried').length).end('no');
    await venue.create();
    const times: string[] = [];
    for (let n = 0; n < 12; n++) {
      times.push(new Date(fixture.clock.at).toISOString().replace('Z', '000Z'));
      await fixture.deliver();
      fixture.clock.at += 5 * 3_600_000;
    }
    const [delivery] = await fixture.deliveries(venue, id);
    expect(delivery.attempts).toBe(12);
    expect(delivery.attempts_log.map((one: Json) => [one.at, one.status, one.error])).toEqual(
      times.slice(2).map((at, n) => [at, 502 + n, 'http_status']),
    );
  });

  it('show that a redelivered event had succeeded before', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/twice', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    const [first] = await fixture.deliveries(venue, id);
    await venue.post(`/v1/webhook_endpoints/${id}/deliveries/${first.id}/redeliver`);
    fixture.respond = (_request, response) => response.writeHead(500).end();
    fixture.clock.at = Date.now() + 1_000;
    await fixture.deliver();
    const [then] = await fixture.deliveries(venue, id);
    expect(then.attempts_log.map((one: Json) => one.status)).toEqual([200, 500]);
  });
});

describe('no log line', () => {
  it('carries a secret', async () => {
    const venue = await fixture.openVenue();
    const { secret } = await fixture.endpoint(venue, '/logged');
    fixture.respond = (_request, response) => response.destroy();
    await venue.create();
    await fixture.deliver();
    expect(fixture.world.logs.length).toBeGreaterThan(0);
    expect(fixture.world.logs.join('\n')).not.toContain(secret);
    expect(fixture.world.logs.join('\n')).not.toContain('whsec_');
  });
});
