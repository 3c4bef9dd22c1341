// Upgrading a database that running servers use: each migration ends its locks, no call waits long for one, indexes are
// built beside writers, and a start after a crash goes on where the last one ended.

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Db, openDb } from '../../src/base/db.ts';
import type { Ids } from '../../src/base/ids.ts';
import { makeLog } from '../../src/base/log.ts';
import { migrate } from '../../src/base/migrate.ts';
import { compareReleases, readReleases, recordRelease } from '../../src/base/releases.ts';
import { makeSchemaProbe } from '../../src/base/schema-check.ts';
import type { SchemaFolders } from '../../src/base/schema-files.ts';
import { processesBefore } from '../../src/domain/monitoring/earlier-processes.ts';
import { startHeartbeat } from '../../src/domain/monitoring/heartbeat.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const FIRST = 'create table numbers (id int);';
const INDEX = `-- no transaction
-- An index on a table in use.
create unique index concurrently if not exists numbers_by_id on numbers (id);`;

interface Upgrade {
  readonly url: string;
  readonly db: Db;
  readonly folders: SchemaFolders;
  /** Applies these files, by their names, beside those of earlier calls. */
  run(files?: Readonly<Record<string, string>>): Promise<number>;
}

/** A database of a release with one table, and a folder for the files of the next release. */
async function openUpgrade(): Promise<Upgrade> {
  const root = mkdtempSync(join(tmpdir(), 'everyshare-upgrade-'));
  const folders: SchemaFolders = { migrations: join(root, 'migrations'), functions: [] };
  mkdirSync(folders.migrations);
  const url = await createTestDatabase('db', 'empty');
  const db = openDb({ url, connections: 6, pooled: false, applicationName: 'test' });
  onTestFinished(async () => {
    await db.close();
    rmSync(root, { recursive: true });
  });
  const run = (files: Readonly<Record<string, string>> = {}): Promise<number> => {
    for (const [name, sql] of Object.entries(files)) writeFileSync(join(folders.migrations, name), sql);
    return migrate(url, folders, { release: '1.0.0' });
  };
  await run({ '000001-first.sql': FIRST });
  return { url, db, folders, run };
}

const versions = async (db: Db): Promise<number[]> =>
  (await db.query<{ version: number }>('select version from migrations order by version')).map((row) => row.version);
const isWaiting = async (db: Db): Promise<boolean> =>
  (
    await db.query(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'everyshare-migrate' and wait_event_type = 'Lock'`,
    )
  ).length > 0;
const isIndexValid = async (db: Db): Promise<boolean | undefined> =>
  (
    await db.query<{ valid: boolean }>(
      "select indisvalid as valid from pg_index where indexrelid = to_regclass('numbers_by_id')",
    )
  )[0]?.valid;
/** A call of a running server, which is ended when it waits for five seconds. */
const call = (db: Db, sql: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query("set local statement_timeout = '5s'");
    await tx.query(sql);
  });

it('a migration that fails leaves those before it applied, and the next start goes on with it', async () => {
  const { db, run } = await openUpgrade();
  const broken = { '000002-table.sql': 'create table others (id int);', '000003-broken.sql': 'select nonsense;' };
  await expect(run(broken)).rejects.toThrow(/^000003-broken\.sql: .*nonsense/);
  expect(await versions(db)).toEqual([1, 2]);
  expect(await run({ '000003-broken.sql': 'alter table others add column name text;' })).toBe(1);
  expect(await versions(db)).toEqual([1, 2, 3]);
});

it('a table that a long transaction reads stays readable while a migration wants to alter it', async () => {
  const { db, run } = await openUpgrade();
  let upgrade: Promise<number> | undefined;
  await db.transaction(async (reader) => {
    await reader.query('select from numbers');
    upgrade ??= run({ '000002-alter.sql': 'alter table numbers add column name text;' });
    await waitFor('the migration waits', () => isWaiting(db));
    await call(db, 'select from numbers');
  });
  expect(await upgrade).toBe(1);
});

it('an index of a file with "-- no transaction" is built while others write its table', async () => {
  const { db, run } = await openUpgrade();
  let upgrade: Promise<number> | undefined;
  await db.transaction(async (writer) => {
    await writer.query('insert into numbers values (1)');
    upgrade ??= run({ '000002-index.sql': INDEX });
    await waitFor('the build waits', () => isWaiting(db));
    await call(db, 'insert into numbers values (2)');
  });
  expect(await upgrade).toBe(1);
  expect(await isIndexValid(db)).toBe(true);
  await expect(db.query('insert into numbers values (2)')).rejects.toThrow(/numbers_by_id/);
});

it('an index whose build did not end is built again by the next start', async () => {
  const { db, run } = await openUpgrade();
  await db.query('insert into numbers values (7), (7)');
  await expect(run({ '000002-index.sql': INDEX })).rejects.toThrow(/^000002-index\.sql: .*numbers_by_id/);
  expect([await isIndexValid(db), await versions(db)]).toEqual([false, [1]]);
  await db.query('delete from numbers');
  expect(await run()).toBe(1);
  expect([await isIndexValid(db), await versions(db)]).toEqual([true, [1, 2]]);
});

it('a migration whose connections are lost is finished by the next start', async () => {
  const { db, run } = await openUpgrade();
  const files = { '000002-table.sql': 'create table others (id int);', '000003-index.sql': INDEX };
  await db.transaction(async (writer) => {
    await writer.query('insert into numbers values (1)');
    const upgrade = run(files);
    upgrade.catch(() => undefined);
    await waitFor('the build waits', () => isWaiting(db));
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'everyshare-migrate'`,
    );
    await expect(upgrade).rejects.toThrow();
  });
  expect(await versions(db)).toEqual([1, 2]);
  expect(await run()).toBe(1);
  expect([await isIndexValid(db), await versions(db)]).toEqual([true, [1, 2, 3]]);
});

