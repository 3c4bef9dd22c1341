// The rules of SQL: a function has one file, in the folder of its noun, names only tables of its noun, and is short.
// Migrations hold no functions. The files and the database have the same functions and tables.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSignatures, currentSignatures } from '../../migrations/function-signatures.ts';
import { type Db, openDb } from '../../src/base/db.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { readFunctions, readMigrations, schemaFolders } from '../../src/base/schema-files.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { TABLE_HOMES } from './table-homes.ts';

const folders = schemaFolders(packageRoot);
const functions = readFunctions(folders).map((file) => ({ ...file, path: relative(packageRoot, file.path) }));
const withoutComments = (sql: string): string => sql.replaceAll(/--.*$/gm, '');

interface Exception {
  readonly tables: readonly string[];
  readonly reason: string;
}

/** Functions that name tables of another noun. */
const FOREIGN_TABLES: Readonly<Record<string, Exception>> = {
  admit: {
    tables: ['venues', 'checkouts'],
    reason: 'authentication, the count and the read of a checkout are one round trip of every request',
  },
  admit_hook: { tables: ['venues'], reason: 'authentication and the count are one round trip of every hook' },
  insert_checkout: {
    tables: ['idempotency_keys', 'offerings', 'venues', 'image_requests'],
    reason:
      'idempotency, whether the venue can be paid, the checkout and its event are one round trip and one transaction; the request for pictures joins them',
  },
  checkout_object: {
    tables: ['venues', 'disputes', 'movements'],
    reason: 'the partner sees them as fields of the checkout',
  },
  checkout_views: { tables: ['venues', 'disputes', 'movements'], reason: 'the same, for many checkouts at once' },
  guest_object: { tables: ['venues', 'members', 'holds'], reason: 'guests see them as fields of the checkout' },
  expire_checkouts: {
    tables: ['holds', 'events'],
    reason:
      'thousands of checkouts expire in one statement for each table; one call for each checkout would be too slow',
  },
  open_payout: { tables: ['checkouts'], reason: 'the payout copies the amounts of the completed checkout' },
  queue_events: { tables: ['events'], reason: 'the trigger on events fills the queue of webhooks' },
  dispatch_venue_events: { tables: ['events'], reason: 'deliveries are made from events in one statement' },
  due_deliveries: { tables: ['events'], reason: 'the bytes to send are the event' },
};

const MAX_LINES = 60;

/** Functions that may be longer. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  insert_checkout:
    'one loop whose branches share what they read under the locks; another function call slows every create',
  admit: 'one loop over callers; a function for the key, and one for the count, would slow every request',
};

function foreignTables({ path, sql }: { readonly path: string; readonly sql: string }): string[] {
  const text = withoutComments(sql).replaceAll(/\braise exception '[^']*'/g, '');
  return Object.entries(TABLE_HOMES)
    .filter(([, home]) => !path.startsWith(home))
    .map(([table]) => table)
    .filter((table) => new RegExp(`(?<![.'"])\\b${table}\\b(?![.'"(])`, 'i').test(text));
}

/** From `create` to the end of its body. */
function lineCount(sql: string): number {
  const body = sql.slice(sql.indexOf('create or replace function'));
  return body.slice(0, body.lastIndexOf('$$;')).split('\n').length;
}

