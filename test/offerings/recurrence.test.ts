// Recurring slots with expected values written by hand: daylight saving on both sides of a change, the end of a rule,
// and the bounds, which are checked in steps and never timed. recurrence-agreement.test.ts compares with other
// packages.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, writeInstant } from '../../schemas/rules/instant.ts';
import { readRecurrence } from '../../schemas/rules/recurrence-rule.ts';
import { recurrenceProblems } from '../../src/domain/offerings/bounded-rules.ts';
import {
  checkRecurrence,
  MAX_STARTS,
  MAX_STEPS,
  type RecurringSlots,
  recurringStarts,
} from '../../src/domain/offerings/recurrence.ts';
import { walkRecurrence } from '../../src/domain/recurrence/recurrence-set.ts';
import { zoneClock } from '../../src/domain/recurrence/zone-clock.ts';

const instant = (text: string): number => new Date(text).getTime();

function expansion(entry: RecurringSlots, timezone: string, from: string, to: string) {
  const range = { from: instant(from), to: instant(to) };
  return recurringStarts(entry, zoneClock(timezone, range.from, range.to), range);
}

const starts = (...query: Parameters<typeof expansion>): string[] => expansion(...query).starts.map(writeInstant);

const daily = (startsAt: string, overrides = ''): RecurringSlots => ({
  rrule: `FREQ=DAILY${overrides}`,
  starts_at: startsAt,
});

describe('when the clocks change', () => {
  it('a slot at 10:00 in New York stays at 10:00 in spring and in autumn', () => {
    const entry = daily('2027-01-01T10:00:00-05:00');
    expect(starts(entry, 'America/New_York', '2027-03-13T00:00:00Z', '2027-03-16T00:00:00Z')).toEqual([
      '2027-03-13T15:00:00Z',
      '2027-03-14T14:00:00Z',
      '2027-03-15T14:00:00Z',
    ]);
    expect(starts(entry, 'America/New_York', '2027-11-06T00:00:00Z', '2027-11-09T00:00:00Z')).toEqual([
      '2027-11-06T14:00:00Z',
      '2027-11-07T15:00:00Z',
      '2027-11-08T15:00:00Z',
    ]);
  });

  it('a slot at 10:00 in Berlin stays at 10:00 when the rule was sent in UTC', () => {
    const entry = daily('2027-03-26T09:00:00Z');
    expect(starts(entry, 'Europe/Berlin', '2027-03-27T00:00:00Z', '2027-03-30T00:00:00Z')).toEqual([
      '2027-03-27T09:00:00Z',
      '2027-03-28T08:00:00Z',
      '2027-03-29T08:00:00Z',
    ]);
  });

  it('a slot at 2:30 moves to 3:30 only on the night in spring that has no 2:30', () => {
    const entry = daily('2027-03-01T02:30:00-05:00');
    expect(starts(entry, 'America/New_York', '2027-03-13T00:00:00Z', '2027-03-16T00:00:00Z')).toEqual([
      '2027-03-13T07:30:00Z',
      '2027-03-14T07:30:00Z',
      '2027-03-15T06:30:00Z',
    ]);
  });

  it('a slot at 1:30 starts at the first of the two 1:30 in autumn', () => {
    const entry = daily('2027-11-01T01:30:00-04:00');
    expect(starts(entry, 'America/New_York', '2027-11-06T00:00:00Z', '2027-11-09T00:00:00Z')).toEqual([
      '2027-11-06T05:30:00Z',
      '2027-11-07T05:30:00Z',
      '2027-11-08T06:30:00Z',
    ]);
  });

  it('a rule that starts in the second of two equal hours keeps that start', () => {
    const entry = daily('2027-11-07T01:30:00-05:00', ';BYMINUTE=15,30,45;COUNT=3');
    expect(starts(entry, 'America/New_York', '2027-11-07T00:00:00Z', '2027-11-09T00:00:00Z')).toEqual([
      '2027-11-07T06:30:00Z',
      '2027-11-07T06:45:00Z',
      '2027-11-08T06:15:00Z',
    ]);
  });

  it('a time that moves onto another start of the rule gives one start', () => {
    const entry = daily('2027-03-01T02:30:00-05:00', ';BYHOUR=2,3;BYMINUTE=0,30');
    expect(starts(entry, 'America/New_York', '2027-03-14T05:00:00Z', '2027-03-15T04:00:00Z')).toEqual([
      '2027-03-14T07:00:00Z',
      '2027-03-14T07:30:00Z',
    ]);
  });

  it('a slot on Lord Howe moves by half an hour', () => {
    const entry = daily('2027-09-01T02:15:00+10:30');
    expect(starts(entry, 'Australia/Lord_Howe', '2027-10-01T00:00:00Z', '2027-10-04T00:00:00Z')).toEqual([
      '2027-10-01T15:45:00Z',
      '2027-10-02T15:45:00Z',
      '2027-10-03T15:15:00Z',
    ]);
  });

  it('a range includes from and excludes to', () => {
    const entry = daily('2027-06-01T10:00:00Z');
    expect(starts(entry, 'UTC', '2027-06-02T10:00:00Z', '2027-06-04T10:00:00Z')).toEqual([
      '2027-06-02T10:00:00Z',
      '2027-06-03T10:00:00Z',
    ]);
  });

  it('a range includes from and excludes to when the clocks change inside it', () => {
    const entry = daily('2027-01-01T10:00:00-05:00');
    const edges = (from: string, to: string) => {
      const found = starts(entry, 'America/New_York', from, to);
      return [found[0], found.at(-1)];
    };
    const spring = edges('2027-03-13T15:00:00Z', '2027-03-15T14:00:00Z');
    expect(spring).toEqual(['2027-03-13T15:00:00Z', '2027-03-14T14:00:00Z']);
    const autumn = edges('2027-11-06T14:00:00Z', '2027-11-08T15:00:00Z');
    expect(autumn).toEqual(['2027-11-06T14:00:00Z', '2027-11-07T15:00:00Z']);
  });

  it('a start keeps its fraction of a second', () => {
    expect(
      starts(daily('2027-06-01T10:00:00.250Z', ';COUNT=1'), 'UTC', '2027-06-01T00:00:00Z', '2027-07-01T00:00:00Z'),
    ).toEqual(['2027-06-01T10:00:00.250Z']);
  });
});

