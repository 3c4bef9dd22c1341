// The products of Ventrata and Peek and the classes of Mindbody, read after a delivery that lacks their title, their price
// or their places.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { classSchedule, MINDBODY_CREDENTIALS, MindbodyApi } from '../support/venue-apis/mindbody.ts';
import { OCTO_CREDENTIALS, OctoApi, type OctoProduct } from '../support/venue-apis/octo.ts';
import {
  CLASS,
  mindbody as mindbodyEvent,
  peekBooking,
  ROSTER,
  ventrataBooking,
  ventrataIds,
  ventrataVacancies,
} from '../support/venue-bodies.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import type { VenueSystem } from './venue-system.ts';

const ventrata = new OctoApi('ventrata');
const peek = new OctoApi('peek');
const mindbody = new MindbodyApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([ventrata, peek, mindbody]);
});
afterAll(() => reading.close());
beforeEach(() => reading.reset());

async function synced({ id, key }: VenueSystem) {
  await reading.world.call('POST', `/v1/integrations/${id}/sync`, { key });
  await reading.readAll();
  return (await reading.world.call('GET', `/v1/integrations/${id}/sync`, { key })).json.data;
}
const slotsOf = async (system: VenueSystem, id: string) =>
  (await reading.offering(system, id)).availability.slots as {
    readonly starts_at: string;
    readonly capacity?: number;
    readonly tier_overrides?: readonly object[];
  }[];
const DAY_MS = 86_400_000;
const dateIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describe.each([
  { provider: 'ventrata', api: ventrata, ping: ventrataIds, title: 'Evening cruise', label: 'Adult' },
  {
    provider: 'peek',
    api: peek,
    ping: peekBooking(),
    title: 'Evening cruise (internal)',
    label: 'Adult (internal)',
  },
])('$provider', ({ provider, api, ping, title, label }) => {
  beforeEach(() => {
    const weekend = dateIn(5);
    api.products = [
      { id: 'av_123', name: 'Evening cruise', vacancies: 7, adult: (date) => (date === weekend ? 9_000 : 7_500) },
      { id: 'av_124', name: 'Night cruise', vacancies: null, adult: () => 8_000 },
    ];
  });
  const connected = () => reading.connect(provider, { kind: 'boat_day' }, OCTO_CREDENTIALS);

  it('a delivery without title and price makes an offering of the product, with the times of 14 days', async () => {
    const system = await connected();
    await system.send(ping);
    await reading.applyAndRead();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
    const offering = await reading.offering(system, 'av_123');
    expect(offering).toMatchObject({
      title,
      tiers: [
        { external_id: 'adult', label, amount: 7_500, currency: 'usd', unit: 'per_person' },
        { external_id: 'child', amount: 4_000 },
      ],
      availability: { timezone: 'America/New_York' },
    });
    const slots = await slotsOf(system, 'av_123');
    expect([slots.length, new Set(slots.map(({ capacity }) => capacity))]).toEqual([15, new Set([7])]);
    const other = slots.filter(({ tier_overrides }) => tier_overrides !== undefined);
    expect(other.map(({ tier_overrides }) => tier_overrides)).toEqual([[{ tier: 'adult', amount: 9_000 }]]);
  });

  it('a catalogue run reads every product; a sold-out time has no places, and one without a limit no number', async () => {
    const system = await connected();
    for (const product of api.products) if (product.id === 'av_123') product.vacancies = 0;
    expect(await synced(system)).toMatchObject({ status: 'finished', listed: 2, read: 2, created: 2, skipped: 0 });
    expect(new Set((await slotsOf(system, 'av_123')).map(({ capacity }) => capacity))).toEqual(new Set([0]));
    expect(new Set((await slotsOf(system, 'av_124')).map(({ capacity }) => capacity))).toEqual(new Set([undefined]));
  });
});

