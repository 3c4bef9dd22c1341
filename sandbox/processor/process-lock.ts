// One process for one folder: a lock file that names its holder so exactly (pid and the hour it began) that a pid used
// again by another program is not mistaken for it. One whose holder is gone is anybody's.

import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface FolderLock {
  release(): void;
}

/** When this process began, in the system's own words; null when there is no such process (or only its corpse). */
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

function isHeld(words: string): boolean {
  const [pid = '', ...startTime] = words.trim().split(' ');
  return processStartTime(Number(pid) || 0) === startTime.join(' ');
}

/** Null: another living process has it. */
export async function lockFolder(folder: string): Promise<FolderLock | null> {
  const file = join(folder, 'lock');
  const mine = `${process.pid} ${processStartTime(process.pid) ?? ''}\n`;
  const changes = `${file}.${process.pid}`;
  for (let tries = 0; tries < 5; tries++) {
    const found = readOrNull(file);
    if (found !== null && isHeld(found)) return null;
    if (found !== null) removeLock(file, found);
    writeFileSync(changes, mine, { mode: 0o600 });
    const linked = linkIfAbsent(changes, file);
    rmSync(changes, { force: true });
    if (!linked) continue;
    // Somebody who looked at the dead lock when we did may still be about to take it away.
    await delay(20);
    if (readOrNull(file) === mine) return { release: () => removeLock(file, mine) };
  }
  return null;
}

/** Moves the lock away, and puts it back when it turns out to be another than the one that was looked at. */
function removeLock(file: string, expected: string): void {
  const aside = `${file}.${process.pid}.gone`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readOrNull(aside) !== expected) linkIfAbsent(aside, file);
  rmSync(aside, { force: true });
}

/** A link fails when the name is taken, and appears with its content or not at all. */
function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
