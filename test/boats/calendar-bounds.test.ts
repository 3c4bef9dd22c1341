// The calendar reader against what is broken or meant to break it: pages that are no calendar, feeds cut short, rules
// that explode, nesting, sizes. It throws CalendarError alone, never runs away, and says what it left out. Plain rules
// are held against another library.

import fc from 'fast-check';
import rrule from 'rrule';
import { describe, expect, it } from 'vitest';
import { CalendarError } from '../../src/domain/boats/calendar/calendar-error.ts';
import { type CalendarReading, readCalendar } from '../../src/domain/boats/calendar/read-calendar.ts';

const options = {
  from: Date.UTC(2026, 9, 1),
  to: Date.UTC(2027, 10, 1),
  defaultZone: 'Europe/Lisbon',
  maxBlocks: 100,
};

const read = (text: string | Uint8Array): CalendarReading => readCalendar(text, options);
const calendar = (inside: string): string => `BEGIN:VCALENDAR\n${inside}\nEND:VCALENDAR\n`;
const event = (inside: string): string => `BEGIN:VEVENT\n${inside}\nEND:VEVENT`;
const ruled = (rule: string): string => event(`UID:${rule}\nDTSTART:20261110T100000Z\nDURATION:PT1M\nRRULE:${rule}`);
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at).join(',');

describe('what is no calendar', () => {
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
  ])('%#', (text, message) => {
    expect(() => read(text)).toThrow(CalendarError);
    expect(() => read(text)).toThrow(message);
    expect(() => read(Buffer.from(text))).toThrow(message);
  });
});

describe('what is broken in part', () => {
  const good = event('UID:good\nDTSTART:20261111T100000Z\nDTEND:20261111T110000Z');
  it.each([
    ['an event without a start', event('UID:x'), null],
    ['a start that is none', event('DTSTART:tomorrow'), /could not be read \("tomorrow"\)/],
    ['the 30th of February', event('DTSTART;VALUE=DATE:20270230'), /left out/],
    ['an end before the start', event('DTSTART:20261110T100000Z\nDTEND:20261110T090000Z'), /left out/],
    ['a negative duration', event('DTSTART:20261110T100000Z\nDURATION:-PT1H'), /left out/],
    ['an unreadable rule', ruled('FREQ=SOMETIMES'), /rule "FREQ=SOMETIMES" could not be read/],
    ['an empty rule', ruled(''), /could not be read/],
    ['another calendar', ruled('RSCALE=CHINESE;FREQ=YEARLY'), /could not be read/],
    ['an unreadable exception', event('DTSTART:20261110T100000Z\nEXDATE:never'), /EXDATE "never"/],
    ['a line without a colon', event('DTSTART;X="20261110T100000Z'), /could not be read: DTSTART/],
    ['an end of nothing', 'END:VTODO', /did not begin/],
    ['an alarm that is not ended', event('DTSTART:20270101T100000Z\nBEGIN:VALARM'), /does not end/],
    ['an unreadable period', 'BEGIN:VFREEBUSY\nFREEBUSY:now/later\nEND:VFREEBUSY', /"now\/later"/],
    ['EXRULE', event('DTSTART:20261110T100000Z\nEXRULE:FREQ=DAILY'), /EXRULE/],
    [
      'a zone of nowhere',
      event('DTSTART;TZID=Mars/Base:20270101T100000\nDURATION:PT1H'),
      /"Mars\/Base".*Europe\/Lisbon/,
    ],
    ['an unknown calendar zone', 'X-WR-TIMEZONE:Nowhere', /"Nowhere" is not known/],
    ['loose spelling', event('DTSTART:2027-01-05T10:00Z\nDTEND:2027-01-05T11:00Z'), null],
  ])('%s: the rest is read', (_name, broken, problem) => {
    const { blocks, problems } = read(calendar(`${broken}\n${good}`));
    expect(blocks).toContainEqual({
      starts_at: '2026-11-11T10:00:00Z',
      ends_at: '2026-11-11T11:00:00Z',
      status: 'busy',
    });
    if (problem === null) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toMatch(problem);
  });

  it('unknown zones are read in the calendar’s own', () => {
    const { blocks } = read(calendar(event('DTSTART;TZID=Mars/Base:20270701T100000\nDURATION:PT1H')));
    expect(blocks).toEqual([{ starts_at: '2027-07-01T09:00:00Z', ends_at: '2027-07-01T10:00:00Z', status: 'busy' }]);
  });

  it('problems are bounded and quote little', () => {
    const events = Array.from({ length: 300 }, (_, at) => event(`DTSTART:bad${at}${'\u0007x'.repeat(500)}`));
    const { problems } = read(calendar(events.join('\n')));
    expect(problems).toHaveLength(51);
    expect(problems[50]).toBe('And 250 more problems.');
    for (const problem of problems) {
      expect(problem.length).toBeLessThan(160);
      expect(problem).toMatch(/^[^\p{Cc}]+$/u);
    }
  });
});

