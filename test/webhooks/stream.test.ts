// GET /v1/events/stream: every event of the key's venue and mode, once and in order, to each of several readers; a client
// that was cut off goes on without a gap, on the same server or another; revoked keys and slow readers are dropped.

import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { recordEvent } from '../../src/domain/events/record.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2, env: { STALLED_WRITE_SECONDS: '1' } });
});
afterAll(() => world.close());

const clients: EventStreamClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.leave();
});

async function follow(key: string, headers: Record<string, string> = {}, server = 0): Promise<EventStreamClient> {
  const url = `${world.urls[server]}/v1/events/stream`;
  const client = await EventStreamClient.open(url, { authorization: `Bearer ${key}`, ...headers });
  clients.push(client);
  return client;
}

/** The ids in the log, oldest first. */
async function logged({ get }: Pick<TestVenue, 'get'>): Promise<string[]> {
  const { json } = await get('/v1/events?limit=100');
  return json.data.map(({ id }: { id: string }) => id).reverse();
}

/** Events with these times, which are committed now, together. */
async function recordAt({ venueId }: TestVenue, ...times: readonly number[]): Promise<void> {
  await world.db.transaction(async (tx) => {
    for (const time of times) {
      const event = { venueId, mode: 'test', type: 'offering.approved', subject: `at-${time}` } as const;
      const at = new Date(time).toISOString();
      await recordEvent(tx, world.command(), { ...event, data: { object: { object: 'offering' } }, at });
    }
  });
}

const logOf = (venue: TestVenue) => logged({ get: (path) => venue.get(path) });

