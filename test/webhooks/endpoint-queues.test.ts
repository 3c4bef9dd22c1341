// Endpoint queues: a worker with a stale lease token writes nothing, an endpoint that hangs or sends invalid HTTP
// delays no other, dead endpoints are only probed, and a shutdown loses nothing.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverDue, deliverUntilStopped, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { processQueue } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { claimQueues, type EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import { SLOW_MS } from '../../src/domain/webhooks/deliveries/schedule.ts';
import { startTlsReceiver } from '../support/test-receivers.ts';
import type { TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

// Waits for endpoints that hang.
vi.setConfig({ testTimeout: 60_000 });

let fixture: DeliveryFixture;
const hanging: ServerResponse[] = [];
beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.requests.length = 0;
  hanging.length = 0;
  fixture.clock.at = Math.max(fixture.clock.at + 3_600_000, Date.now() + 1_000);
  fixture.respond = (_request, response) => response.end('ok');
});

const MAX_RUNS_BY_PACE = { quick: 64, slow: 32, failing: 16, dead: 16 };
const signal = new AbortController().signal;
const hang = (): void => {
  fixture.respond = (_request, response) => void hanging.push(response);
};

async function claimQueueOf(endpointId: string): Promise<EndpointQueue> {
  const now = fixture.clock.at;
  const queues = await claimQueues(fixture.world.db, now, now + 30_000, MAX_RUNS_BY_PACE);
  const queue = queues.find((one) => one.endpointId === endpointId);
  if (queue === undefined) throw new Error('the endpoint queue could not be claimed');
  return queue;
}

describe('a worker that was suspended for longer than its lease', () => {
  it('writes nothing and sends nothing more when it resumes', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/fenced', ['checkout.created']);
    for (let n = 0; n < 12; n++) await venue.create();
    await fixture.dispatch();
    hang();
    const stopped = processQueue(fixture.services, await claimQueueOf(id), signal);
    await waitFor('eight are in flight', () => hanging.length === 8);
    fixture.clock.at += 31_000;
    fixture.respond = (_request, response) => response.end('in time');
    await deliverDue(fixture.services, signal);
    const before = await fixture.deliveries(venue, id);
    expect(before.map(({ status, attempts, last_response }) => [status, attempts, last_response])).toEqual(
      Array(12).fill(['delivered', 1, 'in time']),
    );
    const queues = () => fixture.world.db.query('select * from endpoint_queues where endpoint_id = $1', [id]);
    const queue = await queues();
    for (const response of hanging) {
      response.statusCode = 500;
      response.end('too late');
    }
    expect(await stopped).toBe(0);
    expect(await fixture.deliveries(venue, id)).toEqual(before);
    expect(await queues()).toEqual(queue);
    // The suspended worker did not send the four that were left.
    expect(fixture.requestsTo('/fenced')).toHaveLength(8 + 12);
  });

  it('loses its queue to exactly one other worker, however many claim at the same time', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/claimed', ['checkout.created']);
    await venue.create();
    await fixture.dispatch();
    const now = fixture.clock.at;
    const claimed = await Promise.all(
      Array.from({ length: 10 }, () => claimQueues(fixture.world.db, now, now + 30_000, MAX_RUNS_BY_PACE)),
    );
    expect(claimed.flat().filter((queue) => queue.endpointId === id)).toHaveLength(1);
  });
});

