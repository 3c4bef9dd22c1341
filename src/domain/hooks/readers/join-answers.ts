// Makes new members from the answers of a read, as its entry says: an item of another list with the same id, or rows from
// lists that stand side by side. Pure. A member that is not found is left out, like a field that a body does not have.

import { type BodyScope, itemScopes, textOf, valueAt } from '../mapping/body.ts';
import { areAllMet } from '../mapping/conditions.ts';
import type { ReadEntry } from './read-readers.ts';
import type { Values } from './template.ts';

type Join = NonNullable<ReadEntry['join']>[number];

export function joinAnswers(document: Values, joins: ReadEntry['join']): Values {
  let joined = document;
  for (const join of joins ?? []) joined = joinLists({ root: joined, bound: [] }, listsOf(join.to), join) as Values;
  return joined;
}

/** The lists that a path leads through, the outermost first: `a[]` and `a[].b[]` for `a[].b[]`. */
function listsOf(path: string | undefined): string[] {
  const parts = path?.split('[]').slice(0, -1) ?? [];
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('[]')}[]`);
}

/** The value at the scope, with the new member in it or in each item of its lists. */
function joinLists(scope: BodyScope, [list, ...inner]: readonly string[], join: Join): unknown {
  const outer = scope.bound.at(-1);
  const value = outer === undefined ? scope.root : outer.value;
  if (list === undefined) return withMember(value, join.name, memberOf(join, scope));
  const path = list.slice(outer === undefined ? 0 : outer.path.length + 1, -2);
  const items = itemScopes(scope, list).map((item) => joinLists(item, inner, join));
  return replacedAt(value, path.split('.'), items);
}

function memberOf({ from, where, only, rows, otherwise }: Join, scope: BodyScope): unknown {
  if (rows !== undefined) return rowsOf(rows, scope);
  const [here, there] = where ?? [];
  const wanted = here === undefined ? null : textOf(valueAt(scope, here));
  if (from === undefined || (here !== undefined && wanted === null)) return undefined;
  const same = itemScopes(scope, from).filter(
    (candidate) => there === undefined || textOf(valueAt(candidate, there)) === wanted,
  );
  const found = same.find((candidate) => areAllMet(only, candidate)) ?? (otherwise === 'first' ? same[0] : undefined);
  return found?.bound.at(-1)?.value;
}

function rowsOf(rows: NonNullable<Join['rows']>, scope: BodyScope): Values[] {
  const columns = Object.entries(rows).map(([name, path]): [string, readonly unknown[]] => {
    const list = valueAt(scope, path);
    return [name, Array.isArray(list) ? list : []];
  });
  const count = columns[0]?.[1].length ?? 0;
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(columns.flatMap(([name, list]) => (index < list.length ? [[name, list[index]]] : []))),
  );
}

function withMember(value: unknown, name: string, member: unknown): unknown {
  if (typeof value !== 'object' || value === null || member === undefined) return value;
  return { ...value, [name]: member };
}

function replacedAt(value: unknown, [name = '', ...rest]: readonly string[], items: readonly unknown[]): unknown {
  const members = (typeof value === 'object' && value !== null ? value : {}) as Values;
  return { ...members, [name]: rest.length === 0 ? items : replacedAt(members[name], rest, items) };
}
