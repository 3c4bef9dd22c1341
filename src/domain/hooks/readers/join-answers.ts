// Makes new members from the answers of a read, as its entry says: an item of another list with the same id, or rows from
// lists that stand side by side. Pure. A member that is not found is left out, like a field that a body does not have.

import { type BodyScope, itemScopes, textOf, valueAt } from '../mapping/body.ts';
import { allHold } from '../mapping/conditions.ts';
import type { ReadEntry } from './read-readers.ts';
import type { Values } from './template.ts';

type Join = NonNullable<ReadEntry['join']>[number];

export function joinAnswers(document: Values, joins: ReadEntry['join']): Values {
  let joined = document;
  for (const join of joins ?? []) {
    const { to } = join;
    const root: BodyScope = { root: joined, bound: [] };
    if (to === undefined) {
      joined = withMember(joined, join.name, memberOf(join, root)) as Values;
      continue;
    }
    const items = itemScopes(root, to).map((scope) =>
      withMember(scope.bound.at(-1)?.value, join.name, memberOf(join, scope)),
    );
    joined = replacedAt(joined, to.slice(0, -2).split('.'), items) as Values;
  }
  return joined;
}

function memberOf({ from, where, only, rows }: Join, scope: BodyScope): unknown {
  if (rows !== undefined) return rowsOf(rows, scope);
  const [here, there] = where ?? [];
  if (from === undefined || here === undefined || there === undefined) return undefined;
  const wanted = textOf(valueAt(scope, here));
  if (wanted === null) return undefined;
  const found = itemScopes(scope, from).find(
    (candidate) => textOf(valueAt(candidate, there)) === wanted && allHold(only, candidate),
  );
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
