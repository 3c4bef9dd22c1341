// The rule that a period ends after it starts, for every object with `starts_at` and `ends_at` (slots, events, sales
// windows, boat blocks). Equal times break the rule, because a period must have a length.

import { below, member } from './json-walk.ts';
import { HOUR, LAST_MOMENT, readMoment, writeMoment } from './moment.ts';
import type { Rule } from './rule.ts';

export const endsAfterStarts: Rule = (value, at, report) => {
  const starts = readMoment(member(value, 'starts_at'));
  const ends = readMoment(member(value, 'ends_at'));
  if (starts === undefined || ends === undefined || ends > starts) return;
  const start = writeMoment(starts);
  report({
    code: 'not_allowed',
    field: below(at, 'ends_at'),
    message: `ends_at must be after starts_at (${start}). Send a later ends_at.`,
    expected: `a time after ${start}`,
    example_fix: starts < LAST_MOMENT ? writeMoment(Math.min(starts + HOUR, LAST_MOMENT)) : null,
  });
};