describe.each([
  { provider: 'ventrata', api: ventrata },
  { provider: 'peek', api: peek },
])('a product of $provider', ({ provider, api }) => {
  const made = async (product: Partial<OctoProduct>) => {
    api.products = [{ id: 'av_123', name: 'Evening cruise', vacancies: 7, adult: () => 7_500, ...product }];
    const system = await reading.connect(provider, { kind: 'boat_day' }, OCTO_CREDENTIALS);
    return { system, run: await synced(system), offering: await reading.offering(system, 'av_123') };
  };

  it('has a price for a group where a unit is for several people', async () => {
    const { offering } = await made({ familyOf: 4 });
    expect(offering.tiers).toMatchObject([
      { external_id: 'adult', unit: 'per_person' },
      { external_id: 'child', unit: 'per_person' },
      { external_id: 'family', unit: 'per_group', max_party: 4, amount: 18_000 },
    ]);
    expect(offering.tiers[0].max_party).toBeUndefined();
  });

  it('has the currency and the precision of its prices, not the currency that the product names', async () => {
    const yen = await made({ currency: { code: 'JPY', precision: 0 }, defaultCurrency: 'USD', adult: () => 9_000 });
    expect(yen.offering.tiers[0]).toMatchObject({ amount: 9_000, currency: 'jpy' });
    const dinar = await made({ currency: { code: 'KWD', precision: 3 }, adult: () => 7_500 });
    expect(dinar.offering.tiers[0]).toMatchObject({ amount: 7_500, currency: 'kwd' });
  });

  it('has no offering if its price is one for the whole booking, and the run says so', async () => {
    const { run } = await made({ isPricedForBooking: true });
    expect(run).toMatchObject({ created: 0, skipped: 1 });
  });

  it('is read in its first option, with the names of its units, if none is the default one', async () => {
    const { offering } = await made({ hasNoDefault: true });
    expect(offering.tiers[0].label).toMatch(/^Adult/);
  });

  it('has no time that is closed, and one that is limited or lasts the whole day as any other', async () => {
    const [closed, limited] = [dateIn(4), dateIn(5)];
    const status = (date: string) => (date === closed ? 'CLOSED' : date === limited ? 'LIMITED' : null);
    const { system } = await made({ isAllDay: true, status });
    const slots = await slotsOf(system, 'av_123');
    const days = slots.map(({ starts_at }) => starts_at.slice(0, 10));
    expect([days.includes(closed), days.includes(limited), slots.length]).toEqual([false, true, 14]);
  });
});

it('a product of Ventrata that no longer exists can no longer be booked', async () => {
  ventrata.products = [{ id: 'av_123', name: 'Evening cruise', vacancies: 7, adult: () => 7_500 }];
  const system = await reading.connect('ventrata', { kind: 'boat_day' }, OCTO_CREDENTIALS);
  await synced(system);
  expect((await slotsOf(system, 'av_123')).length).toBe(15);
  ventrata.products = [];
  await system.send(ventrataIds);
  await reading.applyAndRead();
  expect(await slotsOf(system, 'av_123')).toEqual([]);
});

describe('a booking that was counted before a read', () => {
  const start = `${dateIn(3)}T18:00:00-05:00`;
  const booking = (status: string, utcUpdatedAt: string): object =>
    ventrataBooking({
      status,
      utcCreatedAt: new Date(Date.now() + 60_000).toISOString(),
      utcUpdatedAt,
      availabilityId: start,
      availability: { id: start, localDateTimeStart: start, localDateTimeEnd: `${dateIn(3)}T20:00:00-05:00` },
    });
  const placesAfter = async (vacancies: number): Promise<[number | undefined, number | undefined]> => {
    const product = { id: 'av_123', name: 'Evening cruise', vacancies: 7, adult: () => 7_500 };
    ventrata.products = [product];
    const system = await reading.connect('ventrata', { kind: 'boat_day' }, OCTO_CREDENTIALS);
    const places = async () =>
      (await slotsOf(system, 'av_123')).find(({ starts_at }) => Date.parse(starts_at) === Date.parse(start))?.capacity;
    await synced(system);
    await system.send(booking('CONFIRMED', '2027-01-02T00:00:00Z'));
    await reading.apply();
    expect(await places()).toBe(5);
    product.vacancies = vacancies;
    await system.send(ventrataIds);
    await reading.applyAndRead();
    const read = await places();
    await system.send(booking('CANCELLED', '2027-01-03T00:00:00Z'));
    await reading.apply();
    return [read, await places()];
  };

  it('gives nothing back if the read states the number that was counted: it may include the cancellation', async () => {
    expect(await placesAfter(5)).toEqual([5, 5]);
  });

  it('gives nothing back if the read states another number, which may include the cancellation', async () => {
    expect(await placesAfter(4)).toEqual([4, 4]);
  });
});

