// The state file of a data directory's cluster, `postgres.json`. A crash during a write leaves the old file or the new
// one.

import { randomBytes } from 'node:crypto';
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { databaseStateFile } from '../../src/base/installation-files.ts';
import { isRoot } from './user.ts';

/** The content of `<dataDir>/postgres.json`. Its field names are on disk and stay. */
export interface SavedState {
  readonly format: 1;
  readonly clusterId: string;
  /** The cluster's folder: relative to the data directory, or absolute when it could not be inside. */
  readonly place: string;
  /** A socket folder elsewhere, when the path of the one beside PGDATA is too long. */
  readonly socketDir: string | null;
  readonly password: string;
  /** initdb has finished: from then on missing data is an error, and no new database is created. */
  readonly initialized: boolean;
}

export function newState(): SavedState {
  return {
    format: 1,
    clusterId: randomBytes(8).toString('hex'),
    place: 'postgres',
    socketDir: null,
    password: randomBytes(24).toString('base64url'),
    initialized: false,
  };
}

export async function readState(dataDir: string): Promise<SavedState | null> {
  const file = databaseStateFile(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new Error(`cannot read ${file} (${code}): run as the user who made it, or use another data directory`, {
      cause: error,
    });
  }
  const state = parseState(text);
  if (state === null) {
    throw new Error(`${file} is damaged: restore it, or delete the whole data directory to start with an empty one`);
  }
  return state;
}

function parseState(text: string): SavedState | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { format, clusterId, place, socketDir, password, initialized } = value as Record<string, unknown>;
  if (format !== 1 || typeof clusterId !== 'string' || typeof place !== 'string') return null;
  if (typeof password !== 'string' || typeof initialized !== 'boolean') return null;
  if (socketDir !== null && typeof socketDir !== 'string') return null;
  return { format, clusterId, place, socketDir, password, initialized };
}

export async function writeState(dataDir: string, state: SavedState): Promise<void> {
  const file = databaseStateFile(dataDir);
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  const previous = await stat(file).catch(() => null);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(state, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (previous !== null && isRoot()) await chown(temporary, previous.uid, previous.gid);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
