// The check of recurrence rules before an offering is stored: every rule must be answerable within bounds. A rule that
// starts too often, never, or only after too many steps is refused, and all rules of one call share one step budget.

import type { FieldProblem, FixableProblem } from '../../base/errors.ts';
import type { OfferingContent } from './offering.ts';
import { checkRecurrence, type RecurrenceCheck } from './recurrence.ts';

const MAX_STEPS_PER_CALL = 150_000;
const BUDGET_SPENT = 'The rules of this call take too long to work out together: send fewer at once.';

/**
 * The problems of all rules that are out of bounds, in order; `at` is the pointer of an offering in the body. Equal
 * rules are checked once. The check ends with the rule at which the budget runs out.
 */
export function recurrenceProblems(
  offerings: readonly { at: string; content: Pick<OfferingContent, 'availability'> }[],
): FieldProblem[] {
  const checks = new Map<string, RecurrenceCheck>();
  const problems: FieldProblem[] = [];
  let steps = 0;
  for (const { at, content } of offerings) {
    const { recurring = [], timezone } = content.availability ?? {};
    for (const [index, entry] of recurring.entries()) {
      const key = JSON.stringify([entry.rrule, entry.starts_at, timezone]);
      const earlier = checks.get(key);
      const check = earlier ?? checkRecurrence(entry, timezone);
      checks.set(key, check);
      if (earlier === undefined) steps += check.steps;
      const field = `${at}/availability/recurring/${index}/rrule`;
      if (!check.isBounded) problems.push(ruleProblem(field, check.code, check.problem));
      if (steps <= MAX_STEPS_PER_CALL) continue;
      if (check.isBounded) problems.push(ruleProblem(field, 'out_of_range', BUDGET_SPENT));
      return problems;
    }
  }
  return problems;
}

function ruleProblem(field: string, code: FixableProblem['code'], message: string): FieldProblem {
  return {
    code,
    field,
    message,
    expected: 'a rule that repeats daily or slower and starts a slot',
    example_fix: 'FREQ=WEEKLY;BYDAY=SA',
  };
}
