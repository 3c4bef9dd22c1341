// Converts instants to the wall-clock times of a time zone and back, daylight saving included. A wall time is the local
// date and time as milliseconds, as if it were UTC. A wall time that a change of the clocks skips moves forward by the
// length of the gap; one that occurs twice is the first (Temporal's "compatible"). A clock is right only in the range
// that it was made for.

import { Temporal } from 'temporal-polyfill';
import { DAY, LAST_INSTANT } from '../../../schemas/rules/instant.ts';

/** More than any zone ever moved at once, so that a change just outside of the range is included. */
const MARGIN_MS = 2 * DAY;

/** A time between two changes of the zone's offset. */
export interface Span {
  /** The first instant of the span. */
  readonly from: number;
  /** The first instant after it. */
  readonly to: number;
  readonly offset: number;
}

export interface ZoneClock {
  readonly timezone: string;
  /** The wall time at an instant of the range. */
  wallAt(instant: number): number;
  /** The instant with this wall time: the first that is not before `earliest`, or the first if all are before it. */
  instantAt(wall: number, earliest: number): number;
  /** No instant from `from` on has an earlier wall time than this. */
  firstWall(from: number): number;
  /** No instant before `to` has this wall time or a later one. */
  lastWall(to: number): number;
}

function zoned(timezone: string, instant: number): Temporal.ZonedDateTime {
  const supported = Math.min(Math.max(instant, 0), LAST_INSTANT);
  return Temporal.Instant.fromEpochMilliseconds(supported).toZonedDateTimeISO(timezone);
}

const offsetOf = (time: Temporal.ZonedDateTime): number => Math.trunc(time.offsetNanoseconds / 1_000_000);

/** The wall time of a zone at any instant. */
export function wallIn(timezone: string, instant: number): number {
  return instant + offsetOf(zoned(timezone, instant));
}

function spansOf(timezone: string, from: number, to: number): Span[] {
  const spans: Span[] = [];
  let time = zoned(timezone, from - MARGIN_MS);
  let start = Number.NEGATIVE_INFINITY;
  for (;;) {
    const next = time.getTimeZoneTransition('next');
    const isLast = next === null || next.epochMilliseconds > to + MARGIN_MS;
    const end = isLast ? Number.POSITIVE_INFINITY : next.epochMilliseconds;
    spans.push({ from: start, to: end, offset: offsetOf(time) });
    if (isLast) return spans;
    start = end;
    time = next;
  }
}

function instantIn(spans: readonly Span[], wall: number, earliest: number): number {
  let first: number | undefined;
  let beforeGap = wall;
  for (const { from, to, offset } of spans) {
    const instant = wall - offset;
    if (instant >= to) beforeGap = instant;
    if (instant < from || instant >= to) continue;
    if (instant >= earliest) return instant;
    first ??= instant;
  }
  return first ?? beforeGap;
}

/** The clock of a zone for the instants from `from` to `to`. */
export function zoneClock(timezone: string, from: number, to: number): ZoneClock {
  return clockOfSpans(timezone, spansOf(timezone, from, to));
}

/** A clock over spans that cover all of time, in order and without a gap. */
export function clockOfSpans(timezone: string, spans: readonly Span[]): ZoneClock {
  const offsets = spans.map((span) => span.offset);
  const [minOffset, maxOffset] = [Math.min(...offsets), Math.max(...offsets)];
  return {
    timezone,
    wallAt: (instant) => instant + (spans.find((span) => instant < span.to)?.offset ?? 0),
    instantAt: (wall, earliest) => instantIn(spans, wall, earliest),
    firstWall: (from) => from + minOffset,
    lastWall: (to) => to + maxOffset,
  };
}