describe('an endpoint that hangs and one that sends invalid HTTP', () => {
  it('do not delay the other endpoints of the same host', async () => {
    const venue = await fixture.openVenue();
    const bad = await fixture.endpoint(venue, '/hangs', ['checkout.created']);
    const nonsense = await startTlsReceiver((socket) => void socket.end('this is not HTTP\r\n\r\n'));
    const invalidHttp = (
      await venue.post('/v1/webhook_endpoints', {
        url: `https://127.0.0.1:${nonsense.port}/`,
        events: ['checkout.created'],
      })
    ).json;
    const good: string[] = [];
    for (let n = 0; n < 6; n++) good.push((await fixture.endpoint(venue, `/good-${n}`, ['checkout.created'])).id);
    for (let n = 0; n < 20; n++) await venue.create();
    fixture.respond = (request, response) => {
      if (request.path === '/hangs') hanging.push(response);
      else response.end();
    };
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('all good endpoints have their deliveries', async () => {
      const [left] = await fixture.world.db.query<{ left: number }>(
        `select count(*) as left from deliveries where endpoint_id = any($1) and status <> 'delivered'`,
        [good],
      );
      return left?.left === 0;
    });
    await waitFor('the protocol error is recorded', async () =>
      (await fixture.deliveries(venue, invalidHttp.id)).some(({ last_error }) => last_error === 'protocol'),
    );
    // Meanwhile the attempts to the hanging endpoint were in flight and none had ended.
    expect(hanging).toHaveLength(8);
    expect((await fixture.deliveries(venue, bad.id)).every(({ attempts }) => attempts === 0)).toBe(true);
    stop.abort();
    await running;
    await nonsense.close();
    for (const response of hanging) response.end();
  });
});

describe('many endpoints of one venue that hang', () => {
  it('do not use up the connections of another venue’s endpoint at the same host', async () => {
    const venue = await fixture.openVenue();
    const bad: string[] = [];
    for (let n = 0; n < 6; n++) bad.push((await fixture.endpoint(venue, `/hanging-${n}`, ['checkout.created'])).id);
    for (let n = 0; n < 10; n++) await venue.create();
    const other = await fixture.openVenue();
    const good = await fixture.endpoint(other, '/good', ['checkout.created']);
    fixture.respond = (request, response) => {
      if (request.path.startsWith('/hanging')) hanging.push(response);
      else response.end();
    };
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('each has eight in flight', () => hanging.length === 6 * 8);
    await other.create();
    await fixture.dispatch();
    await waitFor('the good endpoint has its delivery', async () =>
      (await fixture.deliveries(other, good.id)).every(({ status }) => status === 'delivered'),
    );
    // Meanwhile every other attempt was in flight and none had ended.
    const [attempted] = await fixture.world.db.query<{ up: number }>(
      'select count(*) as up from deliveries where endpoint_id = any($1) and attempts > 0',
      [bad],
    );
    expect(attempted?.up).toBe(0);
    stop.abort();
    await running;
    for (const response of hanging) response.end();
  });
});

describe('an endpoint that once gave no answer', () => {
  it('does not wait for dead endpoints, however many there are and however long they hang', async () => {
    const [one, two] = [await fixture.openVenue(), await fixture.openVenue()];
    const dead: string[] = [];
    for (let n = 0; n < 40; n++)
      dead.push((await fixture.endpoint(n % 2 ? one : two, `/down-${n}`, ['checkout.created'])).id);
    const other = await fixture.openVenue();
    const failedOnce = await fixture.endpoint(other, '/blipped', ['checkout.created']);
    const { db } = fixture.world;
    await db.query(`update endpoint_queues set failures = 25, pace = 'dead' where endpoint_id = any($1)`, [dead]);
    await one.create();
    await two.create();
    await fixture.dispatch();
    fixture.clock.at += 10;
    fixture.respond = (request, response) => {
      if (request.path.startsWith('/down')) hanging.push(response);
      else if (fixture.requestsTo('/blipped').length === 1) response.destroy();
      else response.end();
    };
    await other.create();
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('it has failed once', async () => {
      const [queue] = await db.query<{ pace: string }>('select pace from endpoint_queues where endpoint_id = $1', [
        failedOnce.id,
      ]);
      return queue?.pace === 'failing';
    });
    await waitFor('the dead endpoints use all their slots', () => hanging.length === 16);
    fixture.clock.at += 8_000;
    await waitFor('it has its second request', () => fixture.requestsTo('/blipped').length === 2);
    // Meanwhile the same dead endpoints hung, and none was replaced by another.
    expect(hanging).toHaveLength(16);
    stop.abort();
    await running;
    for (const response of hanging) response.end();
  });
});

