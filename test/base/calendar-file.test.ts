// The calendar file of a booking: what RFC 5545 asks of it, also for hostile texts.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CalendarEvent, calendarFile } from '../../src/base/calendar-file.ts';
import { runs } from '../support/random-runs.ts';

const EVENT: CalendarEvent = {
  uid: 'chk_01jz3k8q7v5m2n9t4w6x8y0abc@pay.everyshare.example',
  title: 'Cabana 3',
  startsAt: Date.parse('2027-06-12T10:00:00-04:00'),
  endsAt: Date.parse('2027-06-12T18:00:00-04:00'),
  location: '1 Pier Road',
  details: 'Harbor Club',
  url: 'https://pay.everyshare.example/c/chk_1',
  changedAt: Date.parse('2027-06-02T10:00:03.123Z'),
};

const unfold = (file: string): string[] => file.replaceAll('\r\n ', '').split('\r\n').slice(0, -1);
const propertyOf = (file: string, name: string): string =>
  unfold(file)
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1) ?? '';
/** What a calendar shows of an escaped text. */
const read = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

describe('the calendar file', () => {
  it('has one event with its times in UTC, no attendees, and CRLF after every line', () => {
    const file = calendarFile(EVENT);
    expect(file).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n/);
    expect(file.split('\r\n').join('')).not.toMatch(/[\r\n]/);
    expect(unfold(file)).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Everyshare//Guest pages//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'BEGIN:VEVENT',
      'UID:chk_01jz3k8q7v5m2n9t4w6x8y0abc@pay.everyshare.example',
      'DTSTAMP:20270602T100003Z',
      'DTSTART:20270612T140000Z',
      'DTEND:20270612T220000Z',
      'SUMMARY:Cabana 3',
      'LOCATION:1 Pier Road',
      'DESCRIPTION:Harbor Club',
      'URL:https://pay.everyshare.example/c/chk_1',
      'STATUS:CONFIRMED',
      'END:VEVENT',
      'END:VCALENDAR',
    ]);
  });

  it('leaves out what is not known', () => {
    const names = unfold(calendarFile({ ...EVENT, endsAt: null, location: null, details: null, url: null })).map(
      (line) => line.split(':')[0],
    );
    for (const name of ['DTEND', 'LOCATION', 'DESCRIPTION', 'URL']) expect(names).not.toContain(name);
  });

  it('escapes texts, so that none can end its line or add a property', () => {
    const file = calendarFile({ ...EVENT, title: 'A; B, C\\D\r\nATTENDEE:mailto:x@y.example\u2028E\u0007' });
    expect(propertyOf(file, 'SUMMARY')).toBe('A\\; B\\, C\\\\D\\nATTENDEE:mailto:x@y.example\\nE');
    expect(unfold(file).filter((line) => line.startsWith('ATTENDEE'))).toEqual([]);
  });

  it('folds lines at 75 octets without dividing a character, and gives every text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        // Without U+FFFD, which stands for a divided character below.
        const title = text.replaceAll(/\p{Cc}|[\u2028\u2029\ufffd]/gu, '');
        const file = calendarFile({ ...EVENT, title });
        for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(file).not.toContain('\ufffd');
        expect(read(propertyOf(file, 'SUMMARY'))).toBe(title);
      }),
      runs(500, 50),
    );
    const long = 'é'.repeat(200);
    expect(propertyOf(calendarFile({ ...EVENT, location: long }), 'LOCATION')).toBe(long);
  });
});
