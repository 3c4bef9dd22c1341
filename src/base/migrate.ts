// Brings a database to the schema of this program, under a lock row, so that any number of servers may start at the same
// moment. Migrations are forward-only: numbered SQL files, each applied once, in its own transaction; a file that changed
// after it was applied is refused by name. Functions are repeatable: after the migrations, those whose content this
// database has never seen are created or replaced, all in one transaction.

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
    let applied = 0;
    for (const migration of migrations) if (await applyMigration(client, migration)) applied++;
    return applied + (await applyFunctions(client, functions));
  } finally {
    await client.end();
  }
}

/** The usual case at start: one query, no lock. */
async function isCurrent(
  client: pg.Client,
  migrations: readonly Migration[],
  functions: readonly FunctionFile[],
): Promise<boolean> {
  const rows = await client
    .query<{ name: string; hash: string }>(
      'select version::text as name, checksum as hash from migrations union all select name, hash from function_versions',
    )
    .then(
      (found) => found.rows,
      (error: unknown) => {
        if (sqlState(error) === UNDEFINED_TABLE) return [];
        throw error;
      },
    );
  const applied = new Set(rows.map(({ name, hash }) => `${name} ${hash}`));
  return (
    migrations.every(({ version, checksum }) => applied.has(`${version} ${checksum}`)) &&
    functions.every(({ name, hash }) => applied.has(`${name} ${hash}`))
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
  return underLock(client, async () => {
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
    await client.query(migration.sql);
    await client.query('insert into migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    return true;
  });
}

/**
 * Creates or replaces the functions whose content this database has never had. A content that it had before is not
 * applied again: an older server that restarts beside newer ones must not put its old body back. So a body that is to
 * come back needs another text, for example another comment. Bodies are not checked while they are created, because they
 * may name functions that come later.
 */
async function applyFunctions(client: pg.Client, functions: readonly FunctionFile[]): Promise<number> {
  return underLock(client, async () => {
    const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from function_versions');
    const applied = new Set(rows.map(({ name, hash }) => `${name} ${hash}`));
    const missing = functions.filter(({ name, hash }) => !applied.has(`${name} ${hash}`));
    await client.query('set local check_function_bodies = off');
    for (const { name, sql, hash } of missing) {
      await client.query(sql).catch((error: unknown) => {
        if (error instanceof pg.DatabaseError) error.message = `${name}.sql: ${error.message}`;
        throw error;
      });
      await client.query('insert into function_versions (name, hash) values ($1, $2)', [name, hash]);
    }
    return missing.length;
  });
}

/** One server at a time, in one transaction. */
async function underLock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin; set local lock_timeout = '30s'");
  try {
    await client.query('select 1 from migration_lock for update');
    const done = await work();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
