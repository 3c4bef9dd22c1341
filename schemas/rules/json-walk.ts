// How rules read raw JSON: own members of objects, items of arrays, and JSON pointers (RFC 6901). A value of another
// type has no members and no items, so a rule never throws and never reads a prototype.

/** The own member of a JSON object; undefined for anything else. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) {
    return undefined;
  }
  return Reflect.get(value, name);
}

/** The longest list that a schema with rules allows; a test compares. */
export const MAX_ITEMS = 1_000;

/** The items of a JSON array; none for anything else, nor for a list that its schema refuses because it is too long. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) && value.length <= MAX_ITEMS ? value : [];
}

/** The pointer of a member or item below `at`. */
export function below(at: string, ...steps: readonly (string | number)[]): string {
  let pointer = at;
  for (const step of steps) {
    pointer += `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}
