// Our recurrences compared with others: the published examples of RFC 5545, and the package `rrule` on rules that
// combine every part with every other, in zones with every kind of change. Known differences of `rrule` are tested
// here with their reason. `rrule` knows only floating times; Temporal, not our zone clock, turns those into instants.
// The package `rrule-temporal`, which knows zones itself, is compared where no change of the clocks skips the time.

import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, inject, it, vi } from 'vitest';
import { writeInstant } from '../../schemas/rules/instant.ts';
import { recurringStarts } from '../../src/domain/offerings/recurrence.ts';
import { zoneClock } from '../../src/domain/recurrence/zone-clock.ts';
import { repetitions } from '../support/random-runs.ts';
import { RFC_EXAMPLES } from './rfc5545-examples.ts';

// Compares many random rules with two libraries.
vi.setConfig({ testTimeout: 60_000 });

const ZONES = ['America/New_York', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'] as const;
const WEEKDAYS = 'MO,TU,WE,TH,FR';

/** The instant of a local time, as Temporal computes it. */
const instants = new Map<string, number>();
function instantOf(local: string, zone: string): number {
  const key = `${local} ${zone}`;
  const cached = instants.get(key);
  if (cached !== undefined) return cached;
  const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation: 'compatible' });
  instants.set(key, zoned.epochMilliseconds);
  return zoned.epochMilliseconds;
}

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

function ours(rule: string, local: string, zone: string, range: TimeRange): number[] {
  const startsAt = writeInstant(instantOf(local, zone));
  const expansion = recurringStarts({ rrule: rule, starts_at: startsAt }, zoneClock(zone, range.from, range.to), range);
  expect(expansion.complete).toBe(true);
  return [...expansion.starts];
}

/** The local times that `rrule` gives, as if they were UTC. */
function localTimes(rule: string, local: string, until: Date | null): string[] {
  const options = rrule.RRule.parseString(rule);
  const parsed = new rrule.RRule({ ...options, dtstart: new Date(`${local}Z`), ...(until === null ? {} : { until }) });
  return parsed
    .between(new Date('2026-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z'), true)
    .map((date) => date.toISOString().slice(0, 19));
}

const BY_PARTS: Readonly<Record<string, readonly string[]>> = {
  DAILY: [
    '',
    ';BYDAY=SA,SU',
    ';BYMONTH=3,11',
    ';BYMONTHDAY=1,15,-1',
    ';BYHOUR=9,14;BYMINUTE=30',
    ';BYHOUR=2;BYMINUTE=15,30',
    ';BYHOUR=1,9;BYSETPOS=-1',
  ],
  WEEKLY: [
    '',
    ';BYDAY=SU',
    ';BYDAY=TU,SU',
    ';BYDAY=MO,WE,FR;BYHOUR=8,20',
    ';BYMONTH=3,10;BYDAY=SA,SU',
    `;BYDAY=${WEEKDAYS};BYSETPOS=1`,
    `;BYDAY=${WEEKDAYS};BYSETPOS=-2`,
  ],
  MONTHLY: [
    '',
    ';BYMONTHDAY=15,30',
    ';BYMONTHDAY=-1',
    ';BYDAY=2SU',
    ';BYDAY=1MO,-1FR',
    ';BYDAY=FR;BYMONTHDAY=13',
    `;BYDAY=${WEEKDAYS};BYSETPOS=-1`,
    ';BYDAY=SA,SU;BYSETPOS=1,3',
    ';BYMONTH=3,11;BYDAY=SU',
    ';BYMONTHDAY=1,8;BYHOUR=2,9;BYMINUTE=30;BYSETPOS=2',
  ],
  YEARLY: [
    '',
    ';BYMONTH=3,10',
    ';BYMONTHDAY=1,-1',
    ';BYDAY=20MO,-1SU',
    ';BYMONTH=3,11;BYDAY=2SU,-1SU',
    ';BYYEARDAY=1,100,-1',
    ';BYWEEKNO=1,20,53;BYDAY=MO,SU',
    ';BYDAY=SU;BYSETPOS=1,-1',
    ';BYMONTH=6;BYDAY=SA;BYMONTHDAY=8,9,10,11,12,13,14',
  ],
};

interface Case {
  readonly rule: string;
  readonly local: string;
  readonly zone: (typeof ZONES)[number];
  /** UNTIL as a local time, for `rrule`; null when the rule has none. */
  readonly until: Date | null;
}

/** No change touches 10:00; a change in some zone skips or repeats 2:30, 1:30 and 2:15. */
const LOCAL_STARTS = ['2026-02-01T10:00:00', '2026-01-31T02:30:00', '2026-02-08T01:30:00', '2026-01-04T02:15:00'];

