// The wall-clock times that a recurrence rule gives, period by period, as whole numbers. A period is its days times its
// hours, minutes and seconds, and is never listed in full: any period and any position in it is computed directly. So a
// query about next week costs the same whether the rule began yesterday or in 1990. It knows no zones and no clock.

import { DAY, HOUR } from '../../../schemas/rules/instant.ts';
import type { readRecurrence } from '../../../schemas/rules/recurrence-rule.ts';

export type RecurrenceRule = Exclude<ReturnType<typeof readRecurrence>, { problem: string }>;

/** How many steps a walk may still take. A step is a day tested or a time found. */
export interface StepBudget {
  left: number;
}

const WEEK: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Days are counted from 1970-01-01, which was a Thursday. */
const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;
const dayNumber = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / DAY;
const weekStarting = (day: number, weekStart: number): number => day - ((weekdayOf(day) - weekStart + 7) % 7);

/** Times in ascending order, computed when they are read. */
interface SortedTimes {
  readonly size: number;
  at(index: number): number;
}

/** The first index whose time is not before `time`. */
function firstIndexFrom(list: SortedTimes, time: number): number {
  let [low, high] = [0, list.size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (list.at(middle) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sortedUnique = (list: readonly number[]): number[] => [...new Set(list)].sort((a, b) => a - b);

/** The times of a day, in milliseconds from midnight. Second 60 is left out: no wall clock shows it. */
function timesOfDay(rule: RecurrenceRule, start: Date): SortedTimes {
  const hours = sortedUnique(rule.lists.BYHOUR ?? [start.getUTCHours()]);
  const minutes = sortedUnique(rule.lists.BYMINUTE ?? [start.getUTCMinutes()]);
  const seconds = sortedUnique(rule.lists.BYSECOND ?? [start.getUTCSeconds()]).filter((second) => second < 60);
  const [perMinute, perHour] = [seconds.length, seconds.length * minutes.length];
  const milliseconds = start.getUTCMilliseconds();
  return {
    size: hours.length * perHour,
    at: (index) =>
      (hours[Math.floor(index / perHour)] ?? 0) * HOUR +
      (minutes[Math.floor(index / perMinute) % minutes.length] ?? 0) * 60_000 +
      (seconds[index % perMinute] ?? 0) * 1000 +
      milliseconds,
  };
}

/** Whether a position, counted from 1 to `length`, is one of those the rule names; -1 names the last. */
const matchesPosition = (named: readonly number[] | undefined, position: number, length: number): boolean =>
  named === undefined || named.includes(position) || named.includes(position - length - 1);

/** The rule, with the parts that it leaves out taken from its start (RFC 5545, section 3.3.10). */
function withDefaults(rule: RecurrenceRule, start: Date): Pick<RecurrenceRule, 'days' | 'lists'> {
  const { frequency, days, lists } = rule;
  const sameWeekday = { days: rule.days.slice(0, 0).concat({ day: weekdayName(start), ordinal: undefined }), lists };
  if (days.length > 0 || lists.BYMONTHDAY !== undefined || lists.BYYEARDAY !== undefined) return rule;
  if (lists.BYWEEKNO !== undefined || frequency === 'WEEKLY') return sameWeekday;
  const BYMONTHDAY = [start.getUTCDate()];
  if (frequency === 'MONTHLY') return { days, lists: { ...lists, BYMONTHDAY } };
  const BYMONTH = lists.BYMONTH ?? [start.getUTCMonth() + 1];
  return frequency === 'YEARLY' ? { days, lists: { ...lists, BYMONTH, BYMONTHDAY } } : rule;
}

function weekdayName(start: Date): RecurrenceRule['weekStart'] {
  return WEEK[weekdayOf(Math.floor(start.getTime() / DAY))] as RecurrenceRule['weekStart'];
}

/** Caches the last range of days that was computed, since days are tested one after another. */
function cacheLast<T extends { readonly first: number; readonly next: number }>(make: (day: number) => T) {
  let cached: T | undefined;
  return (day: number): T => {
    if (cached === undefined || day < cached.first || day >= cached.next) cached = make(day);
    return cached;
  };
}

/** The month and the year of a day. */
function monthOf(day: number) {
  const date = new Date(day * DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const [first, next] = [dayNumber(year, month, 1), dayNumber(year, month + 1, 1)];
  return { month, first, next, firstOfYear: dayNumber(year, 1, 1), nextYear: dayNumber(year + 1, 1, 1) };
}

/** The week of a day, its number, and how many weeks its year has. Week 1 is the first with four days in the year. */
function weekOf(day: number, weekStart: number) {
  const firstWeek = (year: number): number => weekStarting(dayNumber(year, 1, 4), weekStart);
  const first = weekStarting(day, weekStart);
  const year = new Date((first + 3) * DAY).getUTCFullYear();
  const yearStart = firstWeek(year);
  return { first, next: first + 7, week: (first - yearStart) / 7 + 1, weeks: (firstWeek(year + 1) - yearStart) / 7 };
}

/** Tests whether the rule names a day. */
function dayPredicate(rule: RecurrenceRule, start: Date): (day: number) => boolean {
  const { days, lists } = withDefaults(rule, start);
  const { BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO } = lists;
  const named = days.map(({ day, ordinal }) => ({ weekday: WEEK.indexOf(day), ordinal }));
  const countsInMonth = rule.frequency === 'MONTHLY' || BYMONTH !== undefined;
  const monthAt = cacheLast(monthOf);
  const weekAt = cacheLast((day) => weekOf(day, WEEK.indexOf(rule.weekStart)));
  const isInNamedWeek = (day: number): boolean => {
    const { week, weeks } = weekAt(day);
    return matchesPosition(BYWEEKNO, week, weeks);
  };
  return (day) => {
    const { month, first, next, firstOfYear, nextYear } = monthAt(day);
    if (BYMONTH !== undefined && !BYMONTH.includes(month)) return false;
    const [dayOfMonth, daysInMonth] = [day - first + 1, next - first];
    const [dayOfYear, daysInYear] = [day - firstOfYear + 1, nextYear - firstOfYear];
    if (!matchesPosition(BYMONTHDAY, dayOfMonth, daysInMonth)) return false;
    if (!matchesPosition(BYYEARDAY, dayOfYear, daysInYear)) return false;
    if (BYWEEKNO !== undefined && !isInNamedWeek(day)) return false;
    if (named.length === 0) return true;
    const weekday = weekdayOf(day);
    const [position, length] = countsInMonth ? [dayOfMonth, daysInMonth] : [dayOfYear, daysInYear];
    const [nth, nthLast] = [Math.ceil(position / 7), -Math.ceil((length - position + 1) / 7)];
    return named.some(
      (one) => one.weekday === weekday && (one.ordinal === undefined || one.ordinal === nth || one.ordinal === nthLast),
    );
  };
}

/** The days, weeks, months or years of a rule, numbered from the one that holds its start. */
interface Periods {
  /** The first day of a period. */
  firstDay(index: number): number;
  /** How many days it has. */
  length(index: number): number;
  /** The period that holds a day or, for a day between two periods, the earlier one. */
  indexOf(day: number): number;
}

function periodsOf(rule: RecurrenceRule, start: Date): Periods {
  const { frequency, interval } = rule;
  const startDay = Math.floor(start.getTime() / DAY);
  if (frequency === 'DAILY' || frequency === 'WEEKLY') {
    const length = frequency === 'DAILY' ? 1 : 7;
    const origin = length === 1 ? startDay : weekStarting(startDay, WEEK.indexOf(rule.weekStart));
    return {
      firstDay: (index) => origin + index * interval * length,
      length: () => length,
      indexOf: (day) => Math.floor((day - origin) / (interval * length)),
    };
  }
  const months = frequency === 'MONTHLY' ? 1 : 12;
  const origin = start.getUTCFullYear() * 12 + (months === 1 ? start.getUTCMonth() : 0);
  const firstOf = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY;
  const first = (index: number): number => origin + index * interval * months;
  return {
    firstDay: (index) => firstOf(first(index)),
    length: (index) => firstOf(first(index) + months) - firstOf(first(index)),
    indexOf: (day) => {
      const date = new Date(day * DAY);
      const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
      return Math.floor((month - origin) / (interval * months));
    },
  };
}

/** The members of a list at the positions that BYSETPOS names. */
function atPositions(list: SortedTimes, positions: readonly number[]): SortedTimes {
  const indexes = positions.map((position) => (position > 0 ? position - 1 : list.size + position));
  const picked = sortedUnique(indexes.filter((index) => index >= 0 && index < list.size));
  return { size: picked.length, at: (index) => list.at(picked[index] ?? 0) };
}

function periodTimes(
  days: readonly number[],
  times: SortedTimes,
  positions: readonly number[] | undefined,
): SortedTimes {
  const all: SortedTimes = {
    size: days.length * times.size,
    at: (index) => (days[Math.floor(index / times.size)] ?? 0) * DAY + times.at(index % times.size),
  };
  return positions === undefined ? all : atPositions(all, positions);
}

/** The most times that the rule gives on one day. */
export function timesADay(rule: RecurrenceRule): number {
  return timesOfDay(rule, new Date(0)).size;
}

/**
 * Visits in order the wall times, from `from` on and before `to`, of a rule that begins at the wall time `start`, until
 * `visit` returns false. Without COUNT the periods before `from` are skipped, since no period depends on another; with
 * COUNT each period is counted, but its times are not visited. Returns false when the budget ran out before the end.
 */
export function walkRecurrence(
  rule: RecurrenceRule,
  start: number,
  range: { readonly from: number; readonly to: number },
  budget: StepBudget,
  visit: (wall: number) => boolean,
): boolean {
  const startDate = new Date(start);
  const [periods, isNamed, times] = [
    periodsOf(rule, startDate),
    dayPredicate(rule, startDate),
    timesOfDay(rule, startDate),
  ];
  const from = Math.max(start, range.from);
  let remaining = rule.count ?? Number.POSITIVE_INFINITY;
  let index = rule.count === undefined ? periods.indexOf(Math.floor(from / DAY)) : 0;
  for (; remaining > 0; index += 1) {
    const firstDay = periods.firstDay(index);
    if (firstDay * DAY >= range.to) return true;
    const length = periods.length(index);
    budget.left -= length + (rule.lists.BYSETPOS?.length ?? 0);
    if (budget.left < 0) return false;
    const days: number[] = [];
    for (let day = firstDay; day < firstDay + length; day += 1) if (isNamed(day)) days.push(day);
    if (days.length === 0) continue;
    const found = periodTimes(days, times, rule.lists.BYSETPOS);
    const first = firstIndexFrom(found, start);
    const end = Math.min(found.size, first + remaining);
    remaining -= end - first;
    for (let position = Math.max(first, firstIndexFrom(found, from)); position < end; position += 1) {
      const wall = found.at(position);
      if (wall >= range.to) return true;
      budget.left -= 1;
      if (budget.left < 0) return false;
      if (!visit(wall)) return true;
    }
  }
  return true;
}
