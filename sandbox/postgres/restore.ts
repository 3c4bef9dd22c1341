// Puts a backup into a data directory that has no database. PostgreSQL replays the log when it starts.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CLUSTER_FOLDER, PROCESSOR_FOLDER } from './backup.ts';
import { type BackupManifest, copyWithHash, verifyFiles } from './backup-files.ts';
import { packagedMajorVersion } from './binaries.ts';
import { createRestoredCluster, findCluster } from './cluster.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import { type RunUser, setOwner } from './user.ts';

/** Checks the whole backup before it writes anything. A crash leaves a data directory that refuses to start empty. */
export async function restoreBackup(from: string, manifest: BackupManifest, dataDir: string): Promise<void> {
  const home = resolve(dataDir);
  const existing = await findCluster(home);
  if (existsSync(existing?.pgdata ?? join(home, 'postgres', 'data')))
    throw new Error(`${home} already has a database: move it away, or set DATA_DIR to an empty folder`);
  await requireSameMajorVersion(manifest);
  await verifyFiles(from, manifest);
  const cluster = await createRestoredCluster(home, manifest.password);
  for (const name of await readdir(cluster.folder))
    if (name.startsWith('making-')) await rm(join(cluster.folder, name), { recursive: true, force: true });
  const draft = join(cluster.folder, `making-${randomBytes(4).toString('hex')}`);
  await place(from, CLUSTER_FOLDER, manifest, draft, cluster.user);
  // The processor of the sandbox stands for the outside: if it still has its books, they are newer than the backup's.
  const processor = join(home, 'processor');
  if (!existsSync(processor)) {
    const books = `${processor}.making`;
    await rm(books, { recursive: true, force: true });
    await place(from, PROCESSOR_FOLDER, manifest, books, null);
    if (existsSync(books)) await rename(books, processor);
  }
  await rename(draft, cluster.pgdata);
  const postgres = await startEmbeddedPostgres({ dataDir: home });
  await postgres.stop();
}

/** PostgreSQL reads only the files of its own major version, and would say so after everything was written. */
async function requireSameMajorVersion({ postgresVersion, version }: BackupManifest): Promise<void> {
  const own = await packagedMajorVersion();
  if (postgresVersion === own) return;
  throw new Error(
    `the backup has the files of PostgreSQL ${postgresVersion}, and this release brings PostgreSQL ${own}: restore it with release ${version}, and bring it here with pg_dump and pg_restore`,
  );
}

async function place(
  from: string,
  part: string,
  { folders, files }: BackupManifest,
  to: string,
  user: RunUser | null,
): Promise<void> {
  const within = (path: string): boolean => path === part || path.startsWith(`${part}/`);
  for (const path of folders.filter(within)) {
    const folder = join(to, path.slice(part.length));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await setOwner(folder, user, 0o700);
  }
  for (const { path, sha256 } of files.filter(({ path }) => within(path))) {
    const target = join(to, path.slice(part.length));
    const copied = await copyWithHash(join(from, path), target);
    if (copied?.sha256 !== sha256) throw new Error(`${join(from, path)} changed while it was read: restore again`);
    if (user === null) continue;
    await chown(target, user.uid, user.gid);
    await chown(dirname(target), user.uid, user.gid);
  }
}
