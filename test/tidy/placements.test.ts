// Where tables and functions are in a distributed installation (src/domain/installation/placements.ts) fits the database:
// everything that is named exists, keys allow the distribution, and what runs on a worker finds its rows there.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDb } from '../../src/base/db.ts';
import type { Placement } from '../../src/base/distribution/placement.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { readFunctions, schemaFolders } from '../../src/base/schema-files.ts';
import {
  functionPlacementOf,
  PLACED_FUNCTIONS,
  PLACED_TABLES,
  placementOf,
} from '../../src/domain/installation/placements.ts';
import { createTestDatabase } from '../support/test-database.ts';

interface Table {
  readonly name: string;
  readonly hasVenue: boolean;
  /** The columns of each unique index. */
  readonly uniqueColumns: readonly (readonly string[])[];
}

let db: Db;
let tables: Table[];
beforeAll(async () => {
  const url = await createTestDatabase('placements', 'migrated');
  db = openDb({ url, connections: 1, pooled: false, applicationName: 'everyshare-test' });
  tables = await db.query<Table>(
    `select c.relname as name,
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'venue_id') as "hasVenue",
       coalesce((select json_agg((select json_agg(a.attname) from pg_attribute a
         where a.attrelid = c.oid and a.attnum = any(i.indkey))) from pg_index i where i.indrelid = c.oid and i.indisunique), '[]')
         as "uniqueColumns"
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`,
  );
});
afterAll(() => db.close());

const distributionColumn = (to: Placement): string | null => {
  if (to.by === 'venue') return 'venue_id';
  return to.by === 'key' ? to.column : null;
};

it('every table that is named exists, once', () => {
  const names = tables.map(({ name }) => name);
  expect(PLACED_TABLES.filter((name) => !names.includes(name))).toEqual([]);
  expect(PLACED_TABLES).toEqual([...new Set(PLACED_TABLES)]);
});

it('every unique index of a distributed table has the column by which it is distributed', () => {
  const violations = tables.flatMap(({ name, hasVenue, uniqueColumns }) => {
    const column = distributionColumn(placementOf(name, hasVenue));
    return column === null || uniqueColumns.every((columns) => columns.includes(column)) ? [] : [name];
  });
  expect(violations).toEqual([]);
});

it('a function that runs on the worker of an argument has it first, and every placed function exists', async () => {
  const found = await db.query<{ name: string; parameters: string[] | null }>(
    `select proname as name, proargnames as parameters from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  const wrong = PLACED_FUNCTIONS.filter((name) => {
    const one = found.find((each) => each.name === name);
    const to = functionPlacementOf(name);
    return one === undefined || (to.by === 'argument' && one.parameters?.[0] !== to.argument);
  });
  expect(wrong).toEqual([]);
});

it('a function on the workers names only tables whose rows are there, and calls no function of the coordinator', () => {
  // A worker can reach the rows of other nodes, but opens a connection for each call and closes it after it.
  const isThere = (function_: string, { name, hasVenue }: Table): boolean => {
    const runs = functionPlacementOf(function_);
    const beside = runs.by === 'argument' ? runs.beside : 'venues';
    const to = placementOf(name, hasVenue);
    if (to.by === 'copy') return true;
    return beside === 'venues' ? to.by === 'venue' : name === beside || (to.by === 'key' && to.beside === beside);
  };
  const files = readFunctions(schemaFolders(packageRoot));
  const keptFunctions = files.map(({ name }) => name).filter((name) => functionPlacementOf(name).by === 'coordinator');
  const violations = files
    .filter(({ name }) => functionPlacementOf(name).by !== 'coordinator')
    .flatMap((file) => {
      const text = file.sql.replaceAll(/--.*$/gm, '').replaceAll(/'[^']*'/g, "''");
      const used = [
        ...tables
          .filter((table) => !isThere(file.name, table))
          .filter(({ name }) => new RegExp(`\\b(from|join|into|update) ${name}\\b`).test(text))
          .map(({ name }) => name),
        ...keptFunctions.filter((called) => new RegExp(`\\b${called}\\(`).test(text)),
      ];
      return used.map((one) => `${file.name}: ${one}`);
    });
  expect(violations).toEqual([]);
});
