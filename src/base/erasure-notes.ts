// Erasures of guests that backups do not know: one small file for each, in the folder `erasures` beside the backups. A
// restored backup brings erased guests back, and the restored database cannot tell whom. The name of a file is its time; its
// content is the person, encrypted with the key of the installation, as the backups have the person too. A note is removed
// when every backup of the folder is newer than the erasure.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from './random.ts';
import type { Seal } from './seal.ts';

const FOLDER = 'erasures';
const NAME = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z-[0-9a-f]{12}$/;
/** In DATA_DIR: where the newest backup was written. */
const REMEMBERED = 'backup-folder';

interface Note {
  readonly name: string;
  readonly at: number;
}

const sealNameOf = (name: string): string => `erasure note ${name}`;

/** `backups` is the folder that holds the backups. Returns the file. */
export async function writeErasureNote(
  backups: string,
  person: string,
  { seal, random, now }: { readonly seal: Seal; readonly random: Random; readonly now: number },
): Promise<string> {
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  const name = `${time}-${random.bytes(6).toString('hex')}`;
  await mkdir(join(backups, FOLDER), { mode: 0o700, recursive: true });
  const file = join(backups, FOLDER, name);
  await writeFile(file, seal.seal(person, sealNameOf(name)), { mode: 0o600, flag: 'wx', flush: true });
  return file;
}

export interface ErasureNotes {
  /** Each person once. */
  readonly people: readonly string[];
  /** Files that open with none of the keys. */
  readonly unreadable: readonly string[];
}

/** Those of erasures after this time. */
export async function readErasureNotes(backups: string, since: number, seal: Seal): Promise<ErasureNotes> {
  const people = new Set<string>();
  const unreadable: string[] = [];
  for (const { name } of await notesSince(backups, since)) {
    const file = join(backups, FOLDER, name);
    const person = seal.tryOpen(await readFile(file), sealNameOf(name));
    if (person === null) unreadable.push(file);
    else people.add(person);
  }
  return { people: [...people], unreadable };
}

export async function countErasureNotes(backups: string, since: number): Promise<number> {
  return (await notesSince(backups, since)).length;
}

/** Of erasures that every backup knows, because the oldest was made later. */
export async function removeErasureNotes(backups: string, oldestBackup: number): Promise<void> {
  const notes = await notesSince(backups, Number.NEGATIVE_INFINITY);
  for (const { name, at } of notes) if (at < oldestBackup) await rm(join(backups, FOLDER, name), { force: true });
}

async function notesSince(backups: string, since: number): Promise<Note[]> {
  const names = await readdir(join(backups, FOLDER)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => {
    const [, day, hour, minute, second, milliseconds] = NAME.exec(name) ?? [];
    const at = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
    return at >= since ? [{ name, at }] : [];
  });
}

export async function rememberBackupFolder(dataDir: string, backups: string): Promise<void> {
  await writeFile(join(dataDir, REMEMBERED), `${backups}\n`, { mode: 0o600 });
}

/** Null: no backup was made from this data directory. */
export async function rememberedBackupFolder(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, REMEMBERED), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text?.trim() ?? null;
}
