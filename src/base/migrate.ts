// Forward-only migrations: numbered SQL files, each applied once, in its own transaction, under a lock row, so that any
// number of servers may start at the same moment. A file that changed after it was applied is refused by name.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { sqlState } from './db.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const LEDGER = `
create table if not exists migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
create table if not exists migration_lock (only_row boolean primary key default true check (only_row));
insert into migration_lock default values on conflict do nothing;`;

const UNDEFINED_TABLE = '42P01';

export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder)
    .filter((name) => /^\d{6}-.+\.sql$/.test(name))
    .sort();
  return files.map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8');
    return { version: Number(name.slice(0, 6)), name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** Applies what is missing and says how many files that were. */
export function migrate(url: string, folder: string): Promise<number> {
  return beginMigration(url, folder).done;
}

export interface Migrating {
  readonly done: Promise<number>;
  /** Breaks it off, wherever it is: what is not committed is not applied. */
  stop(): Promise<void>;
}

export function beginMigration(url: string, folder: string): Migrating {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'everyshare-migrate',
    // The program is loaded meanwhile, and does not look at the clock.
    connectionTimeoutMillis: 10_000,
  });
  // A connection that is lost is told by its query; told to nobody else it would end the process.
  client.on('error', () => undefined);
  return { done: applyMissing(client, folder), stop: () => client.end() };
}

async function applyMissing(client: pg.Client, folder: string): Promise<number> {
  await client.connect();
  try {
    const wanted = readMigrations(folder);
    if (await isCurrent(client, wanted)) return 0;
    await prepareLedger(client);
    let applied = 0;
    for (const migration of wanted) if (await applyOne(client, migration)) applied++;
    return applied;
  } finally {
    await client.end();
  }
}

/** The ordinary start: one look, no lock. */
async function isCurrent(client: pg.Client, wanted: readonly Migration[]): Promise<boolean> {
  const rows = await client
    .query<{ version: number; checksum: string }>('select version, checksum from migrations')
    .then(
      (found) => found.rows,
      (error: unknown) => {
        if (sqlState(error) === UNDEFINED_TABLE) return [];
        throw error;
      },
    );
  const known = new Map(rows.map((row) => [row.version, row.checksum]));
  return wanted.every(({ version, checksum }) => known.get(version) === checksum);
}

/** `create table if not exists` of two servers at once can still collide in the catalogue; the second try finds it. */
async function prepareLedger(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(LEDGER);
      return;
    } catch (error) {
      if (attempt >= 5 || !['23505', '42P07', '42710', 'XX000'].includes(sqlState(error))) throw error;
    }
  }
}

async function applyOne(client: pg.Client, migration: Migration): Promise<boolean> {
  await client.query("begin; set local lock_timeout = '30s'");
  try {
    await client.query('select 1 from migration_lock for update');
    const found = await client.query<{ checksum: string }>('select checksum from migrations where version = $1', [
      migration.version,
    ]);
    const known = found.rows[0];
    if (known !== undefined && known.checksum !== migration.checksum) {
      throw new Error(
        `migration ${migration.name} was changed after it was applied: restore it and add a new file instead`,
      );
    }
    if (known === undefined) {
      await client.query(migration.sql);
      await client.query('insert into migrations (version, name, checksum) values ($1, $2, $3)', [
        migration.version,
        migration.name,
        migration.checksum,
      ]);
    }
    await client.query('commit');
    return known === undefined;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
