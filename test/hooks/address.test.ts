// The hook URL of a venue system: which deliveries are admitted, the order of the checks, the size limits to the byte,
// and that every delivery is stored once before the response.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { connectVenueSystem } from './venue-system.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const KB = 1024;
const padded = (bytes: number, start = '{"timestamp":"2027-01-01T00:00:00Z","pad":"'): string =>
  `${start}${'x'.repeat(bytes - start.length - 2)}"}`;

async function storedCount(integrationId: string): Promise<number> {
  const [row] = await world.db.query<{ count: number }>(
    'select count(*) as count from inbound_deliveries where integration_id = $1',
    [integrationId],
  );
  return row?.count ?? 0;
}

describe('admission', () => {
  it('admits every provider with its token and, if it signs, its signature; HEAD succeeds', async () => {
    for (const provider of PROVIDERS) {
      const system = await connectVenueSystem(world, provider);
      const response = await system.send({ timestamp: '2027-01-01T00:00:00Z', hello: provider });
      expect([provider, response.status]).toEqual([provider, 200]);
      expect(response.json).toEqual({ received: true, id: expect.stringMatching(/^hkd_/), duplicate: false });
      expect(response.headers.get('x-ratelimit-limit')).toBe('36000');
      expect((await world.call('HEAD', system.path)).status).toBe(200);
    }
  });

  it('returns the same 401 for a token that is unknown, revoked, or of another provider', async () => {
    const tock = await connectVenueSystem(world, 'tock');
    const peek = await connectVenueSystem(world, 'peek');
    await world.call('POST', `/v1/integrations/${peek.id}/revoke`, { key: peek.key });
    const paths = ['/v1/hooks/tock/unknown', `/v1/hooks/peek/${tock.token}`, peek.path];
    for (const path of paths) {
      const { status, json } = await world.call('POST', path, { body: {} });
      expect([status, json.error.code]).toEqual([401, 'unauthorized']);
      expect(json.error.message).toContain('hook address');
      expect((await world.call('HEAD', path)).status).toBe(401);
    }
    expect(await storedCount(tock.id)).toBe(0);
  });

  it('refuses a delivery without a signature, or signed for another body or URL, and stores nothing', async () => {
    for (const provider of ['square', 'toast', 'mindbody', 'custom']) {
      const system = await connectVenueSystem(world, provider);
      const body = { timestamp: '2027-01-01T00:00:00Z', id: 'a' };
      const unsigned = await world.call('POST', system.path, { body });
      expect([provider, unsigned.status, unsigned.json.error.code]).toEqual([provider, 401, 'unauthorized']);
      const other = await world.call('POST', system.path, {
        body: { ...body, id: 'b' },
        headers: system.sign(JSON.stringify(body)),
      });
      expect(other.status).toBe(401);
      const pretty = JSON.stringify(body, null, 2);
      expect(
        (await world.call('POST', system.path, { body: pretty, headers: system.sign(JSON.stringify(body)) })).status,
      ).toBe(401);
      expect(await storedCount(system.id)).toBe(0);
    }
  });

  it('verifies Square against the issued URL, for any Host header', async () => {
    const square = await connectVenueSystem(world, 'square');
    const raw = '{"event_id":"e1","type":"webhooks.test_notification"}';
    const response = await square.send(raw, { 'x-forwarded-host': 'evil.example' });
    expect(response.status).toBe(200);
  });

  it('checks in a fixed order: 404 provider, 401 token, 413, 401 signature, 400', async () => {
    const custom = await connectVenueSystem(world, 'custom');
    const big = padded(256 * KB + 1);
    const post = (path: string, body: string, headers = {}) => world.call('POST', path, { body, headers });
    expect((await post('/v1/hooks/nobody/x', big)).status).toBe(404);
    expect((await post('/v1/hooks/custom/x', big)).status).toBe(401);
    expect((await post(custom.path, big)).status).toBe(413);
    expect((await post(custom.path, '{')).status).toBe(401);
    const broken = await custom.send('{');
    expect([broken.status, broken.json.error.code]).toEqual([400, 'invalid_json']);
  });

  it('limits calls by integration, not by IP address', async () => {
    const tock = await connectVenueSystem(world, 'tock');
    const before = Number((await tock.send({ a: 1 })).headers.get('x-ratelimit-remaining'));
    expect(Number((await tock.send({ a: 2 })).headers.get('x-ratelimit-remaining'))).toBe(before - 1);
    await world.db.query('update limit_windows set total = total + 36000 where subject = $1', [`hook ${tock.id}`]);
    await world.db.query(
      "insert into limit_calls select subject, last_at + interval '1 microsecond', 36000, total from limit_windows where subject = $1",
      [`hook ${tock.id}`],
    );
    const refused = await tock.send({ a: 3 });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await world.call('POST', tock.path, { body: padded(256 * KB + 1) })).status).toBe(429);
  });
});

