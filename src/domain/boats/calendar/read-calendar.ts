// Reads somebody's calendar feed (RFC 5545) into blocks of time for a boat: events with their recurrences and changes,
// and free/busy answers. Bounded in everything: size, components, recurrences, blocks. It throws CalendarError alone, and
// only where the blocks would be worth nothing; all else that it could not read is told in `problems`.

import { Problems, quoted } from './calendar-error.ts';
import { type Component, first, gather } from './components.ts';
import {
  type BlockStatus,
  type Expanding,
  nothingTakenOut,
  periodLength,
  place,
  type Stretch,
  stretchesOf,
  type TakenOut,
  takeOut,
} from './events.ts';
import { StepBudget } from './rule.ts';
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
}

const MOST_OCCURRENCES = 20_000;
const LEAST_MS = Date.UTC(1970, 0, 1);
const MOST_MS = Date.UTC(9998, 11, 31);

/** Bytes rather than text where they are at hand: a line folded inside a character is then read whole. */
export function readCalendar(input: string | Uint8Array, options: CalendarOptions): CalendarReading {
  const problems = new Problems();
  const calendar = gather(input, problems);
  const zones = new Zones(calendar.zones, calendar.zoneName, options.defaultZone, problems);
  const { from, to } = options;
  const expanding: Expanding = {
    from,
    to,
    zones,
    problems,
    budget: new StepBudget(),
    occurrencesLeft: MOST_OCCURRENCES,
  };
  const changed = changesByUid(calendar.events, expanding);
  const stretches = [
    ...calendar.events.flatMap((event) => stretchesOf(event, changesOf(event, changed), expanding)),
    ...calendar.freeBusy.flatMap((answer) => freeBusyOf(answer, expanding)),
  ];
  const blocks = merged(stretches);
  if (blocks.length > options.maxBlocks)
    problems.add(`The calendar was cut after ${options.maxBlocks} blocks; it has ${blocks.length}.`);
  return { blocks: blocks.slice(0, options.maxBlocks).map(asBlock), problems: problems.list() };
}

function changesByUid(events: readonly Component[], expanding: Expanding): Map<string, TakenOut> {
  const changed = new Map<string, TakenOut>();
  for (const event of events) {
    const uid = first(event, 'UID')?.value ?? '';
    const lines = event.properties.get('RECURRENCE-ID');
    if (lines === undefined || uid === '') continue;
    if (lines.some(({ parameters }) => parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE'))
      expanding.problems.add('A change to all later occurrences of an event was read as a change to one.');
    const out = changed.get(uid) ?? nothingTakenOut();
    takeOut(out, lines, expanding);
    changed.set(uid, out);
  }
  return changed;
}

/** A change is an event of its own: what is taken out is taken from the series. */
function changesOf(event: Component, changed: ReadonlyMap<string, TakenOut>): TakenOut | null {
  if (event.properties.has('RECURRENCE-ID')) return null;
  return changed.get(first(event, 'UID')?.value ?? '') ?? null;
}

function freeBusyOf(answer: Component, expanding: Expanding): Stretch[] {
  const stretches: Stretch[] = [];
  for (const line of answer.properties.get('FREEBUSY') ?? []) {
    const status = freeBusyStatus(line.parameters.get('FBTYPE'));
    for (const text of line.value.split(',')) {
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
        expanding.problems.add('The calendar was cut: it has too many occurrences.');
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
