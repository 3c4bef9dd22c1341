// Endpoint queues: a worker with a stale lease token writes nothing, an endpoint that hangs or sends invalid HTTP
// delays no other, dead endpoints are only probed, and a shutdown loses nothing.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliverDue, deliverUntilStopped, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { processQueue } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { claimQueues, type EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import { SLOW_MS } from '../../src/domain/webhooks/deliveries/schedule.ts';
import type { Shop } from '../checkouts/shop.ts';
import { startRawReceiver } from '../outbound/receiver.ts';
import { PostOffice } from './post-office.ts';

let office: PostOffice;
const waiting: ServerResponse[] = [];
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());
beforeEach(() => {
  office.posts.length = 0;
  waiting.length = 0;
  office.clock.at = Math.max(office.clock.at + 3_600_000, Date.now() + 1_000);
  office.receive = (_post, response) => response.end('ok');
});

const SLOTS = { quick: 64, slow: 32, failing: 16, dead: 16 };
const signal = new AbortController().signal;
const hang = (): void => {
  office.receive = (_post, response) => void waiting.push(response);
};

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out waiting until ${what}`);
}

async function claimQueueOf(endpointId: string): Promise<EndpointQueue> {
  const now = office.clock.at;
  const queues = await claimQueues(office.world.db, now, now + 30_000, SLOTS);
  const queue = queues.find((one) => one.endpointId === endpointId);
  if (queue === undefined) throw new Error('the endpoint queue could not be claimed');
  return queue;
}

describe('a worker that was suspended for longer than its lease', () => {
  it('writes nothing and sends nothing more when it resumes', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/fenced', ['checkout.created']);
    for (let n = 0; n < 12; n++) await shop.create();
    await office.dispatch();
    hang();
    const stopped = processQueue(office.parts, await claimQueueOf(id), signal);
    await until('eight are in flight', () => waiting.length === 8);
    office.clock.at += 31_000;
    office.receive = (_post, response) => response.end('in time');
    await deliverDue(office.parts, signal);
    const before = await office.deliveries(shop, id);
    expect(before.map(({ status, attempts, last_response }) => [status, attempts, last_response])).toEqual(
      Array(12).fill(['delivered', 1, 'in time']),
    );
    const queues = () => office.world.db.query('select * from delivery_lanes where endpoint_id = $1', [id]);
    const queue = await queues();
    for (const response of waiting) {
      response.statusCode = 500;
      response.end('too late');
    }
    expect(await stopped).toBe(0);
    expect(await office.deliveries(shop, id)).toEqual(before);
    expect(await queues()).toEqual(queue);
    // The suspended worker did not send the four that were left.
    expect(office.postsTo('/fenced')).toHaveLength(8 + 12);
  });

  it('loses its queue to exactly one other worker, however many claim at the same time', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/claimed', ['checkout.created']);
    await shop.create();
    await office.dispatch();
    const now = office.clock.at;
    const claimed = await Promise.all(
      Array.from({ length: 10 }, () => claimQueues(office.world.db, now, now + 30_000, SLOTS)),
    );
    expect(claimed.flat().filter((queue) => queue.endpointId === id)).toHaveLength(1);
  });
});

describe('an endpoint that hangs and one that sends invalid HTTP', () => {
  it('do not delay the other endpoints of the same host', async () => {
    const shop = await office.shop();
    const bad = await office.endpoint(shop, '/hangs', ['checkout.created']);
    const nonsense = await startRawReceiver((socket) => void socket.end('this is not HTTP\r\n\r\n'));
    const odd = (
      await shop.post('/v1/webhook_endpoints', {
        url: `https://127.0.0.1:${nonsense.port}/`,
        events: ['checkout.created'],
      })
    ).json;
    const good: string[] = [];
    for (let n = 0; n < 6; n++) good.push((await office.endpoint(shop, `/good-${n}`, ['checkout.created'])).id);
    for (let n = 0; n < 20; n++) await shop.create();
    office.receive = (post, response) => {
      if (post.path === '/hangs') waiting.push(response);
      else response.end();
    };
    await office.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(office.parts, stop.signal);
    await until('all good endpoints have their deliveries', async () => {
      const [left] = await office.world.db.query<{ left: number }>(
        `select count(*) as left from deliveries where endpoint_id = any($1) and status <> 'delivered'`,
        [good],
      );
      return left?.left === 0;
    });
    await until('the protocol error is recorded', async () =>
      (await office.deliveries(shop, odd.id)).some(({ last_error }) => last_error === 'protocol'),
    );
    // Meanwhile the attempts to the hanging endpoint were in flight and none had ended.
    expect(waiting).toHaveLength(8);
    expect((await office.deliveries(shop, bad.id)).every(({ attempts }) => attempts === 0)).toBe(true);
    stop.abort();
    await running;
    await nonsense.close();
    for (const response of waiting) response.end();
  });
});

