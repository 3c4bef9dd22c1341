// Which user runs PostgreSQL, since it refuses to run as root, and which files and folders that user can reach.

import type { Stats } from 'node:fs';
import { chmod, chown, lstat, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The account that runs PostgreSQL when this process is root. `null` means this process's own user. */
export interface RunUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const EXECUTE_BIT = 0o1;
const READ_BIT = 0o4;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** For a root process: `postgres`, else `nobody`. */
export async function unprivilegedUser(): Promise<RunUser | null> {
  if (!isRoot()) return null;
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const rows = passwd.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const row = rows.find((fields) => fields[0] === name);
    // macOS writes nobody as -2; stat and chown use the same number unsigned.
    if (row !== undefined) return { name, uid: Number(row[2]) >>> 0, gid: Number(row[3]) >>> 0 };
  }
  throw new Error(
    'PostgreSQL refuses to run as root and /etc/passwd has neither "postgres" nor "nobody": ' +
      'run as an ordinary user, or set DATABASE_URL to a PostgreSQL server',
  );
}

/** An existing cluster runs as its owner, so that an occasional `sudo` does no harm. */
export function ownerOf(data: Stats, fallback: RunUser | null): RunUser | null {
  if (fallback === null || data.uid === fallback.uid || data.uid === 0) return fallback;
  return { name: `#${data.uid}`, uid: data.uid, gid: data.gid };
}

/** `spawn` takes signed 32-bit ids only. */
export function spawnIds(user: RunUser | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid | 0, gid: user.gid | 0 };
}

function allows(stats: Stats, user: RunUser, bits: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

/** Whether `user` can enter `folder` and every folder above it. */
export async function canEnter(user: RunUser | null, folder: string): Promise<boolean> {
  if (user === null) return true;
  for (let step = await realpath(folder); ; step = dirname(step)) {
    if (!allows(await stat(step), user, EXECUTE_BIT)) return false;
    if (step === dirname(step)) return true;
  }
}

/**
 * Whether `user` can read this file or list this folder; the folders above are not checked. True for a missing path.
 */
export async function canRead(user: RunUser | null, path: string): Promise<boolean> {
  if (user === null) return true;
  const stats = await stat(path).catch(() => null);
  return stats === null || allows(stats, user, stats.isDirectory() ? READ_BIT | EXECUTE_BIT : READ_BIT);
}

/** Creates `folder` with this mode, owned by `user`; false when the file system does not allow a change of owner. */
export async function makeOwnedFolder(folder: string, user: RunUser | null, mode: number): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode });
  try {
    await setOwner(folder, user, mode);
  } catch (error) {
    if (user === null) throw error;
    return false;
  }
  return user === null || (await lstat(folder)).uid === user.uid;
}

export async function setOwner(path: string, user: RunUser | null, mode: number): Promise<void> {
  await chmod(path, mode);
  if (user !== null) await chown(path, user.uid, user.gid);
}
