// The calendar reader against broken and hostile feeds: web pages, truncated feeds, rules with too many occurrences,
// nesting, sizes. It throws only CalendarError, its work is limited, and it reports what it left out. Simple rules are
// compared with another library.

import fc from 'fast-check';
import rrule from 'rrule';
import { describe, expect, it } from 'vitest';
import { CalendarError } from '../../src/domain/boats/icalendar/calendar-error.ts';
import { type CalendarReading, readCalendar, readInSteps } from '../../src/domain/boats/icalendar/read-calendar.ts';
import { WorkBudget } from '../../src/domain/boats/icalendar/work-budget.ts';
import { runs } from '../support/random-runs.ts';

const options = {
  from: Date.UTC(2026, 9, 1),
  to: Date.UTC(2027, 10, 1),
  defaultZone: 'Europe/Lisbon',
  maxBlocks: 100,
};

const read = (text: string | Uint8Array): Promise<CalendarReading> => readCalendar(text, options);
const calendar = (inside: string): string => `BEGIN:VCALENDAR\n${inside}\nEND:VCALENDAR\n`;
const event = (inside: string): string => `BEGIN:VEVENT\n${inside}\nEND:VEVENT`;
const ruled = (rule: string): string => event(`UID:${rule}\nDTSTART:20261110T100000Z\nDURATION:PT1M\nRRULE:${rule}`);
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at).join(',');

describe('a feed that is not a calendar is refused', () => {
  it.each([
    ['', /not a calendar/],
    ['   \r\n\r\n', /not a calendar/],
    ['<!DOCTYPE html><html><body>502 Bad Gateway</body></html>', /web page/],
    ['<html>\nBEGIN:VCALENDAR\nEND:VCALENDAR</html>', /web page/],
    ['{"error":"not found"}', /not a calendar/],
    ['BEGIN:VCARD\nEND:VCARD', /not a calendar/],
    ['BEGIN:VEVENT\nDTSTART:20261110\nEND:VEVENT', /not a calendar/],
    ['BEGIN:VCALENDAR', /breaks off/],
    [`BEGIN:VCALENDAR\n${ruled('FREQ=DAILY')}`, /breaks off/],
    ['BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261110\nEND:VEVE', /breaks off/],
    ['x'.repeat(2 * 1024 * 1024 + 1), /larger than 2 MB/],
    [calendar('A:b\n'.repeat(100_001)), /lines/],
    [calendar('BEGIN:A\n'.repeat(100)), /deep/],
  ])('%#', async (text, message) => {
    const refused = read(text);
    await expect(refused).rejects.toThrow(CalendarError);
    await expect(refused).rejects.toThrow(message);
    await expect(read(Buffer.from(text))).rejects.toThrow(message);
  });
});