describe('a read of times and a delivery about one of them', () => {
  const start = `${dateIn(3)}T18:00:00-05:00`;
  const time = { id: start, localDateTimeStart: start, localDateTimeEnd: `${dateIn(3)}T20:00:00-05:00` };
  const update = (vacancies: number, status = 'AVAILABLE') => {
    const body = ventrataVacancies(vacancies, status) as { readonly availability: object };
    return { ...body, availability: { ...body.availability, ...time } };
  };
  const product = { id: 'av_123', name: 'Evening cruise', vacancies: 10, adult: () => 7_500 };
  const places = async (system: VenueSystem) =>
    (await slotsOf(system, 'av_123')).find(({ starts_at }) => Date.parse(starts_at) === Date.parse(start))?.capacity;
  const connected = async () => {
    product.vacancies = 10;
    ventrata.products = [product];
    const system = await reading.connect('ventrata', { kind: 'boat_day' }, OCTO_CREDENTIALS);
    await synced(system);
    return system;
  };
  /** The delivery is applied while the worker waits for the first answer of a read. */
  const duringRead = async (system: VenueSystem, delivery: object): Promise<void> => {
    let isFirst = true;
    reading.apis.onRequest = async () => {
      if (!isFirst) return;
      isFirst = false;
      await system.send(delivery);
      await reading.apply();
    };
    await system.send(ventrataIds);
    await reading.apply();
    await reading.makeDue();
    await reading.readOnce();
  };

  it('a booking that is applied during the read keeps its places, and the times are read again', async () => {
    const system = await connected();
    const booking = ventrataBooking({
      status: 'CONFIRMED',
      utcCreatedAt: new Date(Date.now() + 60_000).toISOString(),
      utcUpdatedAt: '2027-01-02T00:00:00Z',
      availabilityId: start,
      availability: time,
    });
    await duringRead(system, booking);
    expect(await places(system)).toBe(8);
    product.vacancies = 6;
    await reading.readAll();
    expect(await places(system)).toBe(6);
  });

  it('a number that is stated during the read, or a closing, is not replaced by the older answer', async () => {
    const system = await connected();
    await duringRead(system, update(0, 'SOLD_OUT'));
    expect(await places(system)).toBe(0);
    await reading.readAll();
    expect(await places(system)).toBe(10);
    await duringRead(system, update(0, 'CLOSED'));
    expect(await places(system)).toBe(0);
    await reading.readAll();
    expect(await places(system)).toBe(10);
  });

  it('a number that came before the read and is applied after it changes nothing', async () => {
    const system = await connected();
    await system.send(update(3));
    await reading.apply();
    expect(await places(system)).toBe(3);
    await system.send(ventrataIds);
    await reading.applyAndRead();
    expect(await places(system)).toBe(10);
    const [, older] = await system.deliveries();
    await reading.world.call('POST', `/v1/integrations/${system.id}/deliveries/${older.id}/replay`, {
      key: system.key,
    });
    await reading.apply();
    expect([(await reading.statuses(system))[1], await places(system)]).toEqual(['superseded', 10]);
  });

  it('a time that a delivery has closed is open again once a read lists it with places', async () => {
    const system = await connected();
    await system.send(update(0, 'CLOSED'));
    await reading.apply();
    expect(await places(system)).toBe(0);
    product.vacancies = 4;
    await system.send(ventrataIds);
    await reading.applyAndRead();
    expect(await places(system)).toBe(4);
  });
});

