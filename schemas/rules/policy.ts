// The rule of a policy: cancellation rules have distinct hours_before, so that one refund applies at any time.

import { below, items, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

const MOST_HOURS = 8760;
const HOURS_IN_A_DAY = 24;

function isHours(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_HOURS;
}

export const policy: Rule = (value, at, report) => {
  const list = items(member(value, 'cancellation')).map((rule) => member(rule, 'hours_before'));
  const used = new Set(list.filter(isHours));
  const seen = new Set<number>();
  // Whole days, one after another: each is offered once at most, so the search is linear over the whole list.
  let free = HOURS_IN_A_DAY;
  list.forEach((hours, index) => {
    if (!isHours(hours)) return;
    if (!seen.has(hours)) {
      seen.add(hours);
      return;
    }
    while (used.has(free)) free += HOURS_IN_A_DAY;
    const fix = free <= MOST_HOURS ? free : null;
    free += HOURS_IN_A_DAY;
    report({
      code: 'not_unique',
      field: below(at, 'cancellation', index, 'hours_before'),
      message: `Two cancellation rules apply from ${hours} hours before the start. Change one, or leave one out.`,
      expected: 'hours that no other cancellation rule here has',
      example_fix: fix,
    });
  });
};