describe('a feed that is broken in part', () => {
  const good = event('UID:good\nDTSTART:20261111T100000Z\nDTEND:20261111T110000Z');
  it.each([
    ['an event without a start', event('UID:x'), null],
    ['a start that is not a date', event('DTSTART:tomorrow'), /could not be read \("tomorrow"\)/],
    ['the 30th of February', event('DTSTART;VALUE=DATE:20270230'), /left out/],
    ['an end before the start', event('DTSTART:20261110T100000Z\nDTEND:20261110T090000Z'), /left out/],
    ['a negative duration', event('DTSTART:20261110T100000Z\nDURATION:-PT1H'), /left out/],
    ['an unreadable rule', ruled('FREQ=SOMETIMES'), /rule "FREQ=SOMETIMES" could not be read/],
    ['an empty rule', ruled(''), /could not be read/],
    ['another calendar', ruled('RSCALE=CHINESE;FREQ=YEARLY'), /could not be read/],
    ['an unreadable exception', event('DTSTART:20261110T100000Z\nEXDATE:never'), /EXDATE "never"/],
    [
      'a line with 101 parameters',
      event(`DTSTART${';A=b'.repeat(101)}:20261110T100000Z`),
      /could not be read: DTSTART/,
    ],
    ['a line with 100 parameters', event(`DTSTART${';A=b'.repeat(100)}:20261110T100000Z`), null],
    ['a line without a colon', event('DTSTART;X="20261110T100000Z'), /could not be read: DTSTART/],
    ['an END without its BEGIN', 'END:VTODO', /did not begin/],
    ['an alarm that is not ended', event('DTSTART:20270101T100000Z\nBEGIN:VALARM'), /does not end/],
    ['an unreadable period', 'BEGIN:VFREEBUSY\nFREEBUSY:now/later\nEND:VFREEBUSY', /"now\/later"/],
    ['EXRULE', event('DTSTART:20261110T100000Z\nEXRULE:FREQ=DAILY'), /EXRULE/],
    ['an unknown zone', event('DTSTART;TZID=Mars/Base:20270101T100000\nDURATION:PT1H'), /"Mars\/Base".*Europe\/Lisbon/],
    ['an unknown calendar zone', 'X-WR-TIMEZONE:Nowhere', /"Nowhere" is not known/],
    ['loose spelling', event('DTSTART:2027-01-05T10:00Z\nDTEND:2027-01-05T11:00Z'), null],
  ])('%s is reported, and the rest is read', async (_name, broken, problem) => {
    const { blocks, problems } = await read(calendar(`${broken}\n${good}`));
    expect(blocks).toContainEqual({
      starts_at: '2026-11-11T10:00:00Z',
      ends_at: '2026-11-11T11:00:00Z',
      status: 'busy',
    });
    if (problem === null) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toMatch(problem);
  });

  it('times in an unknown zone are read in the calendar’s own zone', async () => {
    const { blocks } = await read(calendar(event('DTSTART;TZID=Mars/Base:20270701T100000\nDURATION:PT1H')));
    expect(blocks).toEqual([{ starts_at: '2027-07-01T09:00:00Z', ends_at: '2027-07-01T10:00:00Z', status: 'busy' }]);
  });

  it('problems are limited in number and length', async () => {
    const events = Array.from({ length: 300 }, (_, at) => event(`DTSTART:bad${at}${'\u0007x'.repeat(500)}`));
    const { problems } = await read(calendar(events.join('\n')));
    expect(problems).toHaveLength(20);
    expect(problems[19]).toBe('And 281 more problems.');
    for (const problem of problems) {
      expect(problem.length).toBeLessThan(160);
      expect(problem).toMatch(/^[^\p{Cc}]+$/u);
    }
  });
});