describe('what explodes', () => {
  it.each([
    'FREQ=SECONDLY',
    'FREQ=SECONDLY;COUNT=1000000000',
    'FREQ=MINUTELY;INTERVAL=2',
    `FREQ=YEARLY;BYHOUR=${numbers(0, 23)};BYMINUTE=${numbers(0, 59)};BYSECOND=${numbers(0, 59)}`,
    `FREQ=HOURLY;BYMINUTE=${numbers(0, 59)}`,
    `FREQ=DAILY;BYYEARDAY=${numbers(1, 366)};BYHOUR=${numbers(0, 23)}`,
  ])('%s: only its first occurrence, and a word about it', (rule) => {
    const { blocks, problems } = read(calendar(ruled(rule)));
    expect(blocks[0]?.starts_at).toBe('2026-11-10T10:00:00Z');
    expect(blocks).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/would repeat too often: only the first occurrence was taken/);
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
  ])('%s: gives nothing, and ends', (rule) => {
    expect(read(calendar(ruled(rule))).blocks).toHaveLength(1);
  });

  it('an hourly rule is cut at the bound of blocks, and keeps the earliest', () => {
    const { blocks, problems } = read(calendar(ruled('FREQ=HOURLY')));
    expect(blocks).toHaveLength(100);
    expect(blocks[99]?.starts_at).toBe('2026-11-14T13:00:00Z');
    expect(problems.join('\n')).toMatch(/cut after 5000 occurrences[\s\S]*cut after 100 blocks/);
  });

  it('a thousand heavy rules together are bounded', () => {
    const heavy = Array.from({ length: 1000 }, (_, at) =>
      ruled(`FREQ=DAILY;BYYEARDAY=${1 + (at % 366)},200;BYWEEKNO=${1 + (at % 53)};INTERVAL=${1 + (at % 7)}`),
    );
    const { problems } = read(calendar(heavy.join('\n')));
    expect(problems.join('\n')).toMatch(/would repeat too often/);
  });

  it('many events, exceptions, periods and zones', () => {
    const many = Array.from({ length: 25_000 }, () => event('DTSTART:20261110T100000'));
    expect(read(calendar(many.join('\n'))).problems.join()).toMatch(/first 20000 components/);
    const exceptions = `EXDATE;TZID=Europe/Paris:${'20261110T100000,'.repeat(100_000)}`;
    expect(read(calendar(event(`DTSTART:20261110T100000Z\nDURATION:PT1H\n${exceptions}`))).blocks).toHaveLength(1);
    const periods = `BEGIN:VFREEBUSY\nFREEBUSY:${'20261110T100000Z/PT1H,'.repeat(50_000)}\nEND:VFREEBUSY`;
    expect(read(calendar(periods)).problems.join()).toMatch(/too many occurrences/);
    const zones = Array.from({ length: 1000 }, (_, at) => event(`DTSTART;TZID=Z/${at}:20261110T100000\nDURATION:PT1H`));
    expect(read(calendar(zones.join('\n'))).blocks).toHaveLength(1);
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

describe('any text', () => {
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
  const ends = (text: string | Uint8Array): void => {
    try {
      const { blocks, problems } = read(text);
      expect(blocks.length).toBeLessThanOrEqual(options.maxBlocks);
      expect(problems.length).toBeLessThanOrEqual(51);
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

  it('throws nothing but CalendarError', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), ends), { numRuns: 500 });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), ends), { numRuns: 300 });
  });

  it('that looks like a calendar: blocks are sorted, merged and bounded', () => {
    const inside = fc.array(line, { maxLength: 60 }).map((lines) => calendar(lines.join('\r\n')));
    fc.assert(fc.property(inside, ends), { numRuns: 200 });
    const events = fc
      .array(fc.array(line, { maxLength: 8 }), { maxLength: 10 })
      .map((all) => calendar(all.map((lines) => event(`DTSTART:20261110T100000\n${lines.join('\n')}`)).join('\n')));
    fc.assert(fc.property(events, ends), { numRuns: 200 });
  });

  /** That one leaves out a DTSTART that its rule does not match; RFC 5545 makes it the first of COUNT. */
  it('plain rules agree with another library', () => {
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
    fc.assert(
      fc.property(rule, count, fc.integer({ min: 0, max: 3000 }), (text, most, day) => {
        const start = new Date(Date.UTC(2020, 0, 1, 10) + day * 86_400_000);
        const dtstart = start.toISOString().replace(/[-:]|\.000/g, '');
        const whole = most === null ? text : `${text};COUNT=${most}`;
        const { blocks } = readCalendar(calendar(event(`DTSTART:${dtstart}\nDURATION:PT1H\nRRULE:${whole}`)), {
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
      { numRuns: 150 },
    );
  });
});
