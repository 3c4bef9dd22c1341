// A real PgBouncer in transaction mode for the tests that go through one (`npm run pooler`, `npm run chaos -- --standby`):
// Debian's package, installed where we may. It listens on a socket in a folder of its own, and can be pointed at another
// server while clients stay connected, as an operator does after a promotion.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { makeOwnedFolder, setOwner, spawnIds, unprivilegedUser } from '../../sandbox/postgres/user.ts';

/** A PostgreSQL by the folder of its socket. */
export interface PostgresSocket {
  readonly folder: string;
  readonly port: number;
}

export interface PgBouncer {
  readonly pid: number;
  /** The address of a database behind it. */
  url(database: string): string;
  /** From now on new transactions go there. */
  point(target: PostgresSocket): void;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Made for it: its files and its socket. */
  readonly folder: string;
  readonly target: PostgresSocket;
  readonly user: string;
  readonly password: string;
}

const PORT = 6432;
/** Far fewer than clients, so that transactions of many share a connection. */
const CONNECTIONS = 8;
const APT = '/usr/bin/apt-get';

/** Where Debian's package puts it; installed if we may. Null: it was said why there is none. */
export function debianProgram(name: string, paths: readonly string[]): string | null {
  const find = (): string | null => paths.find((path) => existsSync(path)) ?? null;
  const there = find();
  if (there !== null) return there;
  if (process.getuid?.() === 0 && existsSync(APT)) {
    process.stderr.write(`No ${name} here: installing Debian's package.\n`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    try {
      for (const words of [
        ['update', '-qq'],
        ['install', '-y', '-qq', '--no-install-recommends', name],
      ]) {
        execFileSync(APT, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
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
  const runAs = await unprivilegedUser(); // It refuses root, as PostgreSQL does.
  await makeOwnedFolder(folder, runAs, 0o700);
  const settings = join(folder, 'pgbouncer.ini');
  const people = join(folder, 'people.txt');
  const write = (target: PostgresSocket): void => writeFileSync(settings, ini(options, people, target));
  writeFileSync(people, `"${user}" "${password}"\n`);
  await setOwner(people, runAs, 0o600);
  write(options.target);
  const child = spawn(program, [settings], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...spawnIds(runAs),
  });
  const url = (database: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?host=${encodeURIComponent(folder)}&port=${PORT}&sslmode=disable`;
  await untilItAnswers(child, url('pgbouncer'));
  return {
    pid: child.pid ?? 0,
    url,
    point(target) {
      write(target);
      child.kill('SIGHUP');
    },
    async stop() {
      const gone = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await gone;
    },
  };
}

function ini({ folder, user }: PgBouncerOptions, people: string, { folder: host, port }: PostgresSocket): string {
  return [
    '[databases]',
    `* = host=${host} port=${port}`,
    '[pgbouncer]',
    'listen_addr =',
    `listen_port = ${PORT}`,
    `unix_socket_dir = ${folder}`,
    'auth_type = scram-sha-256',
    `auth_file = ${people}`,
    `admin_users = ${user}`,
    'pool_mode = transaction',
    `default_pool_size = ${CONNECTIONS}`,
    'max_client_conn = 1000',
    // A dead server is tried again at once, and nobody waits long for one.
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

async function untilItAnswers(child: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.query('show version');
      return;
    } catch (error) {
      if (child.exitCode !== null || tries > 100) throw new Error(`PgBouncer does not start: ${String(error)}`);
      await delay(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
