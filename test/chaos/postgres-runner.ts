// PostgreSQL under the nemesis's hand, with its durability on: killed with -9 and started on the same data at once.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findCluster } from '../../src/sandbox/postgres/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/sandbox/postgres/embedded.ts';
import type { Tell } from './part-runner.ts';
import { PostgresHand } from './postgres-hand.ts';

export class PostgresRunner extends PostgresHand {
  readonly #dataDir: string;
  #running: EmbeddedPostgres | null = null;
  #starting: Promise<void> = Promise.resolve();

  constructor(dataDir: string, tell: Tell) {
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
  async kill(): Promise<void> {
    await this.#starting;
    await this.thaw();
    const pid = await this.pid();
    if (pid === null) return;
    this.say('kill', undefined, pid);
    process.kill(pid, 'SIGKILL');
    this.say('exit', 'SIGKILL', pid);
    this.#starting = this.#startAgain();
    await this.#starting;
  }

  async #startAgain(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await this.start();
        return;
      } catch (error) {
        this.say('trouble', error instanceof Error ? error.message : String(error));
        if (tries >= 4) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
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
    if (cluster !== null) await rm(cluster.place, { recursive: true, force: true });
  }

  protected async pid(): Promise<number | null> {
    const cluster = await findCluster(this.#dataDir).catch(() => null);
    if (cluster === null) return null;
    try {
      return Number(readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
    } catch {
      return null;
    }
  }
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
