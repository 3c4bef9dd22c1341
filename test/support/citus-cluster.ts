// A real Citus on this machine for `npm run citus`: a coordinator and two workers, three PostgreSQL servers on loopback.
// The extension must be installed beside the PostgreSQL of CITUS_BIN, or of a pg_config that is found. Nothing here builds it.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { runCommand } from '../../sandbox/postgres/command.ts';
import { makeOwnedFolder, type RunUser, unprivilegedUser } from '../../sandbox/postgres/user.ts';
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

/** For tests, which are repeated when the machine stops; a run of chaos needs durability. */
const NOT_DURABLE = ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off', 'autovacuum = off'];

export interface NodeSettings {
  readonly isDurable: boolean;
  /** Of each table; null: a PostgreSQL without Citus. */
  readonly shards: number | null;
}

/** Citus has 32 shards by default; few here, because a run copies the template for each file. */
const FEW_SHARDS = 2;

function settingsOf(port: number, sockets: string, { isDurable, shards }: NodeSettings): string {
  return [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${sockets}'`,
    'max_connections = 400',
    'max_prepared_transactions = 400',
    // A daemon of Citus runs for each database that is used: a run leaves hundreds, and each asks every node now and then.
    'max_worker_processes = 24',
    "timezone = 'UTC'",
    'jit = off',
    ...(isDurable ? [] : NOT_DURABLE),
    ...(shards === null ? [] : citusSettings(shards)),
    "log_min_messages = 'error'",
    "log_line_prefix = '%d '",
    '',
  ].join('\n');
}

function citusSettings(shards: number): string[] {
  return [
    "shared_preload_libraries = 'citus'",
    "citus.node_conninfo = 'sslmode=disable'",
    `citus.shard_count = ${shards}`,
    'citus.enable_statistics_collection = off',
    // A transaction that a crash left prepared keeps its rows locked until then; a minute by default.
    'citus.recover_2pc_interval = 2s',
  ];
}

/** One PostgreSQL server of a cluster. */
export class CitusNode {
  readonly name: string;
  readonly port: number;
  readonly #bin: string;
  readonly #folder: string;
  readonly #user: RunUser | null;

  private constructor(bin: string, folder: string, name: string, port: number, user: RunUser | null) {
    this.#bin = bin;
    this.#folder = folder;
    this.name = name;
    this.port = port;
    this.#user = user;
  }

  /** Makes it and starts it. */
  static async open(bin: string, folder: string, name: string, settings: NodeSettings): Promise<CitusNode> {
    const node = new CitusNode(bin, folder, name, await freePort(), await unprivilegedUser());
    const encoding = ['--encoding=UTF8', '--locale=C.UTF-8'];
    await node.#run('initdb', ['-D', node.#data, `--username=${USER}`, '--auth=trust', '--no-sync', ...encoding]);
    await appendFile(join(node.#data, 'postgresql.conf'), settingsOf(node.port, folder, settings));
    await node.start();
    return node;
  }

  url(database = 'postgres'): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    await this.#run('pg_ctl', [
      '-D',
      this.#data,
      '-l',
      join(this.#folder, `${this.name}.log`),
      '-w',
      '-t',
      '60',
      'start',
    ]);
  }

  async stop(how: 'fast' | 'immediate'): Promise<void> {
    await this.#run('pg_ctl', ['-D', this.#data, '-m', how, '-w', 'stop']);
  }

  /** The process id of the postmaster; null: there is none. One that was killed leaves its file behind. */
  pid(): number | null {
    try {
      const pid = Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return pid > 0 && existsSync(`/proc/${pid}`) ? pid : null;
    } catch {
      return null;
    }
  }

  get #data(): string {
    return join(this.#folder, this.name);
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const { code, output, failure } = await runCommand(join(this.#bin, program), [...args], this.#user);
    if (code !== 0) throw new Error(`${program}: ${failure ?? ''}\n${output}`);
  }
}

/** A coordinator and, by default, two workers that are no cluster yet: `everyshare distribute` makes them one. */
export async function startCitusNodes(
  bin: string,
  folder: string,
  { isDurable, shards = FEW_SHARDS, workers = 2 }: Partial<NodeSettings> & { isDurable: boolean; workers?: number },
): Promise<CitusNode[]> {
  await makeOwnedFolder(folder, await unprivilegedUser(), 0o700);
  const names = ['coordinator', ...Array.from({ length: workers }, (_, index) => `worker-${index + 1}`)];
  return Promise.all(names.map((name) => CitusNode.open(bin, folder, name, { isDurable, shards })));
}

export async function startCitusCluster(bin: string, folder: string): Promise<CitusCluster> {
  const nodes = await startCitusNodes(bin, folder, { isDurable: false });
  const [coordinator, ...workers] = nodes.map((node) => node.url());
  return {
    url: coordinator ?? '',
    workers,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop('immediate')));
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
export async function distributeDatabase(cluster: Omit<CitusCluster, 'stop'>, name: string): Promise<void> {
  const everyNode = [cluster.url, ...cluster.workers];
  for (const server of cluster.workers) await runStatements(server, [`create database ${name}`]);
  for (const server of everyNode) await runStatements(databaseUrl(server, name), ['create extension citus']);
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
}

/** The same for a database that tests copy. */
export async function distributeTemplate(cluster: CitusCluster, name: string): Promise<void> {
  await distributeDatabase(cluster, name);
  // A database that is copied must have no connection, and a daemon of Citus would come back.
  for (const server of [cluster.url, ...cluster.workers])
    await runStatements(server, [
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    ]);
}

/** Copies the database of the coordinator and those of the workers, which belong together. */
export async function copyDistributed(servers: readonly string[], name: string, template: string): Promise<void> {
  await Promise.all(
    servers.map((server) =>
      runStatements(server, [
        `create database ${name} template ${template} strategy file_copy`,
        `alter database ${name} set citus.enable_unsafe_triggers = on`,
        `alter database ${name} set citus.allow_nested_distributed_execution = on`,
        `alter database ${name} set citus.propagate_set_commands = local`,
        `alter database ${name} set citus.max_adaptive_executor_pool_size = 1`,
      ]),
    ),
  );
}

export async function runStatements(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
