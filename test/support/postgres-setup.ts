// One real PostgreSQL for a whole run of the tests (durability off: tests do not survive a power cut, nor need they), with
// a migrated template from which each test file gets a database of its own in about a tenth of a second. With DATABASE_URL
// it is the server of that address, as it is.

import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { migrate } from '../../src/base/migrate.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { schemaFolders } from '../../src/base/schema-files.ts';
import { distributeTemplate, findCitus, startCitusCluster } from './citus-cluster.ts';
import { createDatabase, templateOf } from './create-database.ts';
import { openGivenPostgres } from './given-postgres.ts';
import { oncePerRun } from './once-per-run.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { LOG_FOLDER_VARIABLE, POSTGRES_LINES_FILE } from './record-logs.ts';
import { makeScratchFolder } from './scratch-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** With which the names of all databases of the run begin. */
    databasePrefix: string;
    /** A folder that is deleted at the end of the run. Every user may enter it. */
    runFolder: string;
    /** The same server behind PgBouncer in transaction mode (`npm run pooler`); null: worlds go straight to it. */
    poolerUrl: string | null;
    /** The worker nodes, when the server is the coordinator of a distributed installation (`npm run citus`). */
    workerNodes: readonly string[];
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const pooler = requestedPooler();
  const citus = requestedCitus();
  const { value, release } = await oncePerRun(
    'postgres',
    () => (citus === null ? startPostgres(pooler, process.env.DATABASE_URL ?? '') : startCitus(citus)),
    (running) => running.stop(),
  );
  project.provide('postgresUrl', value.url);
  project.provide('databasePrefix', value.prefix);
  project.provide('runFolder', value.folder);
  project.provide('poolerUrl', value.poolerUrl);
  project.provide('workerNodes', value.workerNodes);
  return release;
}

interface RunningPostgres {
  readonly folder: string;
  readonly url: string;
  readonly prefix: string;
  readonly poolerUrl: string | null;
  readonly workerNodes: readonly string[];
  stop(): Promise<void>;
}

async function startPostgres(pooler: string | null, given: string): Promise<RunningPostgres> {
  const server = given === '' ? await startEmbedded() : await openGivenPostgres(given);
  const { url, prefix, folder } = server;
  await migrate(await createDatabase(url, templateOf(prefix), null), schemaFolders(packageRoot));
  const bouncer = pooler === null ? null : await startPooler(pooler, url, join(folder, 'pgbouncer'));
  return {
    folder,
    url,
    prefix,
    poolerUrl: bouncer?.url('postgres') ?? null,
    workerNodes: [],
    async stop() {
      await bouncer?.stop();
      await server.stop();
    },
  };
}

async function startEmbedded(): Promise<Omit<RunningPostgres, 'poolerUrl' | 'workerNodes'>> {
  const folder = makeScratchFolder('everyshare-test-');
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      // It visits each database once a minute, and a run leaves hundreds that no test uses any more.
      autovacuum: 'off',
    },
  });
  await makeSignInCheap(postgres.url);
  return {
    folder,
    url: postgres.url,
    prefix: 'everyshare_',
    async stop() {
      await postgres.stop();
      // PostgreSQL logs the statements that fail: the log scan reads them too.
      const log = (await findCluster(folder))?.logFile;
      const recorded = process.env[LOG_FOLDER_VARIABLE];
      if (log !== undefined && recorded !== undefined) copyFileSync(log, join(recorded, POSTGRES_LINES_FILE));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A run opens a thousand connections: with one iteration instead of 4,096 each costs half the processor time. */
async function makeSignInCheap(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set scram_iterations = 1; alter role ${username} password '${decodeURIComponent(password)}'`);
  await client.end();
}

/** A run that asks for Citus and finds none fails before anything is started. */
function requestedCitus(): string | null {
  if (process.env.CITUS === undefined) return null;
  return findCitus() ?? process.exit(1);
}

async function startCitus(bin: string): Promise<RunningPostgres> {
  // On disk: three databases for each test file need more than a file system in memory has.
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-citus-'));
  chmodSync(folder, 0o755);
  const prefix = 'everyshare_';
  const cluster = await startCitusCluster(bin, join(folder, 'citus'));
  const name = templateOf(prefix);
  try {
    await migrate(await createDatabase(cluster.url, name, null), schemaFolders(packageRoot));
    await distributeTemplate(cluster, name);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    folder,
    url: cluster.url,
    prefix,
    poolerUrl: null,
    workerNodes: cluster.workers,
    async stop() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A run that asks for a pooler and finds none ends before anything is started: it would prove nothing. */
function requestedPooler(): string | null {
  if (process.env.POOLER === undefined) return null;
  return findPgBouncer() ?? process.exit(0);
}

async function startPooler(program: string, server: string, folder: string): Promise<PgBouncer> {
  const url = new URL(server);
  return startPgBouncer(program, {
    folder,
    target: {
      folder: url.searchParams.get('host') ?? url.hostname,
      port: Number(url.searchParams.get('port') ?? (url.port || 5432)),
    },
    user: url.username,
    password: decodeURIComponent(url.password),
  });
}