it('five servers that upgrade at the same moment apply each file once', async () => {
  const { db, run } = await openUpgrade();
  const files = { '000002-table.sql': 'create table others (id int);', '000003-index.sql': INDEX };
  const applied = await Promise.all(Array.from({ length: 5 }, () => run(files)));
  expect(applied.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(await isIndexValid(db)).toBe(true);
});

it('a file that names an earlier text of itself is accepted where that text was applied', async () => {
  const { run } = await openUpgrade();
  const checksum = createHash('sha256').update(FIRST).digest('hex');
  expect(await run({ '000001-first.sql': `-- earlier text: ${checksum}\n${FIRST}` })).toBe(0);
  await expect(run({ '000001-first.sql': `${FIRST} -- other` })).rejects.toThrow(/000001-first\.sql was changed/);
});

it('a file with "-- no transaction" and another statement than an index is refused by name', async () => {
  const { db, run } = await openUpgrade();
  const mixed = `${INDEX}\nupdate numbers set id = id + 1;`;
  await expect(run({ '000002-mixed.sql': mixed })).rejects.toThrow(
    /^000002-mixed\.sql: .* move this .*: update numbers/,
  );
  expect(await isIndexValid(db)).toBeUndefined();
});

describe('a migration that takes away what earlier releases read ("-- contract: since")', () => {
  const CONTRACT = '-- contract: since 1.1.0\nalter table numbers rename column id to number;';

  it('is not applied while a server of an earlier release runs, and names it', async () => {
    const { db, folders, url } = await openUpgrade();
    writeFileSync(join(folders.migrations, '000002-table.sql'), 'create table others (id int);');
    writeFileSync(join(folders.migrations, '000003-contract.sql'), CONTRACT);
    const asked: string[] = [];
    const processesBefore = async (_db: unknown, release: string): Promise<string[]> => {
      asked.push(release);
      return asked.length === 1 ? ['serve 1.0.0 on shore-2'] : [];
    };
    const upgrade = () => migrate(url, folders, { release: '1.2.0', processesBefore });
    await expect(upgrade()).rejects.toThrow(
      /^000003-contract\.sql takes away .* before 1\.1\.0 .*: serve 1\.0\.0 on shore-2/,
    );
    expect(await versions(db)).toEqual([1, 2]);
    expect(await upgrade()).toBe(1);
    expect(asked).toEqual(['1.1.0', '1.1.0']);
  });

  it('is not applied beside a server of an earlier release that starts at the same moment: its first heartbeat waits for the contract, and then refuses', async () => {
    const { db, folders, url } = await openUpgrade();
    await db.query(
      `create table processes (process_id uuid primary key, role text, version text, schema_version integer, host text,
         started_at timestamptz, seen_at timestamptz, outcomes jsonb)`,
    );
    writeFileSync(join(folders.migrations, '000002-contract.sql'), CONTRACT);
    let beat: Promise<unknown> | undefined;
    const identity = { role: 'serve', version: '1.0.0', schemaVersion: 1, host: 'shore-2' } as const;
    const services = { db, ids: { uuid: () => randomUUID() } as Ids, log: makeLog('silent', 'test') };
    const upgrade = migrate(url, folders, {
      release: '1.2.0',
      async processesBefore(tx, release) {
        const found = await processesBefore(tx, release);
        beat ??= startHeartbeat(services, identity, () => ({}));
        beat.catch(() => undefined);
        await waitFor('the heartbeat waits for the contract', async () => {
          const waiting = await db.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%processes%' and datname = current_database()",
          );
          return waiting.length > 0;
        });
        return found;
      },
    });
    expect(await upgrade).toBe(1);
    await expect(beat).rejects.toThrow(/serves releases from 1\.1\.0 on; this is 1\.0\.0/);
  });

  it('is recorded before an index is dropped beside running servers: none of an earlier release starts meanwhile', async () => {
    const { db, folders, url, run } = await openUpgrade();
    await run({ '000002-index.sql': INDEX });
    const contract = '-- no transaction\n-- contract: since 1.1.0\ndrop index concurrently if exists numbers_by_id;';
    let upgrade: Promise<number> | undefined;
    await db.transaction(async (writer) => {
      await writer.query('insert into numbers values (1)');
      writeFileSync(join(folders.migrations, '000003-contract.sql'), contract);
      upgrade ??= migrate(url, folders, { release: '1.2.0' });
      await waitFor('the removal waits', () => isWaiting(db));
      await expect(migrate(url, folders, { release: '1.0.3' })).rejects.toThrow(/serves releases from 1\.1\.0 on/);
    });
    expect(await upgrade).toBe(1);
  });

  it('keeps earlier releases from starting afterwards, and lets those since start', async () => {
    const { db, folders, url } = await openUpgrade();
    const before = { ...folders };
    writeFileSync(join(folders.migrations, '000002-contract.sql'), CONTRACT);
    await migrate(url, folders, { release: '1.2.0' });
    await expect(migrate(url, before, { release: '1.0.3' })).rejects.toThrow(
      /release 1\.2\.0 has upgraded this database, which serves releases from 1\.1\.0 on; this is 1\.0\.3: start 1\.1\.0 or/,
    );
    expect(await migrate(url, folders, { release: '1.1.0' })).toBe(0);
    expect(await db.query('select release, oldest_beside from releases order by release')).toEqual([
      { release: '1.0.0', oldest_beside: null },
      { release: '1.1.0', oldest_beside: '1.1.0' },
      { release: '1.2.0', oldest_beside: '1.1.0' },
    ]);
  });
});

