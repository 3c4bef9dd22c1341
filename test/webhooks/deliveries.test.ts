// Deliveries: what the worker sends, how it is signed, what is recorded, and that the official stripe package verifies
// it.

import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Seen } from '../checkouts/shop.ts';
import { PostOffice } from './post-office.ts';

let office: PostOffice;
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());
beforeEach(() => {
  office.posts.length = 0;
  office.clock.at = Date.now() + 1_000;
  office.receive = (_post, response) => response.end('ok');
});

describe('a delivery', () => {
  it('sends the event exactly as in the event log, to each endpoint that subscribes to its type and to no other', async () => {
    const shop = await office.shop();
    const all = await office.endpoint(shop, '/all');
    await office.endpoint(shop, '/done', ['checkout.completed']);
    const other = await office.shop();
    await office.endpoint(other, '/other');
    const done = await shop.completed();
    await office.deliver();
    const log = (await shop.get(`/v1/events?checkout=${done.id}`)).json.data.reverse();
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
      office
        .postsTo('/all')
        .map(({ event }) => event)
        .sort(byId),
    ).toEqual([...log].sort(byId));
    expect(office.postsTo('/done').map(({ event }) => event.type)).toEqual(['checkout.completed']);
    expect(office.postsTo('/other')).toEqual([]);
    const { text } = await shop.get(`/v1/events/${log[6].id}`);
    expect(office.postsTo('/done')[0]?.body).toBe(text);
    expect(await office.deliveries(shop, all.id)).toHaveLength(7);
  });

  it('is signed over its bytes with the whole secret, and the official stripe package verifies it', async () => {
    const shop = await office.shop();
    const { secret } = await office.endpoint(shop, '/signed', ['checkout.created']);
    await shop.create();
    await office.deliver();
    const [post] = office.postsTo('/signed');
    if (post === undefined) throw new Error('the receiver got no request');
    const t = Math.floor(office.clock.at / 1000);
    const v1 = createHmac('sha256', secret).update(`${t}.${post.body}`).digest('hex');
    expect(post.signature).toBe(`t=${t},v1=${v1}`);
    const { webhooks } = new Stripe('sk_test_unused');
    expect(webhooks.constructEvent(post.body, post.signature, secret)).toEqual(JSON.parse(post.body));
    const changed = post.body.replace('checkout.created', 'checkout.Created');
    expect(() => webhooks.constructEvent(changed, post.signature, secret)).toThrow(/signature/);
    expect(() => webhooks.constructEvent(post.body, post.signature, `${secret}x`)).toThrow(/signature/);
    const late = office.clock.at / 1000 + 301;
    expect(() => webhooks.constructEvent(post.body, post.signature, secret, 300, undefined, late * 1000)).toThrow(
      /tolerance/,
    );
    expect(post.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(post.headers['user-agent']).toBe('Everyshare-Webhooks/1');
  });

  it('has the same bytes at each retry, with a new t, so that receivers deduplicate on the event id', async () => {
    const shop = await office.shop();
    const { secret } = await office.endpoint(shop, '/retried', ['checkout.created']);
    office.receive = (_post, response) => {
      response.statusCode = office.postsTo('/retried').length < 3 ? 500 : 200;
      response.end();
    };
    await shop.create();
    await office.deliver();
    for (const wait of [6_000, 34_000]) {
      office.clock.at += wait;
      await office.deliver();
    }
    const posts = office.postsTo('/retried');
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(posts.map(({ signature }) => signature)).size).toBe(3);
    const { webhooks } = new Stripe('sk_test_unused');
    for (const { body, signature } of posts) webhooks.constructEvent(body, signature, secret, 600);
  });

  it('succeeds with any 2xx; a redirect is a failure and is not followed', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/codes', ['checkout.created']);
    const codes = [204, 299, 301, 404, 500];
    for (const code of codes) {
      office.receive = (_post, response) => {
        response.writeHead(code, { location: office.url('/elsewhere') });
        response.end();
      };
      await shop.create();
      await office.deliver();
    }
    const found = (await office.deliveries(shop, id)).reverse();
    expect(found.map(({ status, last_status, last_error }) => [status, last_status, last_error])).toEqual([
      ['delivered', 204, null],
      ['delivered', 299, null],
      ['pending', 301, 'redirect'],
      ['pending', 404, 'http_status'],
      ['pending', 500, 'http_status'],
    ]);
    expect(office.postsTo('/elsewhere')).toEqual([]);
  });

  it('is judged by the status, even if the rest of the response stalls or is cut', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/stalls', ['checkout.created']);
    office.receive = (post, response) => {
      const n = office.postsTo('/stalls').indexOf(post);
      response.writeHead(n === 2 ? 503 : 200);
      response.write('begun');
      // The first response never ends; the others are cut after the written part was sent.
      if (n > 0) setTimeout(() => response.destroy(), 50);
    };
    for (let n = 0; n < 3; n++) {
      await shop.create();
      await office.deliver();
    }
    const found = (await office.deliveries(shop, id)).reverse();
    expect(found.map((one) => [one.status, one.last_status, one.last_error, one.last_response])).toEqual([
      ['delivered', 200, null, 'begun'],
      ['delivered', 200, null, 'begun'],
      ['pending', 503, 'http_status', 'begun'],
    ]);
  });

  it('stores the first 4 KB of the response, whatever its content', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/long', ['checkout.created']);
    office.receive = (_post, response) => {
      response.statusCode = 500;
      response.end(Buffer.concat([Buffer.from([0, 0xff]), Buffer.from('é'.repeat(10_000))]));
    };
    await shop.create();
    await office.deliver();
    const [delivery] = await office.deliveries(shop, id);
    expect(delivery.last_response).toBe(`\ufffd\ufffd${'é'.repeat(2_047)}`);
    expect(delivery.attempts).toBe(1);
    expect(delivery.last_duration_ms).toBeGreaterThanOrEqual(0);
    const problems = office.world.context.validator.problems('delivery', {
      value: delivery as never,
      text: JSON.stringify(delivery),
      badStrings: [],
    });
    expect(problems).toEqual([]);
  });

  it('waits as long as Retry-After says, together with all deliveries of the endpoint', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/busy', ['checkout.created']);
    office.receive = (_post, response) => {
      response.writeHead(429, { 'retry-after': '90' });
      response.end();
    };
    await shop.create();
    await office.deliver();
    const [delivery] = await office.deliveries(shop, id);
    expect(Date.parse(delivery.next_attempt_at)).toBe(office.clock.at + 90_000);
    await shop.create();
    office.clock.at += 80_000;
    await office.deliver();
    expect(office.postsTo('/busy')).toHaveLength(1);
    office.receive = (_post, response) => response.end();
    office.clock.at += 11_000;
    await office.deliver();
    expect(office.postsTo('/busy')).toHaveLength(3);
  });

  it('is created once for an event, however many workers dispatch at the same time', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/once', ['checkout.created']);
    for (let n = 0; n < 12; n++) await shop.create();
    const taken = await Promise.all(Array.from({ length: 8 }, () => office.dispatch()));
    expect(taken.reduce((sum, one) => sum + one, 0)).toBe(12);
    expect(await office.deliveries(shop, id)).toHaveLength(12);
    await Promise.all([office.deliver(), office.deliver(), office.deliver()]);
    expect(office.postsTo('/once')).toHaveLength(12);
    expect(new Set(office.postsTo('/once').map(({ event }) => event.id)).size).toBe(12);
  });
});

