// `everyshare doctor --before-upgrade`, run from the folder of the new release: what its first start would do to the
// database, and what could stop it. Changes nothing; every other command migrates the database first.

import { statfs } from 'node:fs/promises';
import { packageRoot, packageVersion } from '../base/package-root.ts';
import { compareReleases, newestOf, readReleases } from '../base/releases.ts';
import { readMigrations, schemaFolders } from '../base/schema-files.ts';
import {
  databaseBytes,
  FIRST_LISTED,
  indexesToBuild,
  type LogArchive,
  longTransactions,
  type PendingMigrations,
  pendingMigrations,
  readLogArchive,
} from '../base/upgrade-facts.ts';
import { describeProcess, listProcesses } from '../domain/monitoring/earlier-processes.ts';
import { type Check, failedCheck, notice, passed, problem, runCheck } from './check-report.ts';
import { CliError } from './cli-error.ts';
import type { OpenBackups, OpenUnmigrated, Unmigrated } from './command-definition.ts';

const LONG_TRANSACTION_SECONDS = 30;
const MAX_BACKUP_HOURS = 24;
const MAX_LISTED = 10;

export interface NamedBackups {
  /** Of --backups; null: not given. */
  readonly folder: string | null;
  readonly open: OpenBackups;
}

export async function checksBeforeUpgrade(open: OpenUnmigrated, backups: NamedBackups): Promise<Check[]> {
  let opened: Unmigrated;
  let pending: PendingMigrations;
  try {
    opened = await open();
    pending = await pendingMigrations(opened.db, readMigrations(schemaFolders(packageRoot)));
  } catch (error) {
    if (error instanceof CliError) throw error;
    return [failedCheck('database', error)];
  }
  return [
    await runCheck('release', checkRelease(opened)),
    checkPending(pending),
    await runCheck('indexes', checkIndexes(opened, pending)),
    await runCheck('processes', checkProcesses(opened, pending)),
    await runCheck('transactions', checkTransactions(opened)),
    await runCheck('space', checkSpace(opened, pending)),
    await runCheck('backup', checkBackup(opened, backups)),
    checkWayBack(pending),
  ];
}

async function checkRelease({ db }: Unmigrated): Promise<Check> {
  const own = packageVersion();
  const newest = newestOf((await readReleases(db)).map(({ release }) => release));
  if (newest === null) return passed('release', `from a release before 1.0.0, or none, to ${own}`);
  if (compareReleases(newest, own) > 0)
    return problem('release', `the database is of ${newest}, and this is ${own}`, 'install the newer release.');
  return passed('release', newest === own ? `${own}, as the database` : `from ${newest} to ${own}`);
}

function checkPending({ missing, changed, isNew, unknown }: PendingMigrations): Check {
  if (changed.length > 0)
    return problem(
      'migrations',
      `applied with another text: ${listed(changed)}`,
      'restore these files: a server of this release refuses to start.',
    );
  if (isNew) return passed('migrations', `the database is empty: all ${missing.length} will run at once`);
  const newer = unknown === 0 ? '' : `; ${unknown} of a newer release are there`;
  if (missing.length === 0) return passed('migrations', `none will run${newer}`);
  return passed('migrations', `${missing.length} will run: ${listed(missing.map(({ name }) => name))}${newer}`);
}

async function checkIndexes({ db }: Unmigrated, { missing, isNew }: PendingMigrations): Promise<Check> {
  const indexes = isNew ? [] : await indexesToBuild(db, missing);
  if (indexes.length === 0) return passed('indexes', 'none is built beside running servers');
  const sizes = indexes.map(
    ({ index, table, bytes, rows }) => `${index} on ${table} (${sizeText(bytes)}, about ${Math.round(rows)} rows)`,
  );
  return passed('indexes', `built while servers go on: ${listed(sizes)}`);
}

