// Applies the `example_fix` of a problem to the body that has the problem, as docs/guides/errors.md describes it.

import { isDeepStrictEqual } from 'node:util';

export interface ProblemWithExample {
  readonly code: string;
  readonly field: string;
  readonly expected: string;
  readonly example_fix: unknown;
  readonly example_fix_field?: string;
}

/** A copy of the body with the example applied. Throws if there is no such place. `at` is the pointer of the body. */
export function withExample(body: unknown, problem: ProblemWithExample, at = ''): unknown {
  const { code, field, expected, example_fix, example_fix_field } = problem;
  const copy = structuredClone(body);
  const isPrinted = field.includes('\ufffd') && example_fix_field === undefined;
  if (isPrinted) throw new Error(`the pointer ${field} shows a name in another form`);
  if (code === 'unknown_field') return changed(copy, field.slice(at.length), () => ({}));
  // The name of the member is wrong, not its value.
  if (/^a name\b/.test(expected))
    return changed(copy, field.slice(at.length), (value) => ({ name: String(example_fix), value }));
  return changed(copy, (example_fix_field ?? field).slice(at.length), () => ({ value: example_fix }));
}

/** Changes the member at a pointer: to another value, to another name, or away when it gets no value. */
function changed(
  root: unknown,
  pointer: string,
  change: (value: unknown) => { readonly name?: string; readonly value?: unknown },
): unknown {
  const tokens = pointer.split('/').slice(1);
  const last = tokens.pop()?.replaceAll('~1', '/').replaceAll('~0', '~');
  if (last === undefined) return change(root).value;
  let place: unknown = root;
  for (const token of tokens) place = memberOf(place, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (typeof place !== 'object' || place === null) throw new Error(`the body has no place ${pointer}`);
  const { name = last, value } = change(Reflect.get(place, last));
  Reflect.deleteProperty(place, last);
  if (value !== undefined)
    Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
  return root;
}

function memberOf(place: unknown, name: string): unknown {
  if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name))
    throw new Error(`the body has no member ${name}`);
  return Reflect.get(place, name);
}

/** The example shows only the form, or the value as it was sent: something outside the request is in its way. */
export function isOutsideRequest({ field, example_fix }: ProblemWithExample, body: unknown): boolean {
  if (/^\/(code|challenge_id|credential|token)$/.test(field)) return true;
  let value: unknown = body;
  for (const token of field.split('/').slice(1)) value = Object(value)[token];
  return isDeepStrictEqual(value, example_fix);
}
