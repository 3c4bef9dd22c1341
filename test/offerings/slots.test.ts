// Which slots can be booked: every reason for which a slot is or is not on the page, at its exact instant, and the page
// checked against its published schema.

import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, writeInstant } from '../../schemas/rules/instant.ts';
import type { Availability, Offering, Slot } from '../../schemas/types.gen.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { readRegistry } from '../../src/base/schema/registry.ts';
import { pricesFor } from '../../src/domain/offerings/price.ts';
import { recurringStarts } from '../../src/domain/offerings/recurrence.ts';
import { bookableSlots, MAX_PRICES, MAX_SLOTS, type SlotPage } from '../../src/domain/offerings/slots.ts';
import { zoneClock } from '../../src/domain/recurrence/zone-clock.ts';
import { runs } from '../support/random-runs.ts';

const registry = readRegistry(join(packageRoot, 'schemas', 'v1'));
const ajv = new Ajv2020({ allErrors: true, strictRequired: false, allowUnionTypes: true });
addFormats.default(ajv);
for (const name of registry.names) ajv.addSchema(registry.get(name), `${name}.json`);
const areSlots = ajv.compile({ type: 'array', items: { $ref: 'slot.json' } });

type Tiers = Offering['tiers'];
const TIERS: Tiers = [{ external_id: 'seat', amount: 4500, currency: 'usd', unit: 'per_person' }];

interface Query {
  readonly from?: string;
  readonly to?: string;
  readonly now?: string;
  readonly partySize?: number;
  readonly tiers?: Tiers;
}

function page(availability: Availability | undefined, query: Query = {}): SlotPage {
  const offering = { tiers: query.tiers ?? TIERS, ...(availability === undefined ? {} : { availability }) };
  const result = bookableSlots(offering, {
    from: new Date(query.from ?? '2027-06-01T00:00:00Z'),
    to: new Date(query.to ?? '2027-07-01T00:00:00Z'),
    now: new Date(query.now ?? '2027-01-01T00:00:00Z'),
    partySize: query.partySize ?? 2,
  });
  areSlots(result.data);
  expect(areSlots.errors ?? []).toEqual([]);
  return result;
}

/** The slots of all pages. */
function allSlots(availability: Availability | undefined, query: Query = {}): Slot[] {
  const slots: Slot[] = [];
  let { from } = query;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { data, next_from } = page(availability, { ...query, ...(from === undefined ? {} : { from }) });
    slots.push(...data);
    if (next_from === null) return slots;
    expect(Date.parse(next_from)).toBeGreaterThan(Date.parse(from ?? '2027-06-01T00:00:00Z'));
    from = next_from;
  }
  throw new Error(`the slots have not ended after ${MAX_PAGES} pages`);
}

const MAX_PAGES = 100_000;

const starts = (...args: Parameters<typeof allSlots>): string[] => allSlots(...args).map((slot) => slot.starts_at);
const at = (startsAt: string, overrides: Partial<NonNullable<Availability['slots']>[number]> = {}) => ({
  starts_at: startsAt,
  ...overrides,
});
const NOON = at('2027-06-12T12:00:00Z');
const EVERY_FIVE_MINUTES = `FREQ=DAILY;BYHOUR=${[...Array(24).keys()].join(',')};BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55`;
const DAILY = { rrule: 'FREQ=DAILY', starts_at: '2027-06-10T12:00:00Z' };

describe('the published example of an offering', () => {
  const offering = registry.get('offering').examples as readonly Offering[];
  const published = (registry.get('slot').examples as readonly Slot[])[0];

  it('gives the published example of a slot, and the slots of its rule around it', () => {
    const example = offering[1];
    if (example === undefined || published === undefined) throw new Error('the examples are gone');
    const { data: slots } = bookableSlots(example, {
      from: new Date('2027-06-12T00:00:00Z'),
      to: new Date('2027-06-14T00:00:00Z'),
      now: new Date('2027-06-01T00:00:00Z'),
      partySize: 2,
    });
    expect(slots.map((slot) => [slot.starts_at, slot.ends_at, slot.capacity, slot.pay_by])).toEqual([
      ['2027-06-12T11:00:00Z', '2027-06-12T15:00:00Z', 40, '2027-06-12T10:00:00Z'],
      ['2027-06-12T13:30:00Z', '2027-06-12T17:30:00Z', 4, '2027-06-12T12:30:00Z'],
      ['2027-06-13T11:00:00Z', '2027-06-13T15:00:00Z', 40, '2027-06-13T10:00:00Z'],
    ]);
    const { prices, ...own } = slots[1] ?? { prices: [] };
    const { prices: publishedPrices, ...publishedOwn } = published;
    expect(own).toEqual(publishedOwn);
    expect(prices[0]).toMatchObject({ tier: 'weekend-morning', amount: 11000, total: 23430, deposit: 4686 });
    expect(publishedPrices[0]).toMatchObject({ tier: 'weekend-morning', amount: 11000, total: 23430, deposit: 4686 });
    expect(slots[0]?.prices[0]?.amount).toBe(12500);
  });
});

