// Reads somebody's calendar feed (RFC 5545) into blocks of time for a boat: events with their recurrences and changes,
// and free/busy answers. Bounded in everything: size, components, recurrences, blocks. It throws CalendarError alone, and
// only where the blocks would be worth nothing; all else that it could not read is told in `problems`.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problems, quoted } from './calendar-error.ts';
import { type Component, first, type GatheredCalendar, gather } from './components.ts';
import {
  type BlockStatus,
  type Expanding,
  listed,
  nothingTakenOut,
  periodLength,
  place,
  type Stretch,
  stretchesOf,
  type TakenOut,
  takeOut,
} from './events.ts';
import { Pace, type Paced } from './pace.ts';
import { DAY_MS } from './times.ts';
import { Zones } from './zones.ts';

export interface CalendarBlock {
  /** UTC, with Z. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly status: BlockStatus;
}

export interface CalendarOptions {
  /** Blocks that touch the time from `from` to `to` (milliseconds since 1970) are given, whole. */
  readonly from: number;
  readonly to: number;
  /** An IANA name, for times that name no zone in a calendar that names none. */
  readonly defaultZone: string;
  readonly maxBlocks: number;
}

export interface CalendarReading {
  /** Sorted by start; those of one status neither overlap nor touch. */
  readonly blocks: readonly CalendarBlock[];
  readonly problems: readonly string[];
  /** Those of the problems that leave times out which are taken: they look free. */
  readonly missing: readonly string[];
}

const MOST_OCCURRENCES = 10_000;
const LEAST_MS = Date.UTC(1970, 0, 1);
const MOST_MS = Date.UTC(9998, 11, 31);

/** Bytes rather than text where they are at hand: a line folded inside a character is then read whole. */
export async function readCalendar(
  input: string | Uint8Array,
  options: CalendarOptions,
  pause: () => Promise<unknown> = nextTurn,
): Promise<CalendarReading> {
  const reading = pacedReading(input, options, new Pace());
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await pause();
  }
}

/** Yields whenever some milliseconds of work were done. */
export function* pacedReading(
  input: string | Uint8Array,
  { from, to, defaultZone, maxBlocks }: CalendarOptions,
  pace: Pace,
): Paced<CalendarReading> {
  const problems = new Problems();
  const calendar = yield* gather(input, problems, pace);
  const zones = new Zones(calendar, defaultZone, problems, pace);
  const expanding: Expanding = { from, to, zones, problems, pace, occurrencesLeft: MOST_OCCURRENCES };
  const stretches = yield* allStretches(calendar, expanding);
  yield;
  const blocks = merged(stretches);
  if (blocks.length > maxBlocks)
    problems.miss(`The calendar was cut after ${maxBlocks} blocks; it has ${blocks.length}.`);
  const kept = blocks.slice(0, maxBlocks).map(asBlock);
  return { blocks: kept, problems: problems.list(), missing: problems.missing() };
}

function* allStretches(calendar: GatheredCalendar, expanding: Expanding): Paced<Stretch[]> {
  const { pace } = expanding;
  const changed = yield* changesByUid(calendar.events, expanding);
  const stretches: Stretch[] = [];
  for (const event of calendar.events) {
    for (const each of yield* stretchesOf(event, changesOf(event, changed), expanding)) stretches.push(each);
    if (pace.isTurnOver()) yield;
  }
  for (const answer of calendar.freeBusy) for (const each of yield* freeBusyOf(answer, expanding)) stretches.push(each);
  return stretches;
}

function* changesByUid(events: readonly Component[], expanding: Expanding): Paced<Map<string, TakenOut>> {
  const changed = new Map<string, TakenOut>();
  for (const event of events) {
    const uid = first(event, 'UID')?.value ?? '';
    const lines = event.properties.get('RECURRENCE-ID');
    if (lines === undefined || uid === '') continue;
    if (lines.some(({ parameters }) => parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE'))
      expanding.problems.add('A change to all later occurrences of an event was read as a change to one.');
    const out = changed.get(uid) ?? nothingTakenOut();
    yield* takeOut(out, lines, expanding);
    changed.set(uid, out);
  }
  return changed;
}

/** A change is an event of its own: what is taken out is taken from the series. */
function changesOf(event: Component, changed: ReadonlyMap<string, TakenOut>): TakenOut | null {
  if (event.properties.has('RECURRENCE-ID')) return null;
  return changed.get(first(event, 'UID')?.value ?? '') ?? null;
}

function* freeBusyOf(answer: Component, expanding: Expanding): Paced<Stretch[]> {
  const stretches: Stretch[] = [];
  for (const line of answer.properties.get('FREEBUSY') ?? []) {
    const status = freeBusyStatus(line.parameters.get('FBTYPE'));
    for (const text of listed(line)) {
      if (expanding.pace.isTurnOver()) yield;
      const [from = '', to = ''] = text.split('/', 2);
      const placed = place(from, line, expanding.zones);
      const length = placed === null ? null : periodLength(placed, to, line, expanding.zones);
      if (placed === null || length === null) {
        expanding.problems.add(`The FREEBUSY period ${quoted(text)} could not be read.`);
        continue;
      }
      const end = placed.instant + length.days * DAY_MS + length.ms;
      if (end <= expanding.from || placed.instant >= expanding.to || end <= placed.instant) continue;
      if (expanding.occurrencesLeft-- <= 0) {
        expanding.problems.miss('The calendar was cut: it has too many occurrences.');
        return stretches;
      }
      stretches.push({ start: placed.instant, end, status });
    }
  }
  return stretches;
}

function freeBusyStatus(type: string | undefined): BlockStatus {
  if (type?.toUpperCase() === 'FREE') return 'free';
  return type?.toUpperCase() === 'BUSY-TENTATIVE' ? 'tentative' : 'busy';
}

function merged(stretches: readonly Stretch[]): Stretch[] {
  const blocks: Stretch[] = [];
  for (const status of ['busy', 'tentative', 'free'] as const) {
    const ofStatus: Stretch[] = [];
    for (const each of stretches.filter((one) => one.status === status).sort((a, b) => a.start - b.start)) {
      const last = ofStatus.at(-1);
      if (last === undefined || each.start > last.end) ofStatus.push(each);
      else ofStatus[ofStatus.length - 1] = { ...last, end: Math.max(last.end, each.end) };
    }
    blocks.push(...ofStatus);
  }
  return blocks.sort((a, b) => a.start - b.start || a.end - b.end);
}

function asBlock({ start, end, status }: Stretch): CalendarBlock {
  return { starts_at: utc(start), ends_at: utc(end), status };
}

const utc = (ms: number): string =>
  new Date(Math.min(MOST_MS, Math.max(LEAST_MS, ms))).toISOString().replace('.000Z', 'Z');
