// Expands one event into its intervals of time. Whole days and floating times are in the calendar's zone. EXDATE and
// RECURRENCE-ID exclude occurrences, RDATE adds some. The occurrences of an event and of a calendar are limited; a cut is
// reported as a problem.

import { type Problems, quoted } from './calendar-error.ts';
import { type Component, firstProperty } from './components.ts';
import { expandRule, type RuleExpansion } from './expand-rule.ts';
import type { ContentLine } from './lines.ts';
import { DAY_MS, type Duration, parseDuration, parseWallTime, type WallTime } from './times.ts';
import { COST, type Interruptible, type WorkBudget } from './work-budget.ts';
import { UTC, type Zone } from './zone.ts';
import type { Zones } from './zone-lookup.ts';

export type BlockStatus = 'busy' | 'tentative' | 'free';

export interface Interval {
  readonly start: number;
  readonly end: number;
  readonly status: BlockStatus;
}

export interface ExpansionContext {
  readonly from: number;
  readonly to: number;
  readonly zones: Zones;
  readonly problems: Problems;
  readonly budget: WorkBudget;
  /** How many more occurrences the whole calendar may have. */
  occurrencesLeft: number;
}

const MAX_OCCURRENCES_PER_EVENT = 5_000;
const MAX_LIST_VALUES = 30_000;
const MAX_RULES_PER_EVENT = 4;
const MAX_LOOK_BACK_MS = 400 * DAY_MS;

interface ResolvedTime extends WallTime {
  readonly zone: Zone;
  readonly instant: number;
}

interface Occurrence {
  readonly wallMs: number;
  readonly zone: Zone;
  readonly length: Duration;
}

/** Occurrences that a series does not have: by instant, or by local day where only a date was given. */
export interface Exclusions {
  readonly instants: Set<number>;
  readonly days: Set<number>;
}

export const noExclusions = (): Exclusions => ({ instants: new Set(), days: new Set() });

export function resolveTime(text: string, line: ContentLine, zones: Zones): ResolvedTime | null {
  zones.budget.countDate();
  const wall = parseWallTime(text);
  if (wall === null) return null;
  const named = line.parameters.get('TZID');
  const zone = wall.isUtc ? UTC : named === undefined || wall.isDate ? zones.floating : zones.of(named);
  return { ...wall, zone, instant: zone.instantOf(wall.wallMs) };
}

/** The limit is above the number of dates that the budget allows, so the budget refuses a list that is too long. */
export const listValues = (line: ContentLine): string[] => line.value.split(',', MAX_LIST_VALUES);

export function* addExclusions(
  exclusions: Exclusions,
  lines: readonly ContentLine[],
  context: ExpansionContext,
): Interruptible<void> {
  for (const line of lines) {
    for (const text of listValues(line)) {
      if (context.budget.shouldPause()) yield;
      const resolved = resolveTime(text, line, context.zones);
      if (resolved === null) context.problems.add(`The ${line.name} ${quoted(text)} could not be read.`);
      else if (resolved.isDate) exclusions.days.add(resolved.wallMs);
      else exclusions.instants.add(resolved.instant);
    }
  }
}

/** `changed`: the occurrences that the RECURRENCE-IDs with this event's UID replace. */
export function* intervalsOfEvent(
  event: Component,
  changed: Exclusions | null,
  context: ExpansionContext,
): Interruptible<Interval[]> {
  context.budget.spend(COST.event);
  const status = statusOf(event);
  const line = firstProperty(event, 'DTSTART');
  if (status === null || line === undefined) return [];
  const start = resolveTime(line.value, line, context.zones);
  const length = start === null ? null : durationOf(event, start, context);
  if (start === null || length === null) {
    context.problems.add(`An event was left out: its times could not be read (${quoted(line.value)}).`);
    return [];
  }
  const excluded = noExclusions();
  yield* addExclusions(excluded, event.properties.get('EXDATE') ?? [], context);
  const occurrences = [
    ...occurrencesOfRules(event, start, length, context),
    ...(yield* occurrencesOfDates(event, length, context)),
  ];
  return intervalsInWindow(occurrences, changed === null ? [excluded] : [excluded, changed], status, context);
}

function intervalsInWindow(
  occurrences: readonly Occurrence[],
  exclusions: readonly Exclusions[],
  status: BlockStatus,
  context: ExpansionContext,
): Interval[] {
  const intervals: Interval[] = [];
  context.budget.spend(COST.occurrence * occurrences.length);
  for (const { wallMs, zone, length } of occurrences) {
    const start = zone.instantOf(wallMs);
    const end = (length.days === 0 ? start : zone.instantOf(wallMs + length.days * DAY_MS)) + length.ms;
    if (end <= context.from || start >= context.to || end <= start) continue;
    const day = wallMs - (((wallMs % DAY_MS) + DAY_MS) % DAY_MS);
    if (exclusions.some(({ instants, days }) => instants.has(start) || days.has(day))) continue;
    if (context.occurrencesLeft <= 0) {
      context.problems.addMissing('The calendar was cut: it has too many occurrences.');
      break;
    }
    context.occurrencesLeft -= 1;
    intervals.push({ start, end, status });
  }
  return intervals;
}

