// Brings a database to the schema of this program, under a lock row, so that any number of servers may start at the same
// moment. Migrations are forward-only: numbered SQL files, each applied once; a file that changed after it was applied is
// refused by name. Functions are repeatable: after the migrations, those whose content this database has never seen are
// created or replaced. All that is missing is applied in one transaction: after a failure the database is as it was.

import pg from 'pg';
import { sqlState } from './db.ts';
import {
  type FunctionFile,
  type Migration,
  readFunctions,
  readMigrations,
  type SchemaFolders,
} from './schema-files.ts';

const MIGRATION_TABLES = `
create table if not exists migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
create table if not exists function_versions (
  name text not null,
  hash text not null,
  applied_at timestamptz not null default now(),
  primary key (name, hash)
);
create table if not exists migration_lock (only_row boolean primary key default true check (only_row));
insert into migration_lock default values on conflict do nothing;`;

const UNDEFINED_TABLE = '42P01';
const INVALID_FUNCTION_DEFINITION = '42P13';
const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_CONFLICTS = [DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE];
const MAX_ATTEMPTS = 5;
const EXISTS = 'exists';

/** Applies what is missing and says how many files that were, migrations and functions together. */
export function migrate(url: string, folders: SchemaFolders): Promise<number> {
  return beginMigration(url, folders).done;
}

export interface Migrating {
  readonly done: Promise<number>;
  /** Stops the migration at any point; uncommitted files are not applied. */
  stop(): Promise<void>;
}

export function beginMigration(url: string, folders: SchemaFolders): Migrating {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'everyshare-migrate',
    // The program is loaded at the same time, and cannot answer quickly.
    connectionTimeoutMillis: 10_000,
  });
  // The query reports a lost connection. Without a listener the event would end the process.
  client.on('error', () => undefined);
  return { done: applyMissing(client, folders), stop: () => client.end() };
}

async function applyMissing(client: pg.Client, folders: SchemaFolders): Promise<number> {
  await client.connect();
  try {
    const migrations = readMigrations(folders);
    const functions = readFunctions(folders);
    if (await isCurrent(client, migrations, functions)) return 0;
    await createMigrationTables(client);
    return await underLock(client, async () => {
      let applied = 0;
      for (const migration of migrations) if (await applyMigration(client, migration)) applied++;
      return applied + (await applyFunctions(client, functions, await isNewestRelease(client, migrations)));
    });
  } finally {
    await client.end();
  }
}

const APPLIED = `
  select version::text as name, checksum as hash from migrations
  union all select name, hash from function_versions
  union all select proname, '${EXISTS}' from pg_proc where pronamespace = 'public'::regnamespace`;

/** Names with the hashes that were applied, as "name hash", and a function that exists as "name exists". */
async function readApplied(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; hash: string }>(APPLIED);
  return new Set(rows.map(({ name, hash }) => `${name} ${hash}`));
}

/** The usual start: one query, no lock. */
async function isCurrent(
  client: pg.Client,
  migrations: readonly Migration[],
  functions: readonly FunctionFile[],
): Promise<boolean> {
  const applied = await readApplied(client).catch((error: unknown) => {
    if (sqlState(error) === UNDEFINED_TABLE) return new Set<string>();
    throw error;
  });
  return (
    migrations.every(({ version, checksum }) => applied.has(`${version} ${checksum}`)) &&
    functions.every(({ name, hash }) => applied.has(`${name} ${hash}`) && applied.has(`${name} ${EXISTS}`))
  );
}

/** `create table if not exists` of two servers at once can still collide in the catalogue; the second try finds it. */
async function createMigrationTables(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(MIGRATION_TABLES);
      return;
    } catch (error) {
      if (attempt >= 5 || !['23505', '42P07', '42710', 'XX000'].includes(sqlState(error))) throw error;
    }
  }
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<boolean> {
  const found = await client.query<{ checksum: string }>('select checksum from migrations where version = $1', [
    migration.version,
  ]);
  const known = found.rows[0];
  if (known !== undefined && known.checksum !== migration.checksum) {
    throw new Error(
      `migration ${migration.name} was changed after it was applied: restore it and add a new file instead`,
    );
  }
  if (known !== undefined) return false;
  await runFile(client, migration.name, migration.sql);
  // Fires the deferred triggers of what this migration wrote: a table with pending trigger events cannot be altered.
  await client.query('set constraints all immediate; set constraints all deferred');
  await client.query('insert into migrations (version, name, checksum) values ($1, $2, $3)', [
    migration.version,
    migration.name,
    migration.checksum,
  ]);
  return true;
}

/**
 * Creates or replaces the functions whose content this database has never had, and those that a migration dropped. A
 * content that it had before is not applied again: an older server that restarts beside newer ones must not put its old
 * body back. So a body that is to come back needs another text, for example another comment. Bodies are not checked while
 * they are created, because they may name functions that come later.
 */
async function applyFunctions(
  client: pg.Client,
  functions: readonly FunctionFile[],
  isNewest: boolean,
): Promise<number> {
  const applied = await readApplied(client);
  const missing = functions.filter(
    ({ name, hash }) => !applied.has(`${name} ${hash}`) || (isNewest && !applied.has(`${name} ${EXISTS}`)),
  );
  await client.query('set local check_function_bodies = off');
  for (const { name, sql, hash } of missing) {
    await runFile(client, `${name}.sql`, sql);
    // Not the transaction's time: a server that began earlier may get the lock later.
    await client.query(
      `insert into function_versions (name, hash, applied_at) values ($1, $2, clock_timestamp())
       on conflict (name, hash) do update set applied_at = excluded.applied_at`,
      [name, hash],
    );
  }
  return missing.length;
}

/** No newer release has migrated this database: what is missing is not what a newer release dropped. */
async function isNewestRelease(client: pg.Client, migrations: readonly Migration[]): Promise<boolean> {
  const { rows } = await client.query<{ newest: number | null }>('select max(version) as newest from migrations');
  return (rows[0]?.newest ?? 0) <= (migrations.at(-1)?.version ?? 0);
}

/** An error names the file. */
async function runFile(client: pg.Client, file: string, sql: string): Promise<void> {
  await client.query(sql).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const remedy =
      error.code === INVALID_FUNCTION_DEFINITION
        ? '. A function whose parameters or result change needs another name, or a new migration that drops the old one'
        : '';
    error.message = `${file}: ${error.message}${remedy}`;
    throw error;
  });
}

/**
 * One server at a time, in one transaction. Running servers may lock tables in another order than the files do: then
 * the whole transaction is repeated. A waiting ACCESS EXCLUSIVE lock stops every query on its table, so that wait is
 * short; the wait for another server that migrates is not.
 */
async function underLock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin; set local lock_timeout = '5min'");
      await client.query("select 1 from migration_lock for update; set local lock_timeout = '10s'");
      const done = await work();
      await client.query('commit');
      return done;
    } catch (error) {
      await client.query('rollback').catch(() => undefined); // A lost connection is reported by the first error.
      if (attempt >= MAX_ATTEMPTS || !LOCK_CONFLICTS.includes(sqlState(error))) throw error;
    }
  }
}