describe('Mindbody', () => {
  beforeEach(() => {
    mindbody.timeZone = 'America/New_York';
    mindbody.maxLimit = 200;
    mindbody.classes = [1, 2, 3].map((day) => ({
      id: 200 + day,
      description: 69,
      name: 'Slow flow',
      starts: `${dateIn(day)}T09:30:00`,
      booked: 12,
    }));
  });
  const connected = async () => {
    const system = await reading.connect(
      'mindbody',
      { kind: 'class', timezone: 'America/New_York' },
      MINDBODY_CREDENTIALS,
    );
    const tiers = [{ label: 'Drop-in', amount: 2_500, currency: 'usd', unit: 'per_person' }];
    const body = { external_id: '69', kind: 'class', title: 'Flow', tiers };
    expect((await reading.world.call('POST', '/v1/offerings', { key: system.key, body })).status).toBe(201);
    return system;
  };
  it('a schedule that has changed brings every class of 14 days with its places; prices stay the venue’s', async () => {
    const system = await connected();
    await system.send(classSchedule('m-1'));
    await reading.applyAndRead();
    expect(await reading.statuses(system)).toEqual(['applied']);
    expect(await reading.offering(system, '69')).toMatchObject({ title: 'Slow flow', tiers: [{ amount: 2_500 }] });
    expect((await slotsOf(system, '69')).map(({ capacity }) => capacity)).toEqual([8, 8, 8]);
    mindbody.classes = mindbody.classes.map((one, n) => ({ ...one, booked: 15, isCanceled: n === 1 }));
    await system.send(classSchedule('m-2'));
    await reading.applyAndRead();
    expect((await slotsOf(system, '69')).map(({ capacity }) => capacity)).toEqual([5, 5]);
  });

  it('a roster booking of an unknown class reads the class, then all classes of its description', async () => {
    const system = await connected();
    await system.send(mindbodyEvent('classRosterBooking.cancelled', { ...CANCELLATION, classId: 202 }));
    await reading.applyAndRead();
    expect(await reading.statuses(system)).toEqual(['applied']);
    expect(reading.apis.requests.map(({ path }) => path)).toEqual(['/site/sites', '/class/classes', '/class/classes']);
    expect((await slotsOf(system, '69')).length).toBe(3);
  });

  it('a class that Mindbody does not call available has no places', async () => {
    const system = await connected();
    mindbody.classes = mindbody.classes.map((one, n) => ({ ...one, isAvailable: n !== 1 }));
    await system.send(classSchedule('m-4'));
    await reading.applyAndRead();
    expect((await slotsOf(system, '69')).map(({ capacity }) => capacity)).toEqual([8, 0, 8]);
  });

  it('a roster booking of a class that is not among the next 90 days is ignored, with the reason', async () => {
    const system = await connected();
    await system.send(mindbodyEvent('classRosterBooking.cancelled', { ...CANCELLATION, classId: 999 }));
    await reading.applyAndRead();
    expect(await reading.outcomes(system)).toEqual([['ignored', expect.stringContaining('next 90 days')]]);
  });

  it('the times are in the zone of the site; a zone that is no name of IANA leaves that of the venue', async () => {
    const zoneOf = async (timeZone: string, message: string) => {
      mindbody.timeZone = timeZone;
      const system = await connected();
      await system.send(classSchedule(message));
      await reading.applyAndRead();
      return (await reading.offering(system, '69')).availability.timezone;
    };
    expect(await zoneOf('America/Denver', 'm-5')).toBe('America/Denver');
    expect(await zoneOf('Mountain Standard Time', 'm-6')).toBe('America/New_York');
  });

  it('is asked at most 950 times a day, also if READS_PER_DAY allows more, because it charges for more than 1,000', async () => {
    const system = await connected();
    expect((await reading.readsOf(system)).requests_per_day).toBe(950);
    await reading.world.db.query(
      `update integration_readers set requests_count = 950, requests_on = (now() at time zone 'UTC')::date
       where integration_id = $1`,
      [system.id],
    );
    await system.send(classSchedule('m-950'));
    await reading.apply();
    await reading.makeDue();
    expect(await reading.readOnce()).toBe(0);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'daily_limit', waiting: 1 });
    expect(reading.apis.requests).toEqual([]);
  });

  it('an event of another site reads nothing', async () => {
    const system = await connected();
    await system.send(classSchedule('m-3', 500));
    await reading.applyAndRead();
    expect(reading.apis.requests).toEqual([]);
  });

  it('a catalogue run reads every class description, page by page of 200 classes, and says which have no price', async () => {
    const system = await connected();
    mindbody.classes = Array.from({ length: 210 }, (_, n) => ({
      id: 1_000 + n,
      description: n === 0 ? 70 : 69,
      name: 'Slow flow',
      starts: `${dateIn(1 + (n % 12))}T${String(5 + (Math.floor(n / 12) % 18)).padStart(2, '0')}:00:00`,
      booked: 0,
    }));
    expect(await synced(system)).toMatchObject({ status: 'finished', listed: 2, read: 2, changed: 1, skipped: 1 });
    expect((await slotsOf(system, '69')).length).toBe(209);
  });

  it('pages that are smaller than asked for leave out no class and no class description', async () => {
    const system = await connected();
    mindbody.maxLimit = 2;
    mindbody.classes = [...mindbody.classes, ...[70, 71].map((id) => ({ ...CLASS_70, id, description: id }))];
    expect(await synced(system)).toMatchObject({ status: 'finished', listed: 3 });
    expect((await slotsOf(system, '69')).length).toBe(3);
  });
});

const CLASS_70 = { name: 'Strong flow', starts: `${dateIn(2)}T11:00:00`, booked: 0 };
const CANCELLATION = {
  siteId: ROSTER.siteId,
  locationId: 1,
  classId: CLASS.classId,
  classRosterBookingId: 99,
  clientId: 'c-1',
  clientUniqueId: 1,
};
