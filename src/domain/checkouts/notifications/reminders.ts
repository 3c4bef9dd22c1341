// The times of the reminders to pay: 24 hours after the invite, and 24 and 3 hours before pay_by, never during quiet
// hours in the venue's time. Pure. A reminder in quiet hours waits for the morning; if that is too late, it comes the
// evening before. Every time here is in the checkout's own time.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Quiet hours are 21:00 to 08:00. A reminder is retried for 15 minutes, so the last one starts before 20:45. */
const EVENING_MINUTE = 20 * 60 + 45;
const NIGHT_MINUTE = 21 * 60;
const MORNING_MINUTE = 8 * 60;
const MINUTES_PER_DAY = 24 * 60;

export interface Reminder {
  readonly name: 'day-after' | 'day-before' | 'hours-before';
  readonly at: number;
}

/** Of two reminders that are closer together, only the later one is sent. */
export const MIN_GAP_MS = 30 * MINUTE;

/**
 * Sorted by time. Leaves out reminders before the invite or after pay_by, and one that another follows within
 * MIN_GAP_MS.
 */
export function remindersFor(invitedAt: number, payBy: number, zone: string): readonly Reminder[] {
  const planned: readonly Reminder[] = [
    { name: 'day-after', at: invitedAt + DAY },
    { name: 'day-before', at: payBy - DAY },
    { name: 'hours-before', at: payBy - 3 * HOUR },
  ];
  return planned
    .filter(({ at }) => at > invitedAt && at < payBy)
    .map((reminder) => ({ ...reminder, at: outsideQuietHours(reminder.at, payBy, zone) }))
    .filter(({ at }) => at > invitedAt && at < payBy)
    .sort((a, b) => a.at - b.at)
    .filter(({ at }, index, sorted) => (sorted[index + 1]?.at ?? Number.POSITIVE_INFINITY) - at >= MIN_GAP_MS);
}

function outsideQuietHours(at: number, payBy: number, zone: string): number {
  const morning = afterQuietHours(at, zone);
  return morning < payBy ? morning : beforeQuietHours(at, zone);
}

/** `at` itself, or the end of the quiet hours that it is in. */
export function afterQuietHours(at: number, zone: string): number {
  const minute = minuteOfDay(at, zone);
  if (!isQuietHour(minute)) return at;
  const wait = (MORNING_MINUTE - minute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const reached = at + wait * MINUTE;
  // Daylight saving time may begin or end in that night: correct by the difference.
  return reached + (MORNING_MINUTE - minuteOfDay(reached, zone)) * MINUTE;
}

/** When the next quiet hours begin, for a time outside them. */
export function nextQuietHours(at: number, zone: string): number {
  const minuteStart = Math.floor(at / MINUTE) * MINUTE;
  const wait = (NIGHT_MINUTE - minuteOfDay(at, zone) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const reached = minuteStart + wait * MINUTE;
  // Daylight saving time may begin or end on that day: correct by the difference.
  return reached + (NIGHT_MINUTE - minuteOfDay(reached, zone)) * MINUTE;
}

function beforeQuietHours(at: number, zone: string): number {
  const minute = minuteOfDay(at, zone);
  const minutesBack = (minute - (EVENING_MINUTE - 1) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const reached = at - minutesBack * MINUTE;
  return reached - (minuteOfDay(reached, zone) - (EVENING_MINUTE - 1)) * MINUTE;
}

function isQuietHour(minute: number): boolean {
  return minute >= EVENING_MINUTE || minute < MORNING_MINUTE;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(at: number, zone: string): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: zone,
    });
    formats.set(zone, format);
  }
  const [hour = 0, minute = 0] = format.format(at).split(':').map(Number);
  return hour * 60 + minute;
}
