// The lanes to the endpoints: a worker that wakes too late writes nothing, one that hangs or talks nonsense holds nobody up,
// the dead are knocked at and no more, and a stop loses nothing.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliverDue, deliverUntilStopped, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { processQueue } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { claimQueues, type EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import { SLOW_MS } from '../../src/domain/webhooks/deliveries/schedule.ts';
import { startTlsReceiver } from '../support/test-receivers.ts';
import type { TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

let fixture: DeliveryFixture;
const waiting: ServerResponse[] = [];
beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.requests.length = 0;
  waiting.length = 0;
  fixture.clock.at = Math.max(fixture.clock.at + 3_600_000, Date.now() + 1_000);
  fixture.respond = (_post, response) => response.end('ok');
});

const PLACES = { quick: 64, slow: 32, failing: 16, dead: 16 };
const signal = new AbortController().signal;
const hang = (): void => {
  fixture.respond = (_post, response) => void waiting.push(response);
};

async function takeLaneOf(endpointId: string): Promise<EndpointQueue> {
  const now = fixture.clock.at;
  const lanes = await claimQueues(fixture.world.db, now, now + 30_000, PLACES);
  const lane = lanes.find((one) => one.endpointId === endpointId);
  if (lane === undefined) throw new Error('the lane cannot be taken');
  return lane;
}

describe('a worker that was stopped for longer than its lease', () => {
  it('writes nothing when it goes on, of what it had sent and of what it had not', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/fenced', ['checkout.created']);
    for (let n = 0; n < 12; n++) await venue.create();
    await fixture.dispatch();
    hang();
    const stopped = processQueue(fixture.services, await takeLaneOf(id), signal);
    await waitFor('eight are under way', () => waiting.length === 8);
    fixture.clock.at += 31_000;
    fixture.respond = (_post, response) => response.end('in time');
    await deliverDue(fixture.services, signal);
    const before = await fixture.deliveries(venue, id);
    expect(before.map(({ status, attempts, last_response }) => [status, attempts, last_response])).toEqual(
      Array(12).fill(['delivered', 1, 'in time']),
    );
    const lanes = () => fixture.world.db.query('select * from endpoint_queues where endpoint_id = $1', [id]);
    const lane = await lanes();
    for (const response of waiting) {
      response.statusCode = 500;
      response.end('too late');
    }
    expect(await stopped).toBe(0);
    expect(await fixture.deliveries(venue, id)).toEqual(before);
    expect(await lanes()).toEqual(lane);
    // The four that it had not sent by then, it did not send any more.
    expect(fixture.requestsTo('/fenced')).toHaveLength(8 + 12);
  });

  it('has its lane taken by one other alone, however many ask', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/taken', ['checkout.created']);
    await venue.create();
    await fixture.dispatch();
    const now = fixture.clock.at;
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => claimQueues(fixture.world.db, now, now + 30_000, PLACES)),
    );
    expect(taken.flat().filter((lane) => lane.endpointId === id)).toHaveLength(1);
  });
});

describe('an endpoint that hangs, and one that answers nonsense', () => {
  it('leave every other endpoint of the same host its deliveries', async () => {
    const venue = await fixture.openVenue();
    const bad = await fixture.endpoint(venue, '/hangs', ['checkout.created']);
    const nonsense = await startTlsReceiver((socket) => void socket.end('this is not HTTP\r\n\r\n'));
    const odd = (
      await venue.post('/v1/webhook_endpoints', {
        url: `https://127.0.0.1:${nonsense.port}/`,
        events: ['checkout.created'],
      })
    ).json;
    const good: string[] = [];
    for (let n = 0; n < 6; n++) good.push((await fixture.endpoint(venue, `/good-${n}`, ['checkout.created'])).id);
    for (let n = 0; n < 20; n++) await venue.create();
    fixture.respond = (post, response) => {
      if (post.path === '/hangs') waiting.push(response);
      else response.end();
    };
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('all good ones are delivered', async () => {
      const [left] = await fixture.world.db.query<{ left: number }>(
        `select count(*) as left from deliveries where endpoint_id = any($1) and status <> 'delivered'`,
        [good],
      );
      return left?.left === 0;
    });
    await waitFor('the nonsense is noted', async () =>
      (await fixture.deliveries(venue, odd.id)).some(({ last_error }) => last_error === 'protocol'),
    );
    // All that time the hanging one hung: a few under way, none of them over.
    expect(waiting).toHaveLength(8);
    expect((await fixture.deliveries(venue, bad.id)).every(({ attempts }) => attempts === 0)).toBe(true);
    stop.abort();
    await running;
    await nonsense.close();
    for (const response of waiting) response.end();
  });
});

