// Times of the request log as bounds of ids, because ids of requests are in the order of time. A day is one partition of
// each table, and days go round in 32 of them.

import type { Mode } from '../../base/config.ts';
import { leastId, timeOfId } from '../../base/ids.ts';

export const PARTITION_COUNT = 32;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The partition of a time. */
export function slotOf(ms: number): number {
  return Math.floor(ms / DAY_MS) % PARTITION_COUNT;
}

/** The partitions of the days from one time to another. */
export function slotsBetween(from: number, to: number): number[] {
  const first = Math.floor(from / DAY_MS);
  const days = Math.min(Math.floor(to / DAY_MS) - first + 1, PARTITION_COUNT);
  return Array.from({ length: Math.max(days, 0) }, (_, day) => (first + day) % PARTITION_COUNT);
}

/** The ids of the minute of a time: from the first one on, and before the second one. */
export function minuteOf(ms: number): readonly [first: string, next: string] {
  const minute = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  return [leastId('req', minute), leastId('req', minute + MINUTE_MS)];
}

/** When a call was made, in the form of the times of the database. */
export function timeTextOf(id: string): string {
  return new Date(timeOfId(id)).toISOString().replace('Z', '000Z');
}

/** Whose lines, and of which time: milliseconds, `from` inclusive, `to` exclusive. */
export interface RequestWindow {
  readonly venueId: string;
  readonly mode: Mode;
  readonly from: number;
  readonly to: number;
}

/** Whose lines, and of which ids: `from` inclusive, `to` exclusive. */
export interface IdRange {
  readonly venueId: string;
  readonly mode: Mode;
  readonly from: string;
  readonly to: string;
  readonly slots: readonly number[];
  /** A block with an id of the range has a last id before this one: a block is of one minute. */
  readonly blocksEnd: string;
}

/** What else bounds ids. */
export interface IdFilter {
  /** Only ids before this one. */
  readonly before: string | null;
  readonly requestId: string | null;
  /** The beginning of a request id. */
  readonly idPrefix: string | null;
}

/** Comes after every digit of an id. */
const AFTER_DIGITS = '~';
const LENGTH_WITH_TIME = leastId('req', 0).length;

export function rangeOf(window: RequestWindow, { before, requestId, idPrefix }: IdFilter): IdRange {
  const from = [leastId('req', window.from)];
  const to = [leastId('req', window.to)];
  const starts = [window.from];
  const ends = [window.to];
  if (before !== null) {
    to.push(before);
    ends.push(timeOfId(before));
  }
  for (const prefix of [requestId, idPrefix]) {
    if (prefix === null) continue;
    from.push(prefix);
    to.push(prefix + AFTER_DIGITS);
    starts.push(timeOfId(prefix.padEnd(LENGTH_WITH_TIME, '0')));
    ends.push(timeOfId(prefix.padEnd(LENGTH_WITH_TIME, 'z')));
  }
  const end = Math.min(...ends);
  return {
    venueId: window.venueId,
    mode: window.mode,
    from: greatest(from),
    to: least(to),
    slots: slotsBetween(Math.max(...starts), end),
    blocksEnd: minuteOf(end)[1],
  };
}

function greatest(ids: readonly string[]): string {
  return ids.reduce((a, b) => (a > b ? a : b));
}

function least(ids: readonly string[]): string {
  return ids.reduce((a, b) => (a < b ? a : b));
}