describe('accepted bodies', () => {
  it('are up to 256 KB to the byte, and 1 MB from Toast', async () => {
    for (const [provider, limit] of [
      ['xola', 256 * KB],
      ['custom', 256 * KB],
      ['toast', 1024 * KB],
    ] as const) {
      const system = await connectVenueSystem(world, provider);
      expect([provider, (await system.send(padded(limit))).status]).toEqual([provider, 200]);
      expect([provider, (await system.send(padded(limit + 1))).status]).toEqual([provider, 413]);
    }
  });

  it('are JSON objects of any content type, and nothing else', async () => {
    const xola = await connectVenueSystem(world, 'xola');
    const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'];
    for (const [i, type] of types.entries())
      expect((await xola.send({ i }, { 'content-type': type })).status).toBe(200);
    for (const body of ['', '[]', '"x"', '5', 'null', 'a=b', '{"a":1,"a":2}', '{"a":1}x', '['.repeat(40)]) {
      const { status, json } = await xola.send(body);
      expect([body, status, json?.error.code]).toEqual([body, 400, 'invalid_json']);
    }
    expect(await storedCount(xola.id)).toBe(types.length);
  });

  it('may hold text that PostgreSQL cannot store, ids of any length, and names that are special in JavaScript', async () => {
    const custom = await connectVenueSystem(world, 'custom');
    const bodies = [
      '{"id":"a\\u0000b\\ud800","type":"x\\u0000"}',
      `{"id":"${'i'.repeat(5000)}","type":"t"}`,
      '{"id":{"a":1},"type":["x"],"__proto__":{"id":"p"},"constructor":5}',
      '{"id":1e400}',
    ];
    for (const body of bodies)
      expect([body.slice(0, 40), (await custom.send(body)).status]).toEqual([body.slice(0, 40), 200]);
    expect(await storedCount(custom.id)).toBe(bodies.length);
  });

  it('are stored sealed: a guest’s phone is neither in the database nor in the log in clear text', async () => {
    const xola = await connectVenueSystem(world, 'xola');
    await xola.send({ eventName: 'order.create', data: { phone: '+15550100042' } });
    const [row] = await world.db.query<{ body: string }>(
      "select encode(body, 'escape') as body from inbound_deliveries where integration_id = $1",
      [xola.id],
    );
    expect(row?.body).not.toContain('5550100042');
    expect(world.logs.join('')).not.toContain('5550100042');
    expect(world.logs.join('')).not.toContain(xola.token);
  });
});

describe('a repeated delivery', () => {
  it('is recognized by the provider’s id, and returns the first one’s id', async () => {
    const square = await connectVenueSystem(world, 'square');
    const first = await square.send({ event_id: 'e1', type: 'booking.created', n: 1 });
    const again = await square.send({ event_id: 'e1', type: 'booking.created', n: 2 });
    expect(again.json).toEqual({ received: true, id: first.json.id, duplicate: true });
    const other = await square.send({ event_id: 'e2', type: 'booking.created', n: 1 });
    expect(other.json.duplicate).toBe(false);
    const another = await connectVenueSystem(world, 'square');
    expect((await another.send({ event_id: 'e1', type: 'booking.created', n: 1 })).json.duplicate).toBe(false);
  });

  it('is recognized by every digit of a numeric id', async () => {
    const custom = await connectVenueSystem(world, 'custom');
    const first = await custom.send('{"id":9007199254740993,"type":"t"}');
    expect((await custom.send('{"id":9007199254740992,"type":"t"}')).json.duplicate).toBe(false);
    expect((await custom.send('{"type":"t", "id": 9007199254740993 }')).json).toEqual({
      received: true,
      id: first.json.id,
      duplicate: true,
    });
    expect((await custom.deliveries()).map((one) => one.provider_event_id)).toEqual([
      '9007199254740992',
      '9007199254740993',
    ]);
  });

  it('is recognized by its bytes if it has no id: within a day if it has a version, else within ten seconds', async () => {
    const age = (id: string, seconds: number) =>
      world.db.query(
        `update inbound_deliveries set received_at = (received_at at time zone 'UTC' - make_interval(secs => $2)) at time zone 'UTC' where integration_id = $1`,
        [id, seconds],
      );
    const rezdy = await connectVenueSystem(world, 'rezdy');
    const order = { orderNumber: 'R1', status: 'CONFIRMED', dateUpdated: '2027-01-02T00:00:00Z', items: [] };
    const first = await rezdy.send(order);
    await age(rezdy.id, 86_000);
    expect((await rezdy.send(order)).json).toEqual({ received: true, id: first.json.id, duplicate: true });
    await age(rezdy.id, 500);
    expect((await rezdy.send(order)).json.duplicate).toBe(false);
    const ping = { api_url: 'https://www.eventbriteapi.com/v3/events/1/', config: { action: 'event.updated' } };
    const eventbrite = await connectVenueSystem(world, 'eventbrite');
    const once = await eventbrite.send(ping);
    expect((await eventbrite.send(ping)).json).toEqual({ received: true, id: once.json.id, duplicate: true });
    await age(eventbrite.id, 11);
    expect((await eventbrite.send(ping)).json.duplicate).toBe(false);
  });

  it('is stored once, even if a hundred arrive at the same time', async () => {
    const xola = await connectVenueSystem(world, 'xola');
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => xola.send({ eventName: 'order.create', data: {} })),
    );
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    expect(responses.filter(({ json }) => json.duplicate === false)).toHaveLength(1);
    expect(await storedCount(xola.id)).toBe(1);
    const { json } = await world.call('GET', '/v1/integrations', { key: xola.key });
    expect(json.data[0]).toMatchObject({ delivery_count: 1, last_delivery_at: expect.any(String) });
  });
});