describe('a calendar with too many occurrences or components', () => {
  it.each([
    ['FREQ=SECONDLY', /would repeat too often/],
    ['FREQ=SECONDLY;COUNT=1000000000', /would repeat too often/],
    ['FREQ=MINUTELY;INTERVAL=2', /would repeat too often/],
    ['FREQ=HOURLY', /would repeat too often/],
    [`FREQ=HOURLY;BYMINUTE=${numbers(0, 59)}`, /would repeat too often/],
    [`FREQ=YEARLY;BYHOUR=${numbers(0, 23)};BYMINUTE=${numbers(0, 59)};BYSECOND=${numbers(0, 59)}`, /too often/],
    [`FREQ=DAILY;BYYEARDAY=${numbers(1, 366)};BYHOUR=${numbers(0, 23)}`, /longer than 1000 characters/],
    ['FREQ=DAILY;COUNT=10001', /COUNT is a whole number/],
    ['FREQ=DAILY;BYEASTER=1', /RFC 5545 has no part/],
    ['FREQ=YEARLY;COUNT=9999;BYMONTH=2;BYMONTHDAY=30', /takes too long/, '19200101T100000Z'],
  ])('%s has only its first occurrence, and a problem says why', async (rule, why, start = '20261110T100000Z') => {
    const { blocks, problems, missing } = await read(
      calendar(event(`DTSTART:${start}\nDURATION:P40000D\nRRULE:${rule}`)),
    );
    expect(blocks).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(why);
    expect(problems[0]).toMatch(/: only the first occurrence was taken\.$/);
    expect(missing).toEqual(problems);
  });

  it.each([
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4,6,9,11',
    'FREQ=YEARLY;BYWEEKNO=20;BYYEARDAY=366',
    'FREQ=SECONDLY;BYHOUR=9;BYMINUTE=0;BYSECOND=0;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;INTERVAL=999999999',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;BYSETPOS=366',
  ])('%s ends without further occurrences', async (rule) => {
    expect((await read(calendar(ruled(rule)))).blocks).toHaveLength(1);
  });

  it('a rule for every hour is cut at the limit of blocks, and the earliest stay', async () => {
    const { blocks, problems, missing } = await read(calendar(ruled(`FREQ=DAILY;BYHOUR=${numbers(0, 23)}`)));
    expect(blocks).toHaveLength(100);
    expect(blocks[99]?.starts_at).toBe('2026-11-14T13:00:00Z');
    expect(problems.join('\n')).toMatch(/cut after 5000 occurrences[\s\S]*cut after 100 blocks/);
    expect(missing).toEqual(problems);
  });

  it.each([
    ['events', ruled('FREQ=DAILY').concat('\n').repeat(6_001), /more than 6000 events/],
    ['zones', 'BEGIN:VTIMEZONE\nTZID:A\nEND:VTIMEZONE\n'.repeat(201), /more than 200 time zones/],
    [
      'observances',
      `BEGIN:VTIMEZONE\n${'BEGIN:STANDARD\nEND:STANDARD\n'.repeat(2_001)}END:VTIMEZONE`,
      /2000 changes of time zones/,
    ],
    [
      'exceptions',
      event(`DTSTART:20261110T100000Z\nEXDATE;TZID=Europe/Paris:${'20261110T100000,'.repeat(100_000)}`),
      /more than 24000 dates/,
    ],
    [
      'periods',
      `BEGIN:VFREEBUSY\nFREEBUSY:${'20200110T100000Z/PT1H,'.repeat(50_000)}\nEND:VFREEBUSY`,
      /more than 24000 dates/,
    ],
    [
      'names of zones',
      Array.from({ length: 61 }, (_, at) => event(`DTSTART;TZID=Z/${at}:20261110T100000`)).join('\n'),
      /more than 60 time zones/,
    ],
    [
      'years',
      Array.from({ length: 200 }, (_, at) => event(`DTSTART;TZID=Asia/Tokyo:${2000 + at}1110T100000`)).join('\n'),
      /too many years/,
    ],
  ])('too many %s are an error, so that the blocks of the last reading stay', async (_name, inside, message) => {
    const refused = read(calendar(inside));
    await expect(refused).rejects.toThrow(CalendarError);
    await expect(refused).rejects.toThrow(message);
  });
});