function allCases(): Case[] {
  const cases: Case[] = [];
  for (const [frequency, parts] of Object.entries(BY_PARTS)) {
    for (const part of parts) {
      for (const interval of [1, 2, 3]) {
        for (const end of ['', ';COUNT=9', ';UNTIL']) {
          for (const weekStart of ['MO', 'SU']) {
            const zone = ZONES[cases.length % ZONES.length] ?? 'UTC';
            const local = LOCAL_STARTS[cases.length % LOCAL_STARTS.length] ?? '';
            // UNTIL is exactly the instant of a start, in UTC, and that start must be included.
            const last = `2027-03-28T${local.slice(11)}`;
            const instant = writeInstant(instantOf(last, zone)).replaceAll(/[-:]/g, '');
            const ending = end === ';UNTIL' ? `;UNTIL=${instant}` : end;
            const rule = `FREQ=${frequency};INTERVAL=${interval}${part}${ending};WKST=${weekStart}`;
            cases.push({ rule, local, zone, until: end === ';UNTIL' ? new Date(`${last}Z`) : null });
          }
        }
      }
    }
  }
  return cases;
}

/**
 * In `npm test` two of seven: seven divides none of the lengths above, so each part meets each zone, time and end. All of
 * them in `npm run test:long`.
 */
const CASES = allCases().filter((_, index) => inject('isLong') || index % 7 < 2);
const RANGE = { from: Date.UTC(2026, 1, 1), to: Date.UTC(2028, 7, 1) };

describe('recurrences compared with the package rrule', () => {
  let compared = 0;
  let moved = 0;
  let empty = 0;
  for (const zone of ZONES) {
    it(`start at the same instants in ${zone}, on both sides of every change`, () => {
      for (const { rule, local, until } of CASES.filter((one) => one.zone === zone)) {
        const walls = localTimes(rule, local, until);
        const all = walls.map((wall) => instantOf(wall, zone));
        const expected = [...new Set(all)].filter((instant) => instant >= RANGE.from && instant < RANGE.to);
        const got = ours(rule, local, zone, RANGE);
        expect(got.map(writeInstant), `${rule} from ${local}`).toEqual(
          expected.sort((a, b) => a - b).map(writeInstant),
        );
        compared += 1;
        if (expected.length === 0) empty += 1;
        for (const [index, wall] of walls.entries()) {
          const shown = Temporal.Instant.fromEpochMilliseconds(all[index] ?? 0).toZonedDateTimeISO(zone);
          if (shown.toPlainDateTime().toString() !== wall) moved += 1;
        }
      }
    });
  }

  it('cover many rules, nearly all with results, and times that a change skips', () => {
    expect(compared).toBe(CASES.length);
    expect(new Set(CASES.map((one) => one.rule)).size).toBeGreaterThan(repetitions(150, 500));
    expect(moved).toBeGreaterThan(20);
    expect(empty).toBeLessThan(compared / 20);
  });
});

describe('recurrences compared with the package rrule-temporal', () => {
  // It leaves out times that a change skips. With INTERVAL it counts the days of a week that reach into the next year
  // as part of the year before; `rrule` and ours count them in their own year. RFC 5545 does not define this.
  const unaffected = CASES.filter(({ local, rule }) => local.endsWith('T10:00:00') && !/BYHOUR=2|BYWEEKNO/.test(rule));

  it('start at the same instants at 10:00 in every zone', () => {
    const range = { from: RANGE.from, to: Date.UTC(2027, 3, 15) };
    for (const { rule, local, zone } of unaffected) {
      const theirs = new RRuleTemporal({
        rruleString: rule,
        dtstart: Temporal.PlainDateTime.from(local).toZonedDateTime(zone),
      }).between(new Date(range.from), new Date(range.to - 1), true);
      const expected = theirs.map((start) => writeInstant(start.epochMilliseconds));
      expect(ours(rule, local, zone, range).map(writeInstant), `${rule} in ${zone}`).toEqual(expected);
    }
    expect(unaffected.length).toBeGreaterThan(repetitions(30, 100));
  });
});

