// Converts moments to the wall-clock times of a time zone and back, daylight saving included. A wall time is the local
// date and time as milliseconds, as if it were UTC. A wall time that a change of the clocks skips moves forward by the
// length of the gap; one that occurs twice is the first (Temporal's "compatible"). A clock is right only in the range
// that it was made for.

import { Temporal } from 'temporal-polyfill';
import { DAY, LAST_MOMENT } from '../../../schemas/rules/moment.ts';

/** More than any zone ever moved at once, so that a change just outside of the range is included. */
const MARGIN_MS = 2 * DAY;

/** A time between two changes of the zone's offset. */
export interface Span {
  /** The first moment of the span. */
  readonly from: number;
  /** The first moment after it. */
  readonly to: number;
  readonly offset: number;
}

export interface ZoneClock {
  readonly timezone: string;
  /** The wall time at a moment of the range. */
  wallAt(moment: number): number;
  /** The moment with this wall time: the first that is not before `earliest`, or the first if all are before it. */
  momentAt(wall: number, earliest: number): number;
  /** No moment from `from` on has an earlier wall time than this. */
  firstWall(from: number): number;
  /** No moment before `to` has this wall time or a later one. */
  lastWall(to: number): number;
}

function zoned(timezone: string, moment: number): Temporal.ZonedDateTime {
  const supported = Math.min(Math.max(moment, 0), LAST_MOMENT);
  return Temporal.Instant.fromEpochMilliseconds(supported).toZonedDateTimeISO(timezone);
}

const offsetOf = (time: Temporal.ZonedDateTime): number => Math.trunc(time.offsetNanoseconds / 1_000_000);

/** The wall time of a zone at any moment. */
export function wallIn(timezone: string, moment: number): number {
  return moment + offsetOf(zoned(timezone, moment));
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

function momentIn(spans: readonly Span[], wall: number, earliest: number): number {
  let first: number | undefined;
  let beforeGap = wall;
  for (const { from, to, offset } of spans) {
    const moment = wall - offset;
    if (moment >= to) beforeGap = moment;
    if (moment < from || moment >= to) continue;
    if (moment >= earliest) return moment;
    first ??= moment;
  }
  return first ?? beforeGap;
}

/** The clock of a zone for the moments from `from` to `to`. */
export function zoneClock(timezone: string, from: number, to: number): ZoneClock {
  return clockOfSpans(timezone, spansOf(timezone, from, to));
}

/** A clock over spans that cover all of time, in order and without a gap. */
export function clockOfSpans(timezone: string, spans: readonly Span[]): ZoneClock {
  const offsets = spans.map((span) => span.offset);
  const [minOffset, maxOffset] = [Math.min(...offsets), Math.max(...offsets)];
  return {
    timezone,
    wallAt: (moment) => moment + (spans.find((span) => moment < span.to)?.offset ?? 0),
    momentAt: (wall, earliest) => momentIn(spans, wall, earliest),
    firstWall: (from) => from + minOffset,
    lastWall: (to) => to + maxOffset,
  };
}
