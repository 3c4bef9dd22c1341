// One recurrence rule, expanded inside a window. Rules are expanded on wall time (the library runs in UTC) and placed in
// their zone afterwards, so that any zone will do. Before the library is asked, the steps it may take are estimated from
// the rule alone and charged to a budget: a rule that is explosive, or one too many, is reported and not expanded.

import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { DAY_MS, parseWallTime } from './times.ts';

/** Every quarter of an hour, day and night. */
const MOST_A_DAY = 96;
const MOST_FOR_ONE_RULE = 100_000;
const MOST_FOR_ALL_RULES = 200_000;
/** Steps of the library's general engine cost about this many of its fast ones. */
const UNUSUAL = 20;
const AT_A_TIME = 2_000;

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'];
const NUMBERS = /^[+-]?\d{1,3}(,[+-]?\d{1,3}){0,366}$/;
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^[A-Z]+$/,
  INTERVAL: /^\d{1,9}$/,
  COUNT: /^\d{1,12}$/,
  UNTIL: /^[0-9TZ:-]+$/,
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
  BYDAY: /^[+-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU)(,[+-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU)){0,100}$/,
  BYMONTH: NUMBERS,
  BYMONTHDAY: NUMBERS,
  BYYEARDAY: NUMBERS,
  BYWEEKNO: NUMBERS,
  BYSETPOS: NUMBERS,
  BYHOUR: NUMBERS,
  BYMINUTE: NUMBERS,
  BYSECOND: NUMBERS,
};

export type Expansion =
  | { readonly walls: readonly number[]; readonly cut: boolean }
  | { readonly failed: 'unreadable' | 'explosive' };

export interface Span {
  readonly fromWall: number;
  readonly toWall: number;
}

/** One for a whole calendar. */
export class StepBudget {
  #left = MOST_FOR_ALL_RULES;

  take(steps: number): boolean {
    if (steps > MOST_FOR_ONE_RULE || steps > this.#left) return false;
    this.#left -= steps;
    return true;
  }
}

export interface RuleOfEvent {
  readonly text: string;
  readonly startWall: number;
  /** UNTIL in UTC, on the wall of the event's zone. */
  readonly wallOf: (instantMs: number) => number;
}

export function expandRule(rule: RuleOfEvent, span: Span, most: number, budget: StepBudget): Expansion {
  const parts = readParts(rule.text);
  if (parts === null) return { failed: 'unreadable' };
  const fromWall = Math.max(span.fromWall, rule.startWall);
  const until = untilWall(parts, rule.wallOf);
  if (until === null) return { failed: 'unreadable' };
  const toWall = Math.min(span.toWall, until);
  if (toWall < fromWall) return { walls: [], cut: false };
  const perDay = mostInADay(parts);
  if (perDay > MOST_A_DAY) return { failed: 'explosive' };
  dropIdleCount(parts, perDay, rule.startWall, toWall);
  if (!budget.take(stepsFor(parts, perDay, (toWall - (parts.has('COUNT') ? rule.startWall : fromWall)) / DAY_MS)))
    return { failed: 'explosive' };
  return run(parts, rule.startWall, { fromWall, toWall }, { perDay, most });
}

function run(
  parts: ReadonlyMap<string, string>,
  startWall: number,
  { fromWall, toWall }: Span,
  { perDay, most }: { perDay: number; most: number },
): Expansion {
  const walls: number[] = [];
  try {
    const expander = new RRuleTemporal({
      rruleString: [...parts].map(([name, value]) => `${name}=${value}`).join(';'),
      dtstart: Temporal.Instant.fromEpochMilliseconds(startWall).toZonedDateTimeISO('UTC'),
      includeDtstart: true,
      cache: false,
      maxIterations: 10_000,
      maxCandidateEvaluations: 20_000,
    });
    const chunk = Math.ceil(AT_A_TIME / perDay) * DAY_MS;
    for (let from = fromWall; from <= toWall; from += chunk) {
      const to = Math.min(from + chunk - 1, toWall);
      for (const found of expander.between(new Date(from), new Date(to), true)) {
        if (walls.length >= most) return { walls, cut: true };
        walls.push(found.epochMilliseconds);
      }
    }
  } catch (error) {
    if (walls.length > 0) return { walls, cut: true };
    const exhausted = error instanceof Error && error.message.startsWith('Maximum');
    return { failed: exhausted ? 'explosive' : 'unreadable' };
  }
  return { walls, cut: false };
}

/** null: a part is malformed, twice there, or of a calendar that is not ours (RSCALE). X- parts are passed over. */
function readParts(text: string): Map<string, string> | null {
  const parts = new Map<string, string>();
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    if (name === '' || name.startsWith('X-')) continue;
    if ((name === 'RSCALE' && value === 'GREGORIAN') || (name === 'SKIP' && value === 'OMIT')) continue;
    if (!PARTS[name]?.test(value) || parts.has(name)) return null;
    parts.set(name, value);
  }
  return FREQUENCIES.includes(parts.get('FREQ') ?? '') ? parts : null;
}

