// Before an offering is stored: every recurrence rule in it can be answered within bounds. A rule that starts too often,
// never, or only after endless searching is refused by name, and all rules of one call share one budget of steps.

import type { FieldProblem } from '../../base/errors.ts';
import type { OfferingContent } from './offering.ts';
import { type Boundedness, recurrenceIsBounded } from './recurrence.ts';

const MOST_STEPS_TOGETHER = 150_000;
const TOO_LONG_TOGETHER = 'The rules of this call take too long to work out together: send fewer at once.';

/**
 * Every rule that is out of bounds, in order; `at` is the pointer of an offering in the body. Rules that are alike are
 * worked out once. The search ends with the rule at which the steps run out.
 */
export function unboundedRules(
  offerings: readonly { at: string; content: Pick<OfferingContent, 'availability'> }[],
): FieldProblem[] {
  const known = new Map<string, Boundedness>();
  const problems: FieldProblem[] = [];
  let steps = 0;
  for (const { at, content } of offerings) {
    const { recurring = [], timezone } = content.availability ?? {};
    for (const [index, entry] of recurring.entries()) {
      const key = JSON.stringify([entry.rrule, entry.starts_at, timezone]);
      const before = known.get(key);
      const judged = before ?? recurrenceIsBounded(entry, timezone);
      known.set(key, judged);
      if (before === undefined) steps += judged.steps;
      const field = `${at}/availability/recurring/${index}/rrule`;
      if (!judged.bounded) problems.push(refused(field, judged.code, judged.problem));
      if (steps <= MOST_STEPS_TOGETHER) continue;
      if (judged.bounded) problems.push(refused(field, 'out_of_range', TOO_LONG_TOGETHER));
      return problems;
    }
  }
  return problems;
}

function refused(field: string, code: FieldProblem['code'], message: string): FieldProblem {
  return {
    code,
    field,
    message,
    expected: 'a rule that repeats daily or slower and starts a slot',
    example_fix: 'FREQ=WEEKLY;BYDAY=SA',
  };
}
