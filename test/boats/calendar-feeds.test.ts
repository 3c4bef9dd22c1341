// The calendar reader against feeds as Google, Apple, Outlook and rental platforms write them, and free/busy feeds. Times
// are compared in UTC and across clock changes, so that a wrong zone or a missed change fails the test.

import { describe, expect, it } from 'vitest';
import { type CalendarOptions, readCalendar } from '../../src/domain/boats/icalendar/read-calendar.ts';

const options: CalendarOptions = {
  from: Date.UTC(2026, 9, 1),
  to: Date.UTC(2027, 10, 1),
  defaultZone: 'America/New_York',
  maxBlocks: 500,
};

const crlf = (text: string): string => text.trim().replace(/\r?\n/g, '\r\n');
const calendar = (inside: string): string =>
  crlf(`BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\n${inside.trim()}\nEND:VCALENDAR\n`);
const event = (inside: string): string => calendar(`BEGIN:VEVENT\n${inside.trim()}\nEND:VEVENT`);

/** `2026-11-15T10:00:00Z/2026-11-15T12:00:00Z busy` */
async function blocksOf(text: string | Uint8Array, changes: Partial<CalendarOptions> = {}): Promise<string[]> {
  const { blocks, problems } = await readCalendar(text, { ...options, ...changes });
  expect(problems).toEqual([]);
  return blocks.map(({ starts_at, ends_at, status }) => `${starts_at}/${ends_at} ${status}`);
}

const GOOGLE = crlf(`
BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
METHOD:PUBLISH
X-WR-CALNAME:Sea Breeze charters
X-WR-TIMEZONE:America/Los_Angeles
BEGIN:VTIMEZONE
TZID:America/Los_Angeles
X-LIC-LOCATION:America/Los_Angeles
BEGIN:DAYLIGHT
TZOFFSETFROM:-0800
TZOFFSETTO:-0700
TZNAME:PDT
DTSTART:19700308T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:-0700
TZOFFSETTO:-0800
TZNAME:PST
DTSTART:19701101T020000
RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=America/Los_Angeles:20261019T090000
DTEND;TZID=America/Los_Angeles:20261019T120000
RRULE:FREQ=WEEKLY;UNTIL=20261124T075959Z;BYDAY=MO
EXDATE;TZID=America/Los_Angeles:20261026T090000
DTSTAMP:20261001T000000Z
UID:weekly@google.com
DESCRIPTION:Skipper: Zoë\\, crew of three\\; bring ropes. This line is folded b
 ecause it is long\\, and it holds DTSTART:20200101T000000Z which must not coun
 t.
SEQUENCE:2
STATUS:CONFIRMED
SUMMARY:Morning charter
TRANSP:OPAQUE
BEGIN:VALARM
ACTION:DISPLAY
DTSTART:20000101T000000Z
STATUS:CANCELLED
TRIGGER:-P0DT0H30M0S
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=America/Los_Angeles:20261103T140000
DTEND;TZID=America/Los_Angeles:20261103T150000
UID:weekly@google.com
RECURRENCE-ID;TZID=America/Los_Angeles:20261102T090000
STATUS:CONFIRMED
TRANSP:OPAQUE
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=America/Los_Angeles:20261109T090000
DTEND;TZID=America/Los_Angeles:20261109T120000
UID:weekly@google.com
RECURRENCE-ID;TZID=America/Los_Angeles:20261109T090000
STATUS:CANCELLED
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20261224
DTEND;VALUE=DATE:20261227
UID:days@google.com
STATUS:TENTATIVE
SUMMARY:Perhaps
END:VEVENT
BEGIN:VEVENT
DTSTART:20261201T180000Z
DTEND:20261201T190000Z
UID:free@google.com
TRANSP:TRANSPARENT
END:VEVENT
END:VCALENDAR
`);

