// What an answer of a venue system other than the object means: which answers refuse the credentials, which say that the
// object is gone, which are retried, and for how long.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

const connected = (): Promise<VenueSystem> =>
  reading.connect('eventbrite', { kind: 'ticketed_event' }, { token: TOKEN });

const NOT_AUTHORIZED = { status: 403, body: { status_code: 403, error: 'NOT_AUTHORIZED', error_description: '' } };
const NOT_FOUND = { status: 404, body: { status_code: 404, error: 'NOT_FOUND', error_description: '' } };

async function read(system: VenueSystem, id: string, action = 'event.updated', kind = 'events'): Promise<void> {
  await system.send(eventbritePing(id, action, kind));
  await reading.applyAndRead();
}

describe('a 403', () => {
  it('fails the read of one object with a remedy, and the other objects are still read', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('801'));
    reading.apis.faults.push(NOT_AUTHORIZED);
    await read(system, '800');
    expect(await reading.outcomes(system)).toEqual([
      ['failed', expect.stringContaining('answered 403. The credentials may not read this object: give them access')],
    ]);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0 });
    await read(system, '801');
    expect((await reading.statuses(system))[0]).toBe('applied');
  });
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
