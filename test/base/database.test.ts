// The database: migrations, schema.sql, functions, the rules of keys, and the guarantees of the database layer.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { dumpSchema } from '../../migrations/schema-dump.ts';
import { DatabaseClient } from '../../src/base/database-client.ts';
import { isUnavailable, openDb } from '../../src/base/db.ts';
import { migrate } from '../../src/base/migrate.ts';
import { NotificationListener } from '../../src/base/notifications.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { readFunctions, readMigrations, type SchemaFolders, schemaFolders } from '../../src/base/schema-files.ts';
import { TcpLink } from '../support/tcp-link.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const FOLDERS = schemaFolders(packageRoot);
const newDatabase = (): Promise<string> => createTestDatabase('db', 'empty');
/** A copy of the database that this run has migrated. */
const migratedDatabase = (): Promise<string> => createTestDatabase('db', 'migrated');
/** A link to the PostgreSQL of the tests, and the URL of the database through it. */
async function linkTo(direct: string): Promise<{ readonly link: TcpLink; readonly url: string }> {
  const url = new URL(direct);
  const folder = url.searchParams.get('host') ?? '';
  const port = url.searchParams.get('port') ?? url.port;
  const link = await TcpLink.open(0, folder.startsWith('/') ? join(folder, `.s.PGSQL.${port}`) : Number(port));
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String(link.port));
  return { link, url: url.href };
}
const open = (url: string) => openDb({ url, connections: 6, pooled: false, applicationName: 'test' });

describe('migrations', () => {
  it('add up to schema.sql: run npm run schema when this fails', async () => {
    const db = await openMigrated();
    const dump = await dumpSchema(
      async <Row>(sql: string) => (await db.query(sql)) as Row[],
      readFunctions(FOLDERS),
      packageRoot,
    );
    expect(dump).toBe(readFileSync(join(FOLDERS.migrations, 'schema.sql'), 'utf8'));
    await db.close();
  });

  it('are applied once when ten servers start at the same moment', { tags: ['slow'] }, async () => {
    const url = await newDatabase();
    const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(url, FOLDERS)));
    const files = readMigrations(FOLDERS).length + readFunctions(FOLDERS).length;
    expect(applied.reduce((sum, count) => sum + count, 0)).toBe(files);
    expect(await migrate(url, FOLDERS)).toBe(0);
  });

  it('refuse a file that was changed after it was applied, and roll back one that fails', async () => {
    const url = await migratedDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'everyshare-migrations-'));
    const folders = { ...FOLDERS, migrations: folder };
    for (const { name } of readMigrations(FOLDERS)) copyFileSync(join(FOLDERS.migrations, name), join(folder, name));
    expect(await migrate(url, folders)).toBe(0);
    writeFileSync(join(folder, '999998-broken.sql'), 'create table half (id int); select nonsense;');
    await expect(migrate(url, folders)).rejects.toThrow(/nonsense/);
    const db = open(url);
    expect(await db.query("select to_regclass('half') as found")).toEqual([{ found: null }]);
    await db.close();
    writeFileSync(join(folder, '999998-broken.sql'), 'create table half (id int);');
    expect(await migrate(url, folders)).toBe(1);
    writeFileSync(join(folder, '999998-broken.sql'), 'create table half (id bigint);');
    await expect(migrate(url, folders)).rejects.toThrow(/999998-broken\.sql was changed after it was applied/);
    rmSync(folder, { recursive: true });
  });
});

/** A release of the program with one migration and these functions, each of which returns a number. */
function releaseWith(functions: Readonly<Record<string, string>>): SchemaFolders & { readonly root: string } {
  const root = mkdtempSync(join(tmpdir(), 'everyshare-release-'));
  const folders = { root, migrations: join(root, 'migrations'), functions: [join(root, 'functions')] };
  for (const folder of [folders.migrations, ...folders.functions]) mkdirSync(folder);
  writeFileSync(join(folders.migrations, '000001-first.sql'), 'create table numbers (id int);');
  for (const [name, body] of Object.entries(functions)) {
    writeFileSync(
      join(root, 'functions', `${name}.sql`),
      `create or replace function ${name}() returns integer language sql as $$ ${body} $$;`,
    );
  }
  return folders;
}

describe('a connection', () => {
  it('has just-in-time compilation off, also where the server has it on', async () => {
    const url = await migratedDatabase();
    const db = open(url);
    await db.query(`alter database ${new URL(url).pathname.slice(1)} set jit = on`);
    const later = open(url);
    const jit = "select current_setting('jit') as jit";
    expect(await later.query(jit)).toEqual([{ jit: 'off' }]);
    expect(await later.transaction((tx) => tx.query(jit))).toEqual([{ jit: 'off' }]);
    await Promise.all([db.close(), later.close()]);
  });
});

