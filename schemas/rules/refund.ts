// The rule of a refund: it has an amount, or the booking's start for the offering's policy, but not both.

import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

export const refund: Rule = (value, at, report) => {
  if (member(value, 'amount') === undefined || member(value, 'starts_at') === undefined) return;
  const names = Object.keys(value as Record<string, unknown>);
  const later = names.indexOf('amount') > names.indexOf('starts_at') ? 'amount' : 'starts_at';
  report({
    code: 'not_allowed',
    field: below(at, later),
    message: 'Send amount, or starts_at to apply the cancellation policy, but not both.',
    expected: 'amount or starts_at, not both',
    example_fix: null,
  });
};