describe('single slots', () => {
  it('are shown with all their fields, in UTC', () => {
    const slot = at('2027-06-12T09:30:00-04:00', {
      ends_at: '2027-06-12T10:30:00-04:00',
      capacity: 4,
      external_id: 's',
    });
    expect(allSlots({ slots: [slot], cutoff_minutes: 90 })).toMatchObject([
      {
        starts_at: '2027-06-12T13:30:00Z',
        ends_at: '2027-06-12T14:30:00Z',
        external_id: 's',
        capacity: 4,
        pay_by: '2027-06-12T12:00:00Z',
      },
    ]);
    expect(allSlots({ slots: [NOON] })).toMatchObject([
      { ends_at: null, external_id: null, capacity: null, pay_by: '2027-06-12T12:00:00Z' },
    ]);
  });

  it('are listed from `from` on and before `to`, in order', () => {
    const slots = ['2027-06-03', '2027-06-01', '2027-06-02', '2027-05-31'].map((day) => at(`${day}T00:00:00Z`));
    expect(starts({ slots }, { to: '2027-06-03T00:00:00Z' })).toEqual(['2027-06-01T00:00:00Z', '2027-06-02T00:00:00Z']);
  });

  it('with the same start are all listed, each with its own id', () => {
    const slots = [at(NOON.starts_at, { external_id: 'b' }), at(NOON.starts_at, { external_id: 'a' })];
    expect(allSlots({ slots }).map((slot) => slot.external_id)).toEqual(['b', 'a']);
  });

  it('replace the slot of a rule with the same start, with their capacity, id and overrides', () => {
    const own = at('2027-06-12T14:00:00+02:00', {
      capacity: 9,
      external_id: 'own',
      tier_overrides: [{ tier: 'seat', amount: 1000 }],
    });
    const slots = allSlots({ slots: [own], recurring: [{ ...DAILY, capacity: 5 }] }, { to: '2027-06-13T00:00:00Z' });
    expect(slots.map((slot) => [slot.starts_at, slot.external_id, slot.capacity, slot.prices[0]?.total])).toEqual([
      ['2027-06-10T12:00:00Z', null, 5, 9000],
      ['2027-06-11T12:00:00Z', null, 5, 9000],
      ['2027-06-12T12:00:00Z', 'own', 9, 2000],
    ]);
  });

  it('remove the slot of a rule when their capacity is 0', () => {
    const closed = at(NOON.starts_at, { capacity: 0 });
    expect(starts({ slots: [closed], recurring: [DAILY] }, { to: '2027-06-14T00:00:00Z' })).toEqual([
      '2027-06-10T12:00:00Z',
      '2027-06-11T12:00:00Z',
      '2027-06-13T12:00:00Z',
    ]);
  });
});

