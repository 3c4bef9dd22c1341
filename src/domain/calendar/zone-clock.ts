// What clocks on the venue's wall show: turns moments into local wall-clock times and back, daylight saving included.
// A wall time is a number of milliseconds as if the wall were in UTC. A local time that a change skips moves on by the
// length of the gap, one that happens twice is the first (Temporal's "compatible"). It holds for the stretch of time it
// was made for, no longer.

import { Temporal } from 'temporal-polyfill';
import { DAY, LAST_MOMENT } from '../../../schemas/rules/moment.ts';

/** More than any zone ever moved at once, so that a change near the stretch is seen from inside it. */
const MARGIN = 2 * DAY;

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
  /** What the wall shows at a moment of the stretch. */
  wallAt(moment: number): number;
  /** When the wall shows this: the first such moment that is not before `earliest`, if there is one, else the first. */
  momentAt(wall: number, earliest: number): number;
  /** No moment from `from` on comes from a wall time before this. */
  firstWall(from: number): number;
  /** No moment before `to` comes from this wall time or a later one. */
  lastWall(to: number): number;
}

function zoned(timezone: string, moment: number): Temporal.ZonedDateTime {
  const within = Math.min(Math.max(moment, 0), LAST_MOMENT);
  return Temporal.Instant.fromEpochMilliseconds(within).toZonedDateTimeISO(timezone);
}

const offsetOf = (time: Temporal.ZonedDateTime): number => Math.trunc(time.offsetNanoseconds / 1_000_000);

/** What the wall shows at one moment, whenever that is. */
export function wallIn(timezone: string, moment: number): number {
  return moment + offsetOf(zoned(timezone, moment));
}

function spansOf(timezone: string, from: number, to: number): Span[] {
  const spans: Span[] = [];
  let time = zoned(timezone, from - MARGIN);
  let begins = Number.NEGATIVE_INFINITY;
  for (;;) {
    const next = time.getTimeZoneTransition('next');
    const last = next === null || next.epochMilliseconds > to + MARGIN;
    const ends = last ? Number.POSITIVE_INFINITY : next.epochMilliseconds;
    spans.push({ from: begins, to: ends, offset: offsetOf(time) });
    if (last) return spans;
    begins = ends;
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

/** A clock of spans that follow one another without a gap, from the first time to the last. */
export function clockOfSpans(timezone: string, spans: readonly Span[]): ZoneClock {
  const offsets = spans.map((span) => span.offset);
  const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
  return {
    timezone,
    wallAt: (moment) => moment + (spans.find((span) => moment < span.to)?.offset ?? 0),
    momentAt: (wall, earliest) => momentIn(spans, wall, earliest),
    firstWall: (from) => from + least,
    lastWall: (to) => to + most,
  };
}
