// The rule that a period ends after it starts, for every object with `starts_at` and `ends_at` (slots, events, sales
// windows, boat blocks, bookings). Equal times break the rule, because a period must have a length.

import { HOUR, LAST_INSTANT, readInstant, writeInstant } from './instant.ts';
import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

export const endsAfterStarts: Rule = (value, at, report) => {
  const starts = readInstant(member(value, 'starts_at'));
  const ends = readInstant(member(value, 'ends_at'));
  if (starts === undefined || ends === undefined || ends > starts) return;
  const start = writeInstant(starts);
  const fix =
    starts < LAST_INSTANT
      ? { example_fix: writeInstant(Math.min(starts + HOUR, LAST_INSTANT)) }
      : { example_fix: writeInstant(Math.max(ends - HOUR, 0)), example_fix_field: below(at, 'starts_at') };
  report({
    code: 'not_allowed',
    field: below(at, 'ends_at'),
    message: `ends_at must be after starts_at (${start}). Send a later ends_at.`,
    expected: `a time after ${start}`,
    ...fix,
  });
};