describe('the work of a reading', { tags: ['slow'] }, () => {
  const ownZone = (at: number): string => {
    const change = (n: number): string =>
      `BEGIN:STANDARD\nDTSTART:19${10 + n}0101T000000\nTZOFFSETFROM:+0${n % 10}00\nTZOFFSETTO:+0${n % 9}${10 + n}\n` +
      `RRULE:FREQ=YEARLY;BYMONTH=${1 + (n % 12)};BYDAY=${1 + (n % 4)}SU\nEND:STANDARD\n`;
    return `BEGIN:VTIMEZONE\nTZID:Own${at}\n${Array.from({ length: 40 }, (_, n) => change(n)).join('')}END:VTIMEZONE\n`;
  };
  const times = (count: number, rule: string, zone: string): string =>
    event(`DTSTART;TZID=${zone}:20180101T100000\nDURATION:PT1H\nRRULE:${rule}`).concat('\n').repeat(count);
  const MAX_STEPS = 100_000;
  const measured = (inside: string): { spent: number; steps: number[]; reading: CalendarReading } => {
    const budget = new WorkBudget();
    const steps: number[] = [];
    const reading = readInSteps(calendar(inside), options, budget);
    for (let before = 0; steps.length < MAX_STEPS; before = budget.spent) {
      const { done, value } = reading.next();
      steps.push(budget.spent - before);
      if (done) return { spent: budget.spent, steps, reading: value };
    }
    throw new Error(`the reading has not ended after ${MAX_STEPS} steps`);
  };

  it.each([
    ['weekly, counted', times(400, 'FREQ=WEEKLY;COUNT=500', 'Europe/Paris'), 400_000],
    ['daily', times(5_900, 'FREQ=DAILY', 'Europe/Paris'), 1_000_000],
    ['counted from long ago', times(5_000, 'FREQ=DAILY;BYMONTHDAY=31;COUNT=10000', 'Europe/Paris'), 1_000_000],
    ['long lists', times(1_000, `FREQ=YEARLY;BYYEARDAY=${numbers(1, 200)};COUNT=10000`, 'Europe/Paris'), 1_000_000],
    [
      'zones of its own',
      Array.from({ length: 40 }, (_, at) => ownZone(at) + times(50, 'FREQ=DAILY', `Own${at}`)).join(''),
      1_000_000,
    ],
  ])('%s: the total is limited, and no step between two pauses exceeds the limit of one rule', (_name, inside, max) => {
    const { spent, steps } = measured(inside);
    expect(spent).toBeLessThan(max);
    expect(steps.length).toBeGreaterThan(20);
    expect(Math.max(...steps)).toBeLessThan(45_000);
  });

  it('200 weekly series of 500 are read whole', () => {
    const { reading } = measured(times(200, 'FREQ=WEEKLY;COUNT=500', 'Europe/Paris'));
    expect(reading.problems).toEqual([]);
  });

  it('when no steps are left, later rules have only their first occurrence, and a problem says so', () => {
    const { reading } = measured(times(5_000, 'FREQ=DAILY;BYMONTHDAY=31;COUNT=10000', 'Europe/Paris'));
    expect(reading.missing.join()).toMatch(/came after too many others.*only the first occurrence/);
  });

  it('the event loop runs between the steps of a reading', async () => {
    let turns = 0;
    const reading = readCalendar(calendar(times(400, 'FREQ=WEEKLY;COUNT=500', 'Europe/Paris')), options);
    const tick = (): void => {
      turns += 1;
      next = setImmediate(tick);
    };
    let next = setImmediate(tick);
    await reading;
    clearImmediate(next);
    expect(turns).toBeGreaterThan(20);
  });
});

const WORDS = [
  'BEGIN:VEVENT',
  'END:VEVENT',
  'BEGIN:VALARM',
  'END:VALARM',
  'BEGIN:VTIMEZONE',
  'END:VTIMEZONE',
  'BEGIN:STANDARD',
  'END:STANDARD',
  'BEGIN:VFREEBUSY',
  'END:VFREEBUSY',
  'END:VCALENDAR',
  'TZID:Here',
  'TZOFFSETTO:+0100',
  'UID:1',
  'TZOFFSETFROM:-1800',
  'DTSTART:20261110T100000Z',
  'DTSTART;VALUE=DATE:20261110',
  'DTSTART;TZID=Here:20270328T023000',
  'DTEND:20261111T100000Z',
  'DTEND;VALUE=DATE:99981231',
  'DURATION:P1D',
  'DURATION:PT99999H',
  'TRANSP:TRANSPARENT',
  'RRULE:FREQ=DAILY',
  'RRULE:FREQ=MONTHLY;BYDAY=5MO',
  'RRULE:FREQ=HOURLY;BYSETPOS=-1',
  'RRULE:FREQ=YEARLY;BYDAY=53SU',
  'RDATE:20261115T100000Z',
  'RDATE;VALUE=PERIOD:20261115T100000Z/P1W',
  'EXDATE:20261115',
  'RECURRENCE-ID:20261111T100000Z',
  'FREEBUSY:20261110T100000Z/P1D',
  'STATUS:CANCELLED',
  'DTSTART:10000101',
  ' folded',
  '\t:;="',
  'X-WR-TIMEZONE:Here',
];

