// Creates a cluster in one step (initdb into a temporary folder, then rename) and starts its server in its own session,
// so that Ctrl-C does not reach the database before the service has drained.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { type Cluster, socketFolder } from './cluster.ts';
import { cleanEnvironment, runCommand } from './command.ts';
import { CANNOT_CONNECT_NOW, ensureDatabase, isAuthFailure, SUPERUSER, socketUrl, tryConnect } from './connect.ts';
import { isRoot, makeOwnedFolder, setOwner, spawnIds } from './user.ts';

/** Generous: a server that ends is noticed at once, and one on a busy disk needs long before it listens. */
const START_TIMEOUT_MS = 120_000;
/** Recovery after a crash may take longer, as long as the server answers that it is starting up. */
const RECOVERY_TIMEOUT_MS = 600_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

type Settings = Readonly<Record<string, string>>;

const DEFAULT_SETTINGS: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
};

/** Runs initdb into a temporary folder and renames it to PGDATA, so that PGDATA is complete or absent. */
export async function runInitdb(cluster: Cluster, binaries: Binaries, settings: Settings): Promise<void> {
  const { folder, pgdata, user, state } = cluster;
  for (const name of await readdir(folder)) {
    if (name.startsWith('making-')) await rm(join(folder, name), { recursive: true, force: true });
  }
  const temporary = join(folder, `making-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${temporary}.password`;
  try {
    await writeFile(passwordFile, `${state.password}\n`, { mode: 0o600, flag: 'wx' });
    await setOwner(passwordFile, user, 0o600);
    await makeOwnedFolder(temporary, user, 0o700);
    const { code, output, failure } = await runCommand(
      binaries.initdb,
      [
        ...['-D', temporary, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
        ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ...['--no-instructions', ...(settings.fsync === 'off' ? ['--no-sync'] : [])],
      ],
      user,
    );
    if (code !== 0) {
      throw new Error(
        `initdb could not make a database in ${folder}: ${failure ?? ''}\n${lastLines(output)}\n` +
          'correct what it reports, or set DATABASE_URL to a PostgreSQL server',
      );
    }
    await rename(temporary, pgdata);
    await syncFolder(folder);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(temporary, { recursive: true, force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().catch(() => undefined);
  await handle.close();
}

/** Starts the server, waits until it accepts connections and has its database, and returns its pid. */
export async function startServer(cluster: Cluster, binaries: Binaries, settings: Settings): Promise<number> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const log = await openLog(cluster);
    try {
      const from = (await log.stat()).size;
      const run = spawnServer(cluster, binaries, settings, log);
      const pid = await waitUntilReady(cluster, run);
      if (pid !== null) return pid;
      const logText = await readLogSince(cluster, from);
      // Backends of a killed postmaster hold its shared memory for a moment: PostgreSQL does not start until they end.
      if (!/pre-existing shared memory block/.test(logText) || Date.now() > deadline)
        throw startFailed(cluster, run, logText);
    } finally {
      await log.close();
    }
    await delay(100);
  }
}

async function openLog(cluster: Cluster): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const log = await open(cluster.logFile, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const { uid, gid } = await stat(cluster.folder);
    if (isRoot()) await log.chown(uid, gid);
    if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate(0);
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

interface ServerProcess {
  readonly child: ChildProcess;
  /** How the process ended; null while it runs. */
  ended: string | null;
}

function spawnServer(cluster: Cluster, binaries: Binaries, settings: Settings, log: FileHandle): ServerProcess {
  const quoted = `"${socketFolder(cluster).replaceAll('"', '""')}"`;
  const all: Settings = { ...DEFAULT_SETTINGS, ...settings, unix_socket_directories: quoted, port: '5432' };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(binaries.postgres, ['-D', cluster.pgdata, ...flags], {
    cwd: '/',
    env: cleanEnvironment(),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...spawnIds(cluster.user),
  });
  const run: ServerProcess = { child, ended: null };
  child.once('error', (error) => {
    run.ended ??= error.message;
  });
  child.once('exit', (code, signal) => {
    run.ended ??= signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  child.unref();
  return run;
}

/** The pid once connections work; null when the process ended before. */
async function waitUntilReady(cluster: Cluster, run: ServerProcess): Promise<number | null> {
  const url = socketUrl(socketFolder(cluster), cluster.state.password, 'postgres');
  const startedAt = Date.now();
  let lastStartingUpAt = startedAt;
  for (;;) {
    await delay(20);
    if (run.ended !== null) return null;
    const result = await tryConnect(url);
    if (result.client !== null) {
      try {
        await ensureDatabase(result.client);
        return run.child.pid ?? null;
      } finally {
        await result.client.end().catch(() => undefined);
      }
    }
    if (result.code === CANNOT_CONNECT_NOW) lastStartingUpAt = Date.now();
    const isLate = Date.now() - lastStartingUpAt > START_TIMEOUT_MS || Date.now() - startedAt > RECOVERY_TIMEOUT_MS;
    if (!isLate && !isAuthFailure(result.code)) continue;
    run.child.kill('SIGQUIT');
    throw new Error(
      `PostgreSQL started but cannot be used (${result.code}: ${result.message}): look into ${cluster.logFile}, ` +
        'or set DATABASE_URL to a PostgreSQL server',
    );
  }
}

async function readLogSince(cluster: Cluster, from: number): Promise<string> {
  const log = await open(cluster.logFile, 'r');
  try {
    const start = Math.max(from, (await log.stat()).size - 16_384);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(16_384), 0, 16_384, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await log.close();
  }
}

function startFailed(cluster: Cluster, run: ServerProcess, logText: string): Error {
  return new Error(
    `PostgreSQL ended while starting (${run.ended}). The last lines of ${cluster.logFile}:\n${lastLines(logText)}\n` +
      'Correct what they report and start again, or set DATABASE_URL to a PostgreSQL server',
  );
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-12).join('\n');
}
