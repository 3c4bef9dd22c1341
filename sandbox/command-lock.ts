// Commands without a running server bring the embedded database up for themselves alone, one after the other: whoever has
// the turn may start and stop it. The turn is a file with the pid of its holder; one whose holder is gone is anybody's.

import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CommandLock {
  release(): void;
}

const lockFile = (dataDir: string): string => join(dataDir, 'command.pid');

/** Whether another process that still lives has the turn. */
export function isCommandLockHeld(dataDir: string): boolean {
  const holder = readHolder(dataDir);
  return holder !== null && holder !== process.pid && isAlive(holder);
}

/** Null: somebody else has it. */
export function acquireCommandLock(dataDir: string): CommandLock | null {
  const file = lockFile(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const holder = readHolder(dataDir);
  if (holder !== null && !isAlive(holder)) removeFile(file);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n`);
  try {
    // A link fails when the name is taken, and appears with its content or not at all.
    linkSync(draft, file);
    return { release: () => removeFile(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return null;
  } finally {
    removeFile(draft);
  }
}

function readHolder(dataDir: string): number | null {
  try {
    return Number(readFileSync(lockFile(dataDir), 'utf8')) || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