describe('slots of rules', () => {
  it('last duration_minutes, also across a change of the clocks', () => {
    const recurring = [{ rrule: 'FREQ=DAILY', starts_at: '2027-03-13T23:00:00-05:00', duration_minutes: 240 }];
    const query = { from: '2027-03-13T00:00:00Z', to: '2027-03-15T00:00:00Z' };
    expect(allSlots({ timezone: 'America/New_York', recurring }, query)).toMatchObject([
      { starts_at: '2027-03-14T04:00:00Z', ends_at: '2027-03-14T08:00:00Z', external_id: null, capacity: null },
    ]);
  });

  it('with equal start and length are listed once; with two lengths, twice', () => {
    const query = { to: '2027-06-11T00:00:00Z' };
    const hour = { ...DAILY, duration_minutes: 60 };
    expect(allSlots({ recurring: [{ ...hour, capacity: 7 }, hour] }, query)).toMatchObject([{ capacity: 7 }]);
    const ends = allSlots({ recurring: [hour, { ...hour, duration_minutes: 120 }] }, query).map((slot) => slot.ends_at);
    expect(ends).toEqual(['2027-06-10T13:00:00Z', '2027-06-10T14:00:00Z']);
  });

  it('are the first 500 that can be booked, not the bookable ones of the first 500 starts', () => {
    const recurring = [{ rrule: EVERY_FIVE_MINUTES, starts_at: '2027-01-01T00:00:00Z' }];
    const query = { from: '2027-06-01T00:00:00Z', to: '2027-08-02T00:00:00Z' };
    const first = page({ recurring }, query);
    expect(first.data).toHaveLength(MAX_SLOTS);
    expect(first.next_from).toBe('2027-06-02T17:40:00Z');
    const tiers: Tiers = [
      { amount: 100, currency: 'usd', unit: 'per_group', days: ['sun'], time_window: { from: '10:00', to: '12:00' } },
    ];
    const { data, next_from } = page({ recurring }, { ...query, tiers });
    expect([data.length, data.at(-1)?.starts_at, next_from]).toEqual([9 * 24, '2027-08-01T11:55:00Z', null]);
  });
});

describe('a slot cannot be booked', () => {
  it('when its local start day is a blackout date', () => {
    const late = at('2027-06-12T23:00:00-04:00');
    const isOut = (blackout: string): boolean =>
      starts({ timezone: 'America/New_York', slots: [late], blackout_dates: [blackout] }).length === 0;
    expect([isOut('2027-06-12'), isOut('2027-06-13')]).toEqual([true, false]);
    const recurring = starts({ recurring: [DAILY], blackout_dates: ['2027-06-11'] }, { to: '2027-06-13T00:00:00Z' });
    expect(recurring).toEqual(['2027-06-10T12:00:00Z', '2027-06-12T12:00:00Z']);
  });

  it('when it starts before the lead time has passed, but can be exactly at its end', () => {
    const bookable = (now: string): number => starts({ slots: [NOON], lead_time_minutes: 120 }, { now }).length;
    expect([bookable('2027-06-12T10:00:00Z'), bookable('2027-06-12T10:00:00.001Z')]).toEqual([1, 0]);
  });

  it('when its pay_by is not in the future', () => {
    const bookable = (now: string): number => starts({ slots: [NOON], cutoff_minutes: 60 }, { now }).length;
    expect([bookable('2027-06-12T10:59:59.999Z'), bookable('2027-06-12T11:00:00Z')]).toEqual([1, 0]);
  });

  it('when it has started', () => {
    const bookable = (now: string): number => starts({ slots: [NOON] }, { now }).length;
    expect([bookable('2027-06-12T11:59:59.999Z'), bookable('2027-06-12T12:00:00Z')]).toEqual([1, 0]);
  });

  it('when the lead time or the cutoff of its rule excludes it', () => {
    const availability = { recurring: [DAILY], lead_time_minutes: 60, cutoff_minutes: 24 * 60 };
    const query = { now: '2027-06-10T12:00:00Z', to: '2027-06-13T00:00:00Z' };
    expect(starts(availability, query)).toEqual(['2027-06-12T12:00:00Z']);
  });

  it('when the party exceeds its capacity', () => {
    const bookable = (capacity: number): number => starts({ slots: [at(NOON.starts_at, { capacity })] }).length;
    expect([bookable(0), bookable(1), bookable(2)]).toEqual([0, 0, 1]);
    const recurring = (capacity: number) => starts({ recurring: [{ ...DAILY, capacity }] }).length;
    expect([recurring(0), recurring(1), recurring(2)]).toEqual([0, 0, 21]);
  });

  it('when no price tier applies', () => {
    const withTier = (overrides: Partial<Tiers[number]>): number =>
      starts({ slots: [NOON] }, { tiers: [{ amount: 1, currency: 'usd', unit: 'per_group', ...overrides }] }).length;
    expect([
      withTier({}),
      withTier({ days: ['sun'] }),
      withTier({ min_party: 3 }),
      withTier({ unit: 'per_hour' }),
    ]).toEqual([1, 0, 0, 0]);
    expect(withTier({ time_window: { from: '12:00', to: '13:00' }, days: ['sat'] })).toBe(1);
  });
});

