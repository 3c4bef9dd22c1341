// Runs two PostgreSQL servers of Debian, the second a synchronous standby of the first, behind PgBouncer in transaction
// mode. kill() kills the primary (SIGKILL), promotes the standby, points PgBouncer at it, and makes a new standby.
// Every commit was on both servers, so no acknowledged change may be lost.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { makeOwnedFolder, type RunUser, spawnIds, unprivilegedUser } from '../../sandbox/postgres/user.ts';
import { debianProgram, findPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { PostgresControl } from '../support/postgres-control.ts';
import { requireDurability } from '../support/postgres-runner.ts';
import type { RecordTimelineEvent } from './process-runner.ts';

const run = promisify(execFile);

const USER = 'everyshare';
const DATABASE = 'everyshare';
const PASSWORD = 'password of a temporary database';
const SERVERS = [
  { name: 'a', port: 5432 },
  { name: 'b', port: 5433 },
] as const;
type DatabaseServer = (typeof SERVERS)[number];

export interface PairPrograms {
  /** The folder with initdb, pg_ctl and pg_basebackup. */
  readonly postgres: string;
  readonly pgbouncer: string;
}

const DEBIAN_POSTGRES_FOLDER = '/usr/lib/postgresql';
const MAX_COPY_TRIES = 10;

/** The programs of the newest PostgreSQL of Debian, installed if permitted; null if there is none. */
export function findPostgresFolder(): string | null {
  const folders = (): string[] =>
    (existsSync(DEBIAN_POSTGRES_FOLDER) ? readdirSync(DEBIAN_POSTGRES_FOLDER) : [])
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(DEBIAN_POSTGRES_FOLDER, version, 'bin'));
  const hasAll = (): string | undefined => folders().find((folder) => existsSync(join(folder, 'pg_basebackup')));
  if (hasAll() === undefined) debianProgram('postgresql', ['/usr/bin/pg_ctlcluster']);
  return hasAll() ?? null;
}

/** Installs the programs if needed and permitted; otherwise prints what is missing and returns null. */
export function findPairPrograms(): PairPrograms | null {
  const postgres = findPostgresFolder();
  const pgbouncer = findPgBouncer();
  return postgres === null || pgbouncer === null ? null : { postgres, pgbouncer };
}

export class PairRunner extends PostgresControl {
  readonly #folder: string;
  readonly #programs: PairPrograms;
  #user: RunUser | null = null;
  #bouncer: PgBouncer | null = null;
  #primary: DatabaseServer = SERVERS[0];
  #changing: Promise<void> = Promise.resolve();
  /** The standby follows the primary, and can be promoted. */
  #hasStandby = false;

  constructor(folder: string, programs: PairPrograms, record: RecordTimelineEvent) {
    super(record);
    this.#folder = folder;
    this.#programs = programs;
  }

