// PostgreSQL under the nemesis's hand, with its durability on: killed with -9 and started on the same data at once, frozen
// whole, one backend shot, connections cut.

import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findCluster } from '../../src/sandbox/postgres/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/sandbox/postgres/embedded.ts';
import type { Tell } from './part-runner.ts';

export class PostgresRunner {
  readonly #dataDir: string;
  readonly #tell: Tell;
  #running: EmbeddedPostgres | null = null;
  #starting: Promise<void> = Promise.resolve();
  #frozen: readonly number[] = [];

  constructor(dataDir: string, tell: Tell) {
    this.#dataDir = dataDir;
    this.#tell = tell;
  }

  async start(): Promise<string> {
    this.#say('start');
    this.#running = await startEmbeddedPostgres({ dataDir: this.#dataDir });
    await requireDurability(this.#running.url);
    this.#say('ready', undefined, (await this.#pid()) ?? undefined);
    return this.#running.url;
  }

  /** kill -9 of the postmaster; its children see that and end. Started again on the same data at once. */
  async kill(): Promise<void> {
    await this.#starting;
    await this.thaw();
    const pid = await this.#pid();
    if (pid === null) return;
    this.#say('kill', undefined, pid);
    process.kill(pid, 'SIGKILL');
    this.#say('exit', 'SIGKILL', pid);
    this.#starting = this.#startAgain();
    await this.#starting;
  }

  async #startAgain(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await this.start();
        return;
      } catch (error) {
        this.#say('trouble', error instanceof Error ? error.message : String(error));
        if (tries >= 4) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  async freeze(): Promise<boolean> {
    const pid = await this.#pid();
    if (pid === null || this.#frozen.length > 0) return false;
    this.#frozen = [pid, ...childrenOf(pid)];
    this.#say('stop', `${this.#frozen.length} processes`, pid);
    for (const one of this.#frozen) signal(one, 'SIGSTOP');
    return true;
  }

  async thaw(): Promise<void> {
    if (this.#frozen.length === 0) return;
    const [pid] = this.#frozen;
    // The postmaster last: until then it makes no new ones.
    for (const one of [...this.#frozen].reverse()) signal(one, 'SIGCONT');
    this.#frozen = [];
    this.#say('continue', undefined, pid);
  }

  async killBackend(nth: number): Promise<boolean> {
    const victims = await this.#backends();
    const pid = victims[nth % Math.max(1, victims.length)];
    if (pid === undefined || this.#frozen.length > 0) return false;
    this.#say('kill backend', undefined, pid);
    signal(pid, 'SIGKILL');
    return true;
  }

  async cut(share: number): Promise<boolean> {
    const cut = await this.#ask<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name like 'everyshare-%'
         and application_name <> 'everyshare-chaos' and random() < ${share}`,
    );
    if (cut === null) return false;
    this.#say('cut', `${cut.length} connections`);
    return true;
  }

  async #backends(): Promise<number[]> {
    const rows = await this.#ask<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`,
    );
    return rows?.map(({ pid }) => pid) ?? [];
  }

  /** Null: it does not answer at the moment. */
  async #ask<R extends pg.QueryResultRow>(text: string): Promise<R[] | null> {
    const client = new pg.Client({
      connectionString: this.#running?.url ?? '',
      connectionTimeoutMillis: 1_000,
      query_timeout: 1_000,
      application_name: 'everyshare-nemesis',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<R>(text)).rows;
    } catch {
      return null;
    } finally {
      client.end().catch(() => undefined);
    }
  }

  async heal(): Promise<void> {
    await this.thaw();
    await this.#starting;
  }

  async close(keep: boolean): Promise<void> {
    await this.thaw();
    await this.#starting.catch(() => undefined);
    await this.#running?.stop().catch(() => undefined);
    this.#say('exit', 'stopped');
    if (keep) return;
    // It may have settled elsewhere, where its user can go.
    const cluster = await findCluster(this.#dataDir).catch(() => null);
    if (cluster !== null) await rm(cluster.place, { recursive: true, force: true });
  }

  async #pid(): Promise<number | null> {
    const cluster = await findCluster(this.#dataDir).catch(() => null);
    if (cluster === null) return null;
    try {
      return Number(readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
    } catch {
      return null;
    }
  }

  #say(what: Parameters<Tell>[0]['what'], detail?: string, pid?: number): void {
    this.#tell({
      who: 'postgres',
      what,
      ...(detail === undefined ? {} : { detail }),
      ...(pid === undefined ? {} : { pid }),
    });
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

/** By the process table of Linux; elsewhere only the postmaster is frozen. */
function childrenOf(parent: number): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === parent);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

async function requireDurability(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')",
    );
    const off = rows.filter(({ setting }) => setting !== 'on').map(({ name }) => name);
    if (rows.length !== 3 || off.length > 0) throw new Error(`durability is off: ${off.join(', ')}`);
  } finally {
    await client.end();
  }
}