async function checkProcesses(
  { db }: Unmigrated,
  { missing, isNew, isBeforeFirstListed }: PendingMigrations,
): Promise<Check> {
  if (isNew) return passed('processes', 'the database is empty: none can run');
  const running = await listProcesses(db);
  if (running === null || isBeforeFirstListed)
    return problem(
      'processes',
      `unknown: the database is of a release before ${FIRST_LISTED.release}, whose processes cannot run beside this one`,
      'stop every server and worker before the first start of this release.',
    );
  if (running.length === 0) return passed('processes', 'no server or worker has been seen in the last minute');
  const detail = listed(running.map(describeProcess));
  const since = newestOf([FIRST_LISTED.release, ...missing.map(({ contractSince }) => contractSince)]) as string;
  const older = running.filter(({ version }) => compareReleases(version, since) < 0);
  if (older.length > 0)
    return problem(
      'processes',
      `${older.length} of ${running.length} that run are of releases before ${since}: ${listed(older.map(describeProcess))}`,
      `bring them to ${since} first, or stop them: this release takes away what they read.`,
    );
  return passed('processes', `run, and may go on beside this release: ${detail}`);
}

async function checkTransactions({ db }: Unmigrated): Promise<Check> {
  const long = await longTransactions(db, LONG_TRANSACTION_SECONDS);
  if (long.length === 0) return passed('transactions', `none is older than ${LONG_TRANSACTION_SECONDS} s`);
  const detail = long.map(
    ({ pid, application, seconds }) => `${application} (pid ${pid}) since ${Math.round(seconds)} s`,
  );
  return problem(
    'transactions',
    listed(detail),
    'wait for them, or end them with "select pg_terminate_backend(pid)": the upgrade waits for them.',
  );
}

/** An index needs about the size of its table while it is built. */
async function checkSpace({ db, config }: Unmigrated, { missing, isNew }: PendingMigrations): Promise<Check> {
  const bytes = await databaseBytes(db);
  const needed = (isNew ? [] : await indexesToBuild(db, missing)).reduce((sum, index) => sum + index.bytes, 0);
  const detail = `the database has ${sizeText(bytes)}, new indexes need at most ${sizeText(needed)}`;
  if (config.databaseUrl !== null)
    return notice('space', detail, 'look at the free space of the machine of PostgreSQL, which SQL cannot tell.');
  const { bavail, bsize } = await statfs(config.dataDir);
  const free = bavail * bsize;
  const text = `${detail}, free: ${sizeText(free)}`;
  return free > needed * 2 ? passed('space', text) : problem('space', text, 'make room first.');
}

const BACK_UP = 'back up now (docs/guides/backup.md): the backup is the only way back to an earlier schema.';

async function checkBackup({ db, now }: Unmigrated, { folder, open }: NamedBackups): Promise<Check> {
  if (folder !== null) {
    const newest = await open().newest(folder);
    if (newest === null) return problem('backup', `${folder} has no complete backup`, BACK_UP);
    const hours = (now - Date.parse(newest.createdAt)) / 3_600_000;
    const detail = `the newest in ${folder} is ${hours.toFixed(1)} h old`;
    return hours <= MAX_BACKUP_HOURS ? passed('backup', detail) : problem('backup', detail, BACK_UP);
  }
  const archive = await readLogArchive(db);
  if (archive !== null) return checkArchive(archive);
  return notice('backup', 'this program cannot see a backup', `name its folder with --backups DIR, or ${BACK_UP}`);
}

export function checkArchive({ archivedSecondsAgo: seconds, isFailing }: LogArchive): Check {
  if (seconds === null) return problem('backup', 'PostgreSQL has archived nothing of its log', BACK_UP);
  const detail = `PostgreSQL archived its log ${Math.round(seconds)} s ago`;
  if (isFailing)
    return problem('backup', `${detail}, and its last try failed`, `mend archive_command, then ${BACK_UP}`);
  return seconds <= MAX_BACKUP_HOURS * 3_600 ? passed('backup', detail) : problem('backup', detail, BACK_UP);
}

function checkWayBack({ missing }: PendingMigrations): Check {
  const contracts = missing.filter(({ contractSince }) => contractSince !== null);
  const since = newestOf(contracts.map(({ contractSince }) => contractSince));
  if (since === null)
    return passed(
      'way_back',
      'servers of the release before can be started again after the upgrade, on the new schema',
    );
  return notice(
    'way_back',
    `${listed(contracts.map(({ name }) => name))} cannot be undone: afterwards no release before ${since} starts`,
    'keep the backup from before the upgrade.',
  );
}

function listed(items: readonly string[]): string {
  const more = items.length - MAX_LISTED;
  return more > 0 ? `${items.slice(0, MAX_LISTED).join(', ')}, and ${more} more` : items.join(', ');
}

function sizeText(bytes: number): string {
  const megabytes = bytes / 1_048_576;
  return megabytes < 1024 ? `${megabytes.toFixed(1)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}
