// A real PgBouncer in transaction mode (`npm run pooler`, `npm run chaos -- --standby`): Debian's package, installed
// when the tests run as root. It listens on a socket in its own folder. It can be switched to another server while
// clients stay connected, as an operator does after a promotion.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { makeOwnedFolder, setOwner, spawnIds, unprivilegedUser } from '../../sandbox/postgres/user.ts';

/** A PostgreSQL, named by the folder of its socket. */
export interface PostgresSocket {
  readonly folder: string;
  readonly port: number;
}

export interface PgBouncer {
  readonly pid: number;
  /** The URL of a database behind the pooler. */
  url(database: string): string;
  /** Sends new transactions to this server from now on. */
  point(target: PostgresSocket): void;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** A folder of its own, for its files and its socket. */
  readonly folder: string;
  readonly target: PostgresSocket;
  readonly user: string;
  readonly password: string;
}

const PORT = 6432;
/** Far fewer than there are clients, so that transactions of many clients share a connection. */
const POOL_SIZE = 8;
const APT = '/usr/bin/apt-get';

/** Finds the program of a Debian package, or installs it as root. Null: there is none, and stderr says why. */
export function debianProgram(name: string, paths: readonly string[]): string | null {
  const find = (): string | null => paths.find((path) => existsSync(path)) ?? null;
  const existing = find();
  if (existing !== null) return existing;
  if (process.getuid?.() === 0 && existsSync(APT)) {
    process.stderr.write(`No ${name} here: installing Debian's package.\n`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    try {
      for (const args of [
        ['update', '-qq'],
        ['install', '-y', '-qq', '--no-install-recommends', name],
      ]) {
        execFileSync(APT, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
      }
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  const installed = find();
  if (installed === null)
    process.stderr.write(
      `Skipped: there is no ${name} here, and it could not be installed (apt-get install ${name}).\n`,
    );
  return installed;
}

export const findPgBouncer = (): string | null =>
  debianProgram('pgbouncer', ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer']);

export async function startPgBouncer(program: string, options: PgBouncerOptions): Promise<PgBouncer> {
  const { folder, user, password } = options;
  const runAs = await unprivilegedUser(); // PgBouncer refuses to run as root.
  await makeOwnedFolder(folder, runAs, 0o700);
  const settings = join(folder, 'pgbouncer.ini');
  const usersFile = join(folder, 'users.txt');
  const write = (target: PostgresSocket): void => writeFileSync(settings, configFile(options, usersFile, target));
  writeFileSync(usersFile, `"${user}" "${password}"\n`);
  await setOwner(usersFile, runAs, 0o600);
  write(options.target);
  const child = spawn(program, [settings], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...spawnIds(runAs),
  });
  const url = (database: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?host=${encodeURIComponent(folder)}&port=${PORT}&sslmode=disable`;
  await waitUntilReady(child, url('pgbouncer'));
  return {
    pid: child.pid ?? 0,
    url,
    point(target) {
      write(target);
      child.kill('SIGHUP');
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await exited;
    },
  };
}

function configFile(
  { folder, user }: PgBouncerOptions,
  usersFile: string,
  { folder: host, port }: PostgresSocket,
): string {
  return [
    '[databases]',
    `* = host=${host} port=${port}`,
    '[pgbouncer]',
    'listen_addr =',
    `listen_port = ${PORT}`,
    `unix_socket_dir = ${folder}`,
    'auth_type = scram-sha-256',
    `auth_file = ${usersFile}`,
    `admin_users = ${user}`,
    'pool_mode = transaction',
    `default_pool_size = ${POOL_SIZE}`,
    'max_client_conn = 1000',
    // A run has a database for each file, and PostgreSQL 300 connections: those that no test uses any more are closed.
    'server_idle_timeout = 5',
    // A dead server is retried at once, and no client waits long for one.
    'server_login_retry = 0.2',
    'server_connect_timeout = 3',
    'query_wait_timeout = 10',
    'ignore_startup_parameters = extra_float_digits',
    'log_connections = 0',
    'log_disconnections = 0',
    'log_stats = 0',
    `logfile = ${join(folder, 'pgbouncer.log')}`,
    '',
  ].join('\n');
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.query('show version');
      return;
    } catch (error) {
      if (child.exitCode !== null || attempt > 100) throw new Error(`PgBouncer does not start: ${String(error)}`);
      await delay(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
