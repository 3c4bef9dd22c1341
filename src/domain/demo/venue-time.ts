// The local time of the demo venue, in Miami. Pure.

const HOUR = 3_600_000;

/** Summer time begins and ends near these days; a booking of the demo may be an hour off around them. */
const SUMMER_BEGINS = { month: 2, day: 10 };
const SUMMER_ENDS = { month: 10, day: 3 };

export const VENUE_TIMEZONE = 'America/New_York';

export function localTime(at: number): { readonly hour: number; readonly midnight: number } {
  const date = new Date(at);
  const position = date.getUTCMonth() * 32 + date.getUTCDate();
  const isSummer =
    position >= SUMMER_BEGINS.month * 32 + SUMMER_BEGINS.day && position < SUMMER_ENDS.month * 32 + SUMMER_ENDS.day;
  const offset = (isSummer ? 4 : 5) * HOUR;
  const midnight = Math.floor((at - offset) / (24 * HOUR)) * 24 * HOUR + offset;
  return { hour: Math.floor((at - midnight) / HOUR), midnight };
}
