// What the files of readers can say: days by the clock of the venue, lists that are joined, and all slots of a time. No
// database: the worker's own functions.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Reader } from '../../schemas/types.gen.ts';
import { hashOf } from '../../src/domain/hooks/delivery-order.ts';
import { timeFromDayAndTime, timePlusDuration } from '../../src/domain/hooks/mapping/convert.ts';
import { interpretObject } from '../../src/domain/hooks/mapping/interpret.ts';
import { mergeOffering } from '../../src/domain/hooks/merge.ts';
import { joinAnswers } from '../../src/domain/hooks/readers/join-answers.ts';
import { budgetPaceMs, requestPace } from '../../src/domain/hooks/readers/pace.ts';
import { DAY_NAMES, dateAfter, dayValues } from '../../src/domain/hooks/readers/read-days.ts';
import { refreshTime } from '../../src/domain/hooks/readers/refresh.ts';
import { mergeWindow } from '../../src/domain/hooks/slot-window.ts';
import type { OfferingContent } from '../../src/domain/offerings/offering.ts';

const HOUR_MS = 3_600_000;

describe('the days of a request', () => {
  it('are those of the venue’s clock, and begin at its midnight on both sides of a change of the clocks', () => {
    const now = Date.parse('2027-03-25T23:30:00Z');
    expect(dayValues(now, 'Europe/Budapest')).toMatchObject({
      today: '2027-03-26',
      today_start: '2027-03-25T23:00:00.000Z',
      in_7_days: '2027-04-02',
      in_7_days_start: '2027-04-01T22:00:00.000Z',
    });
    expect(dayValues(now, 'America/New_York')).toMatchObject({
      today: '2027-03-25',
      today_start: '2027-03-25T04:00:00.000Z',
    });
  });

  it('are those of UTC if no zone is known, and each has a name that requests can use', () => {
    const values = dayValues(Date.parse('2027-12-31T12:00:00Z'), 'Mars/Olympus');
    expect(values).toMatchObject({ today: '2027-12-31', today_start: '2027-12-31T00:00:00.000Z' });
    expect(Object.keys(values)).toEqual(DAY_NAMES);
    expect(dateAfter('2027-12-31', 1)).toBe('2028-01-01');
  });
});

describe('the budget of a day', () => {
  const noon = Date.parse('2027-05-01T12:00:00Z');

  it('is free for its first half, then spread over the rest of the day', () => {
    expect(budgetPaceMs(noon, 5_000, 2_500, 8)).toBe(0);
    expect(budgetPaceMs(noon, 5_000, 2_840, 8)).toBe(160_000);
    expect(budgetPaceMs(noon, 5_000, 5_000, 1)).toBe(12 * 3_600_000);
  });

  it('lasts until the evening, however many deliveries come', () => {
    let [now, used] = [Date.parse('2027-05-01T00:00:00Z'), 0];
    while (now < Date.parse('2027-05-01T23:30:00Z')) {
      used += 8;
      expect(used).toBeLessThanOrEqual(5_000);
      now += Math.max(8 * 300, budgetPaceMs(now, 5_000, used, 8));
    }
  });
});

describe('a time', () => {
  it('that is a day and a time of day is local; without a time of day the day begins', () => {
    expect(timeFromDayAndTime('2027-07-01', '15:00:00', 'Europe/Budapest')).toBe('2027-07-01T13:00:00.000Z');
    expect(timeFromDayAndTime('2027-07-01', null, 'Europe/Budapest')).toBe('2027-06-30T22:00:00.000Z');
    expect(timeFromDayAndTime('2027-07-01', '15:00', null)).toBeNull();
  });

  it('and a duration are added by the clock of the place: 15 hours after midnight is 15:00 when the clocks change', () => {
    const after = (start: string, duration: string) => timePlusDuration(start, duration, 'Europe/Budapest');
    expect(after('2027-03-27T23:00:00Z', 'P0M0DT15H0M0S')).toBe('2027-03-28T13:00:00.000Z');
    expect(after('2027-03-28T22:00:00Z', '-P0M0DT2H30M0S')).toBe('2027-03-28T19:30:00.000Z');
    expect(() => after('2027-03-28T22:00:00Z', 'P1M0D')).toThrow('not a duration');
  });
});