describe('how a rule ends', () => {
  const query = ['2027-06-01T00:00:00Z', '2027-07-01T00:00:00Z'] as const;

  it('until includes its whole local day, also when UTC is in the next day already', () => {
    const entry = { ...daily('2027-06-01T22:00:00-04:00'), until: '2027-06-03' };
    expect(starts(entry, 'America/New_York', ...query)).toEqual([
      '2027-06-02T02:00:00Z',
      '2027-06-03T02:00:00Z',
      '2027-06-04T02:00:00Z',
    ]);
  });

  it('UNTIL is the last instant in UTC, the last local time or the last local day', () => {
    const upTo = (until: string): number =>
      starts(daily('2027-06-01T22:00:00-04:00', `;UNTIL=${until}`), 'America/New_York', ...query).length;
    expect([upTo('20270604T020000Z'), upTo('20270604T015959Z')]).toEqual([3, 2]);
    expect([upTo('20270603T220000'), upTo('20270603T215959')]).toEqual([3, 2]);
    expect(upTo('20270603')).toBe(3);
  });

  it('UNTIL keeps a later wall time whose instant is earlier because a change moved the one before it', () => {
    const entry = daily('2027-03-01T02:30:00-05:00', ';BYHOUR=2,3;BYMINUTE=0,30;UNTIL=20270314T070000Z');
    expect(starts(entry, 'America/New_York', '2027-03-14T05:00:00Z', '2027-03-15T04:00:00Z')).toEqual([
      '2027-03-14T07:00:00Z',
    ]);
  });

  it('until and COUNT both limit a rule', () => {
    const entry = { ...daily('2027-06-01T10:00:00Z', ';COUNT=5'), until: '2027-06-03' };
    expect(starts(entry, 'UTC', ...query)).toHaveLength(3);
    expect(starts({ ...entry, until: '2027-06-20' }, 'UTC', ...query)).toHaveLength(5);
  });

  it('COUNT counts from the start of the rule, not from the start of the range', () => {
    const entry = daily('2027-05-30T10:00:00Z', ';COUNT=5');
    expect(starts(entry, 'UTC', ...query)).toHaveLength(3);
    expect(starts(entry, 'UTC', '2027-07-01T00:00:00Z', '2027-08-01T00:00:00Z')).toEqual([]);
  });
});

const RULES = [
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=DAILY;BYHOUR=9,17;BYMONTH=2,6,7',
  'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU',
  'FREQ=WEEKLY;INTERVAL=5;BYDAY=MO,FR;BYSETPOS=-1',
  'FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=31,-2',
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=1MO,-1FR;BYHOUR=8,12;BYSETPOS=2,-1',
  'FREQ=YEARLY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=29,28',
  'FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=MO,SU',
  'FREQ=YEARLY;INTERVAL=2;BYDAY=20MO,-1SU',
];

