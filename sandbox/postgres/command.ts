// Runs a PostgreSQL program as the right user in a clean environment.

import { spawn } from 'node:child_process';
import { type RunUser, spawnIds } from './user.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
  /** Why it could not be started at all, e.g. ENOENT when the C library is not the one it was built for. */
  readonly failure: string | null;
}

/** Nothing of ours leaks in: PGDATA, PGPORT, LD_LIBRARY_PATH or a missing locale would change what PostgreSQL does. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a program to its end; `cwd` is the root because our own folder may be closed to `user`. */
export function runCommand(file: string, args: readonly string[], user: RunUser | null): Promise<CommandResult> {
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    const child = spawn(file, args, {
      cwd: '/',
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...spawnIds(user),
    });
    const output = () => Buffer.concat(chunks).toString('utf8').trim();
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', (error) => done({ code: null, output: output(), failure: error.message }));
    child.once('close', (code, signal) => done({ code, output: output(), failure: signal && `ended by ${signal}` }));
  });
}
