// A backup of the embedded PostgreSQL while it runs: PostgreSQL's own low-level backup (pg_backup_start, a copy of the
// files, pg_backup_stop) with the write-ahead log from its start to its end. Everything that was committed before the end is
// in it. The package has no pg_basebackup, which does the same over a replication connection.

import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import {
  type BackupFile,
  type BackupManifest,
  copyWithHash,
  entriesOf,
  verifyFiles,
  writeManifest,
  writeWithHash,
} from './backup-files.ts';
import { findCluster } from './cluster.ts';

/** Where the cluster's files are inside a backup. */
export const CLUSTER_FOLDER = 'cluster';
/** Where the embedded processor's files are inside a backup. */
export const PROCESSOR_FOLDER = 'processor';

/** Folders whose content PostgreSQL makes again when it starts; the log is copied by itself. */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label(\.old)?|tablespace_map(\.old)?)$/;
const SEGMENT = /^[0-9A-F]{24}$/;
const SEGMENTS_PER_LOG = 256;
const MAX_PROCESSOR_COPIES = 5;

export interface BackupOptions {
  readonly dataDir: string;
  /** The URL of the running server. */
  readonly url: string;
  /** An empty folder. */
  readonly into: string;
  readonly version: string;
  readonly encryptionKeys: readonly string[];
  readonly now: () => number;
}

/** Writes the backup and reads it again. Returns its manifest. */
export async function takeBackup(options: BackupOptions): Promise<BackupManifest> {
  const cluster = await findCluster(resolve(options.dataDir));
  if (cluster === null) throw new Error(`there is no database in ${options.dataDir}`);
  const copy = new Copy(options.into);
  const client = new pg.Client({ connectionString: options.url, application_name: 'everyshare-backup' });
  // A connection that breaks makes the next query fail, which is reported.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const startLsn = await begin(client);
    await copy.tree(cluster.pgdata, CLUSTER_FOLDER);
    const createdAt = new Date(options.now()).toISOString();
    const { stopLsn, label } = await end(client);
    await copy.text(join(CLUSTER_FOLDER, 'backup_label'), label);
    await copyLog(client, copy, join(cluster.pgdata, 'pg_wal'), startLsn, stopLsn);
    // After the database: the processor's books may be ahead of ours, never behind. `reconcile` finds the difference.
    await copyProcessor(copy, join(resolve(options.dataDir), 'processor'));
    const manifest: BackupManifest = {
      format: 1,
      createdAt,
      version: options.version,
      postgresVersion: (await readFile(join(cluster.pgdata, 'PG_VERSION'), 'utf8')).trim(),
      password: cluster.state.password,
      startLsn,
      stopLsn,
      encryptionKeys: options.encryptionKeys,
      folders: copy.folders,
      files: copy.files,
    };
    await verifyFiles(options.into, manifest);
    await writeManifest(options.into, manifest);
    return manifest;
  } finally {
    // Ends a backup that was not completed, and drops its temporary slot.
    await client.end().catch(() => undefined);
  }
}

/** The slot keeps the log from the start of the backup on, until this connection ends. */
async function begin(client: pg.Client): Promise<string> {
  const name = `everyshare_backup_${randomBytes(6).toString('hex')}`;
  await client.query('set statement_timeout = 0');
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [name]);
  const { rows } = await client.query<{ lsn: string }>('select pg_backup_start($1, true)::text as lsn', [name]);
  return rows[0]?.lsn ?? '';
}

async function end(client: pg.Client): Promise<{ stopLsn: string; label: string }> {
  const { rows } = await client.query<{ lsn: string; label: string; spaces: string }>(
    'select lsn::text as lsn, labelfile as label, spcmapfile as spaces from pg_backup_stop(false)',
  );
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not end the backup');
  if (row.spaces.trim() !== '')
    throw new Error('the database has tablespaces, which this command does not copy: use pg_basebackup');
  return { stopLsn: row.lsn, label: row.label };
}

/** Copies the segments of the log that the backup needs, and makes sure that none is missing. */
async function copyLog(
  client: pg.Client,
  copy: Copy,
  folder: string,
  startLsn: string,
  stopLsn: string,
): Promise<void> {
  const { rows } = await client.query<{ first: string; last: string }>(
    'select pg_walfile_name($1::pg_lsn) as first, pg_walfile_name($2::pg_lsn) as last',
    [startLsn, stopLsn],
  );
  const { first = '', last = '' } = rows[0] ?? {};
  const needed = (await entriesOf(folder))
    .map(({ name }) => name)
    .filter((name) => SEGMENT.test(name) && name >= first && name <= last);
  const expected = segmentNumber(last) - segmentNumber(first) + 1;
  if (needed.length !== expected)
    throw new Error(
      `the log from ${first} to ${last} has ${needed.length} of ${expected} segments: make the backup again`,
    );
  for (const name of needed) await copy.file(join(folder, name), join(CLUSTER_FOLDER, 'pg_wal', name));
}

/**
 * The processor writes a snapshot now and then, and deletes what it replaces. A copy counts only if the same files were
 * there before and after it.
 */
async function copyProcessor(copy: Copy, folder: string): Promise<void> {
  const books = join(folder, 'books');
  const namesOf = async (): Promise<string> => (await entriesOf(books)).map(({ name }) => name).join('\n');
  for (let attempt = 1; attempt <= MAX_PROCESSOR_COPIES; attempt++) {
    const before = await namesOf();
    await copy.tree(folder, PROCESSOR_FOLDER);
    if ((await namesOf()) === before) return;
    await copy.remove(PROCESSOR_FOLDER);
  }
  throw new Error('the processor rewrote its books during every copy: make the backup again');
}

function segmentNumber(name: string): number {
  return Number.parseInt(name.slice(8, 16), 16) * SEGMENTS_PER_LOG + Number.parseInt(name.slice(16), 16);
}

class Copy {
  folders: string[] = [];
  files: BackupFile[] = [];
  readonly #into: string;

  constructor(into: string) {
    this.#into = into;
  }

  async tree(from: string, to: string): Promise<void> {
    this.folders.push(to);
    for (const { name, isFolder, isLink } of await entriesOf(from)) {
      if (LEFT_OUT.test(name)) continue;
      const [source, target] = [join(from, name), join(to, name)];
      if (isLink) throw new Error(`${source} is a link, which this command does not copy: use pg_basebackup`);
      if (!isFolder) await this.file(source, target);
      else if (EMPTIED.has(name)) this.folders.push(target);
      else await this.tree(source, target);
    }
  }

  async file(from: string, path: string): Promise<void> {
    const copied = await copyWithHash(from, join(this.#into, path));
    if (copied !== null) this.files.push({ path, ...copied });
  }

  async remove(folder: string): Promise<void> {
    const isOutside = (path: string): boolean => path !== folder && !path.startsWith(`${folder}/`);
    await rm(join(this.#into, folder), { recursive: true, force: true });
    this.folders = this.folders.filter(isOutside);
    this.files = this.files.filter(({ path }) => isOutside(path));
  }

  async text(path: string, content: string): Promise<void> {
    this.files.push({ path, ...(await writeWithHash(join(this.#into, path), content)) });
  }
}
