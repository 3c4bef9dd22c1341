// A PostgreSQL with durability on that the chaos test kills with -9 or shuts down, and that starts again on the same
// data at once.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import type { RecordTimelineEvent } from '../chaos/process-runner.ts';
import { PostgresControl, signal } from './postgres-control.ts';

export class PostgresRunner extends PostgresControl {
  readonly #dataDir: string;
  #running: EmbeddedPostgres | null = null;
  #starting: Promise<void> = Promise.resolve();

  constructor(dataDir: string, record: RecordTimelineEvent) {
    super(record);
    this.#dataDir = dataDir;
  }

  async start(): Promise<string> {
    this.say('start');
    this.#running = await startEmbeddedPostgres({ dataDir: this.#dataDir });
    await requireDurability(this.#running.url);
    this.say('ready', undefined, (await this.pid()) ?? undefined);
    return this.#running.url;
  }

  /** Kills the postmaster with -9; its children notice and exit. Starts it again on the same data. */
  async kill(): Promise<boolean> {
    return this.#endAndStart('kill', 'SIGKILL');
  }

  async restart(how: 'fast' | 'immediate'): Promise<boolean> {
    return this.#endAndStart('restart', how === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** One restart at a time: a second one waits until the first has finished, and then runs. */
  async #endAndStart(what: 'kill' | 'restart', name: NodeJS.Signals): Promise<boolean> {
    const previous = this.#starting;
    let wasRunning = false;
    const restart = async (): Promise<void> => {
      await previous;
      await this.thaw();
      const pid = await this.pid();
      if (pid === null) return;
      wasRunning = true;
      this.say(what, name, pid);
      signal(pid, name);
      if (what === 'restart') await waitForExit(pid);
      this.say('exit', name, pid);
      await this.#startAgain();
    };
    this.#starting = restart();
    await this.#starting;
    return wasRunning;
  }

  async #startAgain(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.start();
        return;
      } catch (error) {
        if (attempt >= 4) throw error;
        // The nemesis may have killed the backend of this start itself.
        this.say('exit', error instanceof Error ? error.message : String(error));
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
    // The cluster may be in another folder that its user can enter.
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

/** Waits until a PostgreSQL that was asked to shut down has exited, and fails after 30 seconds. */
async function waitForExit(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
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
    const disabled = rows.filter(({ setting }) => setting !== 'on').map(({ name }) => name);
    if (rows.length !== 3 || disabled.length > 0) throw new Error(`durability is off: ${disabled.join(', ')}`);
  } finally {
    await client.end();
  }
}