describe('endpoints that respond slowly', () => {
  it('free their slots for quick endpoints, and use the slots for slow ones from then on', async () => {
    const venues = [await fixture.openVenue(), await fixture.openVenue()];
    for (let n = 0; n < 64; n++) await fixture.endpoint(venues[n % 2] as TestVenue, `/slow-${n}`, ['checkout.created']);
    for (const venue of venues) await venue.create();
    fixture.respond = (request, response) => {
      if (request.path.startsWith('/slow')) hanging.push(response);
      else response.end();
    };
    await fixture.dispatch();
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('every slot is in use', () => hanging.length === 64);
    const since = performance.now();
    const other = await fixture.openVenue();
    const good = await fixture.endpoint(other, '/quick', ['checkout.created']);
    await other.create();
    await fixture.dispatch();
    await waitFor('the quick endpoint has its delivery', () => fixture.requestsTo('/quick').length === 1);
    // None of the slow attempts had ended by then.
    const { db } = fixture.world;
    const [slow] = await db.query<{ attempted: number }>(
      `select count(*) as attempted from deliveries where venue_id = any($1) and attempts > 0`,
      [venues.map(({ venueId }) => venueId)],
    );
    expect(slow?.attempted).toBe(0);
    await waitFor('all of them count as slow', () => performance.now() - since > SLOW_MS + 500);
    for (const response of hanging) response.end('at last');
    await waitFor('all are delivered', async () => {
      const rows = await db.query(`select 1 from deliveries where venue_id = any($1) and status <> 'delivered'`, [
        [...venues, other].map(({ venueId }) => venueId),
      ]);
      return rows.length === 0;
    });
    stop.abort();
    await running;
    const paces = await db.query(
      'select distinct pace, endpoint_id = $2 as "isQuick" from endpoint_queues where venue_id = any($1) order by "isQuick"',
      [[...venues, other].map(({ venueId }) => venueId), good.id],
    );
    expect(paces).toEqual([
      { pace: 'slow', isQuick: false },
      { pace: 'quick', isQuick: true },
    ]);
  });
});

describe('a dead endpoint', () => {
  const requests = () => fixture.requestsTo('/dead').length;

  it('is probed with its newest untried event alone; after its first answer everything that waits is sent', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/dead', ['checkout.created']);
    for (let n = 0; n < 60; n++) await venue.create();
    fixture.respond = (request, response) => (request.path === '/dead' ? response.destroy() : response.end());
    await fixture.deliver();
    // Eight at a time until the first run ends, then four until it counts as dead, and those in flight.
    const first = requests();
    expect(first).toBeGreaterThanOrEqual(20);
    expect(first).toBeLessThanOrEqual(36);
    for (const [rest, more] of [
      [4_000, 0],
      [61_000, 1],
      [30_000, 0],
      [31_000, 1],
    ] as const) {
      const before = requests();
      fixture.clock.at += rest;
      await fixture.deliver();
      expect(requests() - before).toBe(more);
    }
    await venue.create({ description: 'the newest' });
    fixture.respond = (_request, response) => response.end();
    fixture.clock.at += 3_600_000;
    const probe = requests();
    await fixture.deliver();
    expect(fixture.requestsTo('/dead')[probe]?.event.data.object.description).toBe('the newest');
    expect((await fixture.deliveries(venue, id, '?limit=100')).map(({ status }) => status)).toEqual(
      Array(61).fill('delivered'),
    );
  });
});

