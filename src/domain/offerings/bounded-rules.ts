// Before an offering is stored: every recurrence rule in it can be answered within bounds. A rule that starts too often,
// never, or only after endless searching is refused by name, and all rules of one call share one budget of steps.

import type { FieldProblem } from '../../base/errors.ts';
import type { OfferingContent } from './offering.ts';
import { recurrenceIsBounded } from './recurrence.ts';

const MOST_STEPS_TOGETHER = 150_000;

/** `at` is the pointer of an offering in the body. The search ends with the first rule that is out of bounds. */
export function unboundedRule(offerings: readonly { at: string; content: OfferingContent }[]): FieldProblem | null {
  let steps = 0;
  for (const { at, content } of offerings) {
    const { recurring = [], timezone } = content.availability ?? {};
    for (const [index, entry] of recurring.entries()) {
      const judged = recurrenceIsBounded(entry, timezone);
      steps += judged.steps;
      const field = `${at}/availability/recurring/${index}/rrule`;
      if (!judged.bounded) return refused(field, judged.code, judged.problem);
      if (steps > MOST_STEPS_TOGETHER)
        return refused(
          field,
          'out_of_range',
          'The rules of this call take too long to work out together: send fewer at once.',
        );
    }
  }
  return null;
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
