// Two PostgreSQL servers, Debian's, the second a synchronous standby of the first, behind PgBouncer in transaction mode. To
// kill is to promote: the primary dies by kill -9, the standby takes its place, PgBouncer is pointed at it, and a new standby
// is made from it. What was committed was on both, so nothing that anybody was told of may be lost.

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
import type { RecordHappening } from './process-runner.ts';

const run = promisify(execFile);

const USER = 'everyshare';
const DATABASE = 'everyshare';
const PASSWORD = 'of a database that lives as long as this run';
const PLACES = [
  { name: 'a', port: 5432 },
  { name: 'b', port: 5433 },
] as const;
type Place = (typeof PLACES)[number];

export interface PairPrograms {
  /** The folder with initdb, pg_ctl and pg_basebackup. */
  readonly postgres: string;
  readonly pgbouncer: string;
}

const VERSIONS = '/usr/lib/postgresql';
const COPIES = 10;

/** Null: they are not here and cannot be installed, which was said. */
export function findPairPrograms(): PairPrograms | null {
  const folders = (): string[] =>
    (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(VERSIONS, version, 'bin'));
  const hasAll = (): string | undefined => folders().find((folder) => existsSync(join(folder, 'pg_basebackup')));
  if (hasAll() === undefined) debianProgram('postgresql', ['/usr/bin/pg_ctlcluster']);
  const postgres = hasAll();
  const pgbouncer = findPgBouncer();
  return postgres === undefined || pgbouncer === null ? null : { postgres, pgbouncer };
}

export class PairRunner extends PostgresControl {
  readonly #folder: string;
  readonly #programs: PairPrograms;
  #user: RunUser | null = null;
  #bouncer: PgBouncer | null = null;
  #primary: Place = PLACES[0];
  #changing: Promise<void> = Promise.resolve();
  /** Whether the other follows the primary, and can take its place. */
  #isFollowed = false;

  constructor(folder: string, programs: PairPrograms, tell: RecordHappening) {
    super(tell);
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
    await this.#ask(this.#primary, `create database ${DATABASE}`, 'postgres');
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
    return this.#inTurn(() => this.#promote());
  }

  async restart(how: 'fast' | 'immediate'): Promise<boolean> {
    return this.#inTurn(async () => {
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

  /** One change at a time. */
  async #inTurn(change: () => Promise<boolean>): Promise<boolean> {
    const changing = this.#changing.then(change);
    this.#changing = changing.then(
      () => undefined,
      () => undefined, // Whoever asked for it is told, and the next one finds what is left.
    );
    return changing;
  }

  async #promote(): Promise<boolean> {
    await this.thaw();
    // Nobody is killed without a successor.
    if (!this.#isFollowed) await this.#addStandby();
    const pid = await this.pid();
    if (pid === null) return false;
    this.say('kill', 'the primary', pid);
    this.#isFollowed = false;
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

  /** However often a crash of the primary breaks the copy off. */
  async #addStandby(): Promise<void> {
    for (let tries = 1; tries <= COPIES; tries++) {
      try {
        await this.#copyPrimary();
        return;
      } catch (error) {
        if (tries === COPIES) throw error;
        const half = this.#data(this.#other(this.#primary));
        await this.#run('pg_ctl', ['stop', '-D', half, '-m', 'immediate', '-w']).catch(() => undefined); // It may not run yet.
        await delay(1_000);
      }
    }
  }

  /** A copy of the primary that follows it; from then on a commit waits until both have it. (The copy is made before
   * that is set: whoever is promoted waits for nobody until it has a standby of its own.) */
  async #copyPrimary(): Promise<void> {
    const standby = this.#other(this.#primary);
    const data = this.#data(standby);
    await gone(this.#postmasterFile(standby));
    await rm(data, { recursive: true, force: true });
    const from = ['-h', this.#sockets, '-p', String(this.#primary.port), '-U', USER];
    await this.#run('pg_basebackup', ['-D', data, ...from, '-R', '-X', 'stream', '-c', 'fast']);
    await this.#startServer(standby);
    const following = "select 1 from pg_stat_replication where state = 'streaming'";
    for (let tries = 0; (await this.#ask(this.#primary, following)).length === 0; tries++) {
      if (tries > 300) throw new Error('the standby does not follow');
      await delay(100);
    }
    await this.#ask(this.#primary, "alter system set synchronous_standby_names = '*'");
    await this.#ask(this.#primary, 'select pg_reload_conf()');
    this.#isFollowed = true;
  }

  async #startServer(place: Place): Promise<void> {
    const data = this.#data(place);
    const settings = [
      "listen_addresses=''",
      `unix_socket_directories='${this.#sockets}'`,
      `port=${place.port}`,
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
      join(this.#folder, `${place.name}.log`),
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
    for (const place of PLACES) {
      await this.#run('pg_ctl', ['stop', '-D', this.#data(place), '-m', 'immediate', '-w']).catch(() => undefined);
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

  #data(place: Place): string {
    return join(this.#folder, place.name);
  }

  #postmasterFile(place: Place): string {
    return join(this.#data(place), 'postmaster.pid');
  }

  #other(place: Place): Place {
    return place === PLACES[0] ? PLACES[1] : PLACES[0];
  }

  #url({ port }: Place, database: string): string {
    return `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(this.#sockets)}&port=${port}&sslmode=disable`;
  }

  async #ask(place: Place, text: string, database: string = DATABASE): Promise<unknown[]> {
    const client = new pg.Client({
      connectionString: this.#url(place, database),
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

  async #run(program: string, words: readonly string[]): Promise<void> {
    await run(join(this.#programs.postgres, program), [...words], { cwd: '/', ...spawnIds(this.#user) });
  }
}

/** The dead leave their file behind; the living take theirs along. */
async function gone(file: string): Promise<void> {
  for (let tries = 0; existsSync(file) && tries < 50; tries++) {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    if (!existsSync(`/proc/${pid}`)) return;
    await delay(100);
  }
}