describe('an endpoint that refuses the events of one type', () => {
  const canceledAt = (path: string): number[] =>
    fixture.requestsTo(path).flatMap(({ event }, index) => (event.type === 'checkout.canceled' ? index : []));

  it('gets every untried event of another type at once, however many it has refused', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/picky', ['checkout.created', 'checkout.canceled']);
    fixture.respond = ({ event }, response) => {
      response.writeHead(event.type === 'checkout.created' ? 500 : 200);
      response.end();
    };
    const checkouts = [];
    for (let n = 0; n < 30; n++) checkouts.push(await venue.create());
    await fixture.deliver();
    expect(fixture.requestsTo('/picky')).toHaveLength(30);
    await venue.post(`/v1/checkouts/${checkouts[0]?.id}/cancel`);
    await fixture.deliver();
    expect(canceledAt('/picky')).toEqual([30]);
    const [queue] = await fixture.world.db.query('select pace, failures from endpoint_queues where endpoint_id = $1', [
      id,
    ]);
    expect(queue).toEqual({ pace: 'quick', failures: 0 });
  });

  it('gets an untried event before all retries that are due', async () => {
    const venue = await fixture.openVenue();
    await fixture.endpoint(venue, '/retries', ['checkout.created', 'checkout.canceled']);
    fixture.respond = ({ event }, response) => {
      response.writeHead(event.type === 'checkout.created' ? 500 : 200);
      response.end();
    };
    const checkouts = [];
    for (let n = 0; n < 20; n++) checkouts.push(await venue.create());
    await fixture.deliver();
    fixture.clock.at += 600_000;
    await venue.post(`/v1/checkouts/${checkouts[0]?.id}/cancel`);
    await fixture.deliver();
    // Its retries were due ten minutes before it.
    expect(fixture.requestsTo('/retries')).toHaveLength(41);
    expect(canceledAt('/retries')[0]).toBeLessThan(28);
  });

  it('may send back anything: bytes that are not HTTP delay nothing either', async () => {
    const nonsense = await startTlsReceiver((socket) => void socket.end('this is not HTTP\r\n\r\n'));
    const venue = await fixture.openVenue();
    const url = `https://127.0.0.1:${nonsense.port}/`;
    const { id } = (await venue.post('/v1/webhook_endpoints', { url, events: ['checkout.created'] })).json;
    for (let n = 0; n < 30; n++) await venue.create();
    await fixture.deliver();
    const found = await fixture.deliveries(venue, id, '?limit=100');
    expect(found.map(({ attempts, last_error }) => [attempts, last_error])).toEqual(Array(30).fill([1, 'protocol']));
    await nonsense.close();
  });
});

describe('a worker whose database fails for a moment', () => {
  it('records its outcomes when the database is back, and sends nothing twice', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/cut', ['checkout.created']);
    for (let n = 0; n < 6; n++) await venue.create();
    await fixture.dispatch();
    hang();
    const run = processQueue(fixture.services, await claimQueueOf(id), signal);
    await waitFor('all are in flight', () => hanging.length === 6);
    const { db } = fixture.world;
    const terminateConnections = () =>
      db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    await terminateConnections();
    await terminateConnections().catch(() => undefined);
    for (const response of hanging) response.end('heard');
    expect(await run).toBe(6);
    // The server's connections were cut as well: the first calls may get 503.
    await expect.poll(async () => (await venue.get('/v1/webhook_endpoints')).status, { timeout: 30_000 }).toBe(200);
    const found = await fixture.deliveries(venue, id);
    expect(found.map(({ status, attempts, last_response }) => [status, attempts, last_response])).toEqual(
      Array(6).fill(['delivered', 1, 'heard']),
    );
    expect(fixture.requestsTo('/cut')).toHaveLength(6);
  });
});

describe('a worker that shuts down', () => {
  it('records the responses, releases its queues, and loses nothing', async () => {
    const venue: TestVenue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/stopped', ['checkout.created']);
    for (let n = 0; n < 30; n++) await venue.create();
    fixture.respond = (_request, response) => {
      if (fixture.requestsTo('/stopped').length > 5) hanging.push(response);
      else response.end('first');
    };
    await dispatchDue(fixture.services, 500);
    const stop = new AbortController();
    const running = deliverUntilStopped(fixture.services, stop.signal);
    await waitFor('some hang', () => hanging.length === 8);
    stop.abort();
    await running;
    const delivered = await fixture.deliveries(venue, id, '?status=delivered');
    expect(delivered).toHaveLength(5);
    fixture.respond = (_request, response) => response.end('second');
    await fixture.deliver();
    expect(await fixture.deliveries(venue, id, '?status=delivered')).toHaveLength(30);
    for (const response of hanging) response.end();
  });
});
