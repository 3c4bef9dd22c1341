// The wall-clock times that a recurrence rule gives, period by period, as whole numbers: a period's days, times its hours,
// minutes and seconds, never spelt out. So any period, and any place in it, is reached by arithmetic, and a question
// about next week costs the same whether the rule began yesterday or in 1990. It knows no zones and no clock.

import { DAY, HOUR } from '../../../schemas/rules/moment.ts';
import type { readRecurrence } from '../../../schemas/rules/recurrence-rule.ts';

export type RecurrenceRule = Exclude<ReturnType<typeof readRecurrence>, { problem: string }>;

/** How many steps a walk may still take. A step is a day looked at or a time found. */
export interface Work {
  left: number;
}

const WEEK: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Days are counted from 1970-01-01, which was a Thursday. */
const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;
const dayNumber = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / DAY;
const weekStarting = (day: number, weekStart: number): number => day - ((weekdayOf(day) - weekStart + 7) % 7);

/** A list of times in order, known by its length and its members. */
interface Ordered {
  readonly size: number;
  at(index: number): number;
}

/** The first index whose time is not before `time`. */
function firstFrom(list: Ordered, time: number): number {
  let [low, high] = [0, list.size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (list.at(middle) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ascending = (list: readonly number[]): number[] => [...new Set(list)].sort((a, b) => a - b);

/** The times of a day, in milliseconds from midnight. Second 60 is on no wall. */
function timesOf(rule: RecurrenceRule, start: Date): Ordered {
  const hours = ascending(rule.lists.BYHOUR ?? [start.getUTCHours()]);
  const minutes = ascending(rule.lists.BYMINUTE ?? [start.getUTCMinutes()]);
  const seconds = ascending(rule.lists.BYSECOND ?? [start.getUTCSeconds()]).filter((second) => second < 60);
  const [perMinute, perHour] = [seconds.length, seconds.length * minutes.length];
  const part = start.getUTCMilliseconds();
  return {
    size: hours.length * perHour,
    at: (index) =>
      (hours[Math.floor(index / perHour)] ?? 0) * HOUR +
      (minutes[Math.floor(index / perMinute) % minutes.length] ?? 0) * 60_000 +
      (seconds[index % perMinute] ?? 0) * 1000 +
      part,
  };
}

/** Whether a place, counted from 1, of `length` places is one of those asked for; -1 is the last. */
const isPlace = (places: readonly number[] | undefined, place: number, length: number): boolean =>
  places === undefined || places.includes(place) || places.includes(place - length - 1);

/** The rule with what it leaves out filled in from its start (RFC 5545, section 3.3.10). */
function completed(rule: RecurrenceRule, start: Date): Pick<RecurrenceRule, 'days' | 'lists'> {
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

/** Keeps the last stretch of days that was worked out, since days are asked for one after another. */
function lastKept<T extends { readonly first: number; readonly next: number }>(make: (day: number) => T) {
  let kept: T | undefined;
  return (day: number): T => {
    if (kept === undefined || day < kept.first || day >= kept.next) kept = make(day);
    return kept;
  };
}

/** The month of a day, and the year around it. */
function monthOf(day: number) {
  const date = new Date(day * DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const [first, next] = [dayNumber(year, month, 1), dayNumber(year, month + 1, 1)];
  return { month, first, next, firstOfYear: dayNumber(year, 1, 1), nextYear: dayNumber(year + 1, 1, 1) };
}

/** The week of a day, its number, and how many its year has: week 1 is the first with four days in the year. */
function weekOf(day: number, weekStart: number) {
  const firstWeek = (year: number): number => weekStarting(dayNumber(year, 1, 4), weekStart);
  const first = weekStarting(day, weekStart);
  const year = new Date((first + 3) * DAY).getUTCFullYear();
  const begin = firstWeek(year);
  return { first, next: first + 7, week: (first - begin) / 7 + 1, weeks: (firstWeek(year + 1) - begin) / 7 };
}

/** Says of a day whether the rule names it. */
function dayTest(rule: RecurrenceRule, start: Date): (day: number) => boolean {
  const { days, lists } = completed(rule, start);
  const { BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO } = lists;
  const named = days.map(({ day, ordinal }) => ({ weekday: WEEK.indexOf(day), ordinal }));
  const withinMonth = rule.frequency === 'MONTHLY' || BYMONTH !== undefined;
  const monthAt = lastKept(monthOf);
  const weekAt = lastKept((day) => weekOf(day, WEEK.indexOf(rule.weekStart)));
  const inWeek = (day: number): boolean => {
    const { week, weeks } = weekAt(day);
    return isPlace(BYWEEKNO, week, weeks);
  };
  return (day) => {
    const { month, first, next, firstOfYear, nextYear } = monthAt(day);
    if (BYMONTH !== undefined && !BYMONTH.includes(month)) return false;
    const [ofMonth, inMonth] = [day - first + 1, next - first];
    const [ofYear, inYear] = [day - firstOfYear + 1, nextYear - firstOfYear];
    if (!isPlace(BYMONTHDAY, ofMonth, inMonth) || !isPlace(BYYEARDAY, ofYear, inYear)) return false;
    if (BYWEEKNO !== undefined && !inWeek(day)) return false;
    if (named.length === 0) return true;
    const weekday = weekdayOf(day);
    const [place, length] = withinMonth ? [ofMonth, inMonth] : [ofYear, inYear];
    const [nth, nthLast] = [Math.ceil(place / 7), -Math.ceil((length - place + 1) / 7)];
    return named.some(
      (one) => one.weekday === weekday && (one.ordinal === undefined || one.ordinal === nth || one.ordinal === nthLast),
    );
  };
}

/** The days, weeks, months or years of a rule, numbered from the one its start is in. */
interface Periods {
  /** The first day of a period. */
  firstDay(index: number): number;
  /** How many days it has. */
  length(index: number): number;
  /** The period that a day is in or, between two, the one before. */
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
function atPositions(list: Ordered, positions: readonly number[]): Ordered {
  const places = positions.map((position) => (position > 0 ? position - 1 : list.size + position));
  const picked = ascending(places.filter((place) => place >= 0 && place < list.size));
  return { size: picked.length, at: (index) => list.at(picked[index] ?? 0) };
}

function periodTimes(days: readonly number[], times: Ordered, positions: readonly number[] | undefined): Ordered {
  const all: Ordered = {
    size: days.length * times.size,
    at: (index) => (days[Math.floor(index / times.size)] ?? 0) * DAY + times.at(index % times.size),
  };
  return positions === undefined ? all : atPositions(all, positions);
}

/** How many times a day the rule gives at the most. */
export function timesADay(rule: RecurrenceRule): number {
  return timesOf(rule, new Date(0)).size;
}

/**
 * Visits the wall times of a rule that begins at the wall time `start`, in order, from `from` on and before `to`, until
 * `visit` says false. Without COUNT the periods before `from` are jumped over, since no period depends on another; with
 * COUNT each is counted, though not spelt out. False: the work ran out before the end.
 */
export function walkRecurrence(
  rule: RecurrenceRule,
  start: number,
  stretch: { readonly from: number; readonly to: number },
  work: Work,
  visit: (wall: number) => boolean,
): boolean {
  const startDate = new Date(start);
  const [periods, names, times] = [periodsOf(rule, startDate), dayTest(rule, startDate), timesOf(rule, startDate)];
  const from = Math.max(start, stretch.from);
  let remaining = rule.count ?? Number.POSITIVE_INFINITY;
  let index = rule.count === undefined ? periods.indexOf(Math.floor(from / DAY)) : 0;
  for (; remaining > 0; index += 1) {
    const firstDay = periods.firstDay(index);
    if (firstDay * DAY >= stretch.to) return true;
    const length = periods.length(index);
    work.left -= length + (rule.lists.BYSETPOS?.length ?? 0);
    if (work.left < 0) return false;
    const days: number[] = [];
    for (let day = firstDay; day < firstDay + length; day += 1) if (names(day)) days.push(day);
    if (days.length === 0) continue;
    const found = periodTimes(days, times, rule.lists.BYSETPOS);
    const first = firstFrom(found, start);
    const end = Math.min(found.size, first + remaining);
    remaining -= end - first;
    for (let place = Math.max(first, firstFrom(found, from)); place < end; place += 1) {
      const wall = found.at(place);
      if (wall >= stretch.to) return true;
      work.left -= 1;
      if (work.left < 0) return false;
      if (!visit(wall)) return true;
    }
  }
  return true;
}
