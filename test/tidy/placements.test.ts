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

it('a function on the workers names no table that is on the coordinator alone, and calls no function that is', () => {
  const files = readFunctions(schemaFolders(packageRoot));
  const kept = tables
    .filter(({ name, hasVenue }) => placementOf(name, hasVenue).by === 'coordinator')
    .map(({ name }) => name);
  const keptFunctions = files.map(({ name }) => name).filter((name) => functionPlacementOf(name).by === 'coordinator');
  const violations = files
    .filter(({ name }) => functionPlacementOf(name).by !== 'coordinator')
    .flatMap(({ name, sql }) => {
      const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/'[^']*'/g, "''");
      const used = [
        ...kept.filter((table) => new RegExp(`\\b(from|join|into|update) ${table}\\b`).test(text)),
        ...keptFunctions.filter((called) => new RegExp(`\\b${called}\\(`).test(text)),
      ];
      return used.map((one) => `${name}: ${one}`);
    });
  expect(violations).toEqual([]);
});
