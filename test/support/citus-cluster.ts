// A real Citus on this machine for `npm run citus`: a coordinator and two workers, three PostgreSQL servers on loopback.
// The extension must be installed beside the PostgreSQL of CITUS_BIN, or of a pg_config that is found. Nothing here builds it.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { runCommand } from '../../sandbox/postgres/command.ts';
import { makeOwnedFolder, unprivilegedUser } from '../../sandbox/postgres/user.ts';
import { distribute } from '../../src/base/distribution/distribute.ts';
import { functionPlacementOf, placementOf } from '../../src/domain/installation/placements.ts';
import { databaseUrl } from './create-database.ts';

export interface CitusCluster {
  /** Of the coordinator. */
  readonly url: string;
  readonly workers: readonly string[];
  stop(): Promise<void>;
}

const DEBIAN = '/usr/lib/postgresql';
const USER = 'postgres';

/** The folder of the PostgreSQL programs beside which Citus is installed. Null: there is none, and stderr says why. */
export function findCitus(): string | null {
  const given = process.env.CITUS_BIN;
  const folders = given === undefined ? installedPostgres() : [given];
  const found = folders.find((folder) => hasCitus(join(folder, 'pg_config'))) ?? null;
  if (found === null)
    process.stderr.write(
      `There is no Citus here: its extension/citus.control is in the share folder of no PostgreSQL in ${folders.join(', ') || DEBIAN}. ` +
        'Install Citus, or name the folder with pg_config, initdb and postgres of a PostgreSQL that has it: CITUS_BIN=/path npm run citus\n',
    );
  return found;
}

function installedPostgres(): string[] {
  if (!existsSync(DEBIAN)) return [];
  return readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin'));
}

function hasCitus(pgConfig: string): boolean {
  if (!existsSync(pgConfig)) return false;
  const share = execFileSync(pgConfig, ['--sharedir'], { encoding: 'utf8' }).trim();
  return existsSync(join(share, 'extension', 'citus.control'));
}

function settingsOf(port: number, sockets: string): string {
  return [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${sockets}'`,
    "shared_preload_libraries = 'citus'",
    'max_connections = 400',
    'max_prepared_transactions = 400',
    // A daemon of Citus runs for each database that is used: a run leaves hundreds, and each asks every node now and then.
    'max_worker_processes = 24',
    "timezone = 'UTC'",
    'jit = off',
    'fsync = off',
    'synchronous_commit = off',
    'full_page_writes = off',
    'autovacuum = off',
    "citus.node_conninfo = 'sslmode=disable'",
    // Few, because a run copies the template for each file. Citus has 32 by default.
    'citus.shard_count = 2',
    'citus.enable_statistics_collection = off',
    "log_min_messages = 'error'",
    "log_line_prefix = '%d '",
    '',
  ].join('\n');
}

export async function startCitusCluster(bin: string, folder: string): Promise<CitusCluster> {
  const user = await unprivilegedUser();
  await makeOwnedFolder(folder, user, 0o700);
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    const { code, output, failure } = await runCommand(join(bin, program), [...args], user);
    if (code !== 0) throw new Error(`${program}: ${failure ?? ''}\n${output}`);
  };
  const nodes = await Promise.all(
    ['coordinator', 'worker-1', 'worker-2'].map(async (name) => {
      const [data, port] = [join(folder, name), await freePort()];
      await run('initdb', [
        '-D',
        data,
        `--username=${USER}`,
        '--auth=trust',
        '--no-sync',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
      ]);
      await appendFile(join(data, 'postgresql.conf'), settingsOf(port, folder));
      await run('pg_ctl', ['-D', data, '-l', join(folder, `${name}.log`), '-w', 'start']);
      return { data, url: `postgres://${USER}@127.0.0.1:${port}/postgres` };
    }),
  );
  const [coordinator, ...workers] = nodes.map(({ url }) => url);
  return {
    url: coordinator ?? '',
    workers,
    async stop() {
      await Promise.all(nodes.map(({ data }) => run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop'])));
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port on loopback');
  return address.port;
}

/** Makes every node's database of this name a part of one distributed database, as `everyshare distribute` does. */
export async function distributeTemplate(cluster: CitusCluster, name: string): Promise<void> {
  const everyNode = [cluster.url, ...cluster.workers];
  for (const server of cluster.workers) await run(server, [`create database ${name}`]);
  for (const server of everyNode) await run(databaseUrl(server, name), ['create extension citus']);
  const addressOf = (url: string): { host: string; port: number } => ({
    host: new URL(url).hostname,
    port: Number(new URL(url).port),
  });
  const options = {
    url: databaseUrl(cluster.url, name),
    placementOf,
    functionPlacementOf,
    workers: cluster.workers.map(addressOf),
    coordinator: addressOf(cluster.url),
    onStep: () => undefined,
  };
  await distribute(options);
  const again = await distribute(options);
  if (again.changed !== 0)
    throw new Error(`a second run of distribute placed ${again.changed} tables and functions again`);
  // A database that is copied must have no connection, and a daemon of Citus would come back.
  for (const server of everyNode)
    await run(server, [
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    ]);
}

/** Copies the database of the coordinator and those of the workers, which belong together. */
export async function copyDistributed(servers: readonly string[], name: string, template: string): Promise<void> {
  await Promise.all(
    servers.map((server) =>
      run(server, [
        `create database ${name} template ${template} strategy file_copy`,
        `alter database ${name} set citus.enable_unsafe_triggers = on`,
        `alter database ${name} set citus.allow_nested_distributed_execution = on`,
      ]),
    ),
  );
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
