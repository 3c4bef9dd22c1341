// The rule that a category is one of the venue's slugs, which GET /v1/me returns.

import type { Rule } from './rule.ts';
import { listed, quoted } from './wording.ts';

export const categoryIsKnown: Rule = (value, at, report, facts) => {
  if (typeof value !== 'string' || facts.categories.includes(value)) return;
  const [first] = facts.categories;
  report({
    code: 'invalid_value',
    field: at,
    message: `${quoted(value)} is not one of this venue's categories. Use a slug that GET /v1/me lists, or leave it out.`,
    expected: `one of: ${listed(facts.categories)}`,
    example_fix: first,
  });
};
