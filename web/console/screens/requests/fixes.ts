// What the API proposes for a refused body, applied to it: what a person can send instead.

import type { LoggedProblem } from '../../client/types.gen.ts';
import { parseJson } from '../../ui/json.tsx';

type Members = Record<string, unknown>;

/** Null: what was sent is no JSON object, or no problem has a place in it. */
export function withFixes(body: string, problems: readonly LoggedProblem[]): string | null {
  const root = parseJson(body);
  if (root === null || typeof root !== 'object') return null;
  let isFixed = false;
  // From the end: an element that is taken out of a list moves those after it.
  for (const { field, code, example_fix } of [...problems].reverse()) {
    const [name, ...parents] = (field ?? '').split('/').slice(1).map(unescapePart).reverse();
    if (name === undefined) continue;
    const parent = parents.reverse().reduce<unknown>((value, part) => (value as Members | undefined)?.[part], root);
    if (parent === null || typeof parent !== 'object') continue;
    if (code === 'unknown_field') delete (parent as Members)[name];
    else if (example_fix !== null) (parent as Members)[name] = example_fix;
    else continue;
    isFixed = true;
  }
  return isFixed ? JSON.stringify(root, null, 2) : null;
}

const unescapePart = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** The lines of the body that problems point to; a missing member is marked at the object around it. */
export function marksOf(body: string, problems: readonly Pick<LoggedProblem, 'field'>[]): string[] {
  const root = parseJson(body);
  return problems.flatMap(({ field }) => {
    if (field === null) return [];
    const parts = field.split('/').slice(1).map(unescapePart);
    const value = parts.reduce<unknown>((at, part) => (at as Members | null | undefined)?.[part], root);
    return [value === undefined ? field.slice(0, field.lastIndexOf('/')) : field];
  });
}