describe('feeds of common products', () => {
  it('Google: a weekly series across a clock change, with an excluded, a moved and a canceled occurrence', async () => {
    expect(await blocksOf(GOOGLE)).toEqual([
      '2026-10-19T16:00:00Z/2026-10-19T19:00:00Z busy',
      '2026-11-03T22:00:00Z/2026-11-03T23:00:00Z busy',
      '2026-11-16T17:00:00Z/2026-11-16T20:00:00Z busy',
      '2026-11-23T17:00:00Z/2026-11-23T20:00:00Z busy',
      '2026-12-01T18:00:00Z/2026-12-01T19:00:00Z free',
      '2026-12-24T08:00:00Z/2026-12-27T08:00:00Z tentative',
    ]);
  });

  it('the same with LF, a byte order mark and blank lines in front', async () => {
    const lf = GOOGLE.replaceAll('\r\n', '\n');
    expect(await blocksOf(lf)).toEqual(await blocksOf(GOOGLE));
    expect(await blocksOf(`\n\n\uFEFF${lf}\n\n`)).toEqual(await blocksOf(GOOGLE));
    expect(await blocksOf(Buffer.from(`\uFEFF${GOOGLE}`))).toEqual(await blocksOf(GOOGLE));
    expect(await blocksOf(lf.replaceAll('\n', '\r'))).toEqual(await blocksOf(GOOGLE));
  });

  it('Apple: folded at 75 bytes inside characters and names, quoted parameters, floating times, DURATION', async () => {
    const apple = calendar(`
X-WR-TIMEZONE:Europe/Paris
BEGIN:VEVENT
UID:5A7E-1
SUMMARY:Journée à la mer — réservée 🛥️ ${'é'.repeat(60)}
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE="Port; Vieux: quai \\"5\\"":geo:43.29,5.37
DTSTART;X-NOTE="a;b:c";TZID="Europe/Paris":20260115T100000
DTEND;TZID=Europe/Paris:20260115T101500
END:VEVENT
BEGIN:VEVENT
UID:5A7E-2
DTSTART:20270327T220000
DURATION:P1D
END:VEVENT
BEGIN:VEVENT
UID:5A7E-3
DTSTART:20270401T220000
DURATION:PT24H
END:VEVENT`);
    const expected = [
      '2027-03-27T21:00:00Z/2027-03-28T20:00:00Z busy',
      '2027-04-01T20:00:00Z/2027-04-02T20:00:00Z busy',
    ];
    expect(await blocksOf(apple)).toEqual(expected);
    const byLine = Buffer.concat(
      apple.split('\r\n').flatMap((line) => [foldedAt(Buffer.from(line), 17), Buffer.from('\r\n')]),
    );
    expect(await blocksOf(byLine)).toEqual(expected);
    expect((await blocksOf(byLine, { from: Date.UTC(2026, 0, 1) }))[0]).toBe(
      '2026-01-15T09:00:00Z/2026-01-15T09:15:00Z busy',
    );
  });

  it('Outlook: Windows zone names, its own busy status, a zone known by its offsets alone', async () => {
    const outlook = calendar(`
METHOD:PUBLISH
BEGIN:VTIMEZONE
TZID:Eastern Standard Time
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VTIMEZONE
TZID:Harbour Time
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:+0530
TZOFFSETTO:+0530
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID="Eastern Standard Time":20261030T090000
DTEND;TZID="Eastern Standard Time":20261030T100000
RRULE:FREQ=DAILY;COUNT=4
X-MICROSOFT-CDO-BUSYSTATUS:OOF
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;TZID=Harbour Time:20261023T090000
DTEND;TZID=Harbour Time:20261023T100000
RRULE:FREQ=WEEKLY;COUNT=2
X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTART;TZID=Customized Time Zone:20261201T120000
DTEND;TZID=Customized Time Zone:20261201T130000
X-MICROSOFT-CDO-BUSYSTATUS:FREE
END:VEVENT
BEGIN:VEVENT
UID:4
DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261202T120000
DTEND;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261202T130000
END:VEVENT`);
    expect(await blocksOf(outlook)).toEqual([
      '2026-10-23T07:00:00Z/2026-10-23T08:00:00Z tentative',
      '2026-10-30T08:00:00Z/2026-10-30T09:00:00Z tentative',
      '2026-10-30T13:00:00Z/2026-10-30T14:00:00Z busy',
      '2026-10-31T13:00:00Z/2026-10-31T14:00:00Z busy',
      '2026-11-01T14:00:00Z/2026-11-01T15:00:00Z busy',
      '2026-11-02T14:00:00Z/2026-11-02T15:00:00Z busy',
      '2026-12-01T06:30:00Z/2026-12-01T07:30:00Z free',
      '2026-12-02T11:00:00Z/2026-12-02T12:00:00Z busy',
    ]);
  });

  it('a rental platform: days of many bookings, ends exclusive, neighbours merged', async () => {
    const rental = calendar(`
CALSCALE:GREGORIAN
BEGIN:VEVENT
DTEND;VALUE=DATE:20261118
DTSTART;VALUE=DATE:20261115
UID:1418fb94e984-a@rental.example
DESCRIPTION:Reservation URL: https://www.rental.example/hosting/reservation
 s/details/HM\\nPhone Number (Last 4 Digits): 1234
SUMMARY:Reserved
END:VEVENT
BEGIN:VEVENT
DTEND;VALUE=DATE:20261120
DTSTART;VALUE=DATE:20261118
UID:b@rental.example
SUMMARY:Not available
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20270313
DTEND;VALUE=DATE:20270315
UID:c@rental.example
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20270401
UID:d@rental.example
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20270404
DTEND;VALUE=DATE:20270404
UID:e@rental.example
END:VEVENT`);
    expect(await blocksOf(rental)).toEqual([
      '2026-11-15T05:00:00Z/2026-11-20T05:00:00Z busy',
      '2027-03-13T05:00:00Z/2027-03-15T04:00:00Z busy',
      '2027-04-01T04:00:00Z/2027-04-02T04:00:00Z busy',
      '2027-04-04T04:00:00Z/2027-04-05T04:00:00Z busy',
    ]);
  });

  it('free/busy components, with ends and durations', async () => {
    const answer = calendar(`
BEGIN:VFREEBUSY
DTSTART:20261101T000000Z
DTEND:20261201T000000Z
FREEBUSY:20261102T100000Z/20261102T120000Z,20261102T120000Z/PT30M
FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261103T100000Z/PT1H
FREEBUSY;FBTYPE=FREE:20261104T100000Z/20261104T110000Z
FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20261105T100000Z/P1D
FREEBUSY;FBTYPE=X-ODD:20200105T100000Z/P1D
END:VFREEBUSY`);
    expect(await blocksOf(answer)).toEqual([
      '2026-11-02T10:00:00Z/2026-11-02T12:30:00Z busy',
      '2026-11-03T10:00:00Z/2026-11-03T11:00:00Z tentative',
      '2026-11-04T10:00:00Z/2026-11-04T11:00:00Z free',
      '2026-11-05T10:00:00Z/2026-11-06T10:00:00Z busy',
    ]);
  });

  it('an empty calendar is a calendar', async () => {
    expect(await blocksOf(calendar('X-WR-CALNAME:Nothing'))).toEqual([]);
    expect(await blocksOf(`${calendar('')}\r\n${GOOGLE}`)).toEqual(await blocksOf(GOOGLE));
  });
});

