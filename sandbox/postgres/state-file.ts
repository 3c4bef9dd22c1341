// What is remembered about the cluster of a data directory, written so that a crash leaves the old file or the new one.

import { randomBytes } from 'node:crypto';
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot } from './user.ts';

/** What `<dataDir>/postgres.json` remembers about the cluster of this data directory. */
export interface SavedState {
  readonly format: 1;
  readonly clusterId: string;
  /** Where the cluster lives: relative to the data directory, or absolute when it could not live there. */
  readonly place: string;
  /** A short socket folder elsewhere, when the one beside the data has too long a path. */
  readonly socketDir: string | null;
  readonly password: string;
  /** True once initdb has finished: from then on missing data is an error, never a reason to start afresh. */
  readonly initialized: boolean;
}

export function stateFile(dataDir: string): string {
  return join(dataDir, 'postgres.json');
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
  const file = stateFile(dataDir);
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

/** Temp file + rename, so that a crash leaves the old file or the new one. */
export async function writeState(dataDir: string, state: SavedState): Promise<void> {
  const file = stateFile(dataDir);
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
