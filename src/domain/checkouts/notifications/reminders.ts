// When somebody who has not paid is reminded: 24 hours after the invite, and 24 and 3 hours before pay_by, never at night in
// the venue's time. Pure. What falls into the night waits for the morning; where that would be too late, it comes the evening
// before. Every time here is by the checkout's own clock.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The night is from 21:00 to 08:00; a message that is tried for a quarter of an hour must begin before that. */
const LAST_MINUTE = 20 * 60 + 45;
const MORNING_MINUTE = 8 * 60;
const DAY_MINUTES = 24 * 60;

export interface Reminder {
  readonly name: 'day-after' | 'day-before' | 'hours-before';
  readonly at: number;
}

/** Two that come so close together are one. */
const TOGETHER = 30 * MINUTE;

/**
 * In the order of their times. Those that would come before the invite or after pay_by are left out, and so is one that
 * another follows at once.
 */
export function remindersFor(invitedAt: number, payBy: number, zone: string): readonly Reminder[] {
  const wanted: readonly Reminder[] = [
    { name: 'day-after', at: invitedAt + DAY },
    { name: 'day-before', at: payBy - DAY },
    { name: 'hours-before', at: payBy - 3 * HOUR },
  ];
  return wanted
    .filter(({ at }) => at > invitedAt && at < payBy)
    .map((reminder) => ({ ...reminder, at: byDay(reminder.at, payBy, zone) }))
    .filter(({ at }) => at > invitedAt && at < payBy)
    .sort((a, b) => a.at - b.at)
    .filter(({ at }, index, sorted) => (sorted[index + 1]?.at ?? Number.POSITIVE_INFINITY) - at >= TOGETHER);
}

function byDay(at: number, payBy: number, zone: string): number {
  const morning = afterQuietHours(at, zone);
  return morning < payBy ? morning : beforeQuietHours(at, zone);
}

/** This moment, or the morning that ends its night. */
export function afterQuietHours(at: number, zone: string): number {
  const minute = minuteOfDay(at, zone);
  if (!isQuietHour(minute)) return at;
  const wait = (MORNING_MINUTE - minute + DAY_MINUTES) % DAY_MINUTES;
  const reached = at + wait * MINUTE;
  // The clocks may have been changed in that night: by as much as it is early or late.
  return reached + (MORNING_MINUTE - minuteOfDay(reached, zone)) * MINUTE;
}

function beforeQuietHours(at: number, zone: string): number {
  const minute = minuteOfDay(at, zone);
  const back = (minute - (LAST_MINUTE - 1) + DAY_MINUTES) % DAY_MINUTES;
  const reached = at - back * MINUTE;
  return reached - (minuteOfDay(reached, zone) - (LAST_MINUTE - 1)) * MINUTE;
}

function isQuietHour(minute: number): boolean {
  return minute >= LAST_MINUTE || minute < MORNING_MINUTE;
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