describe('for any text, the reader', () => {
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('DTSTART', 'RRULE', 'EXDATE', 'DURATION', 'DTSTART;TZID='), fc.string())
        .map(([name, text]) => `${name}:${text}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'),
          fc.constantFrom(
            'BYDAY',
            'BYMONTH',
            'BYHOUR',
            'BYSETPOS',
            'BYWEEKNO',
            'BYYEARDAY',
            'INTERVAL',
            'COUNT',
            'UNTIL',
          ),
          fc.integer({ min: -400, max: 400 }),
        )
        .map(([frequency, part, value]) => `RRULE:FREQ=${frequency};${part}=${value}`),
    },
  );
  const ends = async (text: string | Uint8Array): Promise<void> => {
    try {
      const { blocks, problems } = await read(text);
      expect(blocks.length).toBeLessThanOrEqual(options.maxBlocks);
      expect(problems.length).toBeLessThanOrEqual(20);
      for (const [at, block] of blocks.entries()) {
        expect(block.starts_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(block.starts_at < block.ends_at).toBe(true);
        const before = blocks.slice(0, at).findLast(({ status }) => status === block.status);
        if (before !== undefined) expect(before.ends_at < block.starts_at).toBe(true);
      }
    } catch (error) {
      if (!(error instanceof CalendarError)) throw error;
      expect(error.message).toMatch(/^[A-Z].*\.$/);
    }
  };

  it('throws only CalendarError', async () => {
    await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2000 }), ends), runs(500, 50, 200));
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), ends), runs(300, 50, 100));
  });

  it('returns sorted, merged and limited blocks if it looks like a calendar', { tags: ['slow'] }, async () => {
    const inside = fc.array(line, { maxLength: 60 }).map((lines) => calendar(lines.join('\r\n')));
    await fc.assert(fc.asyncProperty(inside, ends), runs(400, 50, 80));
    const events = fc
      .array(fc.array(line, { maxLength: 8 }), { maxLength: 10 })
      .map((all) => calendar(all.map((lines) => event(`DTSTART:20261110T100000\n${lines.join('\n')}`)).join('\n')));
    await fc.assert(fc.asyncProperty(events, ends), runs(400, 50, 80));
  });

  /** The library omits a DTSTART that its rule does not match; RFC 5545 counts it as the first of COUNT. */
  it('agrees with another library on simple rules', async () => {
    const days = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 });
    const rule = fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 9 }), days)
        .map(([n, list]) => `FREQ=WEEKLY;INTERVAL=${n};BYDAY=${list.join(',')}`),
      fc.integer({ min: 1, max: 40 }).map((n) => `FREQ=DAILY;INTERVAL=${n}`),
      fc.integer({ min: 1, max: 31 }).map((n) => `FREQ=MONTHLY;BYMONTHDAY=${n}`),
      fc.tuple(fc.constantFrom(1, 2, 3, -1), days).map(([n, [day]]) => `FREQ=MONTHLY;BYDAY=${n}${day}`),
    );
    const count = fc.option(fc.integer({ min: 1, max: 400 }), { nil: null });
    await fc.assert(
      fc.asyncProperty(rule, count, fc.integer({ min: 0, max: 3000 }), async (text, most, day) => {
        const start = new Date(Date.UTC(2020, 0, 1, 10) + day * 86_400_000);
        const dtstart = start.toISOString().replace(/[-:]|\.000/g, '');
        const whole = most === null ? text : `${text};COUNT=${most}`;
        const { blocks } = await readCalendar(calendar(event(`DTSTART:${dtstart}\nDURATION:PT1H\nRRULE:${whole}`)), {
          ...options,
          maxBlocks: 1000,
        });
        const endless = rrule.rrulestr(`DTSTART:${dtstart}\nRRULE:${text}`);
        const inStep = endless.after(start, true)?.getTime() === start.getTime();
        const left = most === null ? null : most - (inStep ? 0 : 1);
        const other = left === null ? endless : rrule.rrulestr(`DTSTART:${dtstart}\nRRULE:${text};COUNT=${left}`);
        const between = left === 0 ? [] : other.between(new Date(options.from), new Date(options.to), true);
        const expected = between.map((date) => date.getTime());
        const found = blocks.map(({ starts_at }) => Date.parse(starts_at)).filter((at) => at !== start.getTime());
        expect(found).toEqual(expected.filter((at) => at !== start.getTime()));
      }),
      runs(300, 50, 60),
    );
  });
});
