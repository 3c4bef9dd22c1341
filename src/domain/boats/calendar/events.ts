// From one event, with the changes made to single occurrences of it, to the stretches of time it takes. Whole days and
// floating times lie in the calendar's zone; EXDATE and RECURRENCE-ID take occurrences out, RDATE adds some. Bounded: so
// many occurrences for an event, so many for a calendar, and what is cut is reported.

import { type Problems, quoted } from './calendar-error.ts';
import { type Component, first } from './components.ts';
import type { ContentLine } from './lines.ts';
import { COST, type Pace, type Paced } from './pace.ts';
import { type Expansion, expandRule } from './rule.ts';
import { DAY_MS, type Length, parseDuration, parseWallTime, type WallTime } from './times.ts';
import { UTC, type Zone } from './zone.ts';
import type { Zones } from './zones.ts';

export type BlockStatus = 'busy' | 'tentative' | 'free';

export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly status: BlockStatus;
}

export interface Expanding {
  readonly from: number;
  readonly to: number;
  readonly zones: Zones;
  readonly problems: Problems;
  readonly pace: Pace;
  /** Occurrences that may still be made, for the whole calendar. */
  occurrencesLeft: number;
}

const MOST_OF_ONE_EVENT = 5_000;
const MOST_LISTED = 30_000;
const MOST_RULES = 4;
const LONGEST_LOOK_BACK = 400 * DAY_MS;

interface Placed extends WallTime {
  readonly zone: Zone;
  readonly instant: number;
}

interface Occurrence {
  readonly wallMs: number;
  readonly zone: Zone;
  readonly length: Length;
}

/** Occurrences that are not the series' own: by instant, or, where only a date was given, by the day on the wall. */
export interface TakenOut {
  readonly instants: Set<number>;
  readonly days: Set<number>;
}

export const nothingTakenOut = (): TakenOut => ({ instants: new Set(), days: new Set() });

export function place(text: string, line: ContentLine, zones: Zones): Placed | null {
  zones.pace.date();
  const wall = parseWallTime(text);
  if (wall === null) return null;
  const named = line.parameters.get('TZID');
  const zone = wall.isUtc ? UTC : named === undefined || wall.isDate ? zones.floating : zones.of(named);
  return { ...wall, zone, instant: zone.instantOf(wall.wallMs) };
}

/** Cut in pieces no further than a calendar's dates go: the first one too many is refused by the pace. */
export const listed = (line: ContentLine): string[] => line.value.split(',', MOST_LISTED);

export function* takeOut(from: TakenOut, lines: readonly ContentLine[], expanding: Expanding): Paced<void> {
  for (const line of lines) {
    for (const text of listed(line)) {
      if (expanding.pace.isTurnOver()) yield;
      const placed = place(text, line, expanding.zones);
      if (placed === null) expanding.problems.add(`The ${line.name} ${quoted(text)} could not be read.`);
      else if (placed.isDate) from.days.add(placed.wallMs);
      else from.instants.add(placed.instant);
    }
  }
}

/** `changed`: the RECURRENCE-IDs of this event's UID. */
export function* stretchesOf(event: Component, changed: TakenOut | null, expanding: Expanding): Paced<Stretch[]> {
  expanding.pace.spend(COST.event);
  const status = statusOf(event);
  const line = first(event, 'DTSTART');
  if (status === null || line === undefined) return [];
  const start = place(line.value, line, expanding.zones);
  const length = start === null ? null : lengthOf(event, start, expanding);
  if (start === null || length === null) {
    expanding.problems.add(`An event was left out: its times could not be read (${quoted(line.value)}).`);
    return [];
  }
  const out = nothingTakenOut();
  yield* takeOut(out, event.properties.get('EXDATE') ?? [], expanding);
  const occurrences = [...ruled(event, start, length, expanding), ...(yield* added(event, length, expanding))];
  return placedInWindow(occurrences, changed === null ? [out] : [out, changed], status, expanding);
}

function placedInWindow(
  occurrences: readonly Occurrence[],
  out: readonly TakenOut[],
  status: BlockStatus,
  expanding: Expanding,
): Stretch[] {
  const stretches: Stretch[] = [];
  expanding.pace.spend(COST.occurrence * occurrences.length);
  for (const { wallMs, zone, length } of occurrences) {
    const start = zone.instantOf(wallMs);
    const end = (length.days === 0 ? start : zone.instantOf(wallMs + length.days * DAY_MS)) + length.ms;
    if (end <= expanding.from || start >= expanding.to || end <= start) continue;
    const day = wallMs - (((wallMs % DAY_MS) + DAY_MS) % DAY_MS);
    if (out.some(({ instants, days }) => instants.has(start) || days.has(day))) continue;
    if (expanding.occurrencesLeft <= 0) {
      expanding.problems.miss('The calendar was cut: it has too many occurrences.');
      break;
    }
    expanding.occurrencesLeft -= 1;
    stretches.push({ start, end, status });
  }
  return stretches;
}

