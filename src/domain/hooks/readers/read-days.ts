// The days that requests can name: today and days ahead, and the instants at which they begin, by the clock of the venue.
// Pure. A day of another zone would leave out the evening of today, or ask for a time that the provider refuses.

import { isZone } from '../../../../schemas/rules/iana-zone.ts';
import { wallIn, zoneClock } from '../../recurrence/zone-clock.ts';
import type { Values } from './template.ts';

const DAY_MS = 86_400_000;
const DAYS_AHEAD = [7, 14, 30, 90];

/** The names of the values that `dayValues` gives. */
export const DAY_NAMES: readonly string[] = [0, ...DAYS_AHEAD].flatMap((days) => {
  const name = days === 0 ? 'today' : `in_${days}_days`;
  return [name, `${name}_start`];
});

/** `today` and `in_30_days` are dates, `today_start` and `in_30_days_start` their beginning in UTC. */
export function dayValues(now: number, timezone: string | null): Values {
  const zone = timezone !== null && isZone(timezone) ? timezone : 'UTC';
  const wall = wallIn(zone, now);
  const midnight = wall - (wall % DAY_MS);
  const clock = zoneClock(zone, now - 2 * DAY_MS, now + 92 * DAY_MS);
  return Object.fromEntries(
    [0, ...DAYS_AHEAD].flatMap((days) => {
      const day = midnight + days * DAY_MS;
      const name = days === 0 ? 'today' : `in_${days}_days`;
      const start = new Date(clock.instantAt(day, Number.NEGATIVE_INFINITY)).toISOString();
      return [
        [name, dateOf(day)],
        [`${name}_start`, start],
      ];
    }),
  );
}

const dateOf = (wall: number): string => new Date(wall).toISOString().slice(0, 10);

export function dateAfter(date: string, days: number): string {
  return dateOf(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS);
}