describe('many endpoints of one venue that hang', () => {
  it('do not use up the connections of another venue’s endpoint at the same host', async () => {
    const shop = await office.shop();
    const bad: string[] = [];
    for (let n = 0; n < 6; n++) bad.push((await office.endpoint(shop, `/crowd-${n}`, ['checkout.created'])).id);
    for (let n = 0; n < 10; n++) await shop.create();
    const other = await office.shop();
    const good = await office.endpoint(other, '/good', ['checkout.created']);
    office.receive = (post, response) => {
      if (post.path.startsWith('/crowd')) waiting.push(response);
      else response.end();
    };
    await office.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(office.parts, stop.signal);
    await until('each has eight in flight', () => waiting.length === 6 * 8);
    await other.create();
    await office.dispatch();
    await until('the good endpoint has its delivery', async () =>
      (await office.deliveries(other, good.id)).every(({ status }) => status === 'delivered'),
    );
    // Meanwhile every other attempt was in flight and none had ended.
    const [given] = await office.world.db.query<{ up: number }>(
      'select count(*) as up from deliveries where endpoint_id = any($1) and attempts > 0',
      [bad],
    );
    expect(given?.up).toBe(0);
    stop.abort();
    await running;
    for (const response of waiting) response.end();
  });
});

describe('an endpoint that has failed once', () => {
  it('does not wait for dead endpoints, however many there are and however long they hang', async () => {
    const [one, two] = [await office.shop(), await office.shop()];
    const dead: string[] = [];
    for (let n = 0; n < 40; n++)
      dead.push((await office.endpoint(n % 2 ? one : two, `/gone-${n}`, ['checkout.created'])).id);
    const other = await office.shop();
    const blipped = await office.endpoint(other, '/blipped', ['checkout.created']);
    const { db } = office.world;
    await db.query(`update delivery_lanes set failures = 25, pace = 'dead' where endpoint_id = any($1)`, [dead]);
    await one.create();
    await two.create();
    await office.dispatch();
    office.clock.at += 10;
    office.receive = (post, response) => {
      if (post.path.startsWith('/gone')) waiting.push(response);
      else if (office.postsTo('/blipped').length === 1) response.writeHead(500).end();
      else response.end();
    };
    await other.create();
    await office.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(office.parts, stop.signal);
    await until('it has failed once', async () => {
      const [queue] = await db.query<{ pace: string }>('select pace from delivery_lanes where endpoint_id = $1', [
        blipped.id,
      ]);
      return queue?.pace === 'failing';
    });
    await until('the dead endpoints use all their slots', () => waiting.length === 16);
    office.clock.at += 8_000;
    await until('it has its second request', () => office.postsTo('/blipped').length === 2);
    // Meanwhile the same dead endpoints hung, and none was replaced by another.
    expect(waiting).toHaveLength(16);
    stop.abort();
    await running;
    for (const response of waiting) response.end();
  });
});

