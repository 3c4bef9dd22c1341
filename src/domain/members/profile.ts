// A member's display name, by the rule of the contract's person_name: 1 to 80 characters, counted as code points.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid } from '../../base/errors.ts';
import { updateName } from './queries.ts';

const MAX_NAME_LENGTH = 80;

/** Stores the trimmed name and returns it. Throws 422 at /name when it is invalid. */
export async function setMemberName(db: Queryable, memberId: string, name: string): Promise<string> {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length === 0) throw invalid([wrongName('too_short', 'Say what to call you: the name is empty.')]);
  if (length > MAX_NAME_LENGTH)
    throw invalid([wrongName('too_long', `This name has ${length} characters: use up to 80.`)]);
  if (/\p{Surrogate}|\0/u.test(trimmed)) {
    throw invalid([wrongName('invalid_format', 'This name holds something that is no character. Type it again.')]);
  }
  await updateName(db, memberId, trimmed);
  return trimmed;
}

function wrongName(code: FieldProblem['code'], message: string): FieldProblem {
  return { code, field: '/name', message, expected: '1 to 80 characters', example_fix: 'Sam' };
}
