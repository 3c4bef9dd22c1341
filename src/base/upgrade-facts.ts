// What a database says about an upgrade before it begins: which migrations it lacks, how large the tables are whose indexes
// would be built, which transactions would be waited for, how large it is, and whether its log is archived. Changes nothing.

import { indexStatements } from './concurrent-indexes.ts';
import { type Queryable, sqlState } from './db.ts';
import { isChecksumOf, type Migration } from './schema-files.ts';

const UNDEFINED_TABLE = '42P01';

export interface PendingMigrations {
  /** The database has no migration at all: this release would make everything. */
  readonly isNew: boolean;
  readonly missing: readonly Migration[];
  /** Applied with another text than this release has: it would refuse to start. */
  readonly changed: readonly string[];
  /** Applied by a newer release. */
  readonly unknown: number;
  /** The database is of a release from before FIRST_LISTED: its migrations did not leave running servers what they read. */
  readonly isBeforeFirstListed: boolean;
}

/** The oldest release of migrations/releases.txt. Since then migrations expand first, and processes say that they live. */
export const FIRST_LISTED = { release: '0.1.0', migration: 100 } as const;

export async function pendingMigrations(db: Queryable, migrations: readonly Migration[]): Promise<PendingMigrations> {
  const rows = await db
    .query<{ version: number; checksum: string }>('select version, checksum from migrations')
    .catch((error: unknown) => {
      if (sqlState(error) === UNDEFINED_TABLE) return [];
      throw error;
    });
  const applied = new Map(rows.map(({ version, checksum }) => [version, checksum]));
  const known = new Set(migrations.map(({ version }) => version));
  return {
    isNew: rows.length === 0,
    missing: migrations.filter(({ version }) => !applied.has(version)),
    changed: migrations
      .filter((each) => applied.has(each.version) && !isChecksumOf(each, applied.get(each.version) ?? ''))
      .map(({ name }) => name),
    unknown: rows.filter(({ version }) => !known.has(version)).length,
    isBeforeFirstListed: rows.length > 0 && rows.every(({ version }) => version < FIRST_LISTED.migration),
  };
}

export interface IndexedTable {
  readonly index: string;
  readonly table: string;
  /** Zero for a table that an earlier file of the same upgrade makes. */
  readonly bytes: number;
  /** An estimate of PostgreSQL's statistics. */
  readonly rows: number;
}

/** The indexes that an upgrade would build beside running servers, with the sizes of their tables. */
export async function indexesToBuild(db: Queryable, missing: readonly Migration[]): Promise<IndexedTable[]> {
  const found: { index: string; table: string }[] = [];
  for (const { name, sql, isConcurrent } of missing) {
    if (!isConcurrent) continue;
    for (const statement of indexStatements(name, sql)) {
      const [, index, table] = /index concurrently if not exists (\w+) on (\w+)/.exec(statement) ?? [];
      if (index !== undefined && table !== undefined) found.push({ index, table });
    }
  }
  const sizes = await db.query<{ table: string; bytes: number; rows: number }>(
    `select c.relname as table, pg_table_size(c.oid)::float8 as bytes, greatest(c.reltuples, 0)::float8 as rows
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [found.map(({ table }) => table)],
  );
  const sizeOf = new Map(sizes.map((size) => [size.table, size]));
  return found.map(({ index, table }) => ({
    index,
    table,
    bytes: sizeOf.get(table)?.bytes ?? 0,
    rows: sizeOf.get(table)?.rows ?? 0,
  }));
}

export interface LongTransaction {
  readonly pid: number;
  readonly application: string;
  readonly seconds: number;
}

/** A migration waits for each that uses its table, and the build of an index for all of them. Oldest first. */
export function longTransactions(db: Queryable, minSeconds: number): Promise<LongTransaction[]> {
  return db.query<LongTransaction>(
    `select pid, coalesce(nullif(application_name, ''), 'a program without a name') as application,
       extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - make_interval(secs => $1)
     order by xact_start limit 20`,
    [minSeconds],
  );
}

export async function databaseBytes(db: Queryable): Promise<number> {
  const [row] = await db.query<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes');
  return row?.bytes ?? 0;
}

export interface LogArchive {
  /** Seconds since PostgreSQL last handed a piece of its log to the archive; null: it never did. */
  readonly archivedSecondsAgo: number | null;
  /** The newest try failed. */
  readonly isFailing: boolean;
}

/** Null: PostgreSQL archives nothing. */
export async function readLogArchive(db: Queryable): Promise<LogArchive | null> {
  const [row] = await db.query<LogArchive>(
    `select extract(epoch from now() - last_archived_time)::float8 as "archivedSecondsAgo",
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing"
     from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
  );
  return row ?? null;
}
