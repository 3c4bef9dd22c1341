// The file that remembers how far an import has come, so that the same command goes on from there after a crash. It is
// replaced as a whole after every chunk that was committed, and never touches a file that is not its own.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Mode } from '../base/config.ts';
import { type CliError, refused } from './cli-error.ts';
import type { Failure, Kind } from './import-chunk.ts';

export interface Counts {
  total: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** A file as it was: a change of either is a change of the file. */
export interface Stamp {
  readonly size: number;
  readonly mtime_ms: number;
}

export interface Progress {
  readonly everyshare_import: 1;
  readonly type: Kind['name'];
  readonly venue_id: string;
  readonly mode: Mode;
  /** Null: it was a stream. */
  readonly source: Stamp | null;
  /** Index of the next object. */
  readonly next: number;
  /** Hash over the texts of the objects before it. */
  readonly digest: string;
  /** Where the file was not JSON: that may be mended, and what came before it must stay. */
  readonly broken: { readonly index: number; readonly byte: number } | null;
  readonly counts: Readonly<Counts>;
  /** The first of them. */
  readonly failures: readonly Failure[];
  readonly report: { readonly file: string; readonly bytes: number } | null;
}

/** Null: there is none. */
export function readProgress(file: string): Progress | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const found = parsed(text);
  if (found === null) {
    throw refused(
      `${file} is no progress file of an import, so it is left as it is: name another with --progress FILE.`,
    );
  }
  return found;
}

function parsed(text: string): Progress | null {
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
    throw refused(
      `progress cannot be kept in ${file} (${code}): name a file that can be written with --progress FILE.`,
    );
  }
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}

/** Refuses to go on where that would not be the same import. */
export function checkSame(
  file: string,
  kept: Progress,
  now: Pick<Progress, 'type' | 'venue_id' | 'mode' | 'source'>,
): void {
  if (kept.type !== now.type || kept.venue_id !== now.venue_id || kept.mode !== now.mode) {
    throw refused(
      `${file} is of another import (${kept.type} into venue ${kept.venue_id}, ${kept.mode}): begin anew with --restart, or name another file with --progress.`,
    );
  }
  const [before, after] = [kept.source, now.source];
  if (before?.size === after?.size && before?.mtime_ms === after?.mtime_ms) return;
  // Of a broken file nothing else was expected; that its beginning is the same is checked by the digest.
  if (kept.broken === null) throw changed(kept.next);
}

export function changed(next: number): CliError {
  return refused(
    `the file has changed since its first ${next} objects were imported: begin anew with --restart (what is in already stays, and counts as unchanged).`,
  );
}
