// The rules that depend on the current time: a start in the future, within two years, and a pay_by in the future. They
// apply only to new objects, so that an exact replay stays a duplicate after the time has passed.

import { DAY, readInstant, writeInstant } from './instant.ts';
import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

const MAX_YEARS_AHEAD = 2;

/** `starts_at` must be after now and at most two years ahead. */
export const startsWithinTwoYears: Rule = (value, at, report, facts) => {
  const starts = readInstant(member(value, 'starts_at'));
  if (starts === undefined) return;
  const now = facts.now.getTime();
  const last = new Date(now);
  last.setUTCFullYear(last.getUTCFullYear() + MAX_YEARS_AHEAD);
  if (starts > now && starts <= last.getTime()) return;
  const message =
    starts > now
      ? `starts_at may be at most two years ahead. Send a time up to ${writeInstant(last.getTime())}.`
      : `starts_at must be in the future. Send a time after ${writeInstant(now)}.`;
  report({
    code: 'out_of_range',
    field: below(at, 'starts_at'),
    message,
    expected: 'a time in the future, at most two years ahead',
    example_fix: writeInstant(now + 7 * DAY),
  });
};

/** `pay_by` must be after now. */
export const payByAhead: Rule = (value, at, report, facts) => {
  const payBy = readInstant(member(value, 'pay_by'));
  const now = facts.now.getTime();
  if (payBy === undefined || payBy > now) return;
  report({
    code: 'out_of_range',
    field: below(at, 'pay_by'),
    message: `pay_by must be in the future, so that the party has time to pay. Send a time after ${writeInstant(now)}.`,
    expected: 'a time in the future',
    example_fix: writeInstant(now + DAY),
  });
};