it('a server of an earlier release replaces no function of a newer one, and creates those that the database never had', async () => {
  const { db, folders, url } = await openUpgrade();
  const functionsOf = (release: string, texts: Readonly<Record<string, string>>): SchemaFolders => {
    const folder = join(folders.migrations, '..', `functions-${release}`);
    mkdirSync(folder);
    for (const [name, value] of Object.entries(texts))
      writeFileSync(
        join(folder, `${name}.sql`),
        `create or replace function ${name}() returns text language sql return '${value}';`,
      );
    return { ...folders, functions: [folder] };
  };
  await migrate(url, functionsOf('newer', { one: 'newer' }), { release: '1.2.0' });
  expect(await migrate(url, functionsOf('older', { one: 'older', two: 'older' }), { release: '1.1.0' })).toBe(1);
  expect(await db.query('select one() as one, two() as two')).toEqual([{ one: 'newer', two: 'older' }]);
});

it('a PostgreSQL that is too old is refused at the start, with the version that is needed', async () => {
  const url = await createTestDatabase('old', 'empty');
  const db = openDb({ url, connections: 2, pooled: false, applicationName: 'test' });
  onTestFinished(() => db.close());
  const name = new URL(url).pathname.slice(1);
  // Stands before the function of PostgreSQL, for connections that are opened later.
  await db.query(
    `create function current_setting(name text) returns text language sql
     return case name when 'server_version' then '14.11' else '140011' end`,
  );
  await db.query(`alter database ${name} set search_path = public, pg_catalog`);
  await expect(migrate(url, { migrations: '/nonexistent', functions: [] })).rejects.toThrow(
    'PostgreSQL 14.11 is too old: this release needs PostgreSQL 15 or newer',
  );
});

it('the oldest release that may run is raised by a later record, and never lowered', async () => {
  const { db } = await openUpgrade();
  const read = async () => (await readReleases(db)).find(({ release }) => release === '2.0.0')?.oldestBeside;
  for (const [oldestBeside, expected] of [
    [null, null],
    ['1.2.0', '1.2.0'],
    ['1.10.0', '1.10.0'],
    ['1.9.0', '1.10.0'],
    [null, '1.10.0'],
  ] as const) {
    await recordRelease(db, { release: '2.0.0', oldestBeside });
    expect(await read()).toBe(expected);
  }
});

it('a server is not ready while the database serves only later releases', async () => {
  const { db, folders } = await openUpgrade();
  const isReady = makeSchemaProbe(db, folders, '1.0.0');
  expect(await isReady()).toBe(true);
  await recordRelease(db, { release: '1.2.0', oldestBeside: '1.1.0' });
  expect(await isReady()).toBe(false);
  expect(await makeSchemaProbe(db, folders, '1.1.0')()).toBe(true);
});

it('a server stays ready after the files of the next release were installed over it', async () => {
  const { db, folders } = await openUpgrade();
  const isReady = makeSchemaProbe(db, folders, '1.0.0');
  writeFileSync(join(folders.migrations, '000002-next.sql'), 'create table others (id int);');
  expect(await isReady()).toBe(true);
  expect(await makeSchemaProbe(db, folders, '1.0.0')()).toBe(false);
});

it.each([
  ['1.0.0', '1.0.1'],
  ['1.9.0', '1.10.0'],
  ['0.1.0', '1.0.0'],
])('release %s is earlier than %s', (earlier, later) => {
  expect(compareReleases(earlier, later)).toBeLessThan(0);
  expect(compareReleases(later, earlier)).toBeGreaterThan(0);
  expect(compareReleases(later, later)).toBe(0);
});
