// A member's display name, by the rule of the contract's person_name: 1 to 80 characters, counted as code points, without
// links and long numbers.

import { nameFault } from '../../../schemas/rules/person-name.ts';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, type FixableProblem, invalid } from '../../base/errors.ts';
import { normalizeName } from '../../base/plain-name.ts';
import { updateName } from './queries.ts';

const MAX_NAME_LENGTH = 80;

/** Stores the normalised name and returns it. Throws 422 at /name when it is invalid. */
export async function setMemberName(db: Queryable, memberId: string, name: string): Promise<string> {
  const checked = checkedName(name);
  await updateName(db, memberId, checked);
  return checked;
}

/** The name as it is stored. Throws 422 at /name when it is invalid. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length === 0) throw invalid([wrongName('too_short', 'Say what to call you: the name is empty.')]);
  if (length > MAX_NAME_LENGTH)
    throw invalid([wrongName('too_long', `This name has ${length} characters: use up to 80.`)]);
  if (/\p{Surrogate}|\0/u.test(trimmed)) {
    throw invalid([wrongName('invalid_format', 'This name holds something that is no character. Type it again.')]);
  }
  const fault = nameFault(trimmed);
  if (fault !== null) throw invalid([wrongName('invalid_value', fault)]);
  return normalizeName(trimmed);
}

function wrongName(code: FixableProblem['code'], message: string): FieldProblem {
  const expected = '1 to 80 characters, without links and long numbers';
  return { code, field: '/name', message, expected, example_fix: 'Sam' };
}
