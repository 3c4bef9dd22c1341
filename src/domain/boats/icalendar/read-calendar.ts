// Reads a calendar feed (RFC 5545) into a boat's blocks of time: events with their recurrences and changes, and free/busy
// components. Size, components, recurrences and blocks are limited. It throws only CalendarError, and only if the blocks
// would be useless; everything else that it cannot read is listed in `problems`.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Problems, quoted } from './calendar-error.ts';
import { type CalendarComponents, type Component, firstProperty, readComponents } from './components.ts';
import {
  addExclusions,
  type BlockStatus,
  type Exclusions,
  type ExpansionContext,
  type Interval,
  intervalsOfEvent,
  listValues,
  noExclusions,
  periodDuration,
  resolveTime,
} from './events.ts';
import { DAY_MS } from './times.ts';
import { type Interruptible, WorkBudget } from './work-budget.ts';
import { Zones } from './zone-lookup.ts';

export interface CalendarBlock {
  /** UTC, with Z. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly status: BlockStatus;
}

export interface CalendarOptions {
  /** Blocks that overlap the time from `from` to `to` (milliseconds since 1970) are returned whole. */
  readonly from: number;
  readonly to: number;
  /** An IANA name: the zone of times without a TZID in a calendar that names no zone. */
  readonly defaultZone: string;
  readonly maxBlocks: number;
}

export interface CalendarReading {
  /** Sorted by start; blocks of one status neither overlap nor touch. */
  readonly blocks: readonly CalendarBlock[];
  readonly problems: readonly string[];
  /** The problems because of which busy times are missing from the blocks, so they look free. */
  readonly missing: readonly string[];
}

const MAX_OCCURRENCES = 10_000;
const MIN_MS = Date.UTC(1970, 0, 1);
const MAX_MS = Date.UTC(9998, 11, 31);

/** Prefer bytes to text: a line folded inside a UTF-8 sequence is then read whole. */
export async function readCalendar(
  input: string | Uint8Array,
  options: CalendarOptions,
  pause: () => Promise<unknown> = yieldToEventLoop,
): Promise<CalendarReading> {
  const reading = readInSteps(input, options, new WorkBudget());
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await pause();
  }
}

/** Yields after every few milliseconds of work. */
export function* readInSteps(
  input: string | Uint8Array,
  { from, to, defaultZone, maxBlocks }: CalendarOptions,
  budget: WorkBudget,
): Interruptible<CalendarReading> {
  const problems = new Problems();
  const calendar = yield* readComponents(input, problems, budget);
  const zones = new Zones(calendar, defaultZone, problems, budget);
  const context: ExpansionContext = { from, to, zones, problems, budget, occurrencesLeft: MAX_OCCURRENCES };
  const intervals = yield* allIntervals(calendar, context);
  yield;
  const blocks = mergeIntervals(intervals);
  if (blocks.length > maxBlocks)
    problems.addMissing(`The calendar was cut after ${maxBlocks} blocks; it has ${blocks.length}.`);
  const shown = blocks.slice(0, maxBlocks).map(asBlock);
  return { blocks: shown, problems: problems.list(), missing: problems.missing() };
}

function* allIntervals(calendar: CalendarComponents, context: ExpansionContext): Interruptible<Interval[]> {
  const { budget } = context;
  const changed = yield* changesByUid(calendar.events, context);
  const intervals: Interval[] = [];
  for (const event of calendar.events) {
    for (const each of yield* intervalsOfEvent(event, changesOf(event, changed), context)) intervals.push(each);
    if (budget.shouldPause()) yield;
  }
  for (const component of calendar.freeBusy)
    for (const each of yield* intervalsOfFreeBusy(component, context)) intervals.push(each);
  return intervals;
}

function* changesByUid(
  events: readonly Component[],
  context: ExpansionContext,
): Interruptible<Map<string, Exclusions>> {
  const changed = new Map<string, Exclusions>();
  for (const event of events) {
    const uid = firstProperty(event, 'UID')?.value ?? '';
    const lines = event.properties.get('RECURRENCE-ID');
    if (lines === undefined || uid === '') continue;
    if (lines.some(({ parameters }) => parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE'))
      context.problems.add('A change to all later occurrences of an event was read as a change to one.');
    const exclusions = changed.get(uid) ?? noExclusions();
    yield* addExclusions(exclusions, lines, context);
    changed.set(uid, exclusions);
  }
  return changed;
}

/** A changed occurrence is an event of its own; the exclusions apply to its series. */
function changesOf(event: Component, changed: ReadonlyMap<string, Exclusions>): Exclusions | null {
  if (event.properties.has('RECURRENCE-ID')) return null;
  return changed.get(firstProperty(event, 'UID')?.value ?? '') ?? null;
}

function* intervalsOfFreeBusy(component: Component, context: ExpansionContext): Interruptible<Interval[]> {
  const intervals: Interval[] = [];
  for (const line of component.properties.get('FREEBUSY') ?? []) {
    const status = freeBusyStatus(line.parameters.get('FBTYPE'));
    for (const text of listValues(line)) {
      if (context.budget.shouldPause()) yield;
      const [from = '', to = ''] = text.split('/', 2);
      const resolved = resolveTime(from, line, context.zones);
      const length = resolved === null ? null : periodDuration(resolved, to, line, context.zones);
      if (resolved === null || length === null) {
        context.problems.add(`The FREEBUSY period ${quoted(text)} could not be read.`);
        continue;
      }
      const end = resolved.instant + length.days * DAY_MS + length.ms;
      if (end <= context.from || resolved.instant >= context.to || end <= resolved.instant) continue;
      if (context.occurrencesLeft-- <= 0) {
        context.problems.addMissing('The calendar was cut: it has too many occurrences.');
        return intervals;
      }
      intervals.push({ start: resolved.instant, end, status });
    }
  }
  return intervals;
}

function freeBusyStatus(type: string | undefined): BlockStatus {
  if (type?.toUpperCase() === 'FREE') return 'free';
  return type?.toUpperCase() === 'BUSY-TENTATIVE' ? 'tentative' : 'busy';
}

function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const blocks: Interval[] = [];
  for (const status of ['busy', 'tentative', 'free'] as const) {
    const ofStatus: Interval[] = [];
    for (const each of intervals.filter((one) => one.status === status).sort((a, b) => a.start - b.start)) {
      const last = ofStatus.at(-1);
      if (last === undefined || each.start > last.end) ofStatus.push(each);
      else ofStatus[ofStatus.length - 1] = { ...last, end: Math.max(last.end, each.end) };
    }
    blocks.push(...ofStatus);
  }
  return blocks.sort((a, b) => a.start - b.start || a.end - b.end);
}

function asBlock({ start, end, status }: Interval): CalendarBlock {
  return { starts_at: utc(start), ends_at: utc(end), status };
}

const utc = (ms: number): string =>
  new Date(Math.min(MAX_MS, Math.max(MIN_MS, ms))).toISOString().replace('.000Z', 'Z');
