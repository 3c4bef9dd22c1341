// A command without a running server starts the embedded database for itself. This lock lets one command at a time
// start and stop it. The lock is a file with the holder's pid; the lock of a process that has ended is free.

import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CommandLock {
  release(): void;
}

const lockFile = (dataDir: string): string => join(dataDir, 'command.pid');

/** Whether another running process has the lock. */
export function isCommandLockHeld(dataDir: string): boolean {
  const holder = readHolder(dataDir);
  return holder !== null && holder !== process.pid && isAlive(holder);
}

/** Null: another process has the lock. */
export function acquireCommandLock(dataDir: string): CommandLock | null {
  const file = lockFile(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const holder = readHolder(dataDir);
  if (holder !== null && !isAlive(holder)) removeFile(file);
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${process.pid}\n`);
  try {
    // A hard link fails when the name exists, and appears with its whole content.
    linkSync(temporary, file);
    return { release: () => removeFile(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return null;
  } finally {
    removeFile(temporary);
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
