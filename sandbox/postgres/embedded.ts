// A real PostgreSQL for one machine and for tests, from binaries inside npm packages: started, taken over after a crash
// of the process that started it, or found. Each data directory has at most one server, and its data survives any kill.

import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import {
  type Cluster,
  findCluster,
  markInitialized,
  openCluster,
  prepareSocketFolder,
  removeTemporarySocketFolder,
  socketFolder,
} from './cluster.ts';
import { dataDirectoryOf, isAuthFailure, socketUrl, tryConnect } from './connect.ts';
import { inspectPostmaster, isRunning, stopPostmaster } from './postmaster.ts';
import { runInitdb, startServer } from './start-server.ts';
import { isSameFolder, liveSocketFolder, takeOver } from './take-over.ts';

export interface EmbeddedPostgres {
  /** For the `pg` package; database "everyshare". */
  readonly url: string;
  /** It was already running. */
  readonly isAdopted: boolean;
  /** False after its process ended, by a crash or by another's hand. */
  isRunning(): Promise<boolean>;
  /** Fast shutdown; resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** More PostgreSQL settings; they override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
}

const starts = new Map<string, Promise<EmbeddedPostgres>>();
const stops = new Map<string, Promise<void>>();

/** Starts PostgreSQL for this data directory, or takes over the server that runs for it. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const key = resolve(options.dataDir);
  const pending = starts.get(key);
  if (pending !== undefined) return pending;
  const starting = start(key, options.settings ?? {}, options.log ?? (() => undefined)).finally(() => {
    starts.delete(key);
  });
  starts.set(key, starting);
  return starting;
}

async function start(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  log: (line: string) => void,
): Promise<EmbeddedPostgres> {
  await stops.get(dataDir)?.catch(() => undefined);
  let cluster = await openCluster(dataDir);
  const live = await takeOver(cluster, log);
  if (live !== null) {
    log(`taking over the running PostgreSQL (pid ${live.pid})`);
    return handle(cluster, live.pid, live.socketDir, true);
  }
  const binaries = await findBinaries(cluster.folder, cluster.user, log);
  if (!existsSync(cluster.pgdata)) {
    log(`making a PostgreSQL database in ${cluster.folder}`);
    await runInitdb(cluster, binaries, settings);
    cluster = await markInitialized(cluster);
  }
  cluster = await prepareSocketFolder(cluster);
  const pid = await startServer(cluster, binaries, settings);
  log(`PostgreSQL is running (pid ${pid})`);
  return handle(cluster, pid, socketFolder(cluster), false);
}

function handle(cluster: Cluster, pid: number, socketDir: string, adopted: boolean): EmbeddedPostgres {
  let stopped: Promise<void> | null = null;
  const end = async () => {
    await stopPostmaster(pid, cluster.pgdata);
    await removeTemporarySocketFolder(cluster);
  };
  return {
    url: socketUrl(socketDir, cluster.state.password),
    isAdopted: adopted,
    isRunning: () => isRunning(pid),
    stop() {
      if (stopped === null) {
        stopped = end().finally(() => stops.delete(cluster.dataDir));
        stops.set(cluster.dataDir, stopped);
      }
      return stopped;
    },
  };
}

/** The URL of the server that runs for this data directory, or null. Starts and creates nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const cluster = await findCluster(resolve(dataDir));
  if (cluster === null) return null;
  const deadline = Date.now() + 5_000;
  // A server that is starting up gets five seconds.
  while (Date.now() < deadline) {
    const status = await inspectPostmaster(cluster.pgdata);
    if (status.kind !== 'alive' || status.isStopping) return null;
    const url = socketUrl(liveSocketFolder(cluster, status), cluster.state.password);
    const { client, code } = await tryConnect(url);
    if (client !== null) {
      try {
        return status.isConfirmed || (await isSameFolder(await dataDirectoryOf(client), await realpath(cluster.pgdata)))
          ? url
          : null;
      } finally {
        await client.end().catch(() => undefined);
      }
    }
    if (isAuthFailure(code)) return null;
    await delay(20);
  }
  return null;
}

/** Whether another client is connected: the command that started the server then leaves it running. */
export async function isUsedByOthers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ others: number }>(
      "select count(*)::int as others from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    return (rows[0]?.others ?? 0) > 0;
  } finally {
    await client.end();
  }
}