describe('functions', () => {
  const result = async (url: string, name: string): Promise<unknown> => {
    const db = open(url);
    const [row] = await db.query<{ value: number }>(`select ${name}() as value`);
    await db.close();
    return row?.value;
  };

  it('are replaced when their file changes, and a restarted older server does not restore its body', async () => {
    const url = await newDatabase();
    const [older, newer] = [releaseWith({ one: 'select 1' }), releaseWith({ one: 'select 11', two: 'select 2' })];
    expect(await migrate(url, older)).toBe(2);
    expect(await result(url, 'one')).toBe(1);
    expect(await migrate(url, newer)).toBe(2);
    expect(await result(url, 'one')).toBe(11);
    expect(await migrate(url, older)).toBe(0);
    expect(await result(url, 'one')).toBe(11);
    expect(await migrate(url, newer)).toBe(0);
    for (const { root } of [older, newer]) rmSync(root, { recursive: true });
  });

  it('may call one another in any order', async () => {
    const url = await newDatabase();
    const release = releaseWith({ a_first: 'select z_last()', z_last: 'select 26' });
    await migrate(url, release);
    expect(await result(url, 'a_first')).toBe(26);
    rmSync(release.root, { recursive: true });
  });

  it('are all applied or none, and the error names the file', async () => {
    const url = await newDatabase();
    const release = releaseWith({ a_first: 'select 1', broken: 'select 1 $$ nonsense' });
    await expect(migrate(url, release)).rejects.toThrow(/^broken\.sql: .*syntax error/);
    const db = open(url);
    expect(await db.query("select to_regproc('a_first') as found")).toEqual([{ found: null }]);
    expect(await db.query('select name from function_versions')).toEqual([]);
    await db.close();
    rmSync(release.root, { recursive: true });
  });

  it('that a migration drops are created again by its own release, and not by an older server that restarts', async () => {
    const url = await newDatabase();
    const older = releaseWith({ one: 'select 1', two: 'select 2' });
    const newer = releaseWith({ one: 'select 1' });
    await migrate(url, older);
    writeFileSync(join(newer.migrations, '000002-drop.sql'), 'drop function one(), two();');
    expect(await migrate(url, newer)).toBe(2);
    expect(await result(url, 'one')).toBe(1);
    expect(await migrate(url, older)).toBe(0);
    await expect(result(url, 'two')).rejects.toThrow(/function two\(\) does not exist/);
    for (const { root } of [older, newer]) rmSync(root, { recursive: true });
  });

  it('whose signature changed are refused with the remedy', async () => {
    const url = await newDatabase();
    const [older, newer] = [releaseWith({ one: 'select 1' }), releaseWith({ one: 'select 1' })];
    await migrate(url, older);
    writeFileSync(
      join(newer.root, 'functions', 'one.sql'),
      'create or replace function one() returns text language sql as $$ select 1::text $$;',
    );
    await expect(migrate(url, newer)).rejects.toThrow(/^one\.sql: .* needs another name, or a new migration/);
    for (const { root } of [older, newer]) rmSync(root, { recursive: true });
  });

  it('are applied after a deadlock with a running server', { tags: ['slow'] }, async () => {
    const url = await newDatabase();
    const [older, newer] = [releaseWith({ one: 'select 1' }), releaseWith({ one: 'select 11' })];
    await migrate(url, older);
    writeFileSync(join(newer.migrations, '000002-first.sql'), 'create table others (id int);');
    await migrate(url, { ...newer, functions: [] });
    writeFileSync(
      join(newer.migrations, '000003-locks.sql'),
      'lock table numbers; lock table others; create table done ();',
    );
    const [db, watcher] = [open(url), open(url)];
    const waiting = (table: string) =>
      watcher.query('select from pg_locks where relation = $1::regclass and not granted', [table]);
    let migrating: Promise<number> | undefined;
    const server = db.transaction(async (tx) => {
      await tx.query("set local deadlock_timeout = '1h'"); // The migration is the one that PostgreSQL ends.
      await tx.query('lock table others in access share mode');
      migrating ??= migrate(url, newer);
      await waitFor('the migration waits for the second table', async () => (await waiting('others')).length === 1);
      await tx.query('lock table numbers in access share mode');
    });
    await server;
    expect(await migrating).toBe(2);
    expect(await result(url, 'one')).toBe(11);
    await Promise.all([db.close(), watcher.close()]);
    for (const { root } of [older, newer]) rmSync(root, { recursive: true });
  });

  it('are refused when two files have the same name', () => {
    const [one, other] = [releaseWith({ same: 'select 1' }), releaseWith({ same: 'select 2' })];
    expect(() => readFunctions({ functions: [...one.functions, ...other.functions] })).toThrow(/function named same/);
    for (const { root } of [one, other]) rmSync(root, { recursive: true });
  });
});

