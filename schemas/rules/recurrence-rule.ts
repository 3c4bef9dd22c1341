// Parses recurrence rules (RFC 5545, RRULE) and says in plain words why a rule is invalid. It checks every part against
// its range and against the parts with which it may occur. It refuses rules that repeat within a day, because bookings
// repeat daily or slower. Linear in the length of the text, which is bounded.

import type { Rule } from './rule.ts';
import { quoted } from './wording.ts';

const MAX_LENGTH = 1000;
const REPEATS_WITHIN_A_DAY: ReadonlySet<string> = new Set(['SECONDLY', 'MINUTELY', 'HOURLY']);
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

type Frequency = (typeof FREQUENCIES)[number];
type Day = (typeof DAYS)[number];
interface OrdinalDay {
  readonly day: Day;
  /** 2 is the second such day of the month or year, -1 the last; undefined is every one. */
  readonly ordinal: number | undefined;
}

interface Range {
  readonly min: number;
  readonly max: number;
  /** Whether negative numbers, which count from the end, are allowed. */
  readonly signed: boolean;
}

const NUMBER_LISTS = {
  BYSECOND: { min: 0, max: 60, signed: false },
  BYMINUTE: { min: 0, max: 59, signed: false },
  BYHOUR: { min: 0, max: 23, signed: false },
  BYMONTHDAY: { min: 1, max: 31, signed: true },
  BYYEARDAY: { min: 1, max: 366, signed: true },
  BYWEEKNO: { min: 1, max: 53, signed: true },
  BYMONTH: { min: 1, max: 12, signed: false },
  BYSETPOS: { min: 1, max: 366, signed: true },
} as const satisfies Record<string, Range>;
type NumberList = keyof typeof NUMBER_LISTS;
const NUMBER_LIST_NAMES = Object.keys(NUMBER_LISTS) as NumberList[];

const COUNT_RANGE: Range = { min: 1, max: 10_000, signed: false };
const ORDINAL_RANGE: Range = { min: 1, max: 53, signed: true };
const PART_NAMES: ReadonlySet<string> = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST'],
  ...NUMBER_LIST_NAMES,
]);

/** A parsed recurrence rule. */
interface Recurrence {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  /** As the rule gives it: YYYYMMDD, YYYYMMDDTHHMMSS (local) or YYYYMMDDTHHMMSSZ. */
  readonly until: string | undefined;
  readonly weekStart: Day;
  readonly days: readonly OrdinalDay[];
  readonly lists: Readonly<Partial<Record<NumberList, readonly number[]>>>;
}

/** Why a rule is invalid, and the code of its breach. */
interface RecurrenceProblem {
  readonly code: 'invalid_format' | 'invalid_value';
  readonly problem: string;
}

function span(range: Range): string {
  const { min, max } = range;
  return range.signed ? `${min} to ${max} or -${max} to -${min}` : `${min} to ${max}`;
}

/** A whole number within a range, or undefined. */
function readNumber(text: string, range: Range): number | undefined {
  if (!(range.signed ? /^[+-]?\d{1,5}$/ : /^\d{1,5}$/).test(text)) return undefined;
  const number = Number(text);
  const size = Math.abs(number);
  return size >= range.min && size <= range.max ? number : undefined;
}

/** A comma-separated list, or undefined when one entry cannot be read. */
function readList<T>(text: string, read: (entry: string) => T | undefined): T[] | undefined {
  const list: T[] = [];
  for (const entry of text.split(',')) {
    const value = read(entry);
    if (value === undefined) return undefined;
    list.push(value);
  }
  return list;
}

function readDay(text: string): Day | undefined {
  return DAYS.find((day) => day === text);
}

function readOrdinalDay(text: string): OrdinalDay | undefined {
  const day = readDay(text.slice(-2));
  const number = text.slice(0, -2);
  const ordinal = number === '' ? undefined : readNumber(number, ORDINAL_RANGE);
  return day === undefined || (number !== '' && ordinal === undefined) ? undefined : { day, ordinal };
}

