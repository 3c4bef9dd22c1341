// Deliveries: what is sent, how it is signed, what is written down of it, and what the official package says of it.

import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
  fixture.respond = (_post, response) => response.end('ok');
});

describe('a delivery', () => {
  it('carries the event exactly as the log has it, to each endpoint that wants its type and to no other', async () => {
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

  it('is signed over its bytes with the whole secret; the official stripe package verifies it', async () => {
    const venue = await fixture.openVenue();
    const { secret } = await fixture.endpoint(venue, '/signed', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    const [post] = fixture.requestsTo('/signed');
    if (post === undefined) throw new Error('nothing came');
    const t = Math.floor(fixture.clock.at / 1000);
    const v1 = createHmac('sha256', secret).update(`${t}.${post.body}`).digest('hex');
    expect(post.signature).toBe(`t=${t},v1=${v1}`);
    const { webhooks } = new Stripe('sk_test_unused');
    expect(webhooks.constructEvent(post.body, post.signature, secret)).toEqual(JSON.parse(post.body));
    const changed = post.body.replace('checkout.created', 'checkout.Created');
    expect(() => webhooks.constructEvent(changed, post.signature, secret)).toThrow(/signature/);
    expect(() => webhooks.constructEvent(post.body, post.signature, `${secret}x`)).toThrow(/signature/);
    const late = fixture.clock.at / 1000 + 301;
    expect(() => webhooks.constructEvent(post.body, post.signature, secret, 300, undefined, late * 1000)).toThrow(
      /tolerance/,
    );
    expect(post.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(post.headers['user-agent']).toBe('Everyshare-Webhooks/1');
  });

  it('is the same bytes at each retry, with a fresh t, and dedupes on the event’s id', async () => {
    const venue = await fixture.openVenue();
    const { secret } = await fixture.endpoint(venue, '/retried', ['checkout.created']);
    fixture.respond = (_post, response) => {
      response.statusCode = fixture.requestsTo('/retried').length < 3 ? 500 : 200;
      response.end();
    };
    await venue.create();
    await fixture.deliver();
    for (const wait of [6_000, 34_000]) {
      fixture.clock.at += wait;
      await fixture.deliver();
    }
    const posts = fixture.requestsTo('/retried');
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(posts.map(({ signature }) => signature)).size).toBe(3);
    const { webhooks } = new Stripe('sk_test_unused');
    for (const { body, signature } of posts) webhooks.constructEvent(body, signature, secret, 600);
  });

  it('is acknowledged by any 2xx; a redirect is a failure and is not followed', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/codes', ['checkout.created']);
    const codes = [204, 299, 301, 404, 500];
    for (const code of codes) {
      fixture.respond = (_post, response) => {
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

  it('counts by its status, though the rest of the answer stalls or is cut', { tags: ['slow'] }, async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/stalls', ['checkout.created']);
    fixture.respond = (post, response) => {
      const n = fixture.requestsTo('/stalls').indexOf(post);
      response.writeHead(n === 2 ? 503 : 200);
      response.write('begun');
      // The first never ends; the others are cut once what was written has gone out.
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

  it('keeps the first 4 KB of what came back, whatever it is', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/long', ['checkout.created']);
    fixture.respond = (_post, response) => {
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
      badStrings: [],
    });
    expect(problems).toEqual([]);
  });

  it('waits as long as Retry-After asks, and the whole endpoint with it', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/busy', ['checkout.created']);
    fixture.respond = (_post, response) => {
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
    expect(fixture.requestsTo('/busy')).toHaveLength(1);
    fixture.respond = (_post, response) => response.end();
    fixture.clock.at += 11_000;
    await fixture.deliver();
    expect(fixture.requestsTo('/busy')).toHaveLength(3);
  });

  it('is made once for an event, however many dispatch at the same time', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/once', ['checkout.created']);
    for (let n = 0; n < 12; n++) await venue.create();
    const taken = await Promise.all(Array.from({ length: 8 }, () => fixture.dispatch()));
    expect(taken.reduce((sum, one) => sum + one, 0)).toBe(12);
    expect(await fixture.deliveries(venue, id)).toHaveLength(12);
    await Promise.all([fixture.deliver(), fixture.deliver(), fixture.deliver()]);
    expect(fixture.requestsTo('/once')).toHaveLength(12);
    expect(new Set(fixture.requestsTo('/once').map(({ event }) => event.id)).size).toBe(12);
  });
});

describe('the attempts of a delivery', () => {
  it('are kept, the last ten of them, with what came of each', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/tried', ['checkout.created']);
    fixture.respond = (_post, response) => response.writeHead(499 + fixture.requestsTo('/tried').length).end('no');
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

  it('show that one which was sent again had been acknowledged before', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/twice', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    const [first] = await fixture.deliveries(venue, id);
    await venue.post(`/v1/webhook_endpoints/${id}/deliveries/${first.id}/redeliver`);
    fixture.respond = (_post, response) => response.writeHead(500).end();
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
    fixture.respond = (_post, response) => response.destroy();
    await venue.create();
    await fixture.deliver();
    expect(fixture.world.logs.length).toBeGreaterThan(0);
    expect(fixture.world.logs.join('\n')).not.toContain(secret);
    expect(fixture.world.logs.join('\n')).not.toContain('whsec_');
  });
});
