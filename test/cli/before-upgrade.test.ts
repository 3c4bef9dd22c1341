// `everyshare doctor --before-upgrade`: says what the first start of this release would do to a database, and does nothing.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReleaseList } from '../../migrations/expand-rules.ts';
import { packageRoot, packageVersion } from '../../src/base/package-root.ts';
import { readMigrations, schemaFolders } from '../../src/base/schema-files.ts';
import {
  FIRST_LISTED,
  indexesToBuild,
  longTransactions,
  pendingMigrations,
  readLogArchive,
} from '../../src/base/upgrade-facts.ts';
import { checkArchive } from '../../src/cli/before-upgrade.ts';
import { processesBefore } from '../../src/domain/monitoring/earlier-processes.ts';
import { endProcess, recordProcess } from '../../src/domain/monitoring/process-queries.ts';
import { type BackupSettings, makeBackups } from '../../src/main/backups.ts';
import { commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

const FILES = readMigrations(schemaFolders(packageRoot));
let world: TestWorld;
let folder: string;
beforeAll(async () => {
  world = await openTestWorld();
  folder = mkdtempSync(join(tmpdir(), 'everyshare-backups-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world.close();
});

const before = (release: string): Promise<string[]> => world.db.transaction((tx) => processesBefore(tx, release));
const detailOf = ({ checks }: Report, name: string): string | undefined =>
  checks.find((check) => check.name === name)?.detail;

describe('doctor --before-upgrade', () => {
  it('says that nothing will run where the database is of this release', async () => {
    const report = await commandLine(world).json<Report>('doctor', '--before-upgrade');
    expect(report.checks.map(({ name }) => name)).toEqual([
      'release',
      'migrations',
      'indexes',
      'processes',
      'transactions',
      'space',
      'backup',
      'way_back',
    ]);
    expect(detailOf(report, 'release')).toBe(`${packageVersion()}, as the database`);
    expect(detailOf(report, 'migrations')).toBe('none will run');
  });

  it('names the migrations that will run and the tables whose indexes are built, and applies nothing', async () => {
    await world.db.query('delete from migrations where version in (93, 94)');
    await world.db.query("update releases set release = '0.9.0'");
    const report = await commandLine(world).json<Report>('doctor', '--before-upgrade');
    expect(detailOf(report, 'release')).toBe(`from 0.9.0 to ${packageVersion()}`);
    expect(detailOf(report, 'migrations')).toBe('2 will run: 000093-monitoring.sql, 000094-monitoring-indexes.sql');
    expect(detailOf(report, 'indexes')).toMatch(/^built while servers go on: \w+ on \w+ \([\d.]+ MB, about \d+ rows\)/);
    const { missing } = await pendingMigrations(world.db, FILES);
    expect(missing).toHaveLength(2);
  });

  it('says which running servers an upgrade with a contract must wait for', async () => {
    const row = { id: world.context.ids.uuid(), role: 'serve', version: '1.0.0', schemaVersion: 1 } as const;
    await recordProcess(world.db, { ...row, host: 'shore-2', outcomes: {} });
    expect(await before('1.1.0')).toEqual(['serve 1.0.0 on shore-2']);
    expect(await before('1.0.0')).toEqual([]);
    const report = await commandLine(world).json<Report>('doctor', '--before-upgrade');
    expect(detailOf(report, 'processes')).toContain('serve 1.0.0 on shore-2');
    await endProcess(world.db, row.id);
    expect(await before('1.1.0')).toEqual([]);
  });

  it('counts every process of an earlier release, however many of newer ones run', async () => {
    await world.db.query(
      `insert into processes (process_id, role, version, schema_version, host, started_at, seen_at, outcomes)
       select gen_random_uuid(), 'serve', case when n = 0 then '0.0.9' else '9.0.0' end, 1, 'h', now() + n * interval '1 s', now(), '{}'
       from generate_series(0, 600) n`,
    );
    expect(await before('0.1.0')).toEqual(['serve 0.0.9 on h']);
    const report = await commandLine(world).run('doctor', '--before-upgrade', '--json');
    expect(report.exit).toBe(1);
    expect(detailOf(JSON.parse(report.out) as Report, 'processes')).toMatch(
      /^1 of 601 that run are of releases before 0\.1\.0: serve 0\.0\.9 on h$/,
    );
    await world.db.query('delete from processes');
  });

  it('does not say that no server runs where the database cannot know it', async () => {
    const other = await openTestWorld();
    try {
      await other.db.query('delete from migrations where version > 92');
      await other.db.query('alter table processes rename to other_processes');
      const report = await commandLine(other).run('doctor', '--before-upgrade', '--json');
      expect(report.exit).toBe(1);
      const { checks } = JSON.parse(report.out) as Report;
      expect(checks.find(({ name }) => name === 'processes')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^unknown: .* before 0\.1\.0/),
        remedy: expect.stringContaining('stop every server and worker'),
      });
    } finally {
      await other.close();
    }
  });

  it('refuses a backup that is older than a day or did not end, and accepts a newer one', async () => {
    const cli = commandLine(world, {}, undefined, () => makeBackups({} as BackupSettings));
    const check = async (): Promise<Report['checks'][number] | undefined> => {
      const { out } = await cli.run('doctor', '--before-upgrade', '--backups', folder, '--json');
      return (JSON.parse(out) as Report).checks.find(({ name }) => name === 'backup');
    };
    const addBackup = (at: number, isComplete: boolean): void => {
      const createdAt = new Date(at).toISOString();
      const path = join(folder, `everyshare-${createdAt.replaceAll(/[:.]/g, '-')}`);
      mkdirSync(path);
      if (isComplete) writeFileSync(join(path, 'manifest.json'), JSON.stringify({ format: 1, createdAt, files: [] }));
    };
    const now = world.context.clock.now();
    addBackup(now - 1_000, false);
    expect(await check()).toMatchObject({ ok: false, detail: expect.stringContaining('has no complete backup') });
    addBackup(now - 25 * 3_600_000, true);
    expect(await check()).toMatchObject({ ok: false, detail: expect.stringMatching(/ is 25\.\d h old$/) });
    addBackup(now - 60_000, true);
    expect(await check()).toMatchObject({ ok: true, detail: expect.stringMatching(/ is 0\.\d h old$/) });
  });

  it.each([
    [{ archivedSecondsAgo: 60, isFailing: false }, true, 'archived its log 60 s ago'],
    [{ archivedSecondsAgo: 60, isFailing: true }, false, 'its last try failed'],
    [{ archivedSecondsAgo: 90_000, isFailing: false }, false, 'archived its log 90000 s ago'],
    [{ archivedSecondsAgo: null, isFailing: false }, false, 'has archived nothing'],
  ])('judges an archive of the log with %o', (archive, ok, detail) => {
    expect(checkArchive(archive)).toMatchObject({ ok, detail: expect.stringContaining(detail) });
  });

  it('reads the archive of PostgreSQL: none here', async () => {
    expect(await readLogArchive(world.db)).toBeNull();
  });

  it('takes the oldest release of the list as the first whose servers run beside a newer one', () => {
    const [first] = readReleaseList(readFileSync(join(packageRoot, 'migrations', 'releases.txt'), 'utf8'));
    expect(FIRST_LISTED).toEqual({ release: first?.version, migration: first?.newestMigration });
  });

  it('says that --backups needs --before-upgrade', async () => {
    expect(await commandLine(null).line(2, 'doctor', '--backups', folder)).toContain('"--before-upgrade"');
  });
});

it('a transaction that an upgrade would wait for is listed with its program', async () => {
  await world.db.transaction(async (tx) => {
    const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    const found = await longTransactions(world.db, 0);
    expect(found.map(({ pid }) => pid)).toContain(own?.pid);
    expect(await longTransactions(world.db, 3_600)).toEqual([]);
  });
});

it('a migration that was changed after it was applied is named before the upgrade', async () => {
  const changed = FILES.map((file) =>
    file.version === 2 ? { ...file, checksum: 'other', earlierChecksums: [] } : file,
  );
  expect(await pendingMigrations(world.db, changed)).toMatchObject({ changed: ['000002-catalogue.sql'], isNew: false });
  expect(await indexesToBuild(world.db, [])).toEqual([]);
});
