// Commands without a running server bring the embedded database up for themselves alone, one after the other: whoever has
// the turn may start and stop it. The turn is a file with the pid of its holder; one whose holder is gone is anybody's.

import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Turn {
  end(): void;
}

const fileIn = (dataDir: string): string => join(dataDir, 'command.pid');

/** Whether another process that still lives has the turn. */
export function isTaken(dataDir: string): boolean {
  const holder = holderOf(dataDir);
  return holder !== null && holder !== process.pid && isAlive(holder);
}

/** Null: somebody else has it. */
export function takeTurn(dataDir: string): Turn | null {
  const file = fileIn(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const holder = holderOf(dataDir);
  if (holder !== null && !isAlive(holder)) remove(file);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n`);
  try {
    // A link fails when the name is taken, and appears with its content or not at all.
    linkSync(draft, file);
    return { end: () => remove(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return null;
  } finally {
    remove(draft);
  }
}

function holderOf(dataDir: string): number | null {
  try {
    return Number(readFileSync(fileIn(dataDir), 'utf8')) || null;
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

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
