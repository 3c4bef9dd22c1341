// After a ping of ids the worker reads the object from the venue system's API and applies it: at most once for each object
// and version, never out of order, without credentials never, and never again with credentials that were refused.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/domain/hooks/readers/call-provider.ts';
import { backoffMs } from '../../src/domain/hooks/readers/read-due-objects.ts';
import { revokeVenue } from '../../src/domain/venues/change-venue.ts';
import { EventbriteApi, eventbriteEvent, eventbritePing, TOKEN } from '../support/venue-apis/eventbrite.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import type { VenueSystem } from './venue-system.ts';

const eventbrite = new EventbriteApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([eventbrite]);
});
afterAll(() => reading.close());
beforeEach(() => {
  eventbrite.reset();
  reading.reset();
});

const connected = (token: string | null = TOKEN): Promise<VenueSystem> =>
  reading.connect('eventbrite', { kind: 'ticketed_event' }, token === null ? null : { token });

describe('a ping of ids', () => {
  it('becomes an offering after the worker has read the object', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('501'));
    await system.send(eventbritePing('501', 'event.published'));
    await reading.apply();
    expect(await reading.outcomes(system)).toEqual([['reading', null]]);
    expect((await reading.readsOf(system)).waiting).toBe(1);
    await reading.readAll();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
    expect(await reading.offering(system, '501')).toMatchObject({
      title: 'Sunset concert',
      tiers: [{ external_id: '5011', label: 'General admission', amount: 4500, currency: 'usd', unit: 'per_person' }],
      availability: { slots: [{ external_id: '501', starts_at: '2027-08-14T23:30:00Z', capacity: 60 }] },
    });
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0, requests_today: 2 });
  });

  it('of an order reads the event that the order is for', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('502', { sold: 41 }));
    eventbrite.orders.set('9001', '502');
    await system.send(eventbritePing('9001', 'order.placed', 'orders'));
    await reading.apply();
    await reading.readAll();
    expect((await reading.offering(system, '502')).availability.slots[0].capacity).toBe(59);
  });

  it('without credentials is needs_api_read, says what to do, and calls no one', async () => {
    const system = await connected(null);
    await system.send(eventbritePing('503'));
    await reading.apply();
    await reading.readAll();
    expect(await reading.outcomes(system)).toEqual([['needs_api_read', expect.stringContaining('Set credentials')]]);
    expect(reading.apis.requests).toEqual([]);
    expect(await reading.readsOf(system)).toMatchObject({
      status: 'no_credentials',
      credential_fields: expect.any(Array),
    });
  });

  it('repeated before the read leads to one read, and each delivery gets the outcome', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('504'));
    for (const action of ['event.created', 'event.published', 'event.updated'])
      await system.send(eventbritePing('504', action));
    await reading.apply();
    await reading.readAll();
    expect(reading.apis.requests.length).toBe(2);
    expect(await reading.statuses(system)).toEqual(['applied', 'applied', 'applied']);
  });

  it('that arrives during a read leads to another read, so that the newest state is applied', async () => {
    const system = await connected();
    const event = eventbrite.add(eventbriteEvent('505'));
    await system.send(eventbritePing('505', 'event.created'));
    await reading.apply();
    let isFirst = true;
    reading.apis.onRequest = async () => {
      if (!isFirst) return;
      isFirst = false;
      await system.send(eventbritePing('505', 'event.updated'));
      await reading.apply();
    };
    await reading.makeDue();
    await reading.readOnce();
    expect(await reading.statuses(system)).toEqual(['reading', 'applied']);
    Object.assign(event, { name: 'Moonlight concert', changed: '2027-01-03T10:00:00Z' });
    await reading.readAll();
    expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
    expect((await reading.offering(system, '505')).title).toBe('Moonlight concert');
  });

  it('that is sent again within ten seconds, after its read, leads to another read of the changed object', async () => {
    const system = await connected();
    const event = eventbrite.add(eventbriteEvent('508'));
    const first = await system.send(eventbritePing('508'));
    await reading.applyAndRead();
    Object.assign(event, { name: 'Moonlight concert', changed: '2027-01-03T10:00:00Z' });
    const again = await system.send(eventbritePing('508'));
    expect(again.json).toEqual({ received: true, id: first.json.id, duplicate: true });
    await reading.applyAndRead();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
    expect((await reading.offering(system, '508')).title).toBe('Moonlight concert');
  });

  it('is never applied out of order: an answer that is older than what was applied changes nothing', async () => {
    const system = await connected();
    const event = eventbrite.add(eventbriteEvent('506', { changed: '2027-01-05T00:00:00Z', name: 'New name' }));
    await system.send(eventbritePing('506'));
    await reading.apply();
    await reading.readAll();
    Object.assign(event, { changed: '2027-01-04T00:00:00Z', name: 'Old name' });
    await system.send(eventbritePing('506', 'event.published'));
    await reading.apply();
    await reading.readAll();
    expect((await reading.statuses(system))[0]).toBe('superseded');
    expect((await reading.offering(system, '506')).title).toBe('New name');
  });

  it('replayed after its version was read is superseded and reads nothing', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('507'));
    await system.send(eventbritePing('507'));
    await reading.apply();
    await reading.readAll();
    const [delivery] = await system.deliveries();
    const before = reading.apis.requests.length;
    await reading.world.call('POST', `/v1/integrations/${system.id}/deliveries/${delivery.id}/replay`, {
      key: system.key,
    });
    await reading.apply();
    await reading.readAll();
    expect((await reading.statuses(system))[0]).toBe('superseded');
    expect(reading.apis.requests.length).toBe(before);
  });
});

