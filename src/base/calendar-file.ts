// An iCalendar file (RFC 5545) with one event, for "add to calendar". Times are in UTC, so that it needs no time zone
// definition. It names no attendees: a calendar would send them invitations.

export interface CalendarEvent {
  /** The same for the same event, so that a second import replaces the first. */
  readonly uid: string;
  readonly title: string;
  /** In milliseconds since 1970. */
  readonly startsAt: number;
  /** Null: the event has no known end. */
  readonly endsAt: number | null;
  readonly location: string | null;
  readonly details: string | null;
  readonly url: string | null;
  /** When the event was last changed. */
  readonly changedAt: number;
}

const MAX_LINE_OCTETS = 75;

export function calendarFile(event: CalendarEvent): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Everyshare//Guest pages//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${escapeText(event.uid)}`,
    `DTSTAMP:${utcTime(event.changedAt)}`,
    `DTSTART:${utcTime(event.startsAt)}`,
    ...(event.endsAt === null ? [] : [`DTEND:${utcTime(event.endsAt)}`]),
    `SUMMARY:${escapeText(event.title)}`,
    ...(event.location === null ? [] : [`LOCATION:${escapeText(event.location)}`]),
    ...(event.details === null ? [] : [`DESCRIPTION:${escapeText(event.details)}`]),
    // An address is no text: it is not escaped, and cannot hold a line end.
    ...(event.url === null ? [] : [`URL:${new URL(event.url).href}`]),
    'STATUS:CONFIRMED',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

/** 20270612T140000Z: the format has whole seconds. */
function utcTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function escapeText(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '\\n')
    .replaceAll(/(?!\t)\p{Cc}/gu, '');
}

/** A longer line goes on in the next one, after a space. No character is divided. */
function fold(line: string): string {
  const parts: string[] = [];
  let [part, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MAX_LINE_OCTETS) {
      parts.push(part);
      [part, octets] = [' ', 1];
    }
    part += character;
    octets += size;
  }
  return [...parts, part].join('\r\n');
}