  async start(): Promise<string> {
    this.say('start');
    this.#user = await unprivilegedUser();
    await makeOwnedFolder(this.#folder, this.#user, 0o711);
    await makeOwnedFolder(this.#sockets, this.#user, 0o700);
    const data = this.#data(this.#primary);
    await this.#run('initdb', ['-D', data, `--username=${USER}`, '--auth=trust', '--encoding=UTF8', '--locale=C']);
    await this.#startServer(this.#primary);
    await this.#query(this.#primary, `create database ${DATABASE}`, 'postgres');
    await requireDurability(this.address());
    await this.#addStandby();
    this.#bouncer = await startPgBouncer(this.#programs.pgbouncer, {
      folder: join(this.#folder, 'pgbouncer'),
      target: { folder: this.#sockets, port: this.#primary.port },
      user: USER,
      password: PASSWORD,
    });
    this.say('ready', undefined, (await this.pid()) ?? undefined);
    return this.#bouncer.url(DATABASE);
  }

  async kill(): Promise<boolean> {
    return this.#oneAtATime(() => this.#promote());
  }

  async restart(how: 'fast' | 'immediate'): Promise<boolean> {
    return this.#oneAtATime(async () => {
      await this.thaw();
      const pid = await this.pid();
      if (pid === null) return false;
      const log = join(this.#folder, `${this.#primary.name}.log`);
      this.say('restart', how, pid);
      this.say('exit', how, pid);
      await this.#run('pg_ctl', ['restart', '-D', this.#data(this.#primary), '-m', how, '-w', '-t', '60', '-l', log]);
      this.say('ready', undefined, (await this.pid()) ?? undefined);
      return true;
    });
  }

  /** Runs changes one after the other. */
  async #oneAtATime(change: () => Promise<boolean>): Promise<boolean> {
    const changing = this.#changing.then(change);
    this.#changing = changing.then(
      () => undefined,
      () => undefined, // The caller gets the error, and the next change starts from the current state.
    );
    return changing;
  }

  async #promote(): Promise<boolean> {
    await this.thaw();
    // The primary is killed only while a standby follows it.
    if (!this.#hasStandby) await this.#addStandby();
    const pid = await this.pid();
    if (pid === null) return false;
    this.say('kill', 'the primary', pid);
    this.#hasStandby = false;
    process.kill(pid, 'SIGKILL');
    this.say('exit', 'SIGKILL', pid);
    const dead = this.#primary;
    const next = this.#other(dead);
    await this.#run('pg_ctl', ['promote', '-D', this.#data(next), '-w', '-t', '60']);
    this.#primary = next;
    this.#bouncer?.point({ folder: this.#sockets, port: next.port });
    this.say('ready', 'the standby is the primary', (await this.pid()) ?? undefined);
    await this.#addStandby();
    this.say('standby');
    return true;
  }

  /** Repeats the copy, because a crash of the primary interrupts it. */
  async #addStandby(): Promise<void> {
    for (let tries = 1; tries <= MAX_COPY_TRIES; tries++) {
      try {
        await this.#copyPrimary();
        return;
      } catch (error) {
        if (tries === MAX_COPY_TRIES) throw error;
        const unfinished = this.#data(this.#other(this.#primary));
        // The server may not run yet.
        await this.#run('pg_ctl', ['stop', '-D', unfinished, '-m', 'immediate', '-w']).catch(() => undefined);
        await delay(1_000);
      }
    }
  }

  /**
   * Copies the primary and starts the copy as its standby. Then a commit waits for both servers. The setting is made
   * after the copy, so that a promoted standby does not wait for a standby of its own.
   */
  async #copyPrimary(): Promise<void> {
    const standby = this.#other(this.#primary);
    const data = this.#data(standby);
    await untilExited(this.#postmasterFile(standby));
    await rm(data, { recursive: true, force: true });
    const from = ['-h', this.#sockets, '-p', String(this.#primary.port), '-U', USER];
    await this.#run('pg_basebackup', ['-D', data, ...from, '-R', '-X', 'stream', '-c', 'fast']);
    await this.#startServer(standby);
    const following = "select 1 from pg_stat_replication where state = 'streaming'";
    for (let tries = 0; (await this.#query(this.#primary, following)).length === 0; tries++) {
      if (tries > 300) throw new Error('the standby does not follow');
      await delay(100);
    }
    await this.#query(this.#primary, "alter system set synchronous_standby_names = '*'");
    await this.#query(this.#primary, 'select pg_reload_conf()');
    this.#hasStandby = true;
  }

  async #startServer(server: DatabaseServer): Promise<void> {
    const data = this.#data(server);
    const settings = [
      "listen_addresses=''",
      `unix_socket_directories='${this.#sockets}'`,
      `port=${server.port}`,
      'max_connections=120',
      'wal_level=replica',
      'max_wal_senders=6',
      'hot_standby=on',
    ];
    const options = settings.map((setting) => `-c ${setting}`).join(' ');
    await this.#run('pg_ctl', [
      'start',
      '-D',
      data,
      '-w',
      '-t',
      '60',
      '-l',
      join(this.#folder, `${server.name}.log`),
      '-o',
      options,
    ]);
  }

  async heal(): Promise<void> {
    await this.thaw();
    await this.#changing;
  }

  async close(keep: boolean): Promise<void> {
    await this.thaw();
    await this.#changing.catch(() => undefined);
    await this.#bouncer?.stop();
    for (const server of SERVERS) {
      await this.#run('pg_ctl', ['stop', '-D', this.#data(server), '-m', 'immediate', '-w']).catch(() => undefined);
    }
    this.say('exit', 'stopped');
    if (!keep) await rm(this.#folder, { recursive: true, force: true });
  }

  protected async pid(): Promise<number | null> {
    try {
      return Number(readFileSync(this.#postmasterFile(this.#primary), 'utf8').split('\n')[0]) || null;
    } catch {
      return null;
    }
  }

  protected address(): string {
    return this.#url(this.#primary, DATABASE);
  }

  get #sockets(): string {
    return join(this.#folder, 'sockets');
  }

  #data(server: DatabaseServer): string {
    return join(this.#folder, server.name);
  }

  #postmasterFile(server: DatabaseServer): string {
    return join(this.#data(server), 'postmaster.pid');
  }

  #other(server: DatabaseServer): DatabaseServer {
    return server === SERVERS[0] ? SERVERS[1] : SERVERS[0];
  }

  #url({ port }: DatabaseServer, database: string): string {
    return `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(this.#sockets)}&port=${port}&sslmode=disable`;
  }

  async #query(server: DatabaseServer, text: string, database: string = DATABASE): Promise<unknown[]> {
    const client = new pg.Client({
      connectionString: this.#url(server, database),
      application_name: 'everyshare-nemesis',
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    await run(join(this.#programs.postgres, program), [...args], { cwd: '/', ...spawnIds(this.#user) });
  }
}

/** Waits until the server of this pid file has exited. A killed server leaves its file behind. */
async function untilExited(file: string): Promise<void> {
  for (let tries = 0; existsSync(file) && tries < 50; tries++) {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    if (!existsSync(`/proc/${pid}`)) return;
    await delay(100);
  }
}