describe('an object that is not on sale or gone', () => {
  it('can no longer be booked', async () => {
    const system = await connected();
    const event = eventbrite.add(eventbriteEvent('511'));
    await system.send(eventbritePing('511'));
    await reading.apply();
    await reading.readAll();
    Object.assign(event, { status: 'canceled', changed: '2027-02-01T00:00:00Z' });
    await system.send(eventbritePing('511', 'event.unpublished'));
    await reading.apply();
    await reading.readAll();
    expect((await reading.offering(system, '511')).availability.slots).toEqual([]);
  });

  it('that no longer exists is recorded so, and its offering can no longer be booked', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('512'));
    await system.send(eventbritePing('512'));
    await reading.apply();
    await reading.readAll();
    eventbrite.events.delete('512');
    await system.send(eventbritePing('512', 'event.unpublished'));
    await system.send(eventbritePing('513', 'event.unpublished'));
    await reading.apply();
    await reading.readAll();
    expect((await reading.outcomes(system)).slice(0, 2)).toEqual([
      ['ignored', 'The object no longer exists in Eventbrite.'],
      ['applied', 'The object no longer exists in Eventbrite. It can no longer be booked.'],
    ]);
    expect((await reading.offering(system, '512')).availability.slots).toEqual([]);
  });
});

describe('refused credentials', () => {
  it('pause the integration, are shown, and are not tried again until others are set', async () => {
    const system = await connected('WRONGTOKEN');
    eventbrite.add(eventbriteEvent('521'));
    await system.send(eventbritePing('521'));
    await reading.apply();
    await reading.readAll();
    expect(reading.apis.requests.length).toBe(1);
    expect(await reading.readsOf(system)).toMatchObject({
      status: 'paused',
      reason: 'credentials_refused',
      waiting: 1,
    });
    await reading.makeReadsDue();
    await reading.readAll();
    await system.send(eventbritePing('521', 'event.published'));
    await reading.apply();
    await reading.readAll();
    expect(reading.apis.requests.length).toBe(1);
    expect(
      (await reading.world.call('POST', `/v1/integrations/${system.id}/sync`, { key: system.key })).json.error,
    ).toMatchObject({
      code: 'conflict',
      reason: 'credentials_refused',
    });
    await reading.setCredentials(system, { token: TOKEN });
    await reading.readAll();
    expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', reason: null, waiting: 0 });
  });
});

describe('new credentials', () => {
  it('are tried after the last request of the day too, and nothing else is read then', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('523'));
    await system.send(eventbritePing('523'));
    await reading.apply();
    await reading.world.db.query(
      `update integration_readers set requests_count = 1000000, requests_on = (now() at time zone 'UTC')::date
       where integration_id = $1`,
      [system.id],
    );
    await reading.setCredentials(system, { token: 'WRONGTOKEN' });
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'paused', reason: 'credentials_refused' });
    await reading.setCredentials(system, { token: TOKEN });
    await reading.readOnce();
    await reading.makeDue();
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'daily_limit', waiting: 1 });
    expect(reading.apis.requests.length).toBe(2);
  });

  it('are tried again after a pause while the provider is down, and the state says why', async () => {
    const system = await connected(null);
    await reading.setCredentials(system, { token: 'WRONGTOKEN' });
    reading.apis.faults.push({ status: 503, body: 'down' });
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'provider_unavailable' });
    await reading.readAll();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'paused', reason: 'credentials_refused' });
  });
});

describe('a revoked venue', () => {
  it('is not read any more: its credentials are deleted, and what waits ends', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('525'));
    await system.send(eventbritePing('525'));
    await reading.apply();
    const { world } = reading;
    await world.db.transaction((tx) => revokeVenue(tx, world.command(), system.venueId));
    await reading.readAll();
    expect(reading.apis.requests).toEqual([]);
    const left = await world.db.query(
      `select (select count(*)::int from integration_readers where integration_id = $1) as readers,
         (select count(*)::int from hook_reads where integration_id = $1) as reads,
         (select array_agg(status) from inbound_deliveries where integration_id = $1) as deliveries`,
      [system.id],
    );
    expect(left).toEqual([{ readers: 0, reads: 0, deliveries: ['needs_api_read'] }]);
  });
});

