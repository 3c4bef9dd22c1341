// What an answer of a venue system other than the object means: which answers refuse the credentials, which say that the
// object is gone, which are retried, and for how long.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventbriteApi, eventbriteEvent, eventbritePing, TOKEN } from '../support/venue-apis/eventbrite.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

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

const connected = (): Promise<VenueSystem> =>
  reading.connect('eventbrite', { kind: 'ticketed_event' }, { token: TOKEN });

const NOT_AUTHORIZED = { status: 403, body: { status_code: 403, error: 'NOT_AUTHORIZED', error_description: '' } };
const NOT_FOUND = { status: 404, body: { status_code: 404, error: 'NOT_FOUND', error_description: '' } };

async function read(system: VenueSystem, id: string, action = 'event.updated', kind = 'events'): Promise<void> {
  await system.send(eventbritePing(id, action, kind));
  await reading.applyAndRead();
}

describe('a 403', () => {
  it.each([
    ['with the code that the provider documents', NOT_AUTHORIZED, /answered 403: "[^"]+"\. Correct there what it says/],
    ['without a code', { status: 403, body: {} }, /answered 403\. The credentials may not read this object: give them/],
  ])(
    '%s fails the read of one object with a remedy, and the other objects are still read',
    async (_, answer, reason) => {
      const system = await connected();
      eventbrite.add(eventbriteEvent('801'));
      reading.apis.faults.push(answer);
      await read(system, '800');
      expect(await reading.outcomes(system)).toEqual([['failed', expect.stringMatching(reason)]]);
      expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0 });
      await read(system, '801');
      expect((await reading.statuses(system))[0]).toBe('applied');
    },
  );
});

describe('a 404', () => {
  it('of a later request of a read takes nothing off sale: only the first request is for the object', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('811'));
    await read(system, '811');
    reading.apis.onRequest = () => {
      if (reading.apis.requests.at(-1)?.path.endsWith('/capacity_tier/')) reading.apis.faults.push(NOT_FOUND);
    };
    await read(system, '811', 'event.published');
    expect((await reading.outcomes(system))[0]).toEqual([
      'failed',
      expect.stringContaining('The object exists, and a part of it could not be read. Replay the delivery later'),
    ]);
    expect((await reading.offering(system, '811')).availability.slots).toHaveLength(1);
  });
});

describe('an object that is gone', () => {
  it('takes its offering off sale, also if the read of another object has made the offering', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('821'));
    eventbrite.orders.set('9001', '821');
    await read(system, '9001', 'order.placed', 'orders');
    expect((await reading.offering(system, '821')).availability.slots).toHaveLength(1);
    eventbrite.events.delete('821');
    await read(system, '821', 'event.unpublished');
    expect((await reading.outcomes(system))[0]).toEqual([
      'applied',
      'The object no longer exists in Eventbrite. It can no longer be booked.',
    ]);
    expect((await reading.offering(system, '821')).availability.slots).toEqual([]);
  });

  it('takes its offering off sale, also if it is deleted between two requests of its read', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('823'));
    await read(system, '823');
    reading.apis.onRequest = () => {
      if (reading.apis.requests.at(-1)?.path.endsWith('/capacity_tier/')) eventbrite.events.delete('823');
    };
    await read(system, '823', 'event.published');
    expect((await reading.outcomes(system))[0]).toEqual([
      'applied',
      'The object no longer exists in Eventbrite. It can no longer be booked.',
    ]);
    expect((await reading.offering(system, '823')).availability.slots).toEqual([]);
  });

  it('stays on sale if it is deleted and put back between two requests of its read', async () => {
    const system = await connected();
    const event = eventbrite.add(eventbriteEvent('824'));
    await read(system, '824');
    let deletions = 0;
    reading.apis.onRequest = () => {
      const isPart = reading.apis.requests.at(-1)?.path.endsWith('/capacity_tier/');
      if (isPart && deletions++ === 0) eventbrite.events.delete('824');
      else eventbrite.add(event);
    };
    await read(system, '824', 'event.published');
    expect((await reading.statuses(system))[0]).toBe('applied');
    expect((await reading.offering(system, '824')).availability.slots).toHaveLength(1);
  });

  it('changes nothing if something newer was applied, or if another system owns the offering', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('822'));
    await read(system, '822');
    eventbrite.events.delete('822');
    const { db } = reading.world;
    const ofVenue = [system.venueId];
    await db.query(
      `update hook_objects set received_at = (received_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC' where venue_id = $1`,
      ofVenue,
    );
    await read(system, '822', 'event.unpublished');
    expect((await reading.statuses(system))[0]).toBe('superseded');
    await db.query(
      `update hook_objects set received_at = (received_at at time zone 'UTC' - interval '2 hours') at time zone 'UTC' where venue_id = $1`,
      ofVenue,
    );
    await connectVenueSystem(reading.world, 'fareharbor', {}, system.venueId);
    await db.query(`update hook_offerings set provider = 'fareharbor' where venue_id = $1`, ofVenue);
    await read(system, '822', 'event.created');
    expect((await reading.outcomes(system))[0]).toEqual(['failed', expect.stringContaining('comes from FareHarbor')]);
    expect((await reading.offering(system, '822')).availability.slots).toHaveLength(1);
  });
});

