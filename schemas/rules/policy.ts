// The rule of a policy: cancellation rules have distinct hours_before, so that exactly one refund applies at any time.

import { below, items, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

const MAX_HOURS = 8760;
const HOURS_PER_DAY = 24;

function isHours(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_HOURS;
}

/**
 * Whole days first, then every hour: more than a list has items. Each is suggested at most once, so that the search over
 * the whole list stays linear.
 */
function* hoursToSuggest(): Generator<number, number> {
  for (let hours = HOURS_PER_DAY; hours <= MAX_HOURS; hours += HOURS_PER_DAY) yield hours;
  for (let hours = 0; hours < MAX_HOURS; hours += 1) yield hours;
  return MAX_HOURS;
}

export const policy: Rule = (value, at, report) => {
  const list = items(member(value, 'cancellation')).map((rule) => member(rule, 'hours_before'));
  const used = new Set(list.filter(isHours));
  const seen = new Set<number>();
  const suggestions = hoursToSuggest();
  list.forEach((hours, index) => {
    if (!isHours(hours)) return;
    if (!seen.has(hours)) {
      seen.add(hours);
      return;
    }
    let free: number;
    do free = suggestions.next().value;
    while (used.has(free));
    used.add(free);
    report({
      code: 'not_unique',
      field: below(at, 'cancellation', index, 'hours_before'),
      message: `Two cancellation rules apply from ${hours} hours before the start. Change one, or leave one out.`,
      expected: 'hours that no other cancellation rule here has',
      example_fix: free,
    });
  });
};