describe('the stream of events', () => {
  it('sends each new event of the venue and mode once, as the log has it, to several readers', async () => {
    const venue = await openTestVenue(world);
    const other = await openTestVenue(world);
    await venue.create();
    const readers = await Promise.all([0, 0, 1].map((server) => follow(venue.key, {}, server)));
    await other.create();
    const checkout = await venue.create();
    await venue.runTestHelper(checkout.id, 'collect');
    await venue.post(`/v1/checkouts/${checkout.id}/cancel`);
    const expected = (await logOf(venue)).slice(1);
    for (const reader of readers) {
      await reader.receives(3);
      expect(reader.ids).toEqual(expected);
      expect(reader.events.map(({ event }) => event)).toEqual([
        'checkout.created',
        'checkout.collecting',
        'checkout.canceled',
      ]);
      const { text } = await venue.get(`/v1/events/${expected[0]}`);
      expect(reader.events[0]?.data).toBe(text);
    }
  });

  it('goes on after Last-Event-ID when a connection was cut, also if several events were lost with it', async () => {
    const venue = await openTestVenue(world);
    const first = await follow(venue.key);
    await venue.create();
    await venue.create();
    await venue.create();
    await first.receives(3);
    first.leave();
    await venue.create();
    // The client saw the first event only: what was under way when the connection broke is sent again.
    const again = await follow(venue.key, { 'last-event-id': first.ids[0] ?? '' });
    await venue.create();
    await again.receives(4);
    expect(again.ids).toEqual((await logOf(venue)).slice(1));
  });

  it('goes on from the log on a server that has not sent the event, without a gap and without an event twice', async () => {
    const venue = await openTestVenue(world);
    await venue.create();
    const [old = ''] = await logOf(venue);
    for (let n = 0; n < 3; n++) await venue.create();
    const reader = await follow(venue.key, { 'last-event-id': old }, 1);
    await venue.create();
    await reader.receives(4);
    expect(reader.ids).toEqual((await logOf(venue)).slice(1));
  });

  it('sends an event that is committed after a later one, live and after a resume', async () => {
    const venue = await openTestVenue(world);
    const live = await follow(venue.key);
    let commit: () => void = () => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isWritten: () => void = () => undefined;
    const written = new Promise<void>((resolve) => {
      isWritten = resolve;
    });
    const at = new Date(Date.now() - 500).toISOString();
    const late = world.db.transaction(async (tx) => {
      const object = { object: 'offering' };
      const event = { venueId: venue.venueId, mode: 'test', type: 'offering.approved', subject: 'late' } as const;
      await recordEvent(tx, world.command(), { ...event, data: { object }, at });
      isWritten();
      await mayCommit;
    });
    await written;
    await venue.create();
    await live.receives(1);
    const [seen = ''] = live.ids;
    commit();
    await late;
    await live.receives(2);
    const resumed = await follow(venue.key, { 'last-event-id': seen }, 1);
    await resumed.receives(1);
    expect(resumed.ids).toEqual([live.ids[1]]);
  });

  it('sends an event that is committed 40 seconds after its time, live and after a resume', async () => {
    const venue = await openTestVenue(world);
    const live = await follow(venue.key);
    await venue.create();
    await live.receives(1);
    await recordAt(venue, Date.now() - 40_000);
    await live.receives(2);
    const resumed = await follow(venue.key, { 'last-event-id': live.ids[0] ?? '' }, 1);
    await resumed.receives(1);
    expect(resumed.ids).toEqual([live.ids[1]]);
  });

  it('sends an event before Last-Event-ID that another server may have sent after it, and never that one again', async () => {
    const venue = await openTestVenue(world);
    const live = await follow(venue.key);
    const now = Date.now();
    await recordAt(venue, now - 1_000, now);
    await live.receives(2);
    const [earlier = '', last = ''] = live.ids;
    const resumed = await follow(venue.key, { 'last-event-id': last });
    await venue.create();
    await live.receives(3);
    await resumed.receives(2);
    expect(resumed.ids).toEqual([earlier, live.ids[2]]);
  });

  it('refuses an unknown or foreign Last-Event-ID with an id of the log as its example, and other query members', async () => {
    const venue = await openTestVenue(world);
    const other = await openTestVenue(world);
    await venue.create();
    await other.create();
    const [own = ''] = await logOf(venue);
    const [foreign = ''] = await logOf(other);
    for (const id of ['evt_unknown', 'x', foreign]) {
      const headers = { 'last-event-id': id };
      const { status, json } = await world.call('GET', '/v1/events/stream', { key: venue.key, headers });
      expect([status, json.error.code, json.error.field]).toEqual([422, 'invalid_value', '/header/Last-Event-ID']);
      expect(json.errors[0].example_fix).toBe(own);
    }
    expect((await venue.get('/v1/events/stream?since=x')).json.error.field).toBe('/query/since');
    const head = await world.call('HEAD', '/v1/events/stream', { key: venue.key });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('needs the scope webhooks:write, and a sixth stream of a key is 429 until one is closed', async () => {
    const venue = await openTestVenue(world);
    const narrow = await world.key(venue.venueId, { mode: 'live', scopes: ['checkouts:read'] });
    const refused = await follow(narrow.key);
    expect(refused.response.status).toBe(403);
    const open = await Promise.all(Array.from({ length: 5 }, () => follow(venue.key)));
    expect(open.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
    const sixth = await follow(venue.key);
    expect([sixth.response.status, sixth.response.headers.get('retry-after')]).toEqual([429, '15']);
    const { key } = await world.key(venue.venueId);
    expect((await follow(key)).response.status).toBe(200);
    open[0]?.leave();
    await waitFor('a place is free', async () => (await follow(venue.key)).response.status === 200);
  });

  it('counts the streams of a key over all servers, exactly; a place of a dead server is free when its lease ends', async () => {
    const venue = await openTestVenue(world);
    const opened = await Promise.all(Array.from({ length: 12 }, (_, n) => follow(venue.key, {}, n % 2)));
    const statuses = opened.map(({ response }) => response.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    await world.db.query(
      `update event_streams set holder = 'dead', leased_until = now() - interval '1 second'
       where venue_id = $1 and place = 3`,
      [venue.venueId],
    );
    // A server also has a bound of its own, which counts the stream whose place was taken until it notices.
    const isFull = statuses.filter((status, n) => n % 2 === 0 && status === 200).length === 5;
    expect((await follow(venue.key, {}, isFull ? 1 : 0)).response.status).toBe(200);
    expect((await follow(venue.key, {}, 1)).response.status).toBe(429);
  });

  it('ends within 15 seconds for a revoked key, and when its place is lost; others go on', {
    tags: ['slow'],
  }, async () => {
    const venue = await openTestVenue(world);
    const { key, id } = await world.key(venue.venueId);
    const reader = await follow(key);
    const kept = await follow(venue.key);
    await world.revoke(id);
    // Another server has taken the place of this one, which had not renewed its lease.
    const other = await openTestVenue(world);
    const late = await follow(other.key);
    await world.db.query("update event_streams set holder = 'another' where venue_id = $1", [other.venueId]);
    await waitFor('the end of the stream', () => reader.isOver, { timeoutMs: 30_000 });
    await waitFor('the end of the stream without a place', () => late.isOver, { timeoutMs: 30_000 });
    await waitFor('a comment', () => kept.comments > 0, { timeoutMs: 30_000 });
    expect(kept.isOver).toBe(false);
  });

  it('drops a client that does not read, while others receive everything', { tags: ['slow'] }, async () => {
    const venue = await openTestVenue(world);
    const { hostname, port } = new URL(world.urls[0] ?? '');
    const silent = connect({ host: hostname, port: Number(port) });
    silent.on('error', () => undefined);
    silent.pause();
    silent.write(`GET /v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${venue.key}\r\n\r\n`);
    const reader = await follow(venue.key);
    const object = { object: 'offering', description: 'x'.repeat(200_000) };
    const COUNT = 60;
    for (let n = 0; n < COUNT; n++) {
      const event = { venueId: venue.venueId, mode: 'test', type: 'offering.approved', subject: `large-${n}` } as const;
      const at = new Date().toISOString();
      await world.db.transaction((tx) => recordEvent(tx, world.command(), { ...event, data: { object }, at }));
    }
    await reader.receives(COUNT);
    await waitFor('the silent client is dropped', () => silent.destroyed || silent.readableEnded || isClosed(silent), {
      timeoutMs: 30_000,
    });
  });
});

/** The socket is paused, so only a write notices that the server is gone. */
function isClosed(socket: { write(text: string): boolean; readonly errored: Error | null }): boolean {
  socket.write(' ');
  return socket.errored !== null;
}