/** null: canceled. */
function statusOf(event: Component): BlockStatus | null {
  const value = (name: string): string => first(event, name)?.value.toUpperCase() ?? '';
  const outlook = value('X-MICROSOFT-CDO-BUSYSTATUS');
  if (value('STATUS') === 'CANCELLED') return null;
  if (value('TRANSP') === 'TRANSPARENT' || outlook === 'FREE') return 'free';
  return value('STATUS') === 'TENTATIVE' || outlook === 'TENTATIVE' ? 'tentative' : 'busy';
}

/** An end before the start is unreadable; a day without an end, or with one equal to its start, is one day. */
function lengthOf(event: Component, start: Placed, { zones }: Expanding): Length | null {
  const endLine = first(event, 'DTEND');
  const durationLine = first(event, 'DURATION');
  const otherwise = { days: start.isDate ? 1 : 0, ms: 0 };
  if (endLine === undefined) return durationLine === undefined ? otherwise : parseDuration(durationLine.value);
  const end = place(endLine.value, endLine, zones);
  if (end === null || end.instant < start.instant) return null;
  if (start.isDate && end.isDate) return { days: Math.max(1, Math.round((end.wallMs - start.wallMs) / DAY_MS)), ms: 0 };
  return { days: 0, ms: end.instant - start.instant };
}

/** DTSTART itself and what the rules make of it. */
function ruled(event: Component, start: Placed, length: Length, expanding: Expanding): Occurrence[] {
  const { problems, pace } = expanding;
  const rules = event.properties.get('RRULE') ?? [];
  if (event.properties.has('EXRULE'))
    problems.add('An EXRULE was passed over: occurrences it takes out are still there.');
  if (rules.length > MOST_RULES) problems.miss(`Only the first ${MOST_RULES} rules of an event were read.`);
  const walls = new Set([start.wallMs]);
  const isFull = rules.length > 0 && expanding.occurrencesLeft <= 0;
  if (isFull) problems.miss('The calendar was cut: it has too many occurrences.');
  const lookBack = Math.min(length.days * DAY_MS + length.ms, LONGEST_LOOK_BACK);
  const span = {
    fromWall: expanding.from - lookBack - 2 * DAY_MS,
    toWall: expanding.to + 2 * DAY_MS,
  };
  for (const { value } of isFull ? [] : rules.slice(0, MOST_RULES)) {
    const rule = { text: value, startWall: start.wallMs, wallOf: start.zone.wallOf };
    const expansion = expandRule(rule, span, MOST_OF_ONE_EVENT, pace);
    if ('failed' in expansion) {
      problems.miss(`The rule ${quoted(value)} ${reasonOf(expansion)}: only the first occurrence was taken.`);
      continue;
    }
    if (expansion.cut) problems.miss(`The rule ${quoted(value)} was cut after ${expansion.walls.length} occurrences.`);
    for (const wall of expansion.walls) walls.add(wall);
  }
  return [...walls].map((wallMs) => ({ wallMs, zone: start.zone, length }));
}

function reasonOf({ failed, why }: Extract<Expansion, { failed: string }>): string {
  if (failed === 'explosive') return 'would repeat too often';
  if (failed === 'spent') return 'came after too many others, or takes too long to follow';
  return why === undefined ? 'could not be read' : `could not be read (${why})`;
}

/** RDATE: times, days or periods. */
function* added(event: Component, length: Length, { zones, problems, pace }: Expanding): Paced<Occurrence[]> {
  const occurrences: Occurrence[] = [];
  for (const line of event.properties.get('RDATE') ?? []) {
    for (const text of listed(line)) {
      if (pace.isTurnOver()) yield;
      const [from = '', to] = text.split('/', 2);
      const start = place(from, line, zones);
      const own = start === null || to === undefined ? length : periodLength(start, to, line, zones);
      if (start === null || own === null) problems.add(`The RDATE ${quoted(text)} could not be read.`);
      else if (occurrences.length < MOST_OF_ONE_EVENT)
        occurrences.push({ wallMs: start.wallMs, zone: start.zone, length: own });
      else problems.miss(`Only the first ${MOST_OF_ONE_EVENT} dates of an event were read.`);
    }
  }
  return occurrences;
}

/** The second half of a PERIOD: an end, or a duration. */
export function periodLength(start: Placed, text: string, line: ContentLine, zones: Zones): Length | null {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  const end = place(text, line, zones);
  return end === null || end.instant < start.instant ? null : { days: 0, ms: end.instant - start.instant };
}