/** Tables without a venue, with the reason (docs/scaling.md names them too). Every other table has a venue_id. */
const TABLES_WITHOUT_VENUE: Readonly<Record<string, string>> = {
  installation: 'one row: which ENCRYPTION_KEY this database was written with',
  installation_audit: 'what was done to the installation, not to a venue',
  record_gaps: 'times in which nothing ran on this database, for every venue alike',
  figures: 'one row: the newest figures of the installation, for monitoring',
  processes: 'one row for each server and worker that runs',
  checks: 'one row for each mode and kind: the last reconcile and ledger check',
  check_schedules: 'one row for each mode and kind: when a worker runs the check next',
  check_runs: 'the checks of the last 90 days, about ten a day',
  migrations: 'what the schema is made of',
  releases: 'which releases have migrated the schema',
  migration_lock: 'one row: one server migrates at a time',
  function_versions: 'which functions the schema has had',
  activity_retention: 'one row: since when single events are stored',
  event_retention: 'one row: how far old events are deleted',
  state_transitions: 'the transitions of the state machines, as data; never changed',
  ledger_accounts: 'the chart of accounts, as data; never changed',
  token_keys: 'sign the tokens of guests, who belong to no venue',
  limit_windows: 'counts for an address or a phone too, of whom no venue is known yet; unlogged',
  limit_calls: 'the calls behind those counts; unlogged',
  daily_uses: 'counts for a phone and an organizer too, who belong to no venue',
  shared_hooks: 'an address at which a provider delivers for several venues',
  processor_events: 'a processor event names a charge, and its venue is known only once it was read',
  image_files: 'a browser asks by the hash in the address, without a venue',
  members: 'a guest is the same person at every venue',
  sign_in_challenges: 'a phone that signs in, wherever it will pay',
  member_sessions: 'a browser of a guest',
  accounts: 'a person has roles in several venues',
  account_challenges: 'a mail address that signs in, at no venue yet',
  account_sessions: 'a browser of a person in the console',
  account_passkeys: 'a person of the console signs in with one, at no venue yet',
  passkey_challenges: 'what a passkey is asked to sign, before its account is known',
  operators: 'a person who runs the service, for every venue',
  account_devices: 'the browsers in which a person of the console has signed in',
  channels: 'a group of guests, who may book anywhere',
  channel_members: 'guests in a group',
  friends: 'guests who know each other',
  guest_erasures: 'an erasure of a guest that has not ended: a guest belongs to no venue',
  named_phones: 'what a guest typed, at any venue',
  mails: 'to a person: also codes and notices that are about no venue',
  messages: 'to a guest: also the code of a sign-in, which is about no venue',
  opted_out_phones: 'who answered STOP is written to by no venue',
};

async function openMigrated(): Promise<ReturnType<typeof open>> {
  return open(await migratedDatabase());
}

/** Unique indexes of a venue's tables that do not begin with venue_id; first is null for an expression. */
const KEYS_WITHOUT_VENUE = `
  select c.relname as table, i.relname as name, a.attname as first
  from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0] and x.indkey[0] <> 0
  where c.relnamespace = 'public'::regnamespace and x.indisunique and a.attname is distinct from 'venue_id'
    and exists (select from pg_attribute v where v.attrelid = c.oid and v.attname = 'venue_id' and not v.attisdropped)
  order by 2`;

