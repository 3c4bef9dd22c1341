// An object whose answers list times is read again once a day, without a delivery.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { OCTO_CREDENTIALS, OctoApi } from '../support/venue-apis/octo.ts';
import { ventrataBooking, ventrataIds } from '../support/venue-bodies.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import type { VenueSystem } from './venue-system.ts';

const ventrata = new OctoApi('ventrata');
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([ventrata]);
});
afterAll(() => reading.close());
beforeEach(() => {
  reading.reset();
  ventrata.products = [{ id: 'av_123', name: 'Evening cruise', vacancies: 7, adult: () => 7_500 }];
});

const DAY_MS = 24 * 3_600_000;
const later = (days: number) => ({ ...reading.services, clock: { now: () => Date.now() + days * DAY_MS } });

async function connected(): Promise<VenueSystem> {
  const system = await reading.connect('ventrata', { kind: 'boat_day' }, OCTO_CREDENTIALS);
  await system.send(ventrataIds);
  await reading.applyAndRead();
  reading.apis.requests.length = 0;
  return system;
}

const startsOf = async (system: VenueSystem): Promise<string[]> =>
  (await reading.offering(system, 'av_123')).availability.slots.map(
    ({ starts_at }: { starts_at: string }) => starts_at,
  );

async function rowOf({ id }: VenueSystem) {
  const [row] = await reading.world.db.query<{ is_due_soon: boolean; is_daily: boolean; attempts: number }>(
    `select r.due_at < now() + interval '1 minute' as is_due_soon, h.attempts, h.refresh_at is not null as is_daily
     from integration_readers r join hook_reads h using (venue_id, integration_id) where r.integration_id = $1`,
    [id],
  );
  return row;
}

it('without a delivery, a product is read again after a day: its days move on, and prices and places change', async () => {
  const system = await connected();
  const before = await startsOf(system);
  expect(await rowOf(system)).toMatchObject({ is_due_soon: false, is_daily: true });
  expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0 });
  ventrata.products = [{ id: 'av_123', name: 'Evening cruise', vacancies: 3, adult: () => 8_200 }];
  await reading.readOnce(later(0.4));
  expect(reading.apis.requests).toEqual([]);
  await reading.readOnce(later(2));
  expect((await reading.offering(system, 'av_123')).availability.slots.at(-1)).toMatchObject({
    capacity: 3,
    tier_overrides: [{ tier: 'adult', amount: 8_200 }],
  });
  const after = await startsOf(system);
  expect(after.filter((start) => !before.includes(start))).toHaveLength(2);
  await reading.readOnce(later(4));
  expect((await startsOf(system)).filter((start) => !after.includes(start))).toHaveLength(2);
});

it('a delivery does not wait for the next day', async () => {
  const system = await connected();
  ventrata.products = [{ id: 'av_123', name: 'Evening cruise', vacancies: 2, adult: () => 7_500 }];
  await system.send({ ...ventrataIds, availabilityIds: ['2027-06-13T18:00:00-04:00'] });
  await reading.apply();
  expect(await rowOf(system)).toMatchObject({ is_due_soon: true });
  await reading.readAll();
  expect((await reading.offering(system, 'av_123')).availability.slots.at(-1).capacity).toBe(2);
});

it('a booking outside of the days that were read takes and reads nothing: the read that reaches its day has its places', async () => {
  const system = await connected();
  const day = new Date(Date.now() + 20 * DAY_MS).toISOString().slice(0, 10);
  const start = `${day}T18:00:00-05:00`;
  const booking = (status: string, utcUpdatedAt: string): object =>
    ventrataBooking({
      status,
      utcCreatedAt: new Date(Date.now() + 60_000).toISOString(),
      utcUpdatedAt,
      availabilityId: start,
      availability: { id: start, localDateTimeStart: start, localDateTimeEnd: `${day}T20:00:00-05:00` },
    });
  const places = async (): Promise<number | undefined> =>
    (await reading.offering(system, 'av_123')).availability.slots.find(
      ({ starts_at }: { starts_at: string }) => Date.parse(starts_at) === Date.parse(start),
    )?.capacity;
  await system.send(booking('CONFIRMED', '2027-01-02T00:00:00Z'));
  await reading.apply();
  expect((await reading.outcomes(system))[0]?.[1]).toContain('takes no places');
  expect([await places(), reading.apis.requests]).toEqual([undefined, []]);
  ventrata.products = [{ id: 'av_123', name: 'Evening cruise', vacancies: 5, adult: () => 7_500 }];
  await reading.readOnce(later(10));
  expect(await places()).toBe(5);
  // Its places are in a number that the system stated, and only the system gives them back.
  await system.send(booking('CANCELLED', '2027-01-03T00:00:00Z'));
  await reading.apply();
  expect(await places()).toBe(5);
});

it('nothing is read again while refused credentials pause the reads', async () => {
  const system = await connected();
  await reading.makeRefreshesDue(system);
  reading.apis.faults.push({ status: 401, body: { error: 'UNAUTHORIZED' } });
  await reading.readOnce();
  expect((await reading.readsOf(system)).status).toBe('paused');
  reading.apis.requests.length = 0;
  await reading.makeRefreshesDue(system);
  await reading.readOnce();
  expect(reading.apis.requests).toEqual([]);
  await reading.setCredentials(system, OCTO_CREDENTIALS);
  await reading.readOnce();
  expect(reading.apis.requests).toHaveLength(2);
});

it('a provider that is down delays the read of the day and does not end it', async () => {
  const system = await connected();
  await reading.makeRefreshesDue(system);
  reading.apis.faults.push({ status: 503, body: {} });
  await reading.readOnce();
  expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', waiting: 1 });
  await reading.makeReadsDue();
  await reading.readAll();
  expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0 });
  expect(await rowOf(system)).toMatchObject({ attempts: 0, is_daily: true });
});

it('a product that no longer exists is taken off sale by the read of the day, and is not read again', async () => {
  const system = await connected();
  ventrata.products = [];
  await reading.makeRefreshesDue(system);
  await reading.readOnce();
  expect(await startsOf(system)).toEqual([]);
  expect(await rowOf(system)).toMatchObject({ is_daily: false });
});
