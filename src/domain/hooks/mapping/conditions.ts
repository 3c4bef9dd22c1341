// The conditions of a mapping: which event a body is, which items of a list count, and when a field is read. Pure.

import type { Mapping } from '../../../../schemas/types.gen.ts';
import { type BodyScope, isPresent, itemScopes, textOf, valueAt } from './body.ts';

export type Condition = Mapping['events'][number]['match'][number];

/** Without `is`, `not` and `at_most`, the path must have a value. A missing value satisfies `not` and `at_most`. */
export function isMet({ path, is, not, at_most }: Condition, scope: BodyScope): boolean {
  const value = valueAt(scope, path);
  if (is === undefined && not === undefined && at_most === undefined) return isPresent(value);
  const text = textOf(value);
  if (at_most !== undefined && text !== null && !(Number(text) <= at_most)) return false;
  if (is !== undefined && (text === null || !is.some((pattern) => fits(text, pattern)))) return false;
  return not === undefined || text === null || !not.some((pattern) => fits(text, pattern));
}

export function areAllMet(conditions: readonly Condition[] | undefined, scope: BodyScope): boolean {
  return (conditions ?? []).every((condition) => isMet(condition, scope));
}

/** The condition holds for one item of the list that its path leads through. */
export function isMetForAny(condition: Condition, scope: BodyScope): boolean {
  const list = condition.path.slice(0, condition.path.indexOf('[]') + 2);
  return itemScopes(scope, list).some((item) => isMet(condition, item));
}

/** A pattern that ends with * fits every text that begins with the rest of it. */
export function fits(text: string, pattern: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}
