// Faults that the chaos test injects into a running PostgreSQL: freeze all processes, kill one backend, terminate
// connections. Each runner starts, kills and restarts its PostgreSQL in its own way.

import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { RecordTimelineEvent } from '../chaos/process-runner.ts';

export abstract class PostgresControl {
  readonly #record: RecordTimelineEvent;
  #frozen: readonly number[] = [];

  constructor(record: RecordTimelineEvent) {
    this.#record = record;
  }

  /** Starts PostgreSQL and returns its URL for the program. */
  abstract start(): Promise<string>;
  /** kill -9. PostgreSQL, or another in its place, runs again when this resolves. False: none was running. */
  abstract kill(): Promise<boolean>;
  /** Shuts it down as an operator does, and starts it again on the same data. False: none was running. */
  abstract restart(how: 'fast' | 'immediate'): Promise<boolean>;
  abstract heal(): Promise<void>;
  abstract close(keep: boolean): Promise<void>;
  /** The process id of the current postmaster; null: none is running. */
  protected abstract pid(): Promise<number | null>;
  /** The URL of PostgreSQL itself, without a pooler. */
  protected abstract address(): string;

  async freeze(): Promise<boolean> {
    const pid = await this.pid();
    if (pid === null || this.#frozen.length > 0) return false;
    this.#frozen = [pid, ...childrenOf(pid)];
    this.say('stop', `${this.#frozen.length} processes`, pid);
    for (const processId of this.#frozen) signal(processId, 'SIGSTOP');
    return true;
  }

  async thaw(): Promise<void> {
    if (this.#frozen.length === 0) return;
    const [pid] = this.#frozen;
    // The postmaster continues last, so that it starts no backends before.
    for (const processId of [...this.#frozen].reverse()) signal(processId, 'SIGCONT');
    this.#frozen = [];
    this.say('continue', undefined, pid);
  }

  async killBackend(nth: number): Promise<boolean> {
    const backends = await this.#backends();
    const pid = backends[nth % Math.max(1, backends.length)];
    if (pid === undefined || this.#frozen.length > 0) return false;
    this.say('kill backend', undefined, pid);
    signal(pid, 'SIGKILL');
    return true;
  }

  async cut(share: number): Promise<boolean> {
    const terminated = await this.ask<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name like 'everyshare-%'
         and application_name <> 'everyshare-chaos' and random() < ${share}`,
    );
    if (terminated === null) return false;
    this.say('cut', `${terminated.length} connections`);
    return true;
  }

  async #backends(): Promise<number[]> {
    const rows = await this.ask<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`,
    );
    return rows?.map(({ pid }) => pid) ?? [];
  }

  /** Null: PostgreSQL does not answer now. */
  protected async ask<R extends pg.QueryResultRow>(text: string): Promise<R[] | null> {
    const client = new pg.Client({
      connectionString: this.address(),
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

  protected say(what: Parameters<RecordTimelineEvent>[0]['what'], detail?: string, pid?: number): void {
    this.#record({
      who: 'postgres',
      what,
      ...(detail === undefined ? {} : { detail }),
      ...(pid === undefined ? {} : { pid }),
    });
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has exited already.
  }
}

/** Reads /proc of Linux; on other systems only the postmaster is frozen. */
export function childrenOf(parent: number): number[] {
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