describe('three days of failures', () => {
  const DOWN = { status: 503, body: {} };
  const ageBy = (system: VenueSystem, days: number) =>
    reading.world.db.query(
      `update hook_reads set failing_since = (failing_since at time zone 'UTC' - make_interval(days => $2)) at time zone 'UTC', due_at = now() - interval '1 second'
       where venue_id = $1`,
      [system.venueId, days],
    );
  const step = async (fault: { status: number; body: object }): Promise<void> => {
    reading.apis.faults.push(fault);
    await reading.makeDue();
    await reading.readOnce();
  };

  it('end a read with a reason and a remedy', async () => {
    const system = await connected();
    await system.send(eventbritePing('831'));
    await reading.apply();
    await step(DOWN);
    await ageBy(system, 4);
    await step(DOWN);
    expect(await reading.outcomes(system)).toEqual([
      ['failed', 'The venue system answered 503. The server has tried for three days. Replay the delivery later.'],
    ]);
    expect((await reading.readsOf(system)).waiting).toBe(0);
  });

  it('do not count the time that reads were paused by refused credentials or put off by the daily limit', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('832'));
    await system.send(eventbritePing('832'));
    await reading.apply();
    await step(DOWN);
    await ageBy(system, 5);
    await step({ status: 401, body: {} });
    expect((await reading.readsOf(system)).status).toBe('paused');
    await reading.world.db.query(
      `update integration_readers set paused_at = now() - interval '4 days' where venue_id = $1`,
      [system.venueId],
    );
    await reading.setCredentials(system, { token: TOKEN });
    // New credentials are tried beyond the daily limit, too.
    await reading.world.db.query('update integration_readers set is_checked = true where venue_id = $1', [
      system.venueId,
    ]);
    await step(DOWN);
    expect(await reading.outcomes(system)).toEqual([['reading', null]]);
    const since = async (): Promise<number> => {
      const [row] = await reading.world.db.query<{ failing_since: string }>(
        'select failing_since from hook_reads where venue_id = $1',
        [system.venueId],
      );
      return Date.parse(row?.failing_since ?? '');
    };
    const before = await since();
    await reading.makeDue();
    await reading.readOnce({ ...reading.services, readsPerDay: 1 });
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'daily_limit' });
    const { next_attempt_at: resumes } = await reading.readsOf(system);
    expect(Math.abs((await since()) - before - (Date.parse(resumes) - Date.now()))).toBeLessThan(60_000);
    await reading.makeReadsDue();
    await reading.readAll();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
  });
});

describe('an error of ours', () => {
  const counts = async (system: VenueSystem) =>
    (
      await reading.world.db.query(
        'select attempts, internal_errors, failing_since from hook_reads where venue_id = $1',
        [system.venueId],
      )
    )[0];
  const step = async (error: Error): Promise<void> => {
    await reading.makeDue();
    await reading.makeReadsDue();
    await reading.readOnce(reading.withFailingTransaction(error));
  };

  it('is counted apart from failures of the provider, an unavailable database is not counted, and six end the read', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('841'));
    await system.send(eventbritePing('841'));
    await reading.apply();
    await step(Object.assign(new Error('the database shuts down'), { code: '57P01' }));
    expect(await counts(system)).toEqual({ attempts: 0, internal_errors: 0, failing_since: null });
    await step(new Error('a fault of ours'));
    expect(await counts(system)).toEqual({ attempts: 0, internal_errors: 1, failing_since: null });
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', reason: null });
    for (let tries = 1; tries < 6; tries++) await step(new Error('a fault of ours'));
    expect(await reading.outcomes(system)).toEqual([
      ['failed', 'An internal error occurred: replay the delivery, or contact us.'],
    ]);
  });

  it('before the read begins ends the lease too, so that the integration is not blocked', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('842'));
    await system.send(eventbritePing('842'));
    await reading.apply();
    await reading.makeDue();
    await reading.readOnce({ ...reading.services, readers: new Map() });
    await reading.readAll();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
  });
});
