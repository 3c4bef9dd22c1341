// Brings a database to the schema of this program, one server at a time, so that any number may start at the same moment.
// Migrations are forward-only: numbered SQL files, each applied once; a file that changed after it was applied is refused
// by name. Functions are repeatable: after the migrations, those whose content this database has never seen are created or
// replaced. Each migration is one transaction, and so are the functions: the locks of a file end with it, and after a crash
// or an error the next start goes on with the first file that is missing. A new database gets all files in one transaction.
// A file that takes something away from earlier releases (`-- contract: since 1.1.0`) waits until none of their servers runs.

import pg from 'pg';
import { buildIndexes, indexStatements, withoutConcurrently } from './concurrent-indexes.ts';
import { type Queryable, sqlState } from './db.ts';
import { inTransaction, LOCK_CONFLICTS, lockMigrations } from './migration-locks.ts';
import { packageVersion } from './package-root.ts';
import { readPostgresVersion, requireSupportedPostgres } from './postgres-version.ts';
import {
  compareReleases,
  newestOf,
  type RecordedRelease,
  readReleases,
  recordRelease,
  requireSupported,
} from './releases.ts';
import {
  type FunctionFile,
  isChecksumOf,
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
create table if not exists releases (
  release text primary key,
  oldest_beside text,
  first_at timestamptz not null default now()
);
create table if not exists migration_lock (only_row boolean primary key default true check (only_row));
insert into migration_lock default values on conflict do nothing;`;

const UNDEFINED_TABLE = '42P01';
const INVALID_FUNCTION_DEFINITION = '42P13';
/** How long a build waits for transactions that use the table of its index. Calls go on meanwhile. */
const INDEX_WAIT = '5min';
const MAX_INDEX_WAITS = 5;
const EXISTS = 'exists';

export interface MigrateOptions {
  /** The release of this program; that of package.json if absent. */
  readonly release?: string;
  /**
   * The processes of earlier releases than this that run, each as a person reads it. Absent: none can run. It is asked in
   * the transaction of the contract, and no process may record that it runs until that transaction ends.
   */
  readonly processesBefore?: (db: Queryable, release: string) => Promise<readonly string[]>;
}

/** Applies what is missing and says how many files that were, migrations and functions together. */
export function migrate(url: string, folders: SchemaFolders, options: MigrateOptions = {}): Promise<number> {
  return beginMigration(url, folders, options).done;
}

export interface Migrating {
  readonly done: Promise<number>;
  /** Stops the migration at any point; uncommitted files are not applied. */
  stop(): Promise<void>;
}

export function beginMigration(url: string, folders: SchemaFolders, options: MigrateOptions = {}): Migrating {
  const clients = new Set<pg.Client>();
  const stopped = new AbortController();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'everyshare-migrate',
      // The program is loaded at the same time, and cannot answer quickly.
      connectionTimeoutMillis: 10_000,
    });
    // The query reports a lost connection. Without a listener the event would end the process.
    client.on('error', () => undefined);
    clients.add(client);
    await client.connect();
    return client;
  };
  const endAll = async (): Promise<void> => {
    await Promise.all([...clients].map((client) => client.end()));
  };
  return {
    done: applyMissing({ connect, signal: stopped.signal }, folders, options).finally(endAll),
    stop: () => {
      stopped.abort(new Error('the migration was stopped'));
      return endAll();
    },
  };
}

interface Connections {
  connect(): Promise<pg.Client>;
  readonly signal: AbortSignal;
}

/** What this program brings to a database. */
interface Release {
  readonly release: string;
  readonly migrations: readonly Migration[];
  readonly functions: readonly FunctionFile[];
  readonly processesBefore: NonNullable<MigrateOptions['processesBefore']>;
}

async function applyMissing(
  connections: Connections,
  folders: SchemaFolders,
  { release = packageVersion(), processesBefore = async () => [] }: MigrateOptions,
): Promise<number> {
  const lock = await connections.connect();
  const { number, text } = await readPostgresVersion(queryable(lock));
  requireSupportedPostgres(number, text);
  const own: Release = {
    release,
    processesBefore,
    migrations: readMigrations(folders),
    functions: readFunctions(folders),
  };
  const recorded = await readReleases(queryable(lock));
  requireSupported(release, recorded);
  if (recorded.some((each) => each.release === release) && (await isCurrent(lock, own))) return 0;
  await createMigrationTables(lock);
  await lockMigrations(lock, connections.signal);
  const { rows } = await lock.query<{ version: number; checksum: string }>('select version, checksum from migrations');
  const missing = missingMigrations(own.migrations, new Map(rows.map((row) => [row.version, row.checksum])));
  if (rows.length > 0) return await upgrade(connections, lock, missing, own);
  for (const migration of missing) await applyMigration(lock, migration);
  const applied = await applyFunctions(lock, own.functions, true);
  await recordRelease(queryable(lock), { release, oldestBeside: newestContract(missing) });
  await lock.query('commit');
  return missing.length + applied;
}

/**
 * The lock row is held by a transaction of a connection of its own, which has no snapshot, so that the build of an index
 * does not wait for it. If that connection is lost, another server may begin: then this one stops.
 */
async function upgrade(
  connections: Connections,
  lock: pg.Client,
  missing: readonly Migration[],
  own: Release,
): Promise<number> {
  const client = await connections.connect();
  lock.on('error', () => void client.end());
  const record = (oldestBeside: string | null): Promise<void> =>
    recordRelease(queryable(client), { release: own.release, oldestBeside });
  for (const migration of missing) {
    // In one transaction: from its commit on, no server of an earlier release starts, and one that runs ends itself.
    const beginContract = async (): Promise<void> => {
      await requireNoneBefore(client, migration, own);
      await record(newestContract(own.migrations, migration.version));
    };
    const isContract = migration.contractSince !== null;
    if (migration.isConcurrent) {
      if (isContract) await inTransaction(client, connections.signal, beginContract);
      await applyConcurrently(client, migration);
    } else
      await inTransaction(client, connections.signal, async () => {
        if (isContract) await beginContract();
        await applyMigration(client, migration);
      });
  }
  const applied = await inTransaction(client, connections.signal, async () => {
    const isNewest = await isNewestRelease(client, own);
    const count = await applyFunctions(client, own.functions, isNewest);
    await record(newestContract(own.migrations));
    return count;
  });
  await lock.query('commit');
  return missing.length + applied;
}

/** The files up to this version alone. */
function newestContract(migrations: readonly Migration[], last = Number.POSITIVE_INFINITY): string | null {
  return newestOf(migrations.filter(({ version }) => version <= last).map(({ contractSince }) => contractSince));
}

/** A process that was killed counts as running for a minute, until its heartbeat is old. */
async function requireNoneBefore(client: pg.Client, migration: Migration, own: Release): Promise<void> {
  const { name, contractSince } = migration;
  if (contractSince === null) return;
  const found = await own.processesBefore(queryable(client), contractSince);
  if (found.length === 0) return;
  throw new Error(
    `${name} takes away what releases before ${contractSince} read, and these run: ${found.join(', ')}. ` +
      'Replace or stop them first; one that was killed counts for a minute. Then start again',
  );
}

function queryable(client: pg.Client): Queryable {
  return { query: async (text, values) => (await client.query(text, values === undefined ? [] : [...values])).rows };
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

/** The usual start: two queries, no lock. */
async function isCurrent(
  client: pg.Client,
  { migrations, functions }: Pick<Release, 'migrations' | 'functions'>,
): Promise<boolean> {
  const applied = await readApplied(client).catch((error: unknown) => {
    if (sqlState(error) === UNDEFINED_TABLE) return new Set<string>();
    throw error;
  });
  return (
    migrations.every((migration) =>
      [migration.checksum, ...migration.earlierChecksums].some((hash) => applied.has(`${migration.version} ${hash}`)),
    ) && functions.every(({ name, hash }) => applied.has(`${name} ${hash}`) && applied.has(`${name} ${EXISTS}`))
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

function missingMigrations(
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, string>,
): readonly Migration[] {
  for (const migration of migrations) {
    const recorded = applied.get(migration.version);
    if (recorded !== undefined && !isChecksumOf(migration, recorded)) {
      throw new Error(
        `migration ${migration.name} was changed after it was applied: restore it and add a new file instead`,
      );
    }
  }
  return migrations.filter(({ version }) => !applied.has(version));
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { name, sql } = migration;
  const statements = migration.isConcurrent ? withoutConcurrently(indexStatements(name, sql)) : [sql];
  for (const statement of statements) await runFile(client, name, statement);
  // Fires the deferred triggers of what this migration wrote: a table with pending trigger events cannot be altered.
  await client.query('set constraints all immediate; set constraints all deferred');
  await recordMigration(client, migration);
}

/** A crash before the record repeats the file, whose statements find what is there. */
async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  const statements = indexStatements(migration.name, migration.sql);
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`set lock_timeout = '${INDEX_WAIT}'`);
      await buildIndexes(
        { run: (sql) => runFile(client, migration.name, sql), isInvalid: (index) => isIndexInvalid(client, index) },
        statements,
      );
      await recordMigration(client, migration);
      return;
    } catch (error) {
      if (attempt >= MAX_INDEX_WAITS || !LOCK_CONFLICTS.includes(sqlState(error))) throw error;
    }
  }
}

async function isIndexInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'select indisvalid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  return rows[0]?.indisvalid === false;
}

async function recordMigration(client: pg.Client, { version, name, checksum }: Migration): Promise<void> {
  await client.query('insert into migrations (version, name, checksum) values ($1, $2, $3)', [version, name, checksum]);
}

/**
 * Creates or replaces the functions whose content this database has never had, and those that a migration dropped. A
 * content that it had before is not applied again: an older server that restarts beside newer ones must not put its old
 * body back. So a body that is to come back needs another text, for example another comment. A server of an earlier release
 * than the newest that was here replaces nothing: it creates only functions that the database lacks and never had. Bodies
 * are not checked while they are created, because they may name functions that come later.
 */
async function applyFunctions(
  client: pg.Client,
  functions: readonly FunctionFile[],
  isNewest: boolean,
): Promise<number> {
  const applied = await readApplied(client);
  const missing = functions.filter(({ name, hash }) => {
    const [wasApplied, exists] = [applied.has(`${name} ${hash}`), applied.has(`${name} ${EXISTS}`)];
    return isNewest ? !(wasApplied && exists) : !(wasApplied || exists);
  });
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
async function isNewestRelease(client: pg.Client, { migrations, release }: Release): Promise<boolean> {
  const recorded: readonly RecordedRelease[] = await readReleases(queryable(client));
  if (recorded.some((each) => compareReleases(each.release, release) > 0)) return false;
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