describe('the reader of Mews', () => {
  it('reads no restrictions, and its page says what that means', () => {
    const page = readFileSync('docs/providers/mews.md', 'utf8');
    expect(page.includes('/restrictions/getAll')).toBe(false);
    expect(page.slice(page.indexOf('## What we cannot know'))).toMatch(/Restrictions \(days .*are not read/);
  });
});

describe('the readers of Peek and Ventrata', () => {
  it('read OCTO in the same way: they differ in addresses, events, texts and sources alone', () => {
    const own = new Set(['provider', 'base_url', 'sources', 'headers', 'limits', 'events', 'sure']);
    const readOf = (provider: string) =>
      JSON.parse(readFileSync(`schemas/v1/readers/${provider}.json`, 'utf8'), (name, value) =>
        own.has(name) || (name === 'where' && typeof value === 'string') ? undefined : value,
      );
    expect(readOf('peek')).toEqual(readOf('ventrata'));
  });
});

describe('joined answers', () => {
  const document = {
    free: {
      starts: ['a', 'b'],
      list: [
        { id: 1, places: [4, 5] },
        { id: 2, places: [6] },
      ],
    },
    types: {
      data: [
        { key: '2', name: 'no', kind: 'x' },
        { key: '2', name: 'Two', kind: 'y' },
      ],
    },
    ping: { id: '2' },
  };

  it('get the first item of another list that has the same id and satisfies the conditions', () => {
    const where = ['free.list[].id', 'types.data[].key'] as [string, string];
    const only = [{ path: 'types.data[].kind', is: ['y'] }] as const;
    const joined = joinAnswers(document, [{ to: 'free.list[]', name: 'type', from: 'types.data[]', where, only }]);
    expect(joined.free).toMatchObject({ list: [{ id: 1 }, { id: 2, type: { name: 'Two' } }] });
    expect(
      joinAnswers(document, [{ name: 'mine', from: 'types.data[]', where: ['ping.id', 'types.data[].key'] }]),
    ).toMatchObject({ mine: { name: 'no' }, ping: { id: '2' } });
  });

  it('get the first item that satisfies the conditions, where no id is compared', () => {
    const only = [{ path: 'options[].default', is: ['true'] }] as const;
    const options = [
      { id: 1, default: false },
      { id: 2, default: true },
    ];
    expect(joinAnswers({ options }, [{ name: 'option', from: 'options[]', only }]).option).toEqual(options[1]);
    expect(joinAnswers({}, [{ name: 'option', from: 'options[]', only }])).toEqual({});
  });

  it('get the member in each item of a list in a list', () => {
    const nested = { a: [{ b: [{ id: 1 }, { id: 2 }] }, { b: [{ id: 2 }] }], units: [{ id: 2, title: 'Child' }] };
    const where = ['a[].b[].id', 'units[].id'] as [string, string];
    expect(joinAnswers(nested, [{ to: 'a[].b[]', name: 'unit', from: 'units[]', where }]).a).toEqual([
      { b: [{ id: 1 }, { id: 2, unit: { id: 2, title: 'Child' } }] },
      { b: [{ id: 2, unit: { id: 2, title: 'Child' } }] },
    ]);
  });

  it('get rows of lists that stand side by side; a list that is shorter or missing leaves its member out', () => {
    const rows = { start: 'free.starts', places: 'free.list[].places', price: 'free.list[].prices' };
    const joined = joinAnswers(document, [{ to: 'free.list[]', name: 'days', rows }]);
    expect(joined.free).toMatchObject({
      list: [
        {
          days: [
            { start: 'a', places: 4 },
            { start: 'b', places: 5 },
          ],
        },
        { days: [{ start: 'a', places: 6 }, { start: 'b' }] },
      ],
    });
    expect(JSON.stringify(joined)).not.toContain('price');
  });
});

describe('all slots of a time', () => {
  const now = Date.parse('2027-05-01T00:00:00Z');
  const at = (path: string, as?: string) => ({ source: 'webhook', path, sure: 'guess', ...(as && { as }) }) as const;
  const object = {
    name: 'sheet',
    whole_offering: true,
    each_slot: 'times[]',
    each_slot_days: 7,
    tiers: 'by_slot',
    order: { thing: 'sheet', id: ['id'] },
    fields: {
      external_id: at('id'),
      title: at('title'),
      'tier.external_id': { source: 'fixed', value: 'fee', sure: 'guess' },
      'tier.label': { source: 'fixed', value: 'Fee', sure: 'guess' },
      'tier.amount': at('times[].fee', 'decimal_number'),
      'slot.external_id': at('times[].id'),
      'slot.starts_at': at('times[].time'),
      'slot.capacity': at('times[].free', 'integer'),
    },
  } as unknown as Parameters<typeof interpretObject>[0];
  const time = (day: number, free: number, fee: number | null) => ({
    id: `t${day}`,
    time: `2027-05-0${day}T10:00:00Z`,
    free,
    ...(fee === null ? {} : { fee }),
  });
  const merged = (before: OfferingContent | null, times: object[]): OfferingContent => {
    const body = { id: 's1', title: 'Sheet', times };
    const defaults = { kind: 'tee_time', currency: 'usd' };
    const result = interpretObject(object, 'upsert', { root: body, bound: [] }, defaults, 10);
    const change = result.result === 'change' ? result.changes[0] : undefined;
    if (change === undefined || 'problem' in change || change.window === null) throw new Error('no window');
    const offering = mergeOffering(before, 's1', change, null, defaults);
    if ('missing' in offering) throw new Error(offering.missing.join());
    return mergeWindow(offering, change.window, { written: change.window.slots, newer: [] }, now).content;
  };

  it('replace the known slots of that time, and leave those before and after it', () => {
    const first = merged(null, [time(2, 4, 30), time(3, 4, 30), time(4, 2, 45.5)]);
    expect(first.tiers).toMatchObject([{ external_id: 'fee', amount: 3000 }]);
    expect(first.availability?.slots?.map(({ tier_overrides }) => tier_overrides?.[0]?.amount)).toEqual([
      undefined,
      undefined,
      4550,
    ]);
    const old = { external_id: 'past', starts_at: '2027-04-30T10:00:00Z', capacity: 1 };
    const later = { external_id: 'later', starts_at: '2027-05-09T10:00:00Z', capacity: 1 };
    const slots = [old, ...(first.availability?.slots ?? []), later];
    const second = merged({ ...first, availability: { ...first.availability, slots } } as OfferingContent, [
      time(3, 1, 30),
      time(4, 2, 30),
    ]);
    expect(second.availability?.slots).toEqual([
      old,
      { external_id: 't3', starts_at: '2027-05-03T10:00:00Z', capacity: 1 },
      { external_id: 't4', starts_at: '2027-05-04T10:00:00Z', capacity: 2 },
      later,
    ]);
  });

  it('without a price are left out while others have one, so that none is sold at another slot’s price', () => {
    const { slots } = merged(null, [time(2, 4, 30), time(3, 4, null)]).availability ?? {};
    expect(slots?.map(({ external_id }) => external_id)).toEqual(['t2']);
  });

  it('with prices in several currencies are refused, and the reason names both', () => {
    const mixed = {
      ...object,
      fields: { ...object.fields, currency: at('times[].currency|currency') },
    } as typeof object;
    const times = [time(2, 4, 30), { ...time(3, 4, 30), currency: 'EUR' }, { ...time(4, 4, 30), currency: 'USD' }];
    const read = (list: object[]) => {
      const scope = { root: { id: 's', title: 'Sheet', currency: 'EUR', times: list }, bound: [] };
      return interpretObject(mixed, 'upsert', scope, {}, 10);
    };
    expect(read(times.slice(0, 2))).toMatchObject({ changes: [{ tiers: [{ currency: 'eur' }] }] });
    expect(read(times)).toMatchObject({ changes: [{ problem: expect.stringContaining('in EUR and in USD') }] });
  });

  it('that are none at all remove every slot of that time', () => {
    const first = merged(null, [time(2, 4, 30)]);
    expect(merged(first, []).availability?.slots).toEqual([]);
  });
});

describe('the time at which an object is read again', () => {
  it('is at least half a day away, then every 24 hours, and spread over the day', () => {
    const now = Date.parse('2027-03-01T10:17:00Z');
    const hours = new Set<number>();
    for (let n = 0; n < 500; n++) {
      const hash = hashOf(`object ${n}`);
      const first = refreshTime(hash, now);
      expect([first >= now + 12 * HOUR_MS, first < now + 36 * HOUR_MS]).toEqual([true, true]);
      expect(refreshTime(hash, first + HOUR_MS)).toBe(first + 24 * HOUR_MS);
      hours.add(new Date(first).getUTCHours());
    }
    expect(hours.size).toBe(24);
  });
});

describe('the requests of one read', () => {
  it('are as far apart as the limit of the provider asks, however fast the answers are', async () => {
    const reader = { limits: { requests_per_minute: 120 } } as Reader;
    const clock = { time: 0, now: () => clock.time };
    const wait = (ms: number): Promise<void> => {
      clock.time += ms;
      return Promise.resolve();
    };
    const pace = requestPace(clock, wait, reader);
    const sent: number[] = [];
    for (const answerMs of [100, 900, 0, 0]) {
      await pace();
      sent.push(clock.time);
      clock.time += answerMs;
    }
    expect(sent).toEqual([0, 500, 1_400, 1_900]);
    clock.time -= HOUR_MS;
    await pace();
    expect(clock.time).toBe(1_900 - HOUR_MS + 500);
  });
});
