// Converts local (wall) times to instants and back for one time zone: an IANA zone, or a zone from a VTIMEZONE. Wall times
// are milliseconds as if the zone were UTC. A time that a clock change skips moves forward by the gap; of a time that
// occurs twice, the first is used.

import { Temporal } from 'temporal-polyfill';
import { clockOfSpans, type Span, type ZoneClock, zoneClock } from '../../recurrence/zone-clock.ts';
import { DAY_MS } from './times.ts';
import type { WorkBudget } from './work-budget.ts';

export interface Zone {
  readonly name: string;
  instantOf(wallMs: number): number;
  wallOf(instantMs: number): number;
}

export const UTC: Zone = { name: 'UTC', instantOf: (wall) => wall, wallOf: (instant) => instant };

const [FIRST_YEAR, LAST_YEAR] = [1970, 9997];

/** Computes the clock changes of each year once; the budget limits the number of years. */
function zoneByYears(name: string, budget: WorkBudget, clockOf: (year: number) => ZoneClock): Zone {
  const clocks = new Map<number, ZoneClock>();
  const clockAt = (time: number): ZoneClock => {
    const year = Math.min(Math.max(new Date(time).getUTCFullYear(), FIRST_YEAR), LAST_YEAR);
    const known = clocks.get(year);
    if (known !== undefined) return known;
    budget.countZoneYear();
    const clock = clockOf(year);
    clocks.set(year, clock);
    return clock;
  };
  return {
    name,
    instantOf: (wall) => clockAt(wall).instantAt(wall, Number.NEGATIVE_INFINITY),
    wallOf: (instant) => clockAt(instant).wallAt(instant),
  };
}

/** null: unknown. Offsets such as "+05:00" are not names. */
export function ianaZone(name: string, budget: WorkBudget): Zone | null {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/.test(name) || name.length > 64) return null;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
  } catch {
    return null;
  }
  if (/^(UTC|Etc\/UTC|GMT|Etc\/GMT|Zulu)$/i.test(name)) return UTC;
  return zoneByYears(name, budget, (year) => zoneClock(name, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)));
}

/** From one offset to another: once, or on one weekday of a month of every year until `untilMs`. */
export interface Observance {
  readonly startsAtWall: number;
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly yearly: { month: number; weekday: number; nth: number; untilMs: number } | null;
}

/** A zone from the observances of a VTIMEZONE. */
export function zoneOfObservances(name: string, observances: readonly Observance[], budget: WorkBudget): Zone {
  const before = earliest(observances)?.fromOffset ?? 0;
  return zoneByYears(name, budget, (year) => clockOfSpans(name, spansAround(observances, year, before)));
}

/** Of two changes at the same instant, the first in the calendar is used. */
function spansAround(observances: readonly Observance[], year: number, before: number): Span[] {
  const changes = new Map<number, number>();
  for (const observance of observances)
    for (const at of changesAround(observance, year)) if (!changes.has(at)) changes.set(at, observance.toOffset);
  const spans: Span[] = [];
  let [from, offset] = [Number.NEGATIVE_INFINITY, before];
  for (const [at, next] of [...changes].sort(([a], [b]) => a - b)) {
    spans.push({ from, to: at, offset });
    [from, offset] = [at, next];
  }
  return [...spans, { from, to: Number.POSITIVE_INFINITY, offset }];
}

function changesAround({ startsAtWall, fromOffset, yearly }: Observance, year: number): number[] {
  if (yearly === null) return [startsAtWall - fromOffset];
  const timeOfDay = ((startsAtWall % DAY_MS) + DAY_MS) % DAY_MS;
  const about = Math.min(year, new Date(yearly.untilMs).getUTCFullYear());
  return [about - 1, about, about + 1]
    .map((each) => nthWeekday(each, yearly.month, yearly.weekday, yearly.nth) + timeOfDay)
    .filter((wall) => wall >= startsAtWall && wall - fromOffset <= yearly.untilMs)
    .map((wall) => wall - fromOffset);
}

/** The nth (1 to 5, or -1 to -5 from the end) such weekday (0 Sunday) of a month (1 to 12), at midnight. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): number {
  const anchor = nth > 0 ? Date.UTC(year, month - 1, 1) : Date.UTC(year, month, 0);
  const away = nth > 0 ? weekday - new Date(anchor).getUTCDay() : new Date(anchor).getUTCDay() - weekday;
  const steps = ((away % 7) + 7) % 7;
  return anchor + (nth > 0 ? steps + 7 * (nth - 1) : -(steps + 7 * (-nth - 1))) * DAY_MS;
}

function earliest(observances: readonly Observance[]): Observance | null {
  return observances.reduce<Observance | null>(
    (found, each) => (found === null || each.startsAtWall < found.startsAtWall ? each : found),
    null,
  );
}
