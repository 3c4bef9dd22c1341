// The files of a backup: copies with their hashes, on disk before they count, and the manifest that lists them.

import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MANIFEST = 'manifest.json';
const CHUNK_BYTES = 1024 * 1024;

export interface BackupFile {
  /** Relative to the backup. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The content of `manifest.json`. Its field names are on disk and stay. */
export interface BackupManifest {
  readonly format: 1;
  /** Everything that was committed before this time is in the backup. */
  readonly createdAt: string;
  /** The version of the program that made it. */
  readonly version: string;
  readonly postgresVersion: string;
  /** The password of the cluster's own user, which opens nothing but the socket of the restored cluster. */
  readonly password: string;
  readonly startLsn: string;
  readonly stopLsn: string;
  /** The names of the encryption keys that were in use. The keys themselves are never in a backup. */
  readonly encryptionKeys: readonly string[];
  /** Folders that must exist although they are empty. */
  readonly folders: readonly string[];
  readonly files: readonly BackupFile[];
}

/** A file that PostgreSQL or the processor removed during the copy gives null. */
export async function copyWithHash(from: string, to: string): Promise<Omit<BackupFile, 'path'> | null> {
  const source = await openIfPresent(from);
  if (source === null) return null;
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const target = await open(to, 'wx', 0o600);
    try {
      const copied = await readAll(source, (chunk) => target.writeFile(chunk));
      await target.sync();
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

export async function writeWithHash(to: string, text: string): Promise<Omit<BackupFile, 'path'>> {
  const target = await open(to, 'wx', 0o600);
  try {
    await target.writeFile(text);
    await target.sync();
  } finally {
    await target.close();
  }
  return { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

async function openIfPresent(path: string): Promise<FileHandle | null> {
  return open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function readAll(
  source: FileHandle,
  use: (chunk: Buffer) => Promise<void>,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await use(chunk);
    bytes += bytesRead;
  }
}

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  await writeWithHash(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
}

/** Null: the folder is not a complete backup. */
export async function readManifest(folder: string): Promise<BackupManifest | null> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  let manifest: BackupManifest;
  try {
    manifest = JSON.parse(text) as BackupManifest;
  } catch {
    throw new Error(`${join(folder, MANIFEST)} is damaged: use another backup`);
  }
  if (manifest.format !== 1 || !Array.isArray(manifest.files))
    throw new Error(
      `${join(folder, MANIFEST)} has a format that this program does not know: use the program that made it`,
    );
  return manifest;
}

/** Reads every file again and compares it with the manifest. Throws with the first file that differs. */
export async function verifyFiles(folder: string, { files }: BackupManifest): Promise<void> {
  for (const { path, bytes, sha256 } of files) {
    const source = await openIfPresent(join(folder, path));
    if (source === null) throw new Error(`the backup is damaged: ${join(folder, path)} is missing; use another backup`);
    try {
      const found = await readAll(source, async () => undefined);
      if (found.bytes !== bytes || found.sha256 !== sha256)
        throw new Error(`the backup is damaged: ${join(folder, path)} is not what was written; use another backup`);
    } finally {
      await source.close();
    }
  }
}

/** The names in a folder, folders marked; empty if there is no such folder. */
export async function entriesOf(folder: string): Promise<{ name: string; isFolder: boolean; isLink: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() }));
}