describe('prices in slots', () => {
  it('count hours by elapsed time, in whole minutes', () => {
    const tiers: Tiers = [{ amount: 6000, currency: 'usd', unit: 'per_hour' }];
    const overnight = at('2027-03-14T00:00:00-05:00', { ends_at: '2027-03-14T04:00:59-04:00' });
    const query = { from: '2027-03-01T00:00:00Z', to: '2027-04-01T00:00:00Z', tiers };
    expect(allSlots({ timezone: 'America/New_York', slots: [overnight] }, query)[0]?.prices[0]?.total).toBe(18000);
  });

  it('follow the local weekday and time of the venue’s zone', () => {
    const tiers: Tiers = [
      { amount: 1, currency: 'usd', unit: 'per_group', days: ['fri'], time_window: { from: '20:00', to: '21:00' } },
    ];
    const slots = [at('2027-06-12T00:30:00Z')];
    expect(starts({ timezone: 'America/New_York', slots }, { tiers })).toHaveLength(1);
    expect(starts({ slots }, { tiers })).toHaveLength(0);
  });
});

describe('a query at its limits', () => {
  it('gives no slots without availability, or for a range that is empty or over', () => {
    expect(allSlots(undefined)).toEqual([]);
    expect(allSlots({ timezone: 'Europe/Berlin' })).toEqual([]);
    expect(allSlots({ recurring: [DAILY] }, { to: '2027-06-01T00:00:00Z' })).toEqual([]);
    expect(allSlots({ recurring: [DAILY] }, { now: '2028-01-01T00:00:00Z' })).toEqual([]);
  });

  it('covers at most a year and a day', () => {
    const { data, next_from } = page({ recurring: [DAILY] }, { from: DAILY.starts_at, to: '9000-01-01T00:00:00Z' });
    expect([data.length, next_from]).toEqual([366, '2028-06-10T12:00:00Z']);
  });
});

describe('a page that is cut', () => {
  const query = { from: '2027-06-01T00:00:00Z', to: '2027-08-02T00:00:00Z' };
  const dense = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      rrule: EVERY_FIVE_MINUTES,
      starts_at: '2027-01-01T00:00:00Z',
      duration_minutes: 30 + index,
    }));
  const fees = Array.from({ length: 10 }, () => ({ type: 'tax' as const, percent: 8.875, included: false }));
  const tier = { amount: 100, currency: 'usd', unit: 'per_group' as const };

  it('has at most 2,000 prices and less than a megabyte', () => {
    const plain = page({ recurring: dense(1) }, { ...query, tiers: Array(20).fill(tier) });
    expect(plain.data).toHaveLength(MAX_PRICES / 20);
    const rich = page({ recurring: dense(10) }, { ...query, tiers: Array(20).fill({ ...tier, fees }) });
    expect(rich.data.length).toBeGreaterThan(0);
    expect(rich.next_from).toBe(writeInstant(Date.parse(query.from) + rich.data.length * 30_000));
    expect(JSON.stringify(rich).length).toBeLessThan(1_000_000);
  });

  it('gives in next_from where the search stopped when nothing was found', () => {
    const tiers: Tiers = [{ ...tier, time_window: { from: '00:01', to: '00:02' } }];
    const { data, next_from } = page({ recurring: dense(20) }, { ...query, tiers });
    expect(data).toEqual([]);
    expect(Date.parse(next_from ?? '')).toBeGreaterThanOrEqual(Date.parse(query.from) + 3 * DAY);
    expect(allSlots({ recurring: dense(20) }, { ...query, tiers })).toEqual([]);
  });

  it('is empty and starts again at from when a rule with COUNT began too long ago to be counted', () => {
    const rrule = 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31;COUNT=10000';
    const far = { from: '9000-01-01T00:00:00Z', to: '9000-02-01T00:00:00Z' };
    expect(page({ recurring: [{ rrule, starts_at: '1970-01-01T00:00:00Z' }] }, far)).toEqual({
      data: [],
      next_from: far.from,
    });
  });

  it('keeps slots with the same start on one page, unless they alone exceed it', () => {
    const slots = (count: number, startsAt: string) => Array.from({ length: count }, () => at(startsAt));
    const both = page({ slots: [...slots(300, '2027-06-03T00:00:00Z'), ...slots(300, '2027-06-02T00:00:00Z')] }, query);
    expect([both.data.length, both.next_from]).toEqual([300, '2027-06-03T00:00:00Z']);
    const one = page({ slots: slots(600, '2027-06-03T00:00:00Z') }, query);
    expect([one.data.length, one.next_from]).toEqual([MAX_SLOTS, '2027-06-03T00:00:00.001Z']);
  });
});