describe('the attempts of a delivery', () => {
  it('are stored: the last ten, each with its result', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/tried', ['checkout.created']);
    office.receive = (_post, response) => response.writeHead(499 + office.postsTo('/tried').length).end('no');
    await shop.create();
    const times: string[] = [];
    for (let n = 0; n < 12; n++) {
      times.push(new Date(office.clock.at).toISOString().replace('Z', '000Z'));
      await office.deliver();
      office.clock.at += 5 * 3_600_000;
    }
    const [delivery] = await office.deliveries(shop, id);
    expect(delivery.attempts).toBe(12);
    expect(delivery.attempts_log.map((one: Seen) => [one.at, one.status, one.error])).toEqual(
      times.slice(2).map((at, n) => [at, 502 + n, 'http_status']),
    );
  });

  it('show that a redelivered event had succeeded before', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/twice', ['checkout.created']);
    await shop.create();
    await office.deliver();
    const [first] = await office.deliveries(shop, id);
    await shop.post(`/v1/webhook_endpoints/${id}/deliveries/${first.id}/redeliver`);
    office.receive = (_post, response) => response.writeHead(500).end();
    office.clock.at = Date.now() + 1_000;
    await office.deliver();
    const [then] = await office.deliveries(shop, id);
    expect(then.attempts_log.map((one: Seen) => one.status)).toEqual([200, 500]);
  });
});

describe('no log line', () => {
  it('carries a secret', async () => {
    const shop = await office.shop();
    const { secret } = await office.endpoint(shop, '/logged');
    office.receive = (_post, response) => response.destroy();
    await shop.create();
    await office.deliver();
    expect(office.world.logs.length).toBeGreaterThan(0);
    expect(office.world.logs.join('\n')).not.toContain(secret);
    expect(office.world.logs.join('\n')).not.toContain('whsec_');
  });
});
