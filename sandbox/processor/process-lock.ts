// A lock file that allows one process for each folder. It names its holder by pid and start time, so that a reused pid
// is not taken for the holder. The lock of a process that has ended is free.

import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface FolderLock {
  release(): void;
}

/** The start time of a process, as the system prints it; null when no such process runs (a zombie does not). */
export function processStartTime(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  try {
    if (process.platform === 'linux') {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return /^[ZX]/.test(fields[0] ?? '') ? null : (fields[19] ?? null);
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isHeld(content: string): boolean {
  const [pid = '', ...startTime] = content.trim().split(' ');
  return processStartTime(Number(pid) || 0) === startTime.join(' ');
}

/** Null: another running process has the lock. */
export async function lockFolder(folder: string): Promise<FolderLock | null> {
  const file = join(folder, 'lock');
  const mine = `${process.pid} ${processStartTime(process.pid) ?? ''}\n`;
  const temporary = `${file}.${process.pid}`;
  for (let tries = 0; tries < 5; tries++) {
    const found = readOrNull(file);
    if (found !== null && isHeld(found)) return null;
    if (found !== null) removeLock(file, found);
    writeFileSync(temporary, mine, { mode: 0o600 });
    const isLinked = linkIfAbsent(temporary, file);
    rmSync(temporary, { force: true });
    if (!isLinked) continue;
    // Another process that read the stale lock at the same time may still be about to remove it.
    await delay(20);
    if (readOrNull(file) === mine) return { release: () => removeLock(file, mine) };
  }
  return null;
}

/** Removes the lock; puts it back when its content is not the expected one. */
function removeLock(file: string, expected: string): void {
  const removed = `${file}.${process.pid}.gone`;
  try {
    renameSync(file, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readOrNull(removed) !== expected) linkIfAbsent(removed, file);
  rmSync(removed, { force: true });
}

/** A hard link fails when the name exists, and appears with its whole content. */
function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
