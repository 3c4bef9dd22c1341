// Expands one recurrence rule inside a window, in local (wall) time; the caller resolves the times in their zone. Every
// step is charged to the calendar's budget. A rule that repeats too often within a day, that cannot be read, or for which
// no budget is left fails, and the caller then uses only the first occurrence.

import { readRecurrence } from '../../../../schemas/rules/recurrence-rule.ts';
import { type RecurrenceRule, timesADay, walkRecurrence } from '../../recurrence/recurrence-set.ts';
import { DAY_MS, parseWallTime } from './times.ts';
import type { WorkBudget } from './work-budget.ts';

/** Every quarter of an hour, day and night. */
const MAX_TIMES_PER_DAY = 96;
const MAX_STEPS_PER_RULE = 30_000;
const MAX_RULE_LENGTH = 1000;
/** The cost of parsing a rule, in addition to its length. */
const STEPS_TO_PARSE = 30;

export type RuleExpansion =
  | { readonly wallTimes: readonly number[]; readonly isTruncated: boolean }
  | { readonly failed: 'unreadable' | 'too often' | 'no budget'; readonly why?: string };

export interface Span {
  readonly fromWall: number;
  readonly toWall: number;
}

export interface EventRule {
  readonly text: string;
  readonly startWall: number;
  /** Converts an UNTIL in UTC to the local time of the event's zone. */
  readonly wallOf: (instantMs: number) => number;
}

export function expandRule(
  { text, startWall, wallOf }: EventRule,
  span: Span,
  maxOccurrences: number,
  budget: WorkBudget,
): RuleExpansion {
  if (budget.stepsLeft <= 0) return { failed: 'no budget' };
  if (text.length > MAX_RULE_LENGTH)
    return { failed: 'unreadable', why: `it is longer than ${MAX_RULE_LENGTH} characters` };
  budget.spendSteps(STEPS_TO_PARSE + text.length);
  const parts = readParts(text);
  const until = untilWall(parts, wallOf);
  if (until === null) return { failed: 'unreadable', why: 'its UNTIL is no date' };
  const rule = readRecurrence(parts.join(';'));
  if ('problem' in rule)
    return rule.code === 'invalid_value'
      ? { failed: 'too often' }
      : { failed: 'unreadable', why: rule.problem.replace(/"[^"]*"/g, 'that') };
  if (timesADay(rule) > MAX_TIMES_PER_DAY) return { failed: 'too often' };
  const window = { from: span.fromWall, to: Math.min(span.toWall, until) + 1 };
  if (window.to <= Math.max(window.from, startWall)) return { wallTimes: [], isTruncated: false };
  return walkRule(rule, startWall, window, maxOccurrences, budget);
}

function walkRule(
  rule: RecurrenceRule,
  startWall: number,
  window: { readonly from: number; readonly to: number },
  maxOccurrences: number,
  budget: WorkBudget,
): RuleExpansion {
  const wallTimes: number[] = [];
  const allowed = Math.min(budget.stepsLeft, MAX_STEPS_PER_RULE);
  const work = { left: allowed };
  let isTruncated = false;
  const counted = withStartCounted(rule, startWall, work);
  const skipped = skipToWindow(counted, startWall, window.from, work);
  const hasEnded =
    skipped.rule.count === 0 ||
    walkRecurrence(skipped.rule, skipped.startWall, window, work, (wall) => {
      isTruncated = wallTimes.length >= maxOccurrences;
      if (!isTruncated) wallTimes.push(wall);
      return !isTruncated;
    });
  budget.spendSteps(allowed - Math.max(0, work.left));
  if (!hasEnded && wallTimes.length === 0) return { failed: 'no budget' };
  return { wallTimes, isTruncated: isTruncated || !hasEnded };
}

/** DTSTART counts towards COUNT even if the rule does not match it (RFC 5545, 3.8.5.3). */
function withStartCounted(rule: RecurrenceRule, startWall: number, work: { left: number }): RecurrenceRule {
  if (rule.count === undefined) return rule;
  let isMatched = false;
  walkRecurrence({ ...rule, count: undefined }, startWall, { from: startWall, to: startWall + 1 }, work, () => {
    isMatched = true;
    return false;
  });
  return isMatched ? rule : { ...rule, count: rule.count - 1 };
}

/**
 * A daily or weekly rule without parts for months repeats after `interval` weeks. The occurrences before the window are
 * then computed from one such period instead of visiting each of them.
 */
function skipToWindow(
  rule: RecurrenceRule,
  startWall: number,
  from: number,
  work: { left: number },
): { rule: RecurrenceRule; startWall: number } {
  const period = rule.interval * 7 * DAY_MS;
  const periods = Math.floor((from - startWall) / period);
  const isDailyOrWeekly = rule.frequency === 'DAILY' || rule.frequency === 'WEEKLY';
  if (rule.count === undefined || periods < 2 || !isDailyOrWeekly) return { rule, startWall };
  if (rule.lists.BYMONTH !== undefined || rule.lists.BYMONTHDAY !== undefined) return { rule, startWall };
  let perPeriod = 0;
  const window = { from: startWall, to: startWall + period };
  const hasEnded = walkRecurrence({ ...rule, count: undefined }, startWall, window, work, () => {
    perPeriod += 1;
    return true;
  });
  if (!hasEnded) return { rule, startWall };
  return {
    rule: { ...rule, count: Math.max(0, rule.count - periods * perPeriod) },
    startWall: startWall + periods * period,
  };
}

/** The parts that matter, without X- parts and without RSCALE and SKIP where they state the default. */
function readParts(text: string): string[] {
  return text
    .toUpperCase()
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('X-') && part !== 'RSCALE=GREGORIAN' && part !== 'SKIP=OMIT');
}

/** The last local time of the rule. Removes the UNTIL part, because the window then ends there. */
function untilWall(parts: string[], wallOf: (instantMs: number) => number): number | null {
  const at = parts.findIndex((part) => part.startsWith('UNTIL='));
  if (at < 0) return Number.POSITIVE_INFINITY;
  const [part = ''] = parts.splice(at, 1);
  const until = parseWallTime(part.slice('UNTIL='.length));
  if (until === null) return null;
  if (until.isDate) return until.wallMs + DAY_MS - 1;
  return until.isUtc ? wallOf(until.wallMs) : until.wallMs;
}
