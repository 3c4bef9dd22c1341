// Compares a database with the migrations and functions of this build: for /readyz and `everyshare doctor`. Changes
// nothing; migrate.ts applies what is missing.

import type { Db, Queryable } from './db.ts';
import { packageVersion } from './package-root.ts';
import { isSupported } from './releases.ts';
import {
  type FunctionFile,
  readFunctions,
  readMigrations,
  readSchemaNeeds,
  type SchemaFolders,
} from './schema-files.ts';

export interface SchemaDifferences {
  readonly appliedMigrations: number;
  readonly migrations: number;
  readonly functions: number;
  /** Functions with a file that the database does not have. */
  readonly missingFunctions: readonly string[];
  /** Functions whose newest body in the database is not the one of their file. */
  readonly differentFunctions: readonly string[];
  /** Functions of the database without a file. */
  readonly functionsWithoutFile: readonly string[];
}

const FUNCTIONS_IN_DATABASE = `
  select p.proname as name, (
    select v.hash from function_versions v where v.name = p.proname order by v.applied_at desc limit 1) as hash
  from pg_proc p where p.pronamespace = 'public'::regnamespace order by p.proname`;

export async function compareSchema(db: Db, folders: SchemaFolders): Promise<SchemaDifferences> {
  const [migrations, functions] = [readMigrations(folders), readFunctions(folders)];
  const [row] = await db.query<{ count: number }>('select count(*) as count from migrations');
  const found = await db.query<{ name: string; hash: string | null }>(FUNCTIONS_IN_DATABASE);
  const hashes = new Map(found.map(({ name, hash }) => [name, hash]));
  const names = (files: readonly FunctionFile[]): string[] => files.map(({ name }) => name);
  return {
    appliedMigrations: row?.count ?? 0,
    migrations: migrations.length,
    functions: functions.length,
    missingFunctions: names(functions.filter(({ name }) => !hashes.has(name))),
    differentFunctions: names(functions.filter(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash)),
    functionsWithoutFile: [...hashes.keys()].filter((name) => !functions.some((file) => file.name === name)),
  };
}

const IS_USABLE = `
  select coalesce((select max(version) from migrations), 0) >= $2 and cardinality($1::text[]) = (
    select count(distinct proname) from pg_proc
    where pronamespace = 'public'::regnamespace and proname = any($1)) as usable,
    array(select oldest_beside from releases) as "oldestBeside"`;

/**
 * Tells, in one short query, whether the database has the migrations and every function that this build calls, and still
 * serves this release. A newer release may add to the schema; when it takes away what this build reads, this build can no
 * longer serve. The files are read now, not at a call: an installation over the running program brings those of the next
 * release.
 */
export function makeSchemaProbe(db: Db, folders: SchemaFolders, release = packageVersion()): () => Promise<boolean> {
  const { functions, newestMigration } = readSchemaNeeds(folders);
  return async () => {
    const [row] = await db.query<{ usable: boolean; oldestBeside: (string | null)[] }>(IS_USABLE, [
      functions,
      newestMigration,
    ]);
    return row?.usable === true && isSupported(release, row.oldestBeside);
  };
}

/** The newest migration that the database has. */
export async function appliedVersion(db: Queryable): Promise<number> {
  const [row] = await db.query<{ version: number | null }>('select max(version) as version from migrations');
  return row?.version ?? 0;
}

/** The newest migration of this build, by the names of the files: a start does not read all of them once more. */
export function buildSchemaVersion(folders: SchemaFolders): number {
  return readSchemaNeeds(folders).newestMigration;
}
