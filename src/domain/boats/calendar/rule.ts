// One recurrence rule, expanded inside a window. Rules are expanded on wall time and placed in their zone afterwards, so
// that any zone will do. Every step is charged to the one budget of the calendar: a rule that repeats within the day, that
// cannot be read, or that comes when the budget is spent, is reported and its first occurrence alone is taken.

import { readRecurrence } from '../../../../schemas/rules/recurrence-rule.ts';
import { type RecurrenceRule, timesADay, walkRecurrence } from '../../calendar/recurrence-set.ts';
import type { Pace } from './pace.ts';
import { DAY_MS, parseWallTime } from './times.ts';

/** Every quarter of an hour, day and night. */
const MOST_A_DAY = 96;
const MOST_STEPS_OF_ONE = 30_000;
const LONGEST = 1000;
/** What reading a rule costs beside its length, in steps of following it. */
const STEPS_TO_READ = 30;

export type Expansion =
  | { readonly walls: readonly number[]; readonly cut: boolean }
  | { readonly failed: 'unreadable' | 'explosive' | 'spent'; readonly why?: string };

export interface Span {
  readonly fromWall: number;
  readonly toWall: number;
}

export interface RuleOfEvent {
  readonly text: string;
  readonly startWall: number;
  /** UNTIL in UTC, on the wall of the event's zone. */
  readonly wallOf: (instantMs: number) => number;
}

export function expandRule({ text, startWall, wallOf }: RuleOfEvent, span: Span, most: number, pace: Pace): Expansion {
  if (pace.stepsLeft <= 0) return { failed: 'spent' };
  if (text.length > LONGEST) return { failed: 'unreadable', why: `it is longer than ${LONGEST} characters` };
  pace.steps(STEPS_TO_READ + text.length);
  const services = readParts(text);
  const until = untilWall(services, wallOf);
  if (until === null) return { failed: 'unreadable', why: 'its UNTIL is no date' };
  const rule = readRecurrence(services.join(';'));
  if ('problem' in rule)
    return rule.code === 'invalid_value'
      ? { failed: 'explosive' }
      : { failed: 'unreadable', why: rule.problem.replace(/"[^"]*"/g, 'that') };
  if (timesADay(rule) > MOST_A_DAY) return { failed: 'explosive' };
  const stretch = { from: span.fromWall, to: Math.min(span.toWall, until) + 1 };
  if (stretch.to <= Math.max(stretch.from, startWall)) return { walls: [], cut: false };
  return walked(rule, startWall, stretch, most, pace);
}

function walked(
  rule: RecurrenceRule,
  startWall: number,
  stretch: { readonly from: number; readonly to: number },
  most: number,
  pace: Pace,
): Expansion {
  const walls: number[] = [];
  const allowed = Math.min(pace.stepsLeft, MOST_STEPS_OF_ONE);
  const work = { left: allowed };
  let cut = false;
  const counted = startCounted(rule, startWall, work);
  const late = begunLate(counted, startWall, stretch.from, work);
  const ended =
    late.rule.count === 0 ||
    walkRecurrence(late.rule, late.startWall, stretch, work, (wall) => {
      cut = walls.length >= most;
      if (!cut) walls.push(wall);
      return !cut;
    });
  pace.steps(allowed - Math.max(0, work.left));
  if (!ended && walls.length === 0) return { failed: 'spent' };
  return { walls, cut: cut || !ended };
}

/** DTSTART is the first of COUNT also where the rule does not name it (RFC 5545, 3.8.5.3). */
function startCounted(rule: RecurrenceRule, startWall: number, work: { left: number }): RecurrenceRule {
  if (rule.count === undefined) return rule;
  let named = false;
  walkRecurrence({ ...rule, count: undefined }, startWall, { from: startWall, to: startWall + 1 }, work, () => {
    named = true;
    return false;
  });
  return named ? rule : { ...rule, count: rule.count - 1 };
}

/**
 * Days and weeks repeat after so many weeks, unless months have a say in it: what lies before the window is then counted
 * by one such round, not walked through.
 */
function begunLate(
  rule: RecurrenceRule,
  startWall: number,
  from: number,
  work: { left: number },
): { rule: RecurrenceRule; startWall: number } {
  const round = rule.interval * 7 * DAY_MS;
  const rounds = Math.floor((from - startWall) / round);
  const steady = rule.frequency === 'DAILY' || rule.frequency === 'WEEKLY';
  if (rule.count === undefined || rounds < 2 || !steady) return { rule, startWall };
  if (rule.lists.BYMONTH !== undefined || rule.lists.BYMONTHDAY !== undefined) return { rule, startWall };
  let each = 0;
  const stretch = { from: startWall, to: startWall + round };
  const ended = walkRecurrence({ ...rule, count: undefined }, startWall, stretch, work, () => {
    each += 1;
    return true;
  });
  if (!ended) return { rule, startWall };
  return { rule: { ...rule, count: Math.max(0, rule.count - rounds * each) }, startWall: startWall + rounds * round };
}

/** The parts, without those that say nothing: X- parts, and the calendar and the skipping that are the usual ones. */
function readParts(text: string): string[] {
  return text
    .toUpperCase()
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('X-') && part !== 'RSCALE=GREGORIAN' && part !== 'SKIP=OMIT');
}

/** The last wall time the rule may reach; the part itself is taken out, since the span says the same. */
function untilWall(services: string[], wallOf: (instantMs: number) => number): number | null {
  const at = services.findIndex((part) => part.startsWith('UNTIL='));
  if (at < 0) return Number.POSITIVE_INFINITY;
  const [part = ''] = services.splice(at, 1);
  const until = parseWallTime(part.slice('UNTIL='.length));
  if (until === null) return null;
  if (until.isDate) return until.wallMs + DAY_MS - 1;
  return until.isUtc ? wallOf(until.wallMs) : until.wallMs;
}