/** null: the event is canceled. */
function statusOf(event: Component): BlockStatus | null {
  const value = (name: string): string => firstProperty(event, name)?.value.toUpperCase() ?? '';
  const outlook = value('X-MICROSOFT-CDO-BUSYSTATUS');
  if (value('STATUS') === 'CANCELLED') return null;
  if (value('TRANSP') === 'TRANSPARENT' || outlook === 'FREE') return 'free';
  return value('STATUS') === 'TENTATIVE' || outlook === 'TENTATIVE' ? 'tentative' : 'busy';
}

/** null: unreadable, or the end is before the start. A whole day without an end, or that ends at its start, is one day. */
function durationOf(event: Component, start: ResolvedTime, { zones }: ExpansionContext): Duration | null {
  const endLine = firstProperty(event, 'DTEND');
  const durationLine = firstProperty(event, 'DURATION');
  const withoutEnd = { days: start.isDate ? 1 : 0, ms: 0 };
  if (endLine === undefined) return durationLine === undefined ? withoutEnd : parseDuration(durationLine.value);
  const end = resolveTime(endLine.value, endLine, zones);
  if (end === null || end.instant < start.instant) return null;
  if (start.isDate && end.isDate) return { days: Math.max(1, Math.round((end.wallMs - start.wallMs) / DAY_MS)), ms: 0 };
  return { days: 0, ms: end.instant - start.instant };
}

/** DTSTART itself and the occurrences of the rules. */
function occurrencesOfRules(
  event: Component,
  start: ResolvedTime,
  length: Duration,
  context: ExpansionContext,
): Occurrence[] {
  const { problems, budget } = context;
  const rules = event.properties.get('RRULE') ?? [];
  if (event.properties.has('EXRULE'))
    problems.add('An EXRULE was passed over: occurrences it takes out are still there.');
  if (rules.length > MAX_RULES_PER_EVENT)
    problems.addMissing(`Only the first ${MAX_RULES_PER_EVENT} rules of an event were read.`);
  const wallTimes = new Set([start.wallMs]);
  const isFull = rules.length > 0 && context.occurrencesLeft <= 0;
  if (isFull) problems.addMissing('The calendar was cut: it has too many occurrences.');
  const lookBack = Math.min(length.days * DAY_MS + length.ms, MAX_LOOK_BACK_MS);
  const span = {
    fromWall: context.from - lookBack - 2 * DAY_MS,
    toWall: context.to + 2 * DAY_MS,
  };
  for (const { value } of isFull ? [] : rules.slice(0, MAX_RULES_PER_EVENT)) {
    const rule = { text: value, startWall: start.wallMs, wallOf: start.zone.wallOf };
    const result = expandRule(rule, span, MAX_OCCURRENCES_PER_EVENT, budget);
    if ('failed' in result) {
      problems.addMissing(`The rule ${quoted(value)} ${reasonOf(result)}: only the first occurrence was taken.`);
      continue;
    }
    if (result.isTruncated)
      problems.addMissing(`The rule ${quoted(value)} was cut after ${result.wallTimes.length} occurrences.`);
    for (const wall of result.wallTimes) wallTimes.add(wall);
  }
  return [...wallTimes].map((wallMs) => ({ wallMs, zone: start.zone, length }));
}

function reasonOf({ failed, why }: Extract<RuleExpansion, { failed: string }>): string {
  if (failed === 'too often') return 'would repeat too often';
  if (failed === 'no budget') return 'came after too many others, or takes too long to follow';
  return why === undefined ? 'could not be read' : `could not be read (${why})`;
}

/** RDATE: times, days or periods. */
function* occurrencesOfDates(
  event: Component,
  length: Duration,
  { zones, problems, budget }: ExpansionContext,
): Interruptible<Occurrence[]> {
  const occurrences: Occurrence[] = [];
  for (const line of event.properties.get('RDATE') ?? []) {
    for (const text of listValues(line)) {
      if (budget.shouldPause()) yield;
      const [from = '', to] = text.split('/', 2);
      const start = resolveTime(from, line, zones);
      const own = start === null || to === undefined ? length : periodDuration(start, to, line, zones);
      if (start === null || own === null) problems.add(`The RDATE ${quoted(text)} could not be read.`);
      else if (occurrences.length < MAX_OCCURRENCES_PER_EVENT)
        occurrences.push({ wallMs: start.wallMs, zone: start.zone, length: own });
      else problems.addMissing(`Only the first ${MAX_OCCURRENCES_PER_EVENT} dates of an event were read.`);
    }
  }
  return occurrences;
}

/** The second half of a PERIOD: an end, or a duration. */
export function periodDuration(start: ResolvedTime, text: string, line: ContentLine, zones: Zones): Duration | null {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  const end = resolveTime(text, line, zones);
  return end === null || end.instant < start.instant ? null : { days: 0, ms: end.instant - start.instant };
}
