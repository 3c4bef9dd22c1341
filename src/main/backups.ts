// Backups of the embedded database in one folder: each complete and verified before it gets its name, old ones removed
// only after that. A database of DATABASE_URL is backed up with PostgreSQL's own programs.

import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { type Config, ConfigError } from '../base/config.ts';
import { countErasureNotes, rememberBackupFolder, removeErasureNotes } from '../base/erasure-notes.ts';
import { systemRandom } from '../base/random.ts';
import { keyName } from '../base/seal.ts';
import type { BackupReport, Backups, CompleteBackup, RestoreReport } from '../cli/command-definition.ts';

const NAME = /^everyshare-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$/;
const DRAFT = /^\.making-[0-9a-f]{12}$/;
/** A draft that is older than this belongs to a backup that was killed. */
const DRAFT_MAX_AGE_MS = 24 * 3_600_000;

export interface BackupSettings {
  readonly config: Config;
  readonly clock: Clock;
  readonly version: string;
  /** Null: there is none. Never makes one. */
  readonly encryptionKeys: () => readonly Buffer[] | null;
  /** Throws if these keys are not the ones that the database was written with. */
  readonly verifyKeys: (url: string, keys: readonly Buffer[]) => Promise<void>;
  /** The URL of the embedded database, which runs, or is started for this command. */
  readonly findOrStartDatabase: () => Promise<string>;
}

export function makeBackups(settings: BackupSettings): Backups {
  return {
    backup: (folder) => backup(settings, folder),
    restore: (folder) => restore(settings, folder),
    newest: async (folder) => (await completeBackups(resolve(folder))).at(-1) ?? null,
  };
}

function requireEmbedded({ databaseUrl }: Config, word: string): void {
  if (databaseUrl === null) return;
  throw new ConfigError([
    `DATABASE_URL is set: "everyshare ${word}" is for the embedded database. Use pg_basebackup or pg_dump for yours (docs/guides/backup.md).`,
  ]);
}

async function backup(settings: BackupSettings, folder: string): Promise<BackupReport> {
  const { config, clock, version } = settings;
  requireEmbedded(config, 'backup');
  const home = resolve(folder);
  const keys = settings.encryptionKeys();
  if (keys === null) throw new ConfigError([`ENCRYPTION_KEY is not set: set the one that the service runs with.`]);
  const url = await settings.findOrStartDatabase();
  await settings.verifyKeys(url, keys);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await removeOldDrafts(home, clock.now());
  const draft = join(home, `.making-${systemRandom.bytes(6).toString('hex')}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    const { takeBackup } = await import('../../sandbox/postgres/backup.ts');
    const manifest = await takeBackup({
      dataDir: config.dataDir,
      url,
      into: draft,
      version,
      encryptionKeys: keys.map(keyName),
      now: () => clock.now(),
    });
    const path = join(home, `everyshare-${manifest.createdAt.replaceAll(/[:.]/g, '-')}`);
    await rename(draft, path);
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    await rememberBackupFolder(config.dataDir, home);
    const removed = await removeOld(home, config.backupsKept);
    const [oldest] = await completeBackups(home);
    if (oldest !== undefined) await removeErasureNotes(home, Date.parse(oldest.createdAt));
    return { path, createdAt: manifest.createdAt, bytes, encryptionKeys: manifest.encryptionKeys, removed };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function removeOldDrafts(home: string, now: number): Promise<void> {
  for (const name of (await readdir(home)).filter((each) => DRAFT.test(each))) {
    const { mtimeMs } = await stat(join(home, name));
    if (now - mtimeMs > DRAFT_MAX_AGE_MS) await rm(join(home, name), { recursive: true, force: true });
  }
}

async function removeOld(home: string, kept: number): Promise<readonly string[]> {
  if (kept === 0) return [];
  const old = (await backupsIn(home)).slice(0, -kept).map((name) => join(home, name));
  for (const path of old) await rm(path, { recursive: true, force: true });
  return old;
}

/** Oldest first: the names sort by time. */
async function backupsIn(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => NAME.test(name)).sort();
}

/** Oldest first. A folder without a manifest is a copy that did not end. */
async function completeBackups(home: string): Promise<CompleteBackup[]> {
  const { readManifest } = await import('../../sandbox/postgres/backup-files.ts');
  const found: CompleteBackup[] = [];
  for (const name of await backupsIn(home)) {
    const manifest = await readManifest(join(home, name));
    if (manifest !== null) found.push({ path: join(home, name), createdAt: manifest.createdAt });
  }
  return found;
}

/** `folder` is a backup, or a folder of backups, of which the newest is taken. */
async function restore(settings: BackupSettings, folder: string): Promise<RestoreReport> {
  const { config } = settings;
  requireEmbedded(config, 'restore');
  const { readManifest } = await import('../../sandbox/postgres/backup-files.ts');
  const { restoreBackup } = await import('../../sandbox/postgres/restore.ts');
  const home = resolve(folder);
  const newest = (await backupsIn(home).catch(() => [])).at(-1);
  const path = newest === undefined ? home : join(home, newest);
  const manifest = await readManifest(path);
  if (manifest === null)
    throw new ConfigError([`${home} is no backup and has none: name the folder that "everyshare backup" wrote to.`]);
  requireKey(settings, manifest.encryptionKeys);
  await restoreBackup(path, manifest, config.dataDir);
  const { createdAt, version } = manifest;
  const erasuresDue = await countErasureNotes(dirname(path), Date.parse(createdAt));
  return { path, createdAt, dataDir: config.dataDir, version, folder: dirname(path), erasuresDue };
}

/** Without the key the restored database could be opened, but not a single secret in it. */
function requireKey({ config, encryptionKeys }: BackupSettings, names: readonly string[]): void {
  const present = new Set((encryptionKeys() ?? []).map(keyName));
  const missing = names.filter((name) => !present.has(name));
  if (missing.length === 0) return;
  throw new ConfigError([
    `The encryption key ${missing.join(', ')} of this backup is missing: put it back as ${join(config.dataDir, 'encryption-key')}, or set ENCRYPTION_KEY.`,
  ]);
}
