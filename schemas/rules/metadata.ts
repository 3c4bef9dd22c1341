// The rule on metadata keys that JSON Schema does not have: `__proto__` is not allowed, because some JSON parsers would
// not return it as it was sent. `constructor` and `prototype` are allowed.

import { below, member } from './json-walk.ts';
import type { Rule } from './rule.ts';

const REFUSED_KEY = '__proto__';

export const metadataKeys: Rule = (value, at, report) => {
  if (member(value, REFUSED_KEY) === undefined) return;
  let name = 'proto';
  for (let n = 2; member(value, name) !== undefined; n++) name = `proto_${n}`;
  report({
    code: 'not_allowed',
    field: below(at, REFUSED_KEY),
    message: 'A metadata key must not be __proto__. Give this entry another name, or leave it out.',
    expected: 'a name other than __proto__',
    example_fix: name,
  });
};