describe('the tables', () => {
  it('of a venue have venue_id first in every primary key, unique index and foreign key', async () => {
    const db = await openMigrated();
    const keys = await db.query<{ table: string; name: string; first: string | null }>(KEYS_WITHOUT_VENUE);
    // A look-up table leads from a hash or an id to its venue, so that is its key.
    expect(keys.filter(({ table }) => !table.endsWith('_routes'))).toEqual([]);
    const foreign = await db.query<{ name: string; first: string }>(
      `select f.conname as name, a.attname as first from pg_constraint f
       join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
       where f.contype = 'f' and f.connamespace = 'public'::regnamespace
         and exists (select from pg_attribute v where v.attrelid = f.conrelid and v.attname = 'venue_id')`,
    );
    expect(foreign.filter(({ first }) => first !== 'venue_id')).toEqual([]);
    expect(
      await db.query("select relname from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace"),
    ).toEqual([]);
    await db.close();
  });

  it('are also checked for unique indexes that begin with an expression', { tags: ['slow'] }, async () => {
    const db = await openMigrated();
    await db.query('create unique index astray on offerings (lower(offering_id::text))');
    expect((await db.query(KEYS_WITHOUT_VENUE)).filter(({ name }) => name === 'astray')).toEqual([
      { table: 'offerings', name: 'astray', first: null },
    ]);
    await db.close();
  });

  it('belong to a venue, except for the listed ones, which scaling.md names too', async () => {
    const db = await openMigrated();
    const found = await db.query<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (
         select from pg_attribute v where v.attrelid = c.oid and v.attname = 'venue_id' and v.attnotnull and not v.attisdropped)`,
    );
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(TABLES_WITHOUT_VENUE).sort());
    const page = readFileSync(join(packageRoot, 'docs', 'scaling.md'), 'utf8');
    expect(Object.keys(TABLES_WITHOUT_VENUE).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    await db.close();
  });
});

describe('the database layer', () => {
  it('commits on success, rolls back on an error, and retries after a deadlock', { tags: ['slow'] }, async () => {
    const db = open(await newDatabase());
    await db.query('create table t (id int primary key, n int not null)');
    await db.query('insert into t values (1, 0), (2, 0)');
    await expect(
      db.transaction(async (tx) => {
        await tx.query('update t set n = 9');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    let holders = 0;
    const step = (first: number, second: number) =>
      db.transaction(async (tx) => {
        await tx.query('update t set n = n + 1 where id = $1', [first]);
        holders++;
        await waitFor('both transactions hold a row', () => holders >= 2);
        await tx.query('update t set n = n + 1 where id = $1', [second]);
      });
    await Promise.all([step(1, 2), step(2, 1)]);
    expect(await db.query('select n from t order by id')).toEqual([{ n: 2 }, { n: 2 }]);
    // On a busy machine the second attempt may end in a deadlock too.
    expect(holders, 'one of them was retried').toBeGreaterThanOrEqual(3);
    await db.close();
  });

  it('reports a transaction as failed when its work ignored an error', async () => {
    const db = open(await newDatabase());
    await db.query('create table t (id int primary key)');
    const swallowed = db.transaction(async (tx) => {
      await tx.query('insert into t values (1)');
      await tx.query('select nonsense').catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow(/failed before its commit/);
    expect(await db.query('select id from t')).toEqual([]);
    await db.close();
  });

  it.each([
    ['a pooler whose server is gone', '08P01'],
    ['a failed connection', '08001'],
    ['a standby that only reads', '25006'],
    ['a transaction that was idle for too long', '25P03'],
    ['a session that was idle for too long', '57P05'],
    ['repeated deadlocks', '40P01'],
    ['repeated serialization failures', '40001'],
    ['a failed name lookup', 'EAI_AGAIN'],
    ['an unreachable network', 'EHOSTUNREACH'],
  ])('treats %s as temporarily unavailable', (_, code) => {
    expect(isUnavailable(Object.assign(new Error('no'), { code }))).toBe(true);
  });

  it.each([
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'failure on connection marked as essential: 10.0.0.5:5432',
    'connection not open',
    'could not commit transaction for shard shares_102048 on any active node',
    'connection to the remote node postgres@10.0.0.5:5432 failed with the following error: Connection refused',
    'postmaster was shut down, exiting',
    'terminating connection due to unexpected postmaster exit',
  ])('treats a lost node of a distributed database as temporarily unavailable: %s', (message) => {
    expect(isUnavailable(Object.assign(new Error(message), { code: 'XX000' }))).toBe(true);
  });

  it('is unavailable after it was closed, and opens no connection', async () => {
    const db = open(await newDatabase());
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
    const requests = [
      db.query('select 1'),
      db.priority.query('select 1'),
      db.transaction(async (tx) => tx.query('select 1')),
    ];
    for (const outcome of await Promise.allSettled(requests))
      expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true);
  });

  it('does not treat our own mistakes as unavailable', () => {
    for (const code of ['42601', '23505', '22P02', '25P02', ''])
      expect(isUnavailable(Object.assign(new Error('no'), { code }))).toBe(false);
  });

  it('is unavailable when a server accepts a connection and sends nothing', { tags: ['slow'] }, async () => {
    const unresponsive = createServer();
    const port = await new Promise<number>((resolve) => {
      unresponsive.listen(0, '127.0.0.1', () => resolve((unresponsive.address() as AddressInfo).port));
    });
    const db = open(`postgres://nobody@127.0.0.1:${port}/nothing`);
    const [single, inTransaction] = await Promise.allSettled([
      db.query('select 1'),
      db.transaction((tx) => tx.query('select 1')),
    ]);
    for (const one of [single, inTransaction])
      expect(one.status === 'rejected' && isUnavailable(one.reason)).toBe(true);
    await db.close();
    unresponsive.close();
  });

  it('is unavailable for a transaction that PostgreSQL ended because it was idle', async () => {
    const [db, other] = [open(await newDatabase()), open(inject('postgresUrl'))];
    const transaction = db.transaction(async (tx) => {
      const [{ pid } = { pid: 0 }] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await tx.query("set local idle_in_transaction_session_timeout = '10ms'");
      const backend = () => other.query('select from pg_stat_activity where pid = $1', [pid]);
      await waitFor('PostgreSQL ends the connection', async () => (await backend()).length === 0);
      await tx.query('select 1');
    });
    expect(isUnavailable(await transaction.catch((error: unknown) => error))).toBe(true);
    await Promise.all([db.close(), other.close()]);
  });

  it('reports the first error of several concurrent statements, and is unavailable once it is closed', async () => {
    const db = open(await newDatabase());
    const transaction = db.transaction(async (tx) => {
      const first = tx.query("do $$ begin raise 'too late' using errcode = '57014'; end $$");
      const [, second] = await Promise.allSettled([first, tx.query('select 1')]);
      if (second.status === 'rejected') throw second.reason;
    });
    expect(isUnavailable(await transaction.catch((error: unknown) => error))).toBe(true);
    await db.close();
    const closed = db.transaction((tx) => tx.query('select 1'));
    expect(isUnavailable(await closed.catch((error: unknown) => error))).toBe(true);
  });

  it('survives the loss of its connections', async () => {
    const url = await newDatabase();
    const db = open(url);
    await Promise.all(Array.from({ length: 20 }, () => db.query('select 1 as one')));
    const admin = open(inject('postgresUrl'));
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(url).pathname.slice(1),
    ]);
    await admin.close();
    let results = 0;
    for (let attempt = 0; attempt < 20 && results < 5; attempt++) {
      results += await db.query('select 1 as one').then(
        (rows) => rows.length,
        () => 0,
      );
    }
    expect(results).toBe(5);
    expect(await db.transaction((tx) => tx.query('select 2 as two'))).toEqual([{ two: 2 }]);
    await db.close();
  });

  it('after one statement without an answer trusts no connection that was open before', {
    tags: ['slow'],
  }, async () => {
    const { link, url } = await linkTo(await newDatabase());
    const options = { url, connections: 12, pooled: false, applicationName: 'test', queryTimeoutMs: 5_000 };
    const db = openDb(options);
    const both = () => Promise.all([db.query('select 1 as one'), db.transaction((tx) => tx.query('select 1 as one'))]);
    // Several connections of each kind are open and idle.
    await Promise.all(Array.from({ length: 6 }, () => both()));
    // Their server is gone without a word, and the address leads to another one: a failover.
    link.silenceOpen();
    const lost = await db.transaction((tx) => tx.query('select 1')).catch((error: unknown) => error);
    expect(isUnavailable(lost)).toBe(true);
    for (let times = 0; times < 6; times++) expect(await both()).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    await db.close();
    await link.close();
  });

  it('hears notifications again after its listening connection went silent', { tags: ['slow'] }, async () => {
    const direct = await newDatabase();
    const { link, url } = await linkTo(direct);
    let heard = 0;
    const settings = { connectionString: url, query_timeout: 3_000, pipeline: true, acceptsStandby: false };
    const newClient = () => new DatabaseClient(settings);
    const listener = new NotificationListener(newClient, 'news', () => heard++, undefined, 100);
    await waitFor('it listens', () => heard > 0);
    link.silenceOpen();
    const before = heard;
    // It says so once more when it listens again.
    await waitFor('it listens again', () => heard > before);
    const db = open(direct);
    const heardSince = heard;
    await db.query("select pg_notify('news', '')");
    await waitFor('it hears the notification', () => heard > heardSince);
    await Promise.all([db.close(), listener.close()]);
    await link.close();
  });

  it('runs many concurrent statements on few connections, each with its own rows or error', async () => {
    const db = open(await newDatabase());
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        i % 10 === 0
          ? db.query('select 1 / $1::int as n', [0]).catch((error: Error) => error.message)
          : db.query<{ n: number }>('select $1::int as n', [i]).then((rows) => rows[0]?.n),
      ),
    );
    for (const [i, result] of results.entries()) expect(result).toBe(i % 10 === 0 ? 'division by zero' : i);
    await db.close();
  });
});
