// Reads and writes the times and dates of the API: RFC 3339 date-times with an offset, and calendar dates. Text that
// the date-time format refuses (no offset, leap second, no such day, UTC year not 1970 to 9998) reads as undefined.
// Times have milliseconds.

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MINUTE = 60_000;

export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const FIRST_INSTANT = Date.UTC(1970, 0, 1);
/** The last instant that the API accepts. */
export const LAST_INSTANT = Date.UTC(9999, 0, 1) - 1;

/** Midnight UTC of a real calendar day, in milliseconds, or undefined. */
export function readDate(value: unknown): number | undefined {
  const match = typeof value === 'string' ? DATE.exec(value) : null;
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1000) return undefined;
  const time = Date.UTC(year, month - 1, day);
  const real = new Date(time);
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === day ? time : undefined;
}

/** A date-time in milliseconds since 1970, or undefined. */
export function readInstant(value: unknown): number | undefined {
  const match = typeof value === 'string' ? DATE_TIME.exec(value) : null;
  const day = readDate(match?.[1]);
  if (match === null || day === undefined) return undefined;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHour, offsetMinute] = [Number(match[7] ?? 0), Number(match[8] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const millisecond = Number((match[5] ?? '').slice(0, 3).padEnd(3, '0'));
  const offset = (offsetHour * HOUR + offsetMinute * MINUTE) * (match[6] === '-' ? -1 : 1);
  const time = day + hour * HOUR + minute * MINUTE + second * 1000 + millisecond - offset;
  return time >= FIRST_INSTANT && time <= LAST_INSTANT ? time : undefined;
}

/** An instant as the API writes it: UTC with Z, without milliseconds that are zero. */
export function writeInstant(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
