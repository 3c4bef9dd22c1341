// The rule on metadata keys that JSON Schema does not state: `__proto__` is no key, since it would not come back from
// every JSON reader as it was sent. `constructor` and `prototype` are ordinary keys.

import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

const REFUSED_KEY = '__proto__';

export const metadataKeys: Rule = (value, at, report) => {
  if (member(value, REFUSED_KEY) === undefined) return;
  report({
    code: 'not_allowed',
    field: below(at, REFUSED_KEY),
    message: 'A metadata key may not be __proto__. Give this entry another name, or leave it out.',
    expected: 'another key',
    example_fix: null,
  });
};
