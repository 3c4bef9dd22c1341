// Where the files of a PostgreSQL cluster are: in the data directory if the unprivileged user can reach it, else in a
// shared folder of the system. Creates folders with the right owners and modes, and a socket folder with a short enough
// path.

import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { databaseStateFile } from '../../src/base/installation-files.ts';
import { newState, readState, type SavedState, writeState } from './state-file.ts';
import { canEnter, makeOwnedFolder, ownerOf, type RunUser, setOwner, unprivilegedUser } from './user.ts';

/** For clusters whose data directory the unprivileged user cannot reach. Used by root only. */
const SHARED_FOLDER = '/var/lib/everyshare';
const SOCKET_NAME = '.s.PGSQL.5432';
const MAX_SOCKET_PATH_BYTES = 100;

export interface Cluster {
  readonly dataDir: string;
  readonly state: SavedState;
  /** Holds PGDATA, the log, the socket folder and, if needed, a copy of the binaries. */
  readonly folder: string;
  readonly pgdata: string;
  readonly logFile: string;
  readonly user: RunUser | null;
}

function clusterAt(dataDir: string, state: SavedState, user: RunUser | null): Cluster {
  const folder = resolve(dataDir, state.place);
  return { dataDir, state, folder, pgdata: join(folder, 'data'), logFile: join(folder, 'postgres.log'), user };
}

async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** The cluster of this data directory by its state file. Creates and changes nothing. */
export async function findCluster(dataDir: string): Promise<Cluster | null> {
  const state = await readState(dataDir);
  return state === null ? null : clusterAt(dataDir, state, null);
}

/** The cluster of this data directory; creates its folders when it is new. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const fallback = await unprivilegedUser();
  await mkdir(dataDir, { recursive: true, mode: fallback === null ? 0o700 : 0o711 });
  const state = await readState(dataDir);
  const found = await statOrNull(join(resolve(dataDir, state?.place ?? 'postgres'), 'data'));
  if (state === null && found !== null) {
    throw new Error(
      `${join(dataDir, 'postgres')} holds a database but ${databaseStateFile(dataDir)}, which has its password, is gone: ` +
        'restore that file, or delete the folder to start with an empty database',
    );
  }
  if (state !== null && found !== null) return reopenCluster(dataDir, state, found, fallback);
  if (state?.initialized === true) {
    throw new Error(
      `the database in ${resolve(dataDir, state.place)} is gone: restore it, ` +
        `or delete ${databaseStateFile(dataDir)} to start with an empty database`,
    );
  }
  return createCluster(dataDir, state ?? newState(), fallback);
}

/**
 * A cluster whose files come from a backup. It counts as initialized from the start: after a crash of the restore, a
 * start reports that the database is gone, and does not create an empty one.
 */
export async function createRestoredCluster(dataDir: string, password: string): Promise<Cluster> {
  const user = await unprivilegedUser();
  await mkdir(dataDir, { recursive: true, mode: user === null ? 0o700 : 0o711 });
  return createCluster(dataDir, { ...newState(), password, initialized: true }, user);
}

async function reopenCluster(
  dataDir: string,
  state: SavedState,
  data: Stats,
  fallback: RunUser | null,
): Promise<Cluster> {
  const user = ownerOf(data, fallback);
  const cluster = clusterAt(dataDir, state, user);
  if (user !== null && data.uid !== user.uid) {
    throw new Error(
      `${cluster.pgdata} belongs to root, as which PostgreSQL refuses to run: chown -R ${user.name} ${cluster.folder}`,
    );
  }
  await allowTraversal(dataDir, user);
  if (!(await canEnter(user, cluster.folder))) {
    throw new Error(
      `user ${user?.name} cannot enter ${cluster.folder}: give the folders above it chmod o+x, or move it back`,
    );
  }
  await chmod(cluster.pgdata, 0o700);
  return state.initialized ? cluster : markInitialized(cluster);
}

/** Lets the unprivileged user pass through a data directory of this user, without listing it. */
async function allowTraversal(dataDir: string, user: RunUser | null): Promise<void> {
  if (user === null) return;
  const stats = await stat(dataDir);
  if (stats.uid === process.getuid?.() && (stats.mode & 0o001) === 0)
    await chmod(dataDir, (stats.mode & 0o777) | 0o011);
}