describe('recurrence', () => {
  it('the last occurrence counts when UNTIL is its very instant in UTC', async () => {
    const text = event(
      'UID:u\nDTSTART;TZID=America/New_York:20270311T200000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20270315T000000Z',
    );
    expect((await blocksOf(text)).map((block) => block.slice(0, 20))).toEqual([
      '2027-03-12T01:00:00Z',
      '2027-03-13T01:00:00Z',
      '2027-03-14T01:00:00Z',
      '2027-03-15T00:00:00Z',
    ]);
  });

  it('a series that began long ago has only its occurrences in the window, with and without COUNT', async () => {
    const weekly = (rule: string): Promise<string[]> =>
      blocksOf(event(`UID:u\nDTSTART:19990104T100000Z\nDTEND:19990104T110000Z\nRRULE:FREQ=WEEKLY${rule}`), {
        to: Date.UTC(2026, 9, 15),
      });
    expect(await weekly('')).toEqual([
      '2026-10-05T10:00:00Z/2026-10-05T11:00:00Z busy',
      '2026-10-12T10:00:00Z/2026-10-12T11:00:00Z busy',
    ]);
    expect(await weekly(';COUNT=1449')).toEqual(['2026-10-05T10:00:00Z/2026-10-05T11:00:00Z busy']);
    expect([await weekly(';COUNT=10000'), await weekly(';COUNT=100')]).toMatchObject([{ length: 2 }, []]);
    expect(await weekly(';UNTIL=20261005')).toHaveLength(1);
    expect(await weekly(';UNTIL=20200101T000000Z')).toEqual([]);
  });

  it('days: yearly, monthly by place, EXDATE and RECURRENCE-ID by date, a long stay that began before the window', async () => {
    const days = calendar(`
BEGIN:VEVENT
UID:y
DTSTART;VALUE=DATE:16041225
RRULE:FREQ=YEARLY
END:VEVENT
BEGIN:VEVENT
UID:m
DTSTART;VALUE=DATE:20261130
DTEND;VALUE=DATE:20261201
RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=5
EXDATE;VALUE=DATE:20270129
END:VEVENT
BEGIN:VEVENT
UID:m
RECURRENCE-ID;VALUE=DATE:20261231
DTSTART;VALUE=DATE:20270102
DTEND;VALUE=DATE:20270103
END:VEVENT
BEGIN:VEVENT
UID:long
DTSTART;VALUE=DATE:20260701
DTEND;VALUE=DATE:20261008
END:VEVENT`);
    expect((await blocksOf(days, { defaultZone: 'UTC' })).map((block) => block.replaceAll('T00:00:00Z', ''))).toEqual([
      '2026-07-01/2026-10-08 busy',
      '2026-11-30/2026-12-01 busy',
      '2026-12-25/2026-12-26 busy',
      '2027-01-02/2027-01-03 busy',
      '2027-02-26/2027-02-27 busy',
      '2027-03-31/2027-04-01 busy',
    ]);
  });

  it('RDATE adds times and periods, a date in EXDATE excludes the whole day, two rules both count', async () => {
    const text = event(`
UID:r
DTSTART;TZID=Europe/Paris:20270105T100000
DTEND;TZID=Europe/Paris:20270105T110000
RDATE;TZID=Europe/Paris:20270107T100000,20270109T100000
RDATE;VALUE=PERIOD:20270111T100000Z/PT3H,20270112T100000Z/20270112T103000Z
RRULE:FREQ=DAILY;COUNT=2
RRULE:FREQ=WEEKLY;COUNT=2
EXDATE;VALUE=DATE:20270109
EXDATE:20270107T090000Z`);
    expect(await blocksOf(text)).toEqual([
      '2027-01-05T09:00:00Z/2027-01-05T10:00:00Z busy',
      '2027-01-06T09:00:00Z/2027-01-06T10:00:00Z busy',
      '2027-01-11T10:00:00Z/2027-01-11T13:00:00Z busy',
      '2027-01-12T09:00:00Z/2027-01-12T10:30:00Z busy',
    ]);
  });

  it('a time that a clock change skips moves forward, of a time that occurs twice the first is used', async () => {
    const text = event(
      'UID:d\nDTSTART;TZID=America/New_York:20261031T013000\nDURATION:PT15M\nRRULE:FREQ=DAILY;COUNT=2',
    );
    expect((await blocksOf(text))[1]).toBe('2026-11-01T05:30:00Z/2026-11-01T05:45:00Z busy');
    const skipped = event(
      'UID:d\nDTSTART;TZID=America/New_York:20270313T023000\nDURATION:PT15M\nRRULE:FREQ=DAILY;COUNT=2',
    );
    expect((await blocksOf(skipped))[1]).toBe('2027-03-14T07:30:00Z/2027-03-14T07:45:00Z busy');
  });
});

function foldedAt(line: Buffer, width: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < line.length; at += width) {
    if (at > 0) pieces.push(Buffer.from('\r\n '));
    pieces.push(line.subarray(at, at + width));
  }
  return Buffer.concat(pieces);
}
