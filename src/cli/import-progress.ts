// The file that records the progress of an import, so that the same command resumes after a crash. It is replaced
// atomically after every committed chunk. A file that is not a progress file is never overwritten.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Mode } from '../base/config.ts';
import { type CliError, commandError } from './cli-error.ts';
import type { Failure, ImportKind } from './import-chunk.ts';

export interface ImportCounts {
  total: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** Size and time of a file; if either differs, the file has changed. */
export interface FileStamp {
  readonly size: number;
  readonly mtime_ms: number;
}

export interface Progress {
  readonly everyshare_import: 1;
  readonly type: ImportKind['name'];
  readonly venue_id: string;
  readonly mode: Mode;
  /** Null: a stream. */
  readonly source: FileStamp | null;
  /** Index of the next object to import. */
  readonly next: number;
  /** Hash of the texts of the objects before it. */
  readonly digest: string;
  /** Where the file was not JSON. The operator may fix that place; the objects before it must stay the same. */
  readonly broken: { readonly index: number; readonly byte: number } | null;
  readonly counts: Readonly<ImportCounts>;
  /** The first failures. */
  readonly failures: readonly Failure[];
  readonly report: { readonly file: string; readonly bytes: number } | null;
}

/** Null: the file does not exist. */
export function readProgress(file: string): Progress | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const progress = parseProgress(text);
  if (progress === null) {
    throw commandError(
      `${file} is not a progress file of an import and was left unchanged: name another with --progress FILE.`,
    );
  }
  return progress;
}

function parseProgress(text: string): Progress | null {
  try {
    const value = JSON.parse(text) as Progress;
    return value?.everyshare_import === 1 && Number.isSafeInteger(value.next) ? value : null;
  } catch {
    return null;
  }
}

export function writeProgress(file: string, progress: Progress): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(progress)}\n`, { flush: true });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw commandError(
      `progress cannot be saved in ${file} (${code}): name a file that can be written with --progress FILE.`,
    );
  }
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}

/** Refuses to resume an import of another type, venue or mode, or of a file that has changed. */
export function checkSameImport(
  file: string,
  saved: Progress,
  now: Pick<Progress, 'type' | 'venue_id' | 'mode' | 'source'>,
): void {
  if (saved.type !== now.type || saved.venue_id !== now.venue_id || saved.mode !== now.mode) {
    throw commandError(
      `${file} belongs to another import (${saved.type} into venue ${saved.venue_id}, ${saved.mode}): start again with --restart, or name another file with --progress.`,
    );
  }
  const [before, after] = [saved.source, now.source];
  if (before?.size === after?.size && before?.mtime_ms === after?.mtime_ms) return;
  // A broken file is expected to change; the digest checks that its imported part did not.
  if (saved.broken === null) throw fileChanged(saved.next);
}

export function fileChanged(next: number): CliError {
  return commandError(
    `the file has changed since its first ${next} objects were imported: start again with --restart (imported objects stay, and count as unchanged).`,
  );
}
