// `everyshare doctor --before-upgrade`: says what the first start of this release would do to a database, and does nothing.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot, packageVersion } from '../../src/base/package-root.ts';
import { readMigrations, schemaFolders } from '../../src/base/schema-files.ts';
import { indexesToBuild, longTransactions, pendingMigrations } from '../../src/base/upgrade-facts.ts';
import { processesBefore } from '../../src/domain/monitoring/earlier-processes.ts';
import { endProcess, recordProcess } from '../../src/domain/monitoring/process-queries.ts';
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
    expect(await processesBefore(world.db, '1.1.0')).toEqual(['serve 1.0.0 on shore-2']);
    expect(await processesBefore(world.db, '1.0.0')).toEqual([]);
    const report = await commandLine(world).json<Report>('doctor', '--before-upgrade');
    expect(detailOf(report, 'processes')).toContain('serve 1.0.0 on shore-2');
    await endProcess(world.db, row.id);
    expect(await processesBefore(world.db, '1.1.0')).toEqual([]);
  });

  it('refuses a backup that is older than a day, and accepts a newer one', async () => {
    mkdirSync(join(folder, 'everyshare-2020-01-02T03-04-05-678Z'));
    const old = await commandLine(world).run('doctor', '--before-upgrade', '--backups', folder);
    expect(old).toMatchObject({ exit: 1, err: expect.stringContaining('backup') });
    const now = new Date(world.context.clock.now()).toISOString().replaceAll(/[:.]/g, '-');
    mkdirSync(join(folder, `everyshare-${now}`));
    const report = await commandLine(world).json<Report>('doctor', '--before-upgrade', '--backups', folder);
    expect(detailOf(report, 'backup')).toMatch(/ is 0\.\d h old$/);
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