describe('a provider that is down', () => {
  it('delays the read, loses nothing, and waits as long as Retry-After says', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('531'));
    await system.send(eventbritePing('531'));
    await reading.apply();
    reading.apis.faults.push({ status: 503, body: 'down' });
    await reading.makeDue();
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({
      status: 'waiting',
      reason: 'provider_unavailable',
      waiting: 1,
    });
    expect(await reading.readOnce()).toBe(0);
    await reading.makeDue();
    await reading.makeReadsDue();
    reading.apis.faults.push({ status: 429, body: { error: 'HIT_RATE_LIMIT' }, headers: { 'retry-after': '120' } });
    await reading.readOnce();
    const waiting = await reading.readsOf(system);
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'rate_limited' });
    expect(Date.parse(waiting.next_attempt_at) - Date.now()).toBeGreaterThan(115_000);
    expect(await reading.outcomes(system)).toEqual([['reading', null]]);
    await reading.makeReadsDue();
    await reading.readAll();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
  });

  it('is asked at growing distances, at most a quarter of an hour', () => {
    expect([0, 1, 2, 30].map((failures) => backoffMs(failures, null))).toEqual([2_000, 4_000, 8_000, 900_000]);
    expect(backoffMs(0, 60_000)).toBe(60_000);
    const now = Date.parse('2027-01-01T00:00:00Z');
    expect(retryAfterMs('Fri, 01 Jan 2027 00:01:00 GMT', now)).toBe(60_000);
    expect([retryAfterMs('7', now), retryAfterMs('soon', now), retryAfterMs(undefined, now)]).toEqual([
      7_000,
      null,
      null,
    ]);
  });

  it.each([
    [
      '40,000 fields',
      JSON.stringify({ list: Array.from({ length: 5_001 }, () => '12345678') }).replaceAll(
        '"12345678"',
        '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}',
      ),
    ],
    ['50,000 lists and objects', JSON.stringify({ list: Array.from({ length: 50_000 }, () => []) })],
    ['32 levels of lists and objects', `${'['.repeat(33)}${']'.repeat(33)}`],
  ])('gives an answer of more than %s: the delivery fails at once and names the bound', async (bound, body) => {
    const system = await connected();
    await system.send(eventbritePing('534'));
    await reading.apply();
    reading.apis.faults.push({ status: 200, body });
    await reading.readOnce();
    expect(await reading.outcomes(system)).toEqual([
      ['failed', `The answer is too large, with more than ${bound}: send the offering with POST /v1/offerings.`],
    ]);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0 });
  });

  it('gives a broken or too large answer: the delivery fails with the reason, or the read is tried again', async () => {
    const system = await connected();
    await system.send(eventbritePing('532'));
    await reading.apply();
    reading.apis.faults.push({ status: 200, body: 'x'.repeat(1_100_000) });
    await reading.readAll();
    expect(await reading.outcomes(system)).toEqual([
      ['failed', 'The answer is too large: send the offering with POST /v1/offerings.'],
    ]);
    await system.send(eventbritePing('533'));
    await reading.apply();
    reading.apis.faults.push({ status: 200, body: '{"a":' });
    await reading.makeDue();
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'provider_unavailable' });
  });
});

describe('the daily limit', () => {
  it('ends the reads of an integration until the next day', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('541'));
    eventbrite.add(eventbriteEvent('542'));
    for (const id of ['541', '542']) await system.send(eventbritePing(id));
    await reading.apply();
    const limited = { ...reading.services, readsPerDay: 2 };
    await reading.makeDue();
    await reading.readOnce(limited);
    await reading.makeDue();
    expect(await reading.readOnce(limited)).toBe(0);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'daily_limit', waiting: 1 });
    // Also what other tests have left to a later try.
    await reading.makeReadsDue();
    await reading.readAll();
    expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
  });
});

describe('a worker that dies or is late', () => {
  it('writes nothing with a stale lease, and the next worker reads the object once', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('551'));
    await system.send(eventbritePing('551'));
    await reading.apply();
    reading.apis.onRequest = async () => {
      reading.apis.onRequest = () => undefined;
      await reading.world.db.query(
        `update integration_readers set leased_until = now() - interval '1 second' where lease_token is not null`,
      );
      await reading.makeDue();
      await reading.readOnce();
    };
    await reading.makeDue();
    await reading.readOnce();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
    expect(await reading.readsOf(system)).toMatchObject({ waiting: 0, requests_today: 3 });
  });

  it('does not postpone a read that the next worker has made, if its own request fails late', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('552'));
    await system.send(eventbritePing('552'));
    await reading.apply();
    reading.apis.onRequest = async () => {
      reading.apis.onRequest = () => undefined;
      await reading.world.db.query(
        `update integration_readers set leased_until = now() - interval '1 second' where lease_token is not null`,
      );
      await reading.makeDue();
      await reading.readOnce();
      reading.apis.faults.push({ status: 503, body: {} });
    };
    await reading.makeDue();
    await reading.readOnce();
    expect(reading.apis.requests).toHaveLength(3);
    const rows = await reading.world.db.query('select attempts, due_at from hook_reads where venue_id = $1', [
      system.venueId,
    ]);
    expect(rows).toEqual([{ attempts: 0, due_at: null }]);
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
  });
});
