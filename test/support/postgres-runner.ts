// PostgreSQL under the nemesis's hand, with its durability on: killed with -9, or asked to
// end, and started on the same data at once.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import type { RecordHappening } from '../chaos/process-runner.ts';
import { PostgresControl, signal } from './postgres-control.ts';

export class PostgresRunner extends PostgresControl {
  readonly #dataDir: string;
  #running: EmbeddedPostgres | null = null;
  #starting: Promise<void> = Promise.resolve();

  constructor(dataDir: string, tell: RecordHappening) {
    super(tell);
    this.#dataDir = dataDir;
  }

  async start(): Promise<string> {
    this.say('start');
    this.#running = await startEmbeddedPostgres({ dataDir: this.#dataDir });
    await requireDurability(this.#running.url);
    this.say('ready', undefined, (await this.pid()) ?? undefined);
    return this.#running.url;
  }

  /** kill -9 of the postmaster; its children see that and end. Started again on the same data at once. */
  async kill(): Promise<boolean> {
    return this.#endAndStart('kill', 'SIGKILL');
  }

  async restart(how: 'fast' | 'immediate'): Promise<boolean> {
    return this.#endAndStart('restart', how === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** One at a time: whoever comes while it is being started waits, and then it is their turn. */
  async #endAndStart(what: 'kill' | 'restart', name: NodeJS.Signals): Promise<boolean> {
    const before = this.#starting;
    let done = false;
    const turn = async (): Promise<void> => {
      await before;
      await this.thaw();
      const pid = await this.pid();
      if (pid === null) return;
      done = true;
      this.say(what, name, pid);
      signal(pid, name);
      if (what === 'restart') await gone(pid);
      this.say('exit', name, pid);
      await this.#startAgain();
    };
    this.#starting = turn();
    await this.#starting;
    return done;
  }

  async #startAgain(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await this.start();
        return;
      } catch (error) {
        this.say('trouble', error instanceof Error ? error.message : String(error));
        if (tries >= 4) throw error;
        await delay(500);
      }
    }
  }

  protected address(): string {
    return this.#running?.url ?? '';
  }

  async heal(): Promise<void> {
    await this.thaw();
    await this.#starting;
  }

  async close(keep: boolean): Promise<void> {
    await this.thaw();
    await this.#starting.catch(() => undefined);
    await this.#running?.stop().catch(() => undefined);
    this.say('exit', 'stopped');
    if (keep) return;
    // It may have settled elsewhere, where its user can go.
    const cluster = await findCluster(this.#dataDir).catch(() => null);
    if (cluster !== null) await rm(cluster.folder, { recursive: true, force: true });
  }

  protected async pid(): Promise<number | null> {
    const cluster = await findCluster(this.#dataDir).catch(() => null);
    if (cluster === null) return null;
    try {
      return Number(readFileSync(join(cluster.pgdata, 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
    } catch {
      return null;
    }
  }
}

/** Asked to end, it takes its file along; one that does not end in time is a trouble of its own. */
async function gone(pid: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await delay(100);
  }
  throw new Error(`PostgreSQL (${pid}) was asked to end and did not`);
}

export async function requireDurability(url: string): Promise<void> {
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
