// The starts of recurring slots, in the venue's time zone, daylight saving included. Every expansion is bounded, in
// the starts it gives and in the steps it takes; at the bound it is cut and says so. checkRecurrence refuses rules
// that would reach the bound before they are stored. It does not apply capacity, blackout dates or prices.

import { DAY, LAST_INSTANT, readDate, readInstant } from '../../../schemas/rules/instant.ts';
import { readRecurrence } from '../../../schemas/rules/recurrence-rule.ts';
import type { Availability } from '../../../schemas/types.gen.ts';
import { type RecurrenceRule, type StepBudget, timesADay, walkRecurrence } from '../recurrence/recurrence-set.ts';
import { wallIn, type ZoneClock } from '../recurrence/zone-clock.ts';

export type RecurringSlots = NonNullable<Availability['recurring']>[number];

/** The most starts that one expansion gives. */
export const MAX_STARTS = 2000;
/** The most times a day that a rule may have: one every five minutes. 62 such days take well under MAX_STEPS. */
export const MAX_TIMES_PER_DAY = 288;
/** The most steps that one expansion takes: a few milliseconds. Counting a daily COUNT from 1970 on takes 21,000. */
export const MAX_STEPS = 50_000;

export interface Expansion {
  /** The instants at which slots start, in order, each once. */
  readonly starts: readonly number[];
  /** False: a bound was reached, so there may be more. */
  readonly complete: boolean;
  readonly steps: number;
}

/** From `from` on and before `to`, in milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Where a rule ends: every start is before this instant, and its wall time is before this one. */
interface End {
  readonly instant: number;
  readonly wall: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** The end that the rule's own UNTIL sets. A date includes the whole local day, as the entry's `until` does. */
function untilOfRule(until: string | undefined): End {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(until ?? '');
  if (match === null) return { instant: NEVER, wall: NEVER };
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const last = Date.UTC(year, month - 1, day, hour, minute, second);
  if (match[7] === 'Z') return { instant: last + 1, wall: NEVER };
  return { instant: NEVER, wall: match[4] === undefined ? last + DAY : last + 1 };
}

/** The earliest of the ends of the entry, its rule and the requested range. */
function endOf(entry: RecurringSlots, rule: RecurrenceRule, clock: ZoneClock, to: number): End {
  const until = untilOfRule(rule.until);
  const lastDay = readDate(entry.until);
  const instant = Math.min(to, until.instant, LAST_INSTANT + 1);
  return {
    instant,
    wall: Math.min(until.wall, lastDay === undefined ? NEVER : lastDay + DAY, clock.lastWall(instant)),
  };
}

/** An entry that is parsed once and walked many times. */
export interface ParsedRule {
  readonly entry: RecurringSlots;
  readonly rule: RecurrenceRule;
  readonly startsAt: number;
  readonly wallStart: number;
}

/** Undefined: the rule cannot be parsed, and starts no slots. */
export function parseRule(entry: RecurringSlots, timezone: string): ParsedRule | undefined {
  const rule = readRecurrence(entry.rrule);
  const startsAt = readInstant(entry.starts_at);
  if ('problem' in rule || startsAt === undefined) return undefined;
  return { entry, rule, startsAt, wallStart: wallIn(timezone, startsAt) };
}

/**
 * Visits the starts of a rule in a range, with their wall times, until `visit` returns false. The rule is expanded in
 * wall times, and each wall time then becomes an instant, so 10:00 stays 10:00 on both sides of a change of the clocks.
 * Wall times are in order; so are instants, except those that a change moved. Returns false when the budget ran out.
 */
export function walkStarts(
  { entry, rule, startsAt, wallStart }: ParsedRule,
  clock: ZoneClock,
  range: TimeRange,
  budget: StepBudget,
  visit: (start: number, wall: number) => boolean,
): boolean {
  const end = endOf(entry, rule, clock, range.to);
  const walls = { from: clock.firstWall(range.from), to: end.wall };
  return walkRecurrence(rule, wallStart, walls, budget, (wall) => {
    const start = clock.instantAt(wall, startsAt);
    return start < range.from || start >= end.instant || visit(start, wall);
  });
}

/** The starts of one entry in a range: at most MAX_STARTS of those that `keep` accepts. */
export function recurringStarts(
  entry: RecurringSlots,
  clock: ZoneClock,
  range: TimeRange,
  keep: (start: number) => boolean = () => true,
): Expansion {
  const parsed = parseRule(entry, clock.timezone);
  if (parsed === undefined) return { starts: [], complete: true, steps: 0 };
  const starts = new Set<number>();
  const budget: StepBudget = { left: MAX_STEPS };
  let isFull = false;
  const hasEnded = walkStarts(parsed, clock, range, budget, (start) => {
    if (!keep(start)) return true;
    isFull = starts.size === MAX_STARTS;
    if (!isFull) starts.add(start);
    return !isFull;
  });
  const steps = MAX_STEPS - Math.max(budget.left, 0);
  return { starts: [...starts].sort((a, b) => a - b), complete: hasEnded && !isFull, steps };
}

/** Whether a rule stays within the bounds. If not: the error code, and a message that says what to change. */
export type RecurrenceCheck =
  | { readonly isBounded: true; readonly steps: number }
  | {
      readonly isBounded: false;
      readonly code: 'invalid_format' | 'invalid_value' | 'out_of_range';
      readonly problem: string;
      readonly steps: number;
    };

/**
 * Checks a rule before it is stored. It may start slots at most MAX_TIMES_PER_DAY times a day (out_of_range), and must
 * start one at some time (invalid_value). The dates that end it are ignored, since a rule that has ended is allowed.
 */
export function checkRecurrence(entry: RecurringSlots, timezone = 'UTC'): RecurrenceCheck {
  const rule = readRecurrence(entry.rrule);
  if ('problem' in rule) return { isBounded: false, ...rule, steps: 0 };
  const startsAt = readInstant(entry.starts_at);
  if (startsAt === undefined)
    return { isBounded: false, code: 'invalid_format', problem: 'starts_at is not a time.', steps: 0 };
  const times = timesADay(rule);
  if (times > MAX_TIMES_PER_DAY) {
    const problem = `This rule starts ${times} slots a day; the most is ${MAX_TIMES_PER_DAY}. Shorten BYHOUR, BYMINUTE or BYSECOND.`;
    return { isBounded: false, code: 'out_of_range', problem, steps: 0 };
  }
  const start = wallIn(timezone, startsAt);
  const budget: StepBudget = { left: MAX_STEPS };
  let found = false;
  walkRecurrence(rule, start, { from: start, to: LAST_INSTANT }, budget, () => {
    found = true;
    return false;
  });
  const steps = MAX_STEPS - Math.max(budget.left, 0);
  if (found) return { isBounded: true, steps };
  const problem = 'This rule never starts a slot: no day or time fits all of its parts. Send a rule that does.';
  return { isBounded: false, code: 'invalid_value', problem, steps };
}
