// Finds the PostgreSQL that an earlier process left running for this data directory, and takes it over. It never kills
// a live server and never trusts a pid file alone: a real connection decides.

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
/** How long a server may be alive with nobody answering on its socket before we stop believing in it. */
const SILENCE_TIMEOUT_MS = 10_000;

interface RunningServer {
  readonly pid: number;
  readonly socketDir: string;
}

export function liveSocketFolder(cluster: Cluster, status: LivePostmaster): string {
  return status.socketDir !== null && existsSync(status.socketDir) ? status.socketDir : socketFolder(cluster);
}

/** Takes over a live server of this cluster; `null` when there is none and the way is clear to start one. */
export async function takeOver(cluster: Cluster, log: (line: string) => void): Promise<RunningServer | null> {
  const began = Date.now();
  let heard = began;
  for (let round = 0; ; round++) {
    const status = await inspectPostmaster(cluster.pgdata);
    if (status.kind !== 'alive') {
      await removeStaleFiles(cluster, status);
      return null;
    }
    if (status.isStopping) {
      if (round === 0) log(`waiting for PostgreSQL (pid ${status.pid}) to finish shutting down`);
      heard = Date.now();
      if (heard - began > SHUTDOWN_TIMEOUT_MS) throw stuckServerError(status.pid, 'is still shutting down');
    } else {
      const answer = await probe(cluster, status);
      if (answer.server !== null) return answer.server;
      if (isAuthFailure(answer.code))
        throw stuckServerError(status.pid, `does not accept the password in postgres.json`);
      if (isSqlState(answer.code)) heard = Date.now();
      else if (Date.now() - heard > SILENCE_TIMEOUT_MS) await stopSilentServer(cluster, status, log);
      const patience = answer.code === CANNOT_CONNECT_NOW ? RECOVERY_TIMEOUT_MS : CONNECT_TIMEOUT_MS;
      if (Date.now() - began > patience)
        throw stuckServerError(status.pid, `does not take connections (${answer.code})`);
    }
    await delay(20);
  }
}

function stuckServerError(pid: number, what: string): Error {
  return new Error(`PostgreSQL (pid ${pid}) ${what}: wait and start again, or stop it with kill -QUIT ${pid}`);
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
    // Its life may end between our hello and our question; the next look at the pid file will tell.
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

/** Alive but silent: our own server lost its socket and is stopped; one we are not sure of is somebody else's. */
async function stopSilentServer(cluster: Cluster, status: LivePostmaster, log: (line: string) => void): Promise<void> {
  if (!status.isConfirmed) return removeStaleFiles(cluster, { kind: 'foreign' });
  log(`PostgreSQL (pid ${status.pid}) has lost its socket: stopping it`);
  await stopPostmaster(status.pid, cluster.pgdata);
}

/**
 * A pid file of a dead process is left for PostgreSQL, which removes it with its own precautions. One whose pid
 * is in use by another program would keep PostgreSQL from starting, and so would the socket's lock file.
 */
async function removeStaleFiles(cluster: Cluster, status: PostmasterStatus): Promise<void> {
  const { client, code } = await tryConnect(socketUrl(socketFolder(cluster), cluster.state.password, 'postgres'));
  await client?.end().catch(() => undefined);
  if (client !== null || isSqlState(code)) {
    throw new Error(
      `a PostgreSQL server answers in ${socketFolder(cluster)} whose process is not to be seen from here ` +
        '(in another container?): stop it there, or use another data directory',
    );
  }
  if (status.kind === 'dead') return;
  await removeSocket(cluster);
  await rm(pidFile(cluster.pgdata), { force: true });
}