describe('a function file', () => {
  it('holds one function that has the name of the file, and opens with a comment', () => {
    const violations = functions.filter(({ name, sql }) => {
      const found = [...sql.matchAll(/^create (?:or replace )?(?:function|procedure) (\w+)/gim)].map(
        ([, functionName]) => functionName,
      );
      return found.length !== 1 || found[0] !== name || !sql.startsWith('-- ');
    });
    expect(violations.map(({ path }) => path)).toEqual([]);
  });

  it('names only tables of its own noun, except for the listed ones', () => {
    const violations = functions.flatMap((file) => {
      const allowed = FOREIGN_TABLES[file.name]?.tables ?? [];
      return foreignTables(file)
        .filter((table) => !allowed.includes(table))
        .map((table) => `${file.path}: ${table}`);
    });
    expect(violations).toEqual([]);
  });

  it('has a function of at most 60 lines, except for the listed ones', () => {
    const tooLong = functions.filter(
      ({ name, sql }) => LONG_FUNCTIONS[name] === undefined && lineCount(sql) > MAX_LINES,
    );
    expect(tooLong.map(({ path, sql }) => `${path} (${lineCount(sql)})`)).toEqual([]);
  });

  it('has no loop without a bound', () => {
    const unbounded = functions.filter(({ sql }) => /^\s*(while .*)?loop\b/im.test(withoutComments(sql)));
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  it('gets the time spans of rules from TypeScript', () => {
    const violations = functions.filter(({ sql }) => /interval '(30 days|72 hours)'/.test(withoutComments(sql)));
    expect(violations.map(({ path }) => path)).toEqual([]);
  });

  it('has lines of at most 120 columns', () => {
    const tooWide = functions.filter(({ sql }) => sql.split('\n').some((line) => line.length > 120));
    expect(tooWide.map(({ path }) => path)).toEqual([]);
  });

  it('is listed as an exception only where it needs one', () => {
    const used = Object.fromEntries(
      functions.map((file) => [file.name, foreignTables(file).sort()]).filter(([, tables]) => tables?.length !== 0),
    );
    const allowed = Object.entries(FOREIGN_TABLES).map(([name, { tables }]) => [name, [...tables].sort()]);
    expect(used).toEqual(Object.fromEntries(allowed));
    expect(
      Object.keys(LONG_FUNCTIONS).filter(
        (name) => !functions.some((file) => file.name === name && lineCount(file.sql) > MAX_LINES),
      ),
    ).toEqual([]);
  });
});

describe('a migration', () => {
  it('holds no function', () => {
    const violations = readMigrations(folders).filter(
      ({ version, sql }) =>
        version >= 19 && /\bcreate\s+(or\s+replace\s+)?(function|procedure)\b/i.test(withoutComments(sql)),
    );
    expect(violations.map(({ name }) => name)).toEqual([]);
  });

  it('builds an index on an earlier table in a file with "-- no transaction", so that calls go on meanwhile', () => {
    const violations = readMigrations(folders).flatMap(({ version, name, sql, isConcurrent }) => {
      if (version < 74 || isConcurrent) return [];
      const text = withoutComments(sql);
      const created = new Set([...text.matchAll(/\bcreate (?:unlogged )?table (\w+)/gi)].map((match) => match[1]));
      const indexed = [...text.matchAll(/\bcreate (?:unique )?index \w+\s+on (\w+)/gi)].map((match) => match[1]);
      return indexed.filter((table) => !created.has(table)).map((table) => `${name}: ${table}`);
    });
    expect(violations).toEqual([]);
  });
});

const SIGNATURES_FILE = 'migrations/function-signatures.txt';
const recordedSignatures = readFileSync(join(packageRoot, SIGNATURES_FILE), 'utf8');

describe('function-signatures.txt', () => {
  const migration = (version: number, sql: string) => ({
    version,
    sql,
    name: '',
    checksum: '',
    earlierChecksums: [],
    isConcurrent: false,
    contractSince: null,
  });
  const recorded = '000019 one(p integer) returns integer\n';
  const changed = [{ name: 'one', signature: 'one(p text) returns integer' }];

  it('only grows: no commit removes or changes a line', () => {
    const diff = execFileSync('git', ['log', '--format=', '--patch', '--unified=0', '--', SIGNATURES_FILE], {
      cwd: packageRoot,
      encoding: 'utf8',
    });
    expect(diff.match(/^-\d{6} .*$/gm) ?? []).toEqual([]);
  });

  it('refuses another signature of a name, and says what to do', () => {
    const add = () => addSignatures(recorded, changed, [migration(19, ''), migration(20, 'drop function other;')]);
    expect(add).toThrow(/before: one\(p integer\).*\n.*now: +one\(p text\).*\nGive the function a new name/);
  });

  it('takes another signature of a name when a newer migration drops the old function', () => {
    const migrations = [migration(19, ''), migration(20, '-- Why.\ndrop function if exists other, one(integer);')];
    const grown = addSignatures(recorded, changed, migrations);
    expect(grown).toBe(`${recorded}000020 one(p text) returns integer\n`);
    expect(() => addSignatures(grown, [{ name: 'one', signature: 'one() returns text' }], migrations)).toThrow(
      /signature of the function one changed/,
    );
  });
});

describe('the migrated database', () => {
  let db: Db;
  beforeAll(async () => {
    const url = await createTestDatabase('sql', 'migrated');
    db = openDb({ url, connections: 2, pooled: false, applicationName: 'test' });
  });
  afterAll(() => db.close());

  it('has exactly the functions that have files', async () => {
    const rows = await db.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(functions.map(({ name }) => name).sort());
  });

  it('has the signatures of function-signatures.txt: run npm run schema when this fails', async () => {
    const current = await currentSignatures(async <Row>(sql: string) => (await db.query(sql)) as Row[]);
    expect(addSignatures(recordedSignatures, current, readMigrations(folders))).toBe(recordedSignatures);
  });

  it('has exactly the tables that have a home', async () => {
    const rows = await db.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(TABLE_HOMES).sort());
  });

  it('accepts every function body with body checks on, in any order', async () => {
    for (const { sql } of functions) await db.query(sql.slice(0, sql.lastIndexOf('$$;') + 3));
  });
});