function walls(text: string, start: number, from: number, to: number): number[] {
  const rule = readRecurrence(text);
  if ('problem' in rule) throw new Error(rule.problem);
  const found: number[] = [];
  const hasEnded = walkRecurrence(rule, start, { from, to }, { left: 10_000_000 }, (wall) => found.push(wall) > 0);
  expect(hasEnded).toBe(true);
  return found;
}

describe('skipping periods', () => {
  const day = fc.integer({ min: 0, max: 12_000 });
  it('gives the same times as walking from the start of the rule', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RULES),
        day,
        day,
        fc.integer({ min: 1, max: 1500 }),
        (rule, startDay, daysLater, length) => {
          const start = instant('1990-01-01T09:30:00Z') + startDay * DAY;
          const from = start + daysLater * DAY + 5 * 3_600_000;
          const to = from + length * DAY;
          expect(walls(rule, start, from, to)).toEqual(walls(rule, start, start, to).filter((wall) => wall >= from));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives with COUNT the first times of the rule without COUNT', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RULES), day, fc.integer({ min: 1, max: 60 }), (rule, startDay, count) => {
        const start = instant('1990-01-01T09:30:00Z') + startDay * DAY;
        const to = start + 8000 * DAY;
        const all = walls(rule, start, start, to).slice(0, count);
        expect(walls(`${rule};COUNT=${count}`, start, start, to)).toEqual(all);
        const from = all[Math.floor(all.length / 2)] ?? start;
        expect(walls(`${rule};COUNT=${count}`, start, from, to)).toEqual(all.filter((wall) => wall >= from));
      }),
      { numRuns: 150 },
    );
  });

  it('makes a daily rule from 1990 cost as many steps as one from yesterday', () => {
    const query = ['America/New_York', '2027-06-01T00:00:00Z', '2027-08-02T00:00:00Z'] as const;
    const old = expansion(daily('1990-01-01T10:00:00-05:00'), ...query);
    const young = expansion(daily('2027-05-31T10:00:00-04:00'), ...query);
    expect(old.starts).toEqual(young.starts);
    expect(old.starts).toHaveLength(62);
    expect(old.steps).toBe(young.steps);
    expect(old.steps).toBeLessThan(150);
  });
});

describe('rules with very many starts', () => {
  const numbers = (last: number): string => Array.from({ length: last + 1 }, (_, number) => number).join(',');
  const everySecond = `;BYHOUR=${numbers(23)};BYMINUTE=${numbers(59)};BYSECOND=${numbers(59)}`;
  const query = ['UTC', '2027-06-01T00:00:00Z', '2027-08-02T00:00:00Z'] as const;
  const from1970 = (rrule: string): RecurringSlots => ({ rrule, starts_at: '1970-01-01T00:00:00Z' });

  it('fit into the 500 characters of a rule', () => {
    expect(`FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU${everySecond};BYSETPOS=-1`.length).toBeLessThanOrEqual(500);
  });

  it('are cut after the first 2,000 starts when every second is one', () => {
    const { starts, complete, steps } = expansion(from1970(`FREQ=DAILY${everySecond}`), ...query);
    expect(starts).toHaveLength(MAX_STARTS);
    expect([starts[0], starts.at(-1)]).toEqual([instant(query[1]), instant(query[1]) + 1999 * 1000]);
    expect(complete).toBe(false);
    expect(steps).toBeLessThan(MAX_STARTS + 100);
  });

  it('pick from the 31 million seconds of a year without listing them', () => {
    const rule = `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU${everySecond};BYSETPOS=-1`;
    const { starts, steps } = expansion(from1970(rule), 'UTC', '2027-12-01T00:00:00Z', '2028-01-01T00:00:00Z');
    expect(starts.map(writeInstant)).toEqual(['2027-12-31T23:59:59Z']);
    expect(steps).toBeLessThan(400);
  });

  it('count 31 million seconds a year without listing them', () => {
    const { starts, complete, steps } = expansion(from1970(`FREQ=DAILY${everySecond};COUNT=10000`), ...query);
    expect({ starts, complete }).toEqual({ starts: [], complete: true });
    expect(steps).toBe(1);
  });

  it('end within few steps when no day matches', () => {
    for (const rrule of [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31',
      'FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=20',
      'FREQ=YEARLY;BYYEARDAY=366;BYWEEKNO=20',
    ]) {
      const { starts, complete, steps } = expansion(from1970(rrule), ...query);
      expect({ rrule, starts, complete }).toEqual({ rrule, starts: [], complete: true });
      expect(steps).toBeLessThan(800);
      const counted = expansion(from1970(`${rrule};COUNT=10000`), ...query);
      expect(counted.starts).toEqual([]);
      expect(counted.steps).toBeLessThan(MAX_STEPS / 2);
    }
  });

  it('are cut when the steps run out', () => {
    const { complete, steps } = expansion(
      from1970('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31;COUNT=10000'),
      ...(['UTC', '9000-01-01T00:00:00Z', '9000-02-01T00:00:00Z'] as const),
    );
    expect({ complete, steps }).toEqual({ complete: false, steps: MAX_STEPS });
  });

  it('are refused with a COUNT of a billion', () => {
    expect(checkRecurrence(from1970('FREQ=DAILY;COUNT=1000000000'))).toMatchObject({ code: 'invalid_format' });
    expect(expansion(from1970('FREQ=DAILY;COUNT=1000000000'), ...query).starts).toEqual([]);
  });
});

