// The rule of a person's name: visible characters, no link and no long number. Other guests read the name on pages and in
// texts, and a text must not carry a link or a phone number that a guest wrote.

import { normalizeName, plainName } from '../../src/base/plain-name.ts';
import { below, member } from './json-walk.ts';
import type { Report, Rule } from './rule.ts';

/** Counted in code points, as the schema's maxLength. */
const MAX_LENGTH = 80;

/** Why a name that the schema accepts is refused; null: it is accepted. */
export function nameFault(name: string): string | null {
  const normalized = normalizeName(name);
  if (normalized === '') return 'This name has no visible character: type one that people know.';
  if ([...normalized].length > MAX_LENGTH)
    return `This name is longer than ${MAX_LENGTH} characters when it is written out.`;
  if (plainName(name) !== null) return null;
  return 'A name cannot hold a link, or a number of five or more digits: leave it out.';
}

export function checkName(value: unknown, at: string, report: Report): void {
  // The schema reports a value of another type or length.
  if (typeof value !== 'string' || value === '' || [...value].length > MAX_LENGTH) return;
  const fault = nameFault(value);
  if (fault === null) return;
  const expected = 'a name without links and long numbers';
  report({ code: 'invalid_value', field: at, message: fault, expected, example_fix: 'Sam' });
}

export const signInVerify: Rule = (value, at, report) => checkName(member(value, 'name'), below(at, 'name'), report);
