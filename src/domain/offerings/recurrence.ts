// Recurring slots: when the slots of a rule start, in the venue's time zone, daylight saving included. Every expansion is
// bounded, in the starts it gives and in the steps it takes; at the bound it is cut and says so. Rules that would meet the
// bound are refused beforehand by recurrenceIsBounded. Capacity, blackout dates and prices are not its business.

import { DAY, LAST_MOMENT, readDate, readMoment } from '../../../schemas/rules/moment.ts';
import { readRecurrence } from '../../../schemas/rules/recurrence-rule.ts';
import type { Availability } from '../../../schemas/types.gen.ts';
import { type RecurrenceRule, timesADay, type Work, walkRecurrence } from '../calendar/recurrence-set.ts';
import { wallIn, type ZoneClock } from '../calendar/zone-clock.ts';

export type RecurringSlots = NonNullable<Availability['recurring']>[number];

/** The most starts that one expansion gives. */
export const MOST_STARTS = 2000;
/** The most times a day that a rule may have: one every five minutes. 62 such days take well under MOST_STEPS. */
export const MOST_TIMES_A_DAY = 288;
/** The most steps that one expansion takes, a millisecond or a few. Counting a daily COUNT from 1970 on takes 21,000. */
export const MOST_STEPS = 50_000;

export interface Expansion {
  /** The moments at which slots start, in order, each once. */
  readonly starts: readonly number[];
  /** False when there may be more: a bound was met. */
  readonly complete: boolean;
  /** How many steps it took. */
  readonly steps: number;
}

/** From `from` on and before `to`, in milliseconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Where a rule ends: its starts are before this moment, and come from wall times before this. */
interface End {
  readonly moment: number;
  readonly wall: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** The end that the rule's own UNTIL sets. A date takes in the whole local day, as the entry's `until` does. */
function untilOfRule(until: string | undefined): End {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(until ?? '');
  if (match === null) return { moment: NEVER, wall: NEVER };
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const last = Date.UTC(year, month - 1, day, hour, minute, second);
  if (match[7] === 'Z') return { moment: last + 1, wall: NEVER };
  return { moment: NEVER, wall: match[4] === undefined ? last + DAY : last + 1 };
}

/** Where the entry, its rule and the stretch that was asked for end, whichever is first. */
function endOf(entry: RecurringSlots, rule: RecurrenceRule, clock: ZoneClock, to: number): End {
  const until = untilOfRule(rule.until);
  const lastDay = readDate(entry.until);
  const moment = Math.min(to, until.moment, LAST_MOMENT + 1);
  return { moment, wall: Math.min(until.wall, lastDay === undefined ? NEVER : lastDay + DAY, clock.lastWall(moment)) };
}

/** An entry that was read once, to be walked many times. */
export interface OpenRule {
  readonly entry: RecurringSlots;
  readonly rule: RecurrenceRule;
  readonly startsAt: number;
  readonly startsOnWall: number;
}

/** A rule that cannot be read is none. */
export function openRule(entry: RecurringSlots, timezone: string): OpenRule | undefined {
  const rule = readRecurrence(entry.rrule);
  const startsAt = readMoment(entry.starts_at);
  if ('problem' in rule || startsAt === undefined) return undefined;
  return { entry, rule, startsAt, startsOnWall: wallIn(timezone, startsAt) };
}

/**
 * Visits the starts of a rule within a stretch, with the wall times they come from, until `visit` says false. The rule is
 * expanded on the venue's wall clock, and each wall time then becomes a moment, so that 10:00 stays 10:00 on both sides of
 * a change. Wall times come in order; moments do too, but for those that a change moved. False: the work ran out.
 */
export function walkStarts(
  { entry, rule, startsAt, startsOnWall }: OpenRule,
  clock: ZoneClock,
  stretch: Stretch,
  work: Work,
  visit: (start: number, wall: number) => boolean,
): boolean {
  const end = endOf(entry, rule, clock, stretch.to);
  const walls = { from: clock.firstWall(stretch.from), to: end.wall };
  return walkRecurrence(rule, startsOnWall, walls, work, (wall) => {
    const start = clock.momentAt(wall, startsAt);
    return start < stretch.from || start >= end.moment || visit(start, wall);
  });
}

/** When the slots of one entry start within a stretch, at most MOST_STARTS of those that `keep` wants. */
export function recurringStarts(
  entry: RecurringSlots,
  clock: ZoneClock,
  stretch: Stretch,
  keep: (start: number) => boolean = () => true,
): Expansion {
  const open = openRule(entry, clock.timezone);
  if (open === undefined) return { starts: [], complete: true, steps: 0 };
  const starts = new Set<number>();
  const work: Work = { left: MOST_STEPS };
  let full = false;
  const ended = walkStarts(open, clock, stretch, work, (start) => {
    if (!keep(start)) return true;
    full = starts.size === MOST_STARTS;
    if (!full) starts.add(start);
    return !full;
  });
  const steps = MOST_STEPS - Math.max(work.left, 0);
  return { starts: [...starts].sort((a, b) => a - b), complete: ended && !full, steps };
}

/** Whether a rule stays within the bounds; if not, the code of the breach and a sentence that says what to do. */
export type Boundedness =
  | { readonly bounded: true; readonly steps: number }
  | {
      readonly bounded: false;
      readonly code: 'invalid_format' | 'invalid_value' | 'out_of_range';
      readonly problem: string;
      readonly steps: number;
    };

/**
 * For the upsert: whether the rule can be answered within the bounds. It may start slots at most MOST_TIMES_A_DAY times a
 * day (out_of_range), and must start one at some time (invalid_value). The dates that end it are left aside: a rule that
 * has ended is no mistake.
 */
export function recurrenceIsBounded(entry: RecurringSlots, timezone = 'UTC'): Boundedness {
  const rule = readRecurrence(entry.rrule);
  if ('problem' in rule) return { bounded: false, ...rule, steps: 0 };
  const startsAt = readMoment(entry.starts_at);
  if (startsAt === undefined)
    return { bounded: false, code: 'invalid_format', problem: 'starts_at is not a time.', steps: 0 };
  const times = timesADay(rule);
  if (times > MOST_TIMES_A_DAY) {
    const problem = `This rule starts ${times} slots a day; the most is ${MOST_TIMES_A_DAY}. Shorten BYHOUR, BYMINUTE or BYSECOND.`;
    return { bounded: false, code: 'out_of_range', problem, steps: 0 };
  }
  const start = wallIn(timezone, startsAt);
  const work: Work = { left: MOST_STEPS };
  let found = false;
  walkRecurrence(rule, start, { from: start, to: LAST_MOMENT }, work, () => {
    found = true;
    return false;
  });
  const steps = MOST_STEPS - Math.max(work.left, 0);
  if (found) return { bounded: true, steps };
  const problem = 'This rule never starts a slot: no day or time fits all of its parts. Send a rule that does.';
  return { bounded: false, code: 'invalid_value', problem, steps };
}