async function createCluster(dataDir: string, state: SavedState, user: RunUser | null): Promise<Cluster> {
  await allowTraversal(dataDir, user);
  const local = join(dataDir, 'postgres');
  if ((await canEnter(user, dataDir)) && (await createFolders(local, user))) {
    return saveState(clusterAt(dataDir, { ...state, place: 'postgres' }, user));
  }
  await rm(local, { recursive: true, force: true });
  const shared = join(SHARED_FOLDER, state.clusterId);
  // The state is saved before the folder is created, so that a crash leaves no folder that nothing points to.
  const cluster = await saveState(clusterAt(dataDir, { ...state, place: shared }, user));
  await makeOwnedFolder(SHARED_FOLDER, null, 0o711);
  if (!(await createFolders(shared, user)) || !(await canEnter(user, shared))) {
    throw new Error(
      `user ${user?.name} can reach neither ${dataDir} nor ${shared}: use a data directory that others may ` +
        'enter (chmod o+x), run as an ordinary user, or set DATABASE_URL to a PostgreSQL server',
    );
  }
  return cluster;
}

/**
 * The folder stays owned by this process's user, and only what is in it is given to `user`: root writes into the
 * folder, so an unprivileged user must not be able to create links there. False when the file system does not allow a
 * change of owner.
 */
async function createFolders(folder: string, user: RunUser | null): Promise<boolean> {
  await makeOwnedFolder(folder, null, user === null ? 0o700 : 0o711);
  return makeOwnedFolder(join(folder, 'run'), user, 0o700);
}

async function saveState(cluster: Cluster): Promise<Cluster> {
  await writeState(cluster.dataDir, cluster.state);
  return cluster;
}

export async function markInitialized(cluster: Cluster): Promise<Cluster> {
  return saveState({ ...cluster, state: { ...cluster.state, initialized: true } });
}

/** The socket folder by the state file. */
export function socketFolder(cluster: Cluster): string {
  return cluster.state.socketDir ?? join(cluster.folder, 'run');
}

function isShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) < MAX_SOCKET_PATH_BYTES;
}

/** Creates the socket folder: in the cluster's folder when the path is short enough, else a temporary one. */
export async function prepareSocketFolder(cluster: Cluster): Promise<Cluster> {
  const local = join(cluster.folder, 'run');
  if (isShortEnough(local)) {
    await makeOwnedFolder(local, cluster.user, 0o700);
    if (cluster.state.socketDir === null) return cluster;
    return saveState({ ...cluster, state: { ...cluster.state, socketDir: null } });
  }
  const { socketDir: before } = cluster.state;
  // The same folder as before, if it can be: clients of a server that is started again have its address.
  if (before !== null && ((await isPrivate(before, cluster.user)) || (await createAgain(before, cluster.user))))
    return cluster;
  for (const base of [tmpdir(), '/tmp', '/var/tmp']) {
    if (!isShortEnough(join(base, 'everyshare-XXXXXX')) || (await statOrNull(base)) === null) continue;
    if (!(await canEnter(cluster.user, base))) continue;
    const socketDir = await mkdtemp(join(base, 'everyshare-'));
    await setOwner(socketDir, cluster.user, 0o700);
    return saveState({ ...cluster, state: { ...cluster.state, socketDir } });
  }
  throw new Error(`no temporary folder with a path short enough for a socket: set TMPDIR to a short path`);
}

/** False: it is another program's by now, or cannot be created. */
async function createAgain(folder: string, user: RunUser | null): Promise<boolean> {
  if (!isShortEnough(folder)) return false;
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch {
    // It exists and is not private, or its parent is gone: a new folder is made instead.
    return false;
  }
  await setOwner(folder, user, 0o700);
  return isPrivate(folder, user);
}

async function isPrivate(folder: string, user: RunUser | null): Promise<boolean> {
  const stats = await lstat(folder).catch(() => null);
  if (stats === null || !stats.isDirectory() || !isShortEnough(folder)) return false;
  return stats.uid === (user?.uid ?? process.getuid?.()) && (stats.mode & 0o077) === 0;
}

/** A dead server's socket lock names a pid too: if another program has that pid, PostgreSQL does not start. */
export async function removeSocket(cluster: Cluster): Promise<void> {
  for (const name of [SOCKET_NAME, `${SOCKET_NAME}.lock`]) {
    await rm(join(socketFolder(cluster), name), { force: true });
  }
}

export async function removeTemporarySocketFolder(cluster: Cluster): Promise<void> {
  if (cluster.state.socketDir !== null) await rmdir(cluster.state.socketDir).catch(() => undefined);
}
