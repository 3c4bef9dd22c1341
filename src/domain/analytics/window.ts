// The window of a report: `from` inclusive, `to` exclusive, at most 366 days apart to the microsecond. Defaults: `to`
// is now, `from` is 30 days before `to`.

import { type FieldProblem, invalid } from '../../base/errors.ts';
import { utc } from '../../base/schema/normalize.ts';

export interface Window {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const EPOCH = Date.UTC(1970, 0, 1);

export function windowOf(query: Readonly<Record<string, unknown>>, now: number): Window {
  const from = typeof query.from === 'string' ? utc(query.from) : null;
  const to = typeof query.to === 'string' ? utc(query.to) : null;
  const end = to ?? new Date(now).toISOString();
  const window = { from: from ?? thirtyDaysBefore(end), to: end };
  const length = microseconds(window.to) - microseconds(window.from);
  const longest = BigInt(MAX_DAYS * DAY_MS) * 1000n;
  if (length > 0n && length <= longest) return window;
  throw invalid([problemWith(window, length > 0n, to === null ? 'from' : 'to')]);
}

/** Exact to the microsecond; never before 1970. */
function thirtyDaysBefore(end: string): string {
  const whole = Math.max(Date.parse(`${end.slice(0, 19)}Z`) - DEFAULT_DAYS * DAY_MS, EPOCH);
  return `${new Date(whole).toISOString().slice(0, 19)}${end.slice(19)}`;
}

/** Microseconds since 1970 of a time in UTC, in the format of utc(). */
function microseconds(time: string): bigint {
  const fraction = time.slice(20, -1).padEnd(6, '0');
  return BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1000n + BigInt(fraction);
}

function problemWith(window: Window, isTooLong: boolean, name: 'from' | 'to'): FieldProblem {
  const shift = (time: string, days: number): string => {
    const moved = Date.parse(`${time.slice(0, 19)}Z`) + days * DAY_MS;
    return new Date(Math.min(Math.max(moved, EPOCH), Date.UTC(9998, 11, 31))).toISOString();
  };
  return {
    code: isTooLong ? 'out_of_range' : 'not_allowed',
    field: `/query/${name}`,
    message: isTooLong
      ? `from and to are more than ${MAX_DAYS} days apart. Ask for a shorter window.`
      : `to must be after from${name === 'from' ? ', and to is now when it is left out' : ''}.`,
    expected:
      name === 'to'
        ? `a time after from, at most ${MAX_DAYS} days later`
        : `a time before to, at most ${MAX_DAYS} days earlier`,
    example_fix: name === 'to' ? shift(window.from, DEFAULT_DAYS) : shift(window.to, -DEFAULT_DAYS),
  };
}

/** The days in UTC that overlap the window, as YYYY-MM-DD. */
export function daysOf({ from, to }: Window): string[] {
  const first = Date.parse(`${from.slice(0, 10)}T00:00:00Z`);
  const end = microseconds(to);
  const days: string[] = [];
  for (let day = first; BigInt(day) * 1000n < end; day += DAY_MS) days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}