describe('many endpoints of one venue that hang', () => {
  it('keep no connection from another venue’s endpoint at the same host', async () => {
    const venue = await fixture.openVenue();
    const bad: string[] = [];
    for (let n = 0; n < 6; n++) bad.push((await fixture.endpoint(venue, `/crowd-${n}`, ['checkout.created'])).id);
    for (let n = 0; n < 10; n++) await venue.create();
    const other = await fixture.openVenue();
    const good = await fixture.endpoint(other, '/good', ['checkout.created']);
    fixture.respond = (post, response) => {
      if (post.path.startsWith('/crowd')) waiting.push(response);
      else response.end();
    };
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('each has eight under way', () => waiting.length === 6 * 8);
    await other.create();
    await fixture.dispatch();
    await waitFor('the good one has its post', async () =>
      (await fixture.deliveries(other, good.id)).every(({ status }) => status === 'delivered'),
    );
    // All that time every other post hung, none had been given up.
    const [given] = await fixture.world.db.query<{ up: number }>(
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
  it('waits for none of the dead, however many there are and however long they hang', async () => {
    const [one, two] = [await fixture.openVenue(), await fixture.openVenue()];
    const dead: string[] = [];
    for (let n = 0; n < 40; n++)
      dead.push((await fixture.endpoint(n % 2 ? one : two, `/gone-${n}`, ['checkout.created'])).id);
    const other = await fixture.openVenue();
    const blipped = await fixture.endpoint(other, '/blipped', ['checkout.created']);
    const { db } = fixture.world;
    await db.query(`update endpoint_queues set failures = 25, pace = 'dead' where endpoint_id = any($1)`, [dead]);
    await one.create();
    await two.create();
    await fixture.dispatch();
    fixture.clock.at += 10;
    fixture.respond = (post, response) => {
      if (post.path.startsWith('/gone')) waiting.push(response);
      else if (fixture.requestsTo('/blipped').length === 1) response.writeHead(500).end();
      else response.end();
    };
    await other.create();
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('it has failed once', async () => {
      const [lane] = await db.query<{ pace: string }>('select pace from endpoint_queues where endpoint_id = $1', [
        blipped.id,
      ]);
      return lane?.pace === 'failing';
    });
    await waitFor('the dead have taken all the places that there are for them', () => waiting.length === 16);
    fixture.clock.at += 8_000;
    await waitFor('its second post has come', () => fixture.requestsTo('/blipped').length === 2);
    // All that time the same dead hung, none had been given up for another.
    expect(waiting).toHaveLength(16);
    stop.abort();
    await running;
    for (const response of waiting) response.end();
  });
});

describe('endpoints that answer, and take their time', () => {
  it('give their places to the quick, and wait among the slow from then on', async () => {
    const venues = [await fixture.openVenue(), await fixture.openVenue()];
    for (let n = 0; n < 64; n++) await fixture.endpoint(venues[n % 2] as TestVenue, `/slow-${n}`, ['checkout.created']);
    for (const venue of venues) await venue.create();
    fixture.respond = (post, response) => {
      if (post.path.startsWith('/slow')) waiting.push(response);
      else response.end();
    };
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('every place is taken', () => waiting.length === 64);
    const since = performance.now();
    const other = await fixture.openVenue();
    const good = await fixture.endpoint(other, '/quick', ['checkout.created']);
    await other.create();
    await fixture.dispatch();
    await waitFor('the quick one has its post', () => fixture.requestsTo('/quick').length === 1);
    // Not one of the slow had been answered by then.
    const { db } = fixture.world;
    const [made] = await db.query<{ made: number }>(
      `select count(*) as made from deliveries where venue_id = any($1) and attempts > 0`,
      [venues.map(({ venueId }) => venueId)],
    );
    expect(made?.made).toBe(0);
    await waitFor('all of them have taken their time', () => performance.now() - since > SLOW_MS + 500);
    for (const response of waiting) response.end('at last');
    await waitFor('all are delivered', async () => {
      const rows = await db.query(`select 1 from deliveries where venue_id = any($1) and status <> 'delivered'`, [
        [...venues, other].map(({ venueId }) => venueId),
      ]);
      return rows.length === 0;
    });
    stop.abort();
    await running;
    const paces = await db.query(
      'select distinct pace, endpoint_id = $2 as good from endpoint_queues where venue_id = any($1) order by good',
      [[...venues, other].map(({ venueId }) => venueId), good.id],
    );
    expect(paces).toEqual([
      { pace: 'slow', good: false },
      { pace: 'quick', good: true },
    ]);
  });
});

describe('a dead endpoint', () => {
  const posts = () => fixture.requestsTo('/dead').length;

  it('is knocked at and no more; with its first answer everything that waits is sent', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/dead', ['checkout.created']);
    for (let n = 0; n < 60; n++) await venue.create();
    fixture.respond = (post, response) => (post.path === '/dead' ? response.destroy() : response.end());
    await fixture.deliver();
    // Eight at once until the turn ends, twenty more until it is taken for dead, and those that were under way.
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
      fixture.clock.at += rest;
      await fixture.deliver();
      expect(posts() - before).toBe(more);
    }
    fixture.respond = (_post, response) => response.end();
    fixture.clock.at += 3_600_000;
    await fixture.deliver();
    expect((await fixture.deliveries(venue, id, '?limit=100')).map(({ status }) => status)).toEqual(
      Array(60).fill('delivered'),
    );
  });
});

describe('a worker whose database goes away for a moment', () => {
  it('writes down what it knows when it is back, and posts nothing twice', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/cut', ['checkout.created']);
    for (let n = 0; n < 6; n++) await venue.create();
    await fixture.dispatch();
    hang();
    const turn = processQueue(fixture.services, await takeLaneOf(id), signal);
    await waitFor('all are under way', () => waiting.length === 6);
    const { db } = fixture.world;
    const cut = () =>
      db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    await cut();
    await cut().catch(() => undefined);
    for (const response of waiting) response.end('heard');
    expect(await turn).toBe(6);
    // The server's connections were cut as well: whoever comes first may be told to come back.
    await expect.poll(async () => (await venue.get('/v1/webhook_endpoints')).status, { timeout: 30_000 }).toBe(200);
    const found = await fixture.deliveries(venue, id);
    expect(found.map(({ status, attempts, last_response }) => [status, attempts, last_response])).toEqual(
      Array(6).fill(['delivered', 1, 'heard']),
    );
    expect(fixture.requestsTo('/cut')).toHaveLength(6);
  });
});

describe('a worker that is stopped', () => {
  it('writes down what was answered, lets go of its lanes, and loses nothing', async () => {
    const venue: TestVenue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/stopped', ['checkout.created']);
    for (let n = 0; n < 30; n++) await venue.create();
    fixture.respond = (_post, response) => {
      if (fixture.requestsTo('/stopped').length > 5) waiting.push(response);
      else response.end('first');
    };
    await dispatchDue(fixture.services, 500);
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('some hang', () => waiting.length === 8);
    stop.abort();
    await running;
    const answered = await fixture.deliveries(venue, id, '?status=delivered');
    expect(answered).toHaveLength(5);
    fixture.respond = (_post, response) => response.end('second');
    await fixture.deliver();
    expect(await fixture.deliveries(venue, id, '?status=delivered')).toHaveLength(30);
    for (const response of waiting) response.end();
  });
});
