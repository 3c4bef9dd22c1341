// The rules of the original experience body: it ends after it starts, and its category is one of the venue's. clock.ts
// has the rule that a new experience is in the future.

import { categoryIsKnown } from './category.ts';
import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';
import { endsAfterStarts } from './time-order.ts';

export const legacyExperience: Rule = (value, at, report, facts) => {
  endsAfterStarts(value, at, report, facts);
  categoryIsKnown(member(value, 'category'), below(at, 'category'), report, facts);
};
