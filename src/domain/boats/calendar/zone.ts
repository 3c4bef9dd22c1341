// Wall time to instants and back, for one time zone: an IANA zone, or the offsets that a calendar carries itself. Wall
// times are milliseconds as if the zone were UTC. A time that a change of the clock skips moves forward by the gap; one
// that comes twice is the first of the two.

import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from './times.ts';

export interface Zone {
  readonly name: string;
  instantOf(wallMs: number): number;
  wallOf(instantMs: number): number;
}

export const UTC: Zone = { name: 'UTC', instantOf: (wall) => wall, wallOf: (instant) => instant };

/** null: no such zone. Offsets such as "+05:00" are not names. */
export function ianaZone(name: string): Zone | null {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/.test(name) || name.length > 64) return null;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
  } catch {
    return null;
  }
  if (/^(UTC|Etc\/UTC|GMT|Etc\/GMT|Zulu)$/i.test(name)) return UTC;
  const exactly = (wall: number): number =>
    Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime().toZonedDateTime(name)
      .epochMilliseconds;
  const offsets = new DayOffsets(name);
  return {
    name,
    instantOf: (wall) => {
      const offset = offsets.settledAround(wall);
      return offset === null ? exactly(wall) : wall - offset;
    },
    wallOf: (instant) => instant + offsets.at(instant),
  };
}

const MOST_DAYS_KEPT = 10_000;

/** Temporal's answers for the midnights of UTC, kept: a calendar asks for the same days again and again. */
class DayOffsets {
  readonly #name: string;
  readonly #kept = new Map<number, number>();

  constructor(name: string) {
    this.#name = name;
  }

  at(instant: number): number {
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(this.#name).offsetNanoseconds / 1e6;
  }

  /** The one offset of the days about a wall time; null where it changes. */
  settledAround(wall: number): number | null {
    const day = Math.floor(wall / DAY_MS);
    const offset = this.#atDay(day);
    return offset === this.#atDay(day - 1) && offset === this.#atDay(day + 1) && offset === this.#atDay(day + 2)
      ? offset
      : null;
  }

  #atDay(day: number): number {
    const kept = this.#kept.get(day);
    if (kept !== undefined) return kept;
    if (this.#kept.size >= MOST_DAYS_KEPT) this.#kept.clear();
    const offset = this.at(day * DAY_MS);
    this.#kept.set(day, offset);
    return offset;
  }
}

/** From one offset to another: once, or on one weekday of a month of every year until `untilMs`. */
export interface Observance {
  readonly startsAtWall: number;
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly yearly: { month: number; weekday: number; nth: number; untilMs: number } | null;
}

/** A zone made of what a VTIMEZONE says. */
export function zoneOfObservances(name: string, observances: readonly Observance[]): Zone {
  const offsetAt = (instant: number): number => {
    const year = new Date(instant).getUTCFullYear();
    let latest: { at: number; offset: number } | null = null;
    for (const observance of observances)
      for (const at of changesAround(observance, year))
        if (at <= instant && (latest === null || at > latest.at)) latest = { at, offset: observance.toOffset };
    return latest?.offset ?? earliest(observances)?.fromOffset ?? 0;
  };
  const offsets = [...new Set(observances.flatMap(({ fromOffset, toOffset }) => [fromOffset, toOffset]))];
  return {
    name,
    wallOf: (instant) => instant + offsetAt(instant),
    instantOf: (wall) => {
      const fitting = offsets.map((offset) => wall - offset).filter((instant) => instant + offsetAt(instant) === wall);
      if (fitting.length > 0) return Math.min(...fitting);
      return wall - offsetAt(wall - Math.max(...offsets, 0));
    },
  };
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
    (least, each) => (least === null || each.startsAtWall < least.startsAtWall ? each : least),
    null,
  );
}