/** The last wall time the rule may reach; the part itself is taken out, since the span says the same. */
function untilWall(parts: Map<string, string>, wallOf: (instantMs: number) => number): number | null {
  const text = parts.get('UNTIL');
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const until = parseWallTime(text);
  if (until === null) return null;
  parts.delete('UNTIL');
  if (until.isDate) return until.wallMs + DAY_MS - 1;
  return until.isUtc ? wallOf(until.wallMs) : until.wallMs;
}

const lengthOf = (list: string | undefined, otherwise: number): number =>
  list === undefined ? otherwise : new Set(list.split(',')).size;

function mostInADay(parts: ReadonlyMap<string, string>): number {
  const level = FREQUENCIES.indexOf(parts.get('FREQ') ?? '');
  const hours = lengthOf(parts.get('BYHOUR'), level >= 4 ? 24 : 1);
  const minutes = lengthOf(parts.get('BYMINUTE'), level >= 5 ? 60 : 1);
  const seconds = lengthOf(parts.get('BYSECOND'), level >= 6 ? 60 : 1);
  const filtered = parts.has('BYHOUR') || parts.has('BYMINUTE') || parts.has('BYSECOND');
  const interval = level >= 4 && !filtered ? Math.max(1, Number(parts.get('INTERVAL') ?? 1)) : 1;
  return Math.ceil((hours * minutes * seconds) / interval);
}

/** A COUNT that cannot be reached before the span ends only makes the library count from the beginning. */
function dropIdleCount(parts: Map<string, string>, perDay: number, startWall: number, toWall: number): void {
  const most = ((toWall - startWall) / DAY_MS + 2) * perDay + 1;
  if (Number(parts.get('COUNT') ?? 0) > most) parts.delete('COUNT');
}

const DAYS_OF_PERIOD: Readonly<Record<string, number>> = { YEARLY: 365, MONTHLY: 28, WEEKLY: 7, DAILY: 1 };

/** An upper bound of the work: occurrences for what the library jumps through, all days and slots for what it walks. */
function stepsFor(parts: ReadonlyMap<string, string>, perDay: number, days: number): number {
  const frequency = parts.get('FREQ') ?? '';
  const monthly = frequency === 'MONTHLY' || frequency === 'YEARLY';
  const unusual =
    parts.has('BYWEEKNO') ||
    parts.has('BYYEARDAY') ||
    (parts.has('BYMONTHDAY') && !monthly) ||
    (parts.has('BYSETPOS') && (frequency !== 'MONTHLY' || perDay > 1)) ||
    (!(frequency in DAYS_OF_PERIOD) && parts.size > 2);
  if (unusual) return Math.ceil((days + 1) * perDay * UNUSUAL);
  const period = DAYS_OF_PERIOD[frequency] ?? 1;
  const listed = lengthOf(parts.get('BYDAY'), 1) * lengthOf(parts.get('BYMONTHDAY'), 1) * (monthly ? 12 : 1);
  return Math.ceil((days / period + 1) * Math.min(listed, period) * perDay);
}
