// Finds the PostgreSQL that an earlier process left running for this data directory, and takes it over. It never kills
// a live server and never trusts a pid file alone: a real connection decides.

import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, removeSocket, socketFolder } from './cluster.ts';
import { attempt, dataDirectoryOf, ensureDatabase, isHopeless, NOT_NOW, socketUrl, wasAnswered } from './connect.ts';
import { type Alive, endPostmaster, pidFile, type Sighting, sight } from './postmaster.ts';

const PATIENCE = 30_000;
const STOPPING_PATIENCE = 60_000;
const RECOVERY_PATIENCE = 600_000;
/** How long a server may be alive with nobody answering on its socket before we stop believing in it. */
const SILENCE = 10_000;

interface Live {
  readonly pid: number;
  readonly socketDir: string;
}

export function liveSocketFolder(cluster: Cluster, seen: Alive): string {
  return seen.socketDir !== null && existsSync(seen.socketDir) ? seen.socketDir : socketFolder(cluster);
}

/** Takes over a live server of this cluster; `null` when there is none and the way is clear to start one. */
export async function adopt(cluster: Cluster, say: (line: string) => void): Promise<Live | null> {
  const began = Date.now();
  let heard = began;
  for (let round = 0; ; round++) {
    const seen = await sight(cluster.data);
    if (seen.kind !== 'alive') {
      await clearTheWay(cluster, seen);
      return null;
    }
    if (seen.stopping) {
      if (round === 0) say(`waiting for PostgreSQL (pid ${seen.pid}) to finish shutting down`);
      heard = Date.now();
      if (heard - began > STOPPING_PATIENCE) throw stuck(seen.pid, 'is still shutting down');
    } else {
      const answer = await greet(cluster, seen);
      if (answer.live !== null) return answer.live;
      if (isHopeless(answer.code)) throw stuck(seen.pid, `does not accept the password in postgres.json`);
      if (wasAnswered(answer.code)) heard = Date.now();
      else if (Date.now() - heard > SILENCE) await giveUpOn(cluster, seen, say);
      const patience = answer.code === NOT_NOW ? RECOVERY_PATIENCE : PATIENCE;
      if (Date.now() - began > patience) throw stuck(seen.pid, `does not take connections (${answer.code})`);
    }
    await delay(20);
  }
}

function stuck(pid: number, what: string): Error {
  return new Error(`PostgreSQL (pid ${pid}) ${what}: wait and start again, or stop it with kill -QUIT ${pid}`);
}

type Greeting = { readonly live: Live; readonly code: null } | { readonly live: null; readonly code: string };

async function greet(cluster: Cluster, seen: Alive): Promise<Greeting> {
  const socketDir = liveSocketFolder(cluster, seen);
  const { client, code } = await attempt(socketUrl(socketDir, cluster.state.password, 'postgres'));
  if (client === null) return { live: null, code };
  try {
    if (!seen.sure && !(await sameFolder(await dataDirectoryOf(client), cluster.data))) {
      return { live: null, code: 'OTHER' };
    }
    await ensureDatabase(client);
    return { live: { pid: seen.pid, socketDir }, code: null };
  } catch (error) {
    // Its life may end between our hello and our question; the next look at the pid file will tell.
    if ((await sight(cluster.data)).kind === 'alive') throw error;
    return { live: null, code: 'CLOSED' };
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function sameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)));
  return a === b;
}

/** Alive but silent: our own server lost its socket and is stopped; one we are not sure of is somebody else's. */
async function giveUpOn(cluster: Cluster, seen: Alive, say: (line: string) => void): Promise<void> {
  if (!seen.sure) return clearTheWay(cluster, { kind: 'foreign' });
  say(`PostgreSQL (pid ${seen.pid}) has lost its socket: stopping it`);
  await endPostmaster(seen.pid, cluster.data);
}

/**
 * A pid file of a dead process is left for PostgreSQL, which removes it with its own precautions. One whose pid
 * is in use by another program would keep PostgreSQL from starting, and so would the socket's lock file.
 */
async function clearTheWay(cluster: Cluster, seen: Sighting): Promise<void> {
  const { client, code } = await attempt(socketUrl(socketFolder(cluster), cluster.state.password, 'postgres'));
  await client?.end().catch(() => undefined);
  if (client !== null || wasAnswered(code)) {
    throw new Error(
      `a PostgreSQL server answers in ${socketFolder(cluster)} whose process is not to be seen from here ` +
        '(in another container?): stop it there, or use another data directory',
    );
  }
  if (seen.kind === 'dead') return;
  await removeSocket(cluster);
  await rm(pidFile(cluster.data), { force: true });
}
