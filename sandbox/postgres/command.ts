// Runs a PostgreSQL program as the right user in a clean environment.

import { spawn } from 'node:child_process';
import { type RunUser, spawnIds } from './user.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
  /** Why it could not be started, for example ENOENT when its C library is missing. */
  readonly failure: string | null;
}

/**
 * Without this process's environment: PGDATA, PGPORT, LD_LIBRARY_PATH or a missing locale would change what PostgreSQL
 * does.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a program to its end. Its working folder is `/`, since `user` may not be able to enter the current one. */
export function runCommand(file: string, args: readonly string[], user: RunUser | null): Promise<CommandResult> {
  return new Promise((resolve) => {
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
    child.once('error', (error) => resolve({ code: null, output: output(), failure: error.message }));
    child.once('close', (code, signal) => resolve({ code, output: output(), failure: signal && `ended by ${signal}` }));
  });
}