describe('where rrule 2.8 is known to differ', () => {
  const days = (starts: readonly number[]): string[] => starts.map((start) => writeInstant(start).slice(0, 10));
  const theirDays = (rule: string, local: string): string[] =>
    localTimes(rule, local, null).map((wall) => wall.slice(0, 10));

  it('compares UNTIL in UTC with local times: east of UTC it drops the last start, west of it it adds some', () => {
    const theirs = (zone: string, until: string): number =>
      rrule.rrulestr(`DTSTART;TZID=${zone}:20260201T100000\nRRULE:FREQ=DAILY;UNTIL=${until}`).all().length;
    expect(theirs('Europe/Berlin', '20260203T090000Z')).toBe(2);
    const east = ours('FREQ=DAILY;UNTIL=20260203T090000Z', '2026-02-01T10:00:00', 'Europe/Berlin', RANGE);
    expect(days(east)).toEqual(['2026-02-01', '2026-02-02', '2026-02-03']);
    expect(theirs('America/New_York', '20260203T140000Z')).toBe(3);
    const west = ours('FREQ=DAILY;UNTIL=20260203T140000Z', '2026-02-01T10:00:00', 'America/New_York', RANGE);
    expect(days(west)).toEqual(['2026-02-01', '2026-02-02']);
  });

  it('reads UNTIL as a date as its midnight; ours includes the whole day, as until does', () => {
    expect(theirDays('FREQ=DAILY;UNTIL=20260203', '2026-02-01T10:00:00')).toEqual(['2026-02-01', '2026-02-02']);
    const got = ours('FREQ=DAILY;UNTIL=20260203', '2026-02-01T10:00:00', 'UTC', RANGE);
    expect(days(got)).toEqual(['2026-02-01', '2026-02-02', '2026-02-03']);
  });

  it('gives all seven days for BYWEEKNO alone; ours takes the weekday from the start, as RFC 5545 does', () => {
    expect(theirDays('FREQ=YEARLY;BYWEEKNO=20;COUNT=7', '2026-02-04T10:00:00')[0]).toBe('2026-05-11');
    const got = ours('FREQ=YEARLY;BYWEEKNO=20;COUNT=2', '2026-02-04T10:00:00', 'UTC', RANGE);
    expect(days(got)).toEqual(['2026-05-13', '2027-05-19']);
  });

  it('gives nothing for weekdays with and without a number in one BYDAY; ours gives both', () => {
    expect(theirDays('FREQ=MONTHLY;BYDAY=1MO,SA', '2026-02-01T10:00:00')).toEqual([]);
    const got = ours('FREQ=MONTHLY;BYDAY=1MO,SA;COUNT=5', '2026-02-01T10:00:00', 'UTC', RANGE);
    expect(days(got)).toEqual(['2026-02-02', '2026-02-07', '2026-02-14', '2026-02-21', '2026-02-28']);
  });

  it('keeps BYHOUR in the written order; ours is in the order of time', () => {
    expect(localTimes('FREQ=DAILY;BYHOUR=18,9;COUNT=2', '2026-02-01T08:00:00', null)).toEqual([
      '2026-02-01T18:00:00',
      '2026-02-01T09:00:00',
    ]);
    const got = ours('FREQ=DAILY;BYHOUR=18,9;COUNT=2', '2026-02-01T08:00:00', 'UTC', RANGE);
    expect(got.map(writeInstant)).toEqual(['2026-02-01T09:00:00Z', '2026-02-01T18:00:00Z']);
  });

  it('reads a BYSETPOS before the first position as another position; ours gives nothing for it', () => {
    expect(theirDays('FREQ=MONTHLY;BYDAY=2TU,5WE;BYSETPOS=-2', '2026-02-01T10:00:00')[0]).toBe('2026-02-10');
    const got = ours('FREQ=MONTHLY;BYDAY=2TU,5WE;BYSETPOS=-2', '2026-02-01T10:00:00', 'UTC', RANGE);
    expect(days(got)[0]).toBe('2026-04-14');
  });

  it('does not find the first week of the next year by BYWEEKNO=-53; ours does', () => {
    const rule = 'FREQ=YEARLY;BYWEEKNO=-53;BYMONTHDAY=30;BYMONTH=12;UNTIL=20290101';
    expect(theirDays(rule, '2025-01-01T10:00:00')).toEqual([]);
    const range = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2029, 0, 1) };
    expect(days(ours(rule, '2025-01-01T10:00:00', 'UTC', range))).toEqual(['2025-12-30']);
  });
});

describe('the published examples of RFC 5545', () => {
  const range = { from: Date.UTC(1996, 0, 1), to: Date.UTC(2008, 0, 1) };
  const clock = zoneClock('America/New_York', range.from, range.to);
  const local = (instant: number): string => new Date(clock.wallAt(instant)).toISOString().slice(0, 16);

  for (const example of RFC_EXAMPLES) {
    it(`give the printed days: ${example.title}`, () => {
      const startsAt = writeInstant(instantOf(`${example.start}T09:00:00`, 'America/New_York'));
      const { starts } = recurringStarts({ rrule: example.rule, starts_at: startsAt }, clock, {
        ...range,
        to: example.isComplete ? range.to : Date.UTC(2005, 0, 1),
      });
      const compared = example.isComplete ? starts : starts.slice(0, example.days.length);
      expect(compared.map(local)).toEqual(example.days.map((day) => `${day}T09:00`));
    });
  }

  it('give the printed times: every 20 minutes from 9:00 to 16:40 every day', () => {
    const entry = {
      rrule: 'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
      starts_at: '1997-09-02T09:00:00-04:00',
    };
    const { starts } = recurringStarts(entry, clock, { from: Date.UTC(1997, 8, 2), to: Date.UTC(1997, 8, 4) });
    const ofDay = (day: string): string[] =>
      [9, 10, 11, 12, 13, 14, 15, 16].flatMap((hour) =>
        ['00', '20', '40'].map((minute) => `${day}T${String(hour).padStart(2, '0')}:${minute}`),
      );
    expect(starts.map(local)).toEqual([...ofDay('1997-09-02'), ...ofDay('1997-09-03')]);
  });
});
