// Finds the PostgreSQL server that an earlier process left running for this data directory, and takes it over. It stops
// only a server of this directory whose socket is lost, and never trusts a pid file alone: a real connection decides.

import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, removeSocket, socketFolder } from './cluster.ts';
import {
  CANNOT_CONNECT_NOW,
  dataDirectoryOf,
  ensureDatabase,
  isAuthFailure,
  isSqlState,
  socketUrl,
  tryConnect,
} from './connect.ts';
import {
  inspectPostmaster,
  type LivePostmaster,
  type PostmasterStatus,
  pidFile,
  stopPostmaster,
} from './postmaster.ts';

const CONNECT_TIMEOUT_MS = 30_000;
const SHUTDOWN_TIMEOUT_MS = 60_000;
const RECOVERY_TIMEOUT_MS = 600_000;
/** How long a running server may leave its socket unanswered before it is given up. */
const SILENCE_TIMEOUT_MS = 10_000;

interface RunningServer {
  readonly pid: number;
  readonly socketDir: string;
}

export function liveSocketFolder(cluster: Cluster, status: LivePostmaster): string {
  return status.socketDir !== null && existsSync(status.socketDir) ? status.socketDir : socketFolder(cluster);
}

/** Takes over the running server of this cluster; null when there is none and one can be started. */
export async function takeOver(cluster: Cluster, log: (line: string) => void): Promise<RunningServer | null> {
  const startedAt = Date.now();
  let lastAnswerAt = startedAt;
  for (let round = 0; ; round++) {
    const status = await inspectPostmaster(cluster.pgdata);
    if (status.kind !== 'alive') {
      await removeStaleFiles(cluster, status);
      return null;
    }
    if (status.isStopping) {
      if (round === 0) log(`waiting for PostgreSQL (pid ${status.pid}) to finish shutting down`);
      lastAnswerAt = Date.now();
      if (lastAnswerAt - startedAt > SHUTDOWN_TIMEOUT_MS) throw stuckServerError(status.pid, 'is still shutting down');
    } else {
      const result = await probe(cluster, status);
      if (result.server !== null) return result.server;
      if (isAuthFailure(result.code))
        throw stuckServerError(status.pid, `does not accept the password in postgres.json`);
      if (isSqlState(result.code)) lastAnswerAt = Date.now();
      else if (Date.now() - lastAnswerAt > SILENCE_TIMEOUT_MS) await stopSilentServer(cluster, status, log);
      const timeoutMs = result.code === CANNOT_CONNECT_NOW ? RECOVERY_TIMEOUT_MS : CONNECT_TIMEOUT_MS;
      if (Date.now() - startedAt > timeoutMs)
        throw stuckServerError(status.pid, `does not take connections (${result.code})`);
    }
    await delay(20);
  }
}

function stuckServerError(pid: number, problem: string): Error {
  return new Error(`PostgreSQL (pid ${pid}) ${problem}: wait and start again, or stop it with kill -QUIT ${pid}`);
}

type ProbeResult =
  | { readonly server: RunningServer; readonly code: null }
  | { readonly server: null; readonly code: string };

async function probe(cluster: Cluster, status: LivePostmaster): Promise<ProbeResult> {
  const socketDir = liveSocketFolder(cluster, status);
  const { client, code } = await tryConnect(socketUrl(socketDir, cluster.state.password, 'postgres'));
  if (client === null) return { server: null, code };
  try {
    if (!status.isConfirmed && !(await isSameFolder(await dataDirectoryOf(client), cluster.pgdata))) {
      return { server: null, code: 'OTHER' };
    }
    await ensureDatabase(client);
    return { server: { pid: status.pid, socketDir }, code: null };
  } catch (error) {
    // The server may stop between the connection and the query; the next look at the pid file shows it.
    if ((await inspectPostmaster(cluster.pgdata)).kind === 'alive') throw error;
    return { server: null, code: 'CLOSED' };
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)));
  return a === b;
}

/** A confirmed server has lost its socket and is stopped; an unconfirmed process is another program. */
async function stopSilentServer(cluster: Cluster, status: LivePostmaster, log: (line: string) => void): Promise<void> {
  if (!status.isConfirmed) return removeStaleFiles(cluster, { kind: 'foreign' });
  log(`PostgreSQL (pid ${status.pid}) has lost its socket; stopping it`);
  await stopPostmaster(status.pid, cluster.pgdata);
}

/**
 * Leaves the pid file of a dead process to PostgreSQL, which removes it safely. Removes a pid file, a socket and a
 * socket lock whose pid belongs to another program, since PostgreSQL would not start because of them.
 */
async function removeStaleFiles(cluster: Cluster, status: PostmasterStatus): Promise<void> {
  const { client, code } = await tryConnect(socketUrl(socketFolder(cluster), cluster.state.password, 'postgres'));
  await client?.end().catch(() => undefined);
  if (client !== null || isSqlState(code)) {
    throw new Error(
      `a PostgreSQL server answers in ${socketFolder(cluster)} whose process is not visible from here ` +
        '(in another container?): stop it there, or use another data directory',
    );
  }
  if (status.kind === 'dead') return;
  await removeSocket(cluster);
  await rm(pidFile(cluster.pgdata), { force: true });
}