describe('endpoints that respond slowly', () => {
  it('free their slots for quick endpoints, and use the slots for slow ones from then on', async () => {
    const shops = [await office.shop(), await office.shop()];
    for (let n = 0; n < 64; n++) await office.endpoint(shops[n % 2] as Shop, `/slow-${n}`, ['checkout.created']);
    for (const shop of shops) await shop.create();
    office.receive = (post, response) => {
      if (post.path.startsWith('/slow')) waiting.push(response);
      else response.end();
    };
    await office.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(office.parts, stop.signal);
    await until('every slot is in use', () => waiting.length === 64);
    const since = performance.now();
    const other = await office.shop();
    const good = await office.endpoint(other, '/quick', ['checkout.created']);
    await other.create();
    await office.dispatch();
    await until('the quick endpoint has its delivery', () => office.postsTo('/quick').length === 1);
    // None of the slow attempts had ended by then.
    const { db } = office.world;
    const [made] = await db.query<{ made: number }>(
      `select count(*) as made from deliveries where venue_id = any($1) and attempts > 0`,
      [shops.map(({ venueId }) => venueId)],
    );
    expect(made?.made).toBe(0);
    await until('all of them count as slow', () => performance.now() - since > SLOW_MS + 500);
    for (const response of waiting) response.end('at last');
    await until('all are delivered', async () => {
      const rows = await db.query(`select 1 from deliveries where venue_id = any($1) and status <> 'delivered'`, [
        [...shops, other].map(({ venueId }) => venueId),
      ]);
      return rows.length === 0;
    });
    stop.abort();
    await running;
    const paces = await db.query(
      'select distinct pace, endpoint_id = $2 as good from delivery_lanes where venue_id = any($1) order by good',
      [[...shops, other].map(({ venueId }) => venueId), good.id],
    );
    expect(paces).toEqual([
      { pace: 'slow', good: false },
      { pace: 'quick', good: true },
    ]);
  });
});

describe('a dead endpoint', () => {
  const posts = () => office.postsTo('/dead').length;

  it('is probed with one attempt at a time; after its first success everything that waits is sent', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/dead', ['checkout.created']);
    for (let n = 0; n < 60; n++) await shop.create();
    office.receive = (post, response) => (post.path === '/dead' ? response.destroy() : response.end());
    await office.deliver();
    // Eight at a time until the run ends, up to twenty failures until it counts as dead, and those in flight.
    const first = posts();
    expect(first).toBeGreaterThanOrEqual(20);
    expect(first).toBeLessThanOrEqual(36);
    for (const [rest, more] of [
      [4_000, 0],
      [61_000, 1],
      [30_000, 0],
      [31_000, 1],
    ] as const) {
      const before = posts();
      office.clock.at += rest;
      await office.deliver();
      expect(posts() - before).toBe(more);
    }
    office.receive = (_post, response) => response.end();
    office.clock.at += 3_600_000;
    await office.deliver();
    expect((await office.deliveries(shop, id, '?limit=100')).map(({ status }) => status)).toEqual(
      Array(60).fill('delivered'),
    );
  });
});

describe('a worker whose database fails for a moment', () => {
  it('records its outcomes when the database is back, and sends nothing twice', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/cut', ['checkout.created']);
    for (let n = 0; n < 6; n++) await shop.create();
    await office.dispatch();
    hang();
    const run = processQueue(office.parts, await claimQueueOf(id), signal);
    await until('all are in flight', () => waiting.length === 6);
    const { db } = office.world;
    const cut = () =>
      db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    await cut();
    await cut().catch(() => undefined);
    for (const response of waiting) response.end('heard');
    expect(await run).toBe(6);
    // The server's connections were cut as well: the first calls may get 503.
    await expect.poll(async () => (await shop.get('/v1/webhook_endpoints')).status, { timeout: 30_000 }).toBe(200);
    const found = await office.deliveries(shop, id);
    expect(found.map(({ status, attempts, last_response }) => [status, attempts, last_response])).toEqual(
      Array(6).fill(['delivered', 1, 'heard']),
    );
    expect(office.postsTo('/cut')).toHaveLength(6);
  });
});

describe('a worker that shuts down', () => {
  it('records the responses, releases its queues, and loses nothing', async () => {
    const shop: Shop = await office.shop();
    const { id } = await office.endpoint(shop, '/stopped', ['checkout.created']);
    for (let n = 0; n < 30; n++) await shop.create();
    office.receive = (_post, response) => {
      if (office.postsTo('/stopped').length > 5) waiting.push(response);
      else response.end('first');
    };
    await dispatchDue(office.parts, 500);
    const stop = new AbortController();
    const running = deliverUntilStopped(office.parts, stop.signal);
    await until('some hang', () => waiting.length === 8);
    stop.abort();
    await running;
    const answered = await office.deliveries(shop, id, '?status=delivered');
    expect(answered).toHaveLength(5);
    office.receive = (_post, response) => response.end('second');
    await office.deliver();
    expect(await office.deliveries(shop, id, '?status=delivered')).toHaveLength(30);
    for (const response of waiting) response.end();
  });
});