function isUntil(text: string): boolean {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T([01]\d|2[0-3])[0-5]\d[0-5]\dZ?)?$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1970 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The parts by name, in capitals because RFC 5545 ignores letter case. A string is the problem. */
function readParts(text: string): ReadonlyMap<string, string> | string {
  if (text.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (!/^[A-Za-z0-9=;:,+-]*$/.test(text))
    return 'it has characters that are not allowed, such as a space or a line break';
  const parts = new Map<string, string>();
  for (const part of text.replace(/^RRULE:/i, '').split(';')) {
    const [name = '', value, more] = part.toUpperCase().split('=');
    if (value === undefined || more !== undefined) return `${quoted(part)} is not of the form NAME=value`;
    if (!PART_NAMES.has(name)) return `RFC 5545 has no part ${quoted(name)}`;
    if (parts.has(name)) return `${name} occurs twice`;
    parts.set(name, value);
  }
  return parts;
}

/** The first conflict between parts that RFC 5545 forbids, or undefined. */
function conflict(rule: Recurrence): string | undefined {
  const { frequency, lists } = rule;
  if (rule.count !== undefined && rule.until !== undefined) return 'COUNT and UNTIL exclude each other';
  if (rule.days.some((day) => day.ordinal !== undefined)) {
    if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return `BYDAY takes numbers only with MONTHLY or YEARLY`;
    if (lists.BYWEEKNO !== undefined) return 'BYDAY takes no numbers together with BYWEEKNO';
  }
  if (lists.BYMONTHDAY !== undefined && frequency === 'WEEKLY') return 'BYMONTHDAY is not allowed with WEEKLY';
  if (lists.BYYEARDAY !== undefined && frequency !== 'YEARLY') return 'BYYEARDAY is allowed only with YEARLY';
  if (lists.BYWEEKNO !== undefined && frequency !== 'YEARLY') return 'BYWEEKNO is allowed only with YEARLY';
  const others = rule.days.length > 0 || Object.keys(lists).some((name) => name !== 'BYSETPOS');
  if (lists.BYSETPOS !== undefined && !others) return 'BYSETPOS needs another BY part';
  return undefined;
}

function readNumberLists(parts: ReadonlyMap<string, string>): Recurrence['lists'] | string {
  const lists: Partial<Record<NumberList, readonly number[]>> = {};
  for (const name of NUMBER_LIST_NAMES) {
    const text = parts.get(name);
    if (text === undefined) continue;
    const list = readList(text, (entry) => readNumber(entry, NUMBER_LISTS[name]));
    if (list === undefined) return `${name} takes numbers from ${span(NUMBER_LISTS[name])}, with commas between`;
    lists[name] = list;
  }
  return lists;
}

function readBody(parts: ReadonlyMap<string, string>, frequency: Frequency): Recurrence | string {
  const [count, until, byDay] = [parts.get('COUNT'), parts.get('UNTIL'), parts.get('BYDAY')];
  const interval = readNumber(parts.get('INTERVAL') ?? '1', COUNT_RANGE);
  if (interval === undefined) return `INTERVAL is a whole number from ${span(COUNT_RANGE)}`;
  const occurrences = count === undefined ? undefined : readNumber(count, COUNT_RANGE);
  if (count !== undefined && occurrences === undefined) return `COUNT is a whole number from ${span(COUNT_RANGE)}`;
  if (until !== undefined && !isUntil(until)) return 'UNTIL is a real date or date-time, such as 20271231T235959Z';
  const weekStart = readDay(parts.get('WKST') ?? 'MO');
  if (weekStart === undefined) return 'WKST is one of MO, TU, WE, TH, FR, SA, SU';
  const days = byDay === undefined ? [] : readList(byDay, readOrdinalDay);
  if (days === undefined)
    return 'BYDAY takes MO, TU, WE, TH, FR, SA, SU with commas between, such as MO,WE or 1FR,-1SU';
  const lists = readNumberLists(parts);
  if (typeof lists === 'string') return lists;
  const rule: Recurrence = { frequency, interval, count: occurrences, until, weekStart, days, lists };
  return conflict(rule) ?? rule;
}

/** Parses a recurrence rule, with or without "RRULE:" before it, or says why it is invalid. */
export function readRecurrence(text: string): Recurrence | RecurrenceProblem {
  const parts = readParts(text);
  if (typeof parts === 'string') return { code: 'invalid_format', problem: parts };
  const freq = parts.get('FREQ');
  if (freq === undefined) return { code: 'invalid_format', problem: 'FREQ is missing' };
  if (REPEATS_WITHIN_A_DAY.has(freq)) return { code: 'invalid_value', problem: `FREQ=${freq} is too often` };
  const frequency = FREQUENCIES.find((name) => name === freq);
  if (frequency === undefined) return { code: 'invalid_format', problem: `FREQ is one of ${FREQUENCIES.join(', ')}` };
  const rule = readBody(parts, frequency);
  return typeof rule === 'string' ? { code: 'invalid_format', problem: rule } : rule;
}

export const recurrenceIsReadable: Rule = (value, at, report) => {
  if (typeof value !== 'string') return;
  const rule = readRecurrence(value);
  if (!('problem' in rule)) return;
  const tooOften = rule.code === 'invalid_value';
  report({
    code: rule.code,
    field: at,
    message: tooOften
      ? `Bookings repeat daily or slower, and ${rule.problem}. Use FREQ=DAILY (with BYHOUR and BYMINUTE for several times a day), or send slots.`
      : `This recurrence rule is not valid: ${rule.problem}. See RFC 5545, section 3.3.10.`,
    expected: tooOften ? 'FREQ=DAILY, WEEKLY, MONTHLY or YEARLY' : 'an RFC 5545 recurrence rule',
    example_fix: tooOften ? 'FREQ=DAILY' : 'FREQ=WEEKLY;BYDAY=FR',
  });
};