describe('the check before a rule is stored', () => {
  const checked = (rrule: string, startsAt = '2027-06-01T10:00:00Z') =>
    checkRecurrence({ rrule, starts_at: startsAt }, 'Europe/Berlin');
  const minutes = (step: number): string =>
    Array.from({ length: Math.ceil(60 / step) }, (_, index) => index * step).join(',');
  const hours = Array.from({ length: 24 }, (_, hour) => hour).join(',');

  it('accepts common rules', () => {
    for (const rrule of ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=SA,SU', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29'])
      expect(checked(rrule)).toMatchObject({ isBounded: true });
    expect(checked(`FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes(5)}`)).toMatchObject({ isBounded: true });
  });

  it('accepts a rule that has ended', () => {
    const ended = { rrule: 'FREQ=DAILY;UNTIL=20200101', starts_at: '2027-06-01T10:00:00Z', until: '2027-06-01' };
    expect(checkRecurrence(ended)).toMatchObject({ isBounded: true });
  });

  it('refuses more than 288 starts a day as out_of_range', () => {
    expect(checked(`FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes(4)}`)).toMatchObject({
      isBounded: false,
      code: 'out_of_range',
    });
  });

  it('refuses a rule that never starts a slot as invalid_value, within the step budget', () => {
    for (const rrule of [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31',
      'FREQ=WEEKLY;INTERVAL=10000;BYMONTH=2;BYDAY=MO;BYSETPOS=2',
      'FREQ=DAILY;BYSECOND=60',
      'FREQ=YEARLY;INTERVAL=10000;BYMONTH=2;BYMONTHDAY=29',
    ]) {
      const check = checked(rrule);
      expect(check, rrule).toMatchObject({ isBounded: false, code: 'invalid_value' });
      expect(check.steps).toBeLessThanOrEqual(MAX_STEPS);
    }
  });

  it('keeps 62 days of the densest rule within half of the step budget', () => {
    const rrule = `FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes(5)}`;
    const range = { from: instant('2027-03-01T00:00:00Z'), to: instant('2027-05-02T00:00:00Z') };
    const clock = zoneClock('Europe/Berlin', range.from, range.to);
    const entry = { rrule, starts_at: '1970-01-01T00:00:00Z' };
    const { complete, steps } = recurringStarts(entry, clock, range, (start) => start % DAY === 0);
    expect(complete).toBe(true);
    expect(steps).toBeLessThan(MAX_STEPS / 2);
  });
});

describe('the rules of one call', () => {
  const offering = (...rrules: string[]) => ({
    external_id: 'x',
    kind: 'tee_time' as const,
    title: 'x',
    tiers: [{ amount: 1, currency: 'usd', unit: 'per_group' as const }],
    availability: { recurring: rrules.map((rrule) => ({ rrule, starts_at: '2097-01-01T10:00:00Z' })) },
  });
  const NEVER = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30';
  const LEAP = 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29';

  it('are all reported when they are out of bounds', () => {
    const contents = [offering(NEVER, LEAP, NEVER), offering('FREQ=DAILY;BYSECOND=60')];
    const problems = recurrenceProblems(contents.map((content, index) => ({ at: `/offerings/${index}`, content })));
    expect(problems.map(({ field }) => field)).toEqual([
      '/offerings/0/availability/recurring/0/rrule',
      '/offerings/0/availability/recurring/2/rrule',
      '/offerings/1/availability/recurring/0/rrule',
    ]);
  });

  it('are checked once when they are equal, and share one step budget', () => {
    const equal = Array.from({ length: 25 }, () => ({ at: '', content: offering(...Array(20).fill(LEAP)) }));
    expect(recurrenceProblems(equal)).toEqual([]);
    const different = Array.from({ length: 200 }, (_, index) => `${LEAP};BYSECOND=${index % 60};BYHOUR=${index % 23}`);
    expect(recurrenceProblems([{ at: '', content: offering(...different) }])).toMatchObject([{ code: 'out_of_range' }]);
  });
});
