// Reads postmaster.pid and the process table for a PGDATA folder: no server, a dead one, another program, or a live
// server. Stops a server only after checking that the pid is still this folder's server.

import { readFile, readlink, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from './command.ts';

export type PostmasterStatus =
  /** No pid file. */
  | { readonly kind: 'none' }
  /** A pid file whose process has ended. */
  | { readonly kind: 'dead' }
  /** A pid file whose pid now belongs to another program or a zombie, or that is empty. */
  | { readonly kind: 'foreign' }
  | LivePostmaster;

export interface LivePostmaster {
  readonly kind: 'alive';
  readonly pid: number;
  /** The process is this folder's server; false: only a connection can tell. */
  readonly isConfirmed: boolean;
  readonly isStopping: boolean;
  readonly socketDir: string | null;
}

type Identity = 'ours' | 'foreign' | 'unsure';

export function pidFile(pgdata: string): string {
  return join(pgdata, 'postmaster.pid');
}

/** Lines: pid, data folder, start time, port, socket folder, listen address, shared memory key, status. */
async function readPidFile(pgdata: string): Promise<string[] | null> {
  const text = await readFile(pidFile(pgdata), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  return text === null ? null : text.split('\n').map((line) => line.trim());
}

export async function inspectPostmaster(pgdata: string): Promise<PostmasterStatus> {
  let lines = await readPidFile(pgdata);
  // A server creates the file and then fills it; after a full disk or a crash it may stay empty.
  for (let tries = 0; lines !== null && !/^\d+$/.test(lines[0] ?? '') && tries < 10; tries++) {
    await delay(50);
    lines = await readPidFile(pgdata);
  }
  if (lines === null) return { kind: 'none' };
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return { kind: 'foreign' };
  if (!pidExists(pid)) return { kind: 'dead' };
  if (pid === process.pid || (await isZombie(pid))) return { kind: 'foreign' };
  const identity = await identify(pid, pgdata);
  if (identity === 'foreign') return { kind: 'foreign' };
  return {
    kind: 'alive',
    pid,
    isConfirmed: identity === 'ours',
    isStopping: lines[7] === 'stopping',
    socketDir: lines[4] || null,
  };
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In a container whose first process does not reap children, a killed postmaster stays a zombie. */
async function isZombie(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text !== null && /^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2));
}

export async function isRunning(pid: number): Promise<boolean> {
  return pidExists(pid) && !(await isZombie(pid));
}

async function identify(pid: number, pgdata: string): Promise<Identity> {
  const home = await realpath(pgdata).catch(() => pgdata);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  if (commandLine === null) return identifyWithPs(pid);
  const args = commandLine.split('\0');
  if (basename(args[0] ?? '') !== 'postgres') return 'foreign';
  const named = args[args.indexOf('-D') + 1] ?? '';
  if ((await realpath(named).catch(() => named)) === home) return 'ours';
  // The folder was moved or copied while the server ran. The server's working folder tells which, if it is readable
  // (not for root in a container without CAP_SYS_PTRACE).
  const working = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  if (working === null) return 'unsure';
  return working === home ? 'ours' : 'foreign';
}

async function identifyWithPs(pid: number): Promise<Identity> {
  const { code, output } = await runCommand('ps', ['-o', 'comm=', '-p', String(pid)], null);
  return code === 0 && !basename(output).startsWith('postgres') ? 'foreign' : 'unsure';
}

/** Fast shutdown, then an immediate one after `timeoutMs`; resolves when the process has ended. */
export async function stopPostmaster(pid: number, pgdata: string, timeoutMs = 20_000): Promise<void> {
  for (const [signal, waitMs] of [['SIGINT', timeoutMs] as const, ['SIGQUIT', 15_000] as const]) {
    const status = await inspectPostmaster(pgdata);
    // Signals only while the pid file still names this pid as this folder's server.
    if (status.kind === 'alive' && status.pid === pid) sendSignal(pid, signal);
    else if (!pidExists(pid) || (await identify(pid, pgdata)) === 'foreign') return;
    if (await waitUntilGone(pid, waitMs)) return;
  }
  throw new Error(`PostgreSQL (pid ${pid}) of ${pgdata} does not end: read its postgres.log, then kill -9 ${pid}`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function waitUntilGone(pid: number, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs;
  while (await isRunning(pid)) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}
