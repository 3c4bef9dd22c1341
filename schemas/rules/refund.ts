// The rule of a refund: it has an amount, or the booking's start for the offering's policy, but not both.

import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

const EXAMPLES = { amount: 12_000, starts_at: '2027-06-12T09:30:00-04:00' };

export const refund: Rule = (value, at, report) => {
  if (member(value, 'amount') === undefined || member(value, 'starts_at') === undefined) return;
  const names = Object.keys(value as Record<string, unknown>);
  const isAmountLater = names.indexOf('amount') > names.indexOf('starts_at');
  const [first, later] = isAmountLater ? (['starts_at', 'amount'] as const) : (['amount', 'starts_at'] as const);
  const sent = member(value, first);
  report({
    code: 'not_allowed',
    field: below(at, later),
    message: 'Send amount, or starts_at to apply the cancellation policy, but not both.',
    expected: 'amount or starts_at, not both',
    example_fix: { [first]: typeof sent === typeof EXAMPLES[first] ? sent : EXAMPLES[first] },
    example_fix_field: at,
  });
};