/** All slots, rule by rule and day by day, by a simple and slow algorithm. */
function referenceSlots(tiers: Tiers, availability: Availability, from: number, to: number): Slot[] {
  const clock = zoneClock(availability.timezone ?? 'UTC', from, to);
  const own = (availability.slots ?? []).map((slot) => ({ ...slot, start: Date.parse(slot.starts_at) }));
  const all = own.map(({ start, ends_at, capacity }) => ({
    start,
    end: ends_at ? Date.parse(ends_at) : null,
    capacity,
  }));
  for (const entry of (availability.recurring ?? []).filter(({ capacity = 2 }) => capacity >= 2)) {
    for (let day = from; day < to; day += DAY) {
      const { starts, complete } = recurringStarts(entry, clock, { from: day, to: Math.min(to, day + DAY) });
      expect(complete).toBe(true);
      for (const start of starts) {
        const end = entry.duration_minutes === undefined ? null : start + entry.duration_minutes * 60_000;
        if (own.some((slot) => slot.start === start)) continue;
        if (all.some((slot) => slot.start === start && slot.end === end)) continue;
        all.push({ start, end, capacity: entry.capacity });
      }
    }
  }
  const prices = pricesFor(tiers, 2);
  return all
    .sort((a, b) => a.start - b.start)
    .filter(({ start, capacity = 9 }) => start >= from && start < to && capacity >= 2)
    .map(({ start, end, capacity }) => ({
      starts_at: writeInstant(start),
      ends_at: end === null ? null : writeInstant(end),
      external_id: null,
      capacity: capacity ?? null,
      pay_by: writeInstant(start),
      prices: prices(
        { wallStart: clock.wallAt(start), minutes: end === null ? null : (end - start) / 60_000 },
        new Map(),
      ),
    }))
    .filter((slot) => slot.prices.length > 0);
}

describe('all pages, each from the next_from of the one before', () => {
  const FROM = Date.parse('2027-10-29T05:00:00Z');
  const entry = fc.record(
    {
      rrule: fc.constantFrom(
        EVERY_FIVE_MINUTES,
        `${EVERY_FIVE_MINUTES};COUNT=9000`,
        EVERY_FIVE_MINUTES.replace('DAILY', 'YEARLY;BYDAY=SU,MO'),
        'FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=1,2,3;BYMINUTE=0,30',
        'FREQ=MONTHLY;BYDAY=-1SU,1MO;BYHOUR=1,2;BYSETPOS=1,-1',
        'FREQ=DAILY;COUNT=10',
      ),
      starts_at: fc.constantFrom('2027-10-01T00:00:00Z', '2027-10-30T15:32:00Z', '2027-11-07T06:15:00Z'),
      duration_minutes: fc.constantFrom(30, 60),
      capacity: fc.constantFrom(1, 2, 8),
    },
    { requiredKeys: ['rrule', 'starts_at'] },
  );
  const tier = fc.record(
    {
      amount: fc.constant(100),
      currency: fc.constant('usd'),
      unit: fc.constantFrom('per_group' as const, 'per_hour' as const),
      days: fc.constantFrom(['sun' as const], ['sat' as const, 'mon' as const]),
      time_window: fc.constantFrom({ from: '22:00', to: '03:00' }, { from: '01:00', to: '02:30' }),
    },
    { requiredKeys: ['amount', 'currency', 'unit'] },
  );
  const hour = fc.integer({ min: 0, max: 300 }).map((hour) => writeInstant(FROM + hour * 3_600_000));
  const single = fc.record({ starts_at: hour, capacity: fc.constantFrom(0, 2) }, { requiredKeys: ['starts_at'] });
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
  it('contain exactly the slots of a simple reference algorithm, each once', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 5 }),
        fc.array(tier, { minLength: 1, maxLength: 12 }),
        fc.array(single, { maxLength: 12 }),
        zone,
        fc.integer({ min: 1, max: 12 * 24 }),
        (recurring, tiers, slots, timezone, hours) => {
          const availability = { timezone, recurring, slots };
          const [from, to] = [writeInstant(FROM), writeInstant(FROM + hours * 3_600_000)];
          const expected = referenceSlots(tiers as Tiers, availability, FROM, FROM + hours * 3_600_000);
          expect(allSlots(availability, { from, to, tiers: tiers as Tiers })).toEqual(expected);
        },
      ),
      runs(120, 10, 20),
    );
  });
});
