// What the nemesis can do to any PostgreSQL that runs: freeze it whole, shoot one backend, cut connections. How it is started,
// killed and brought back is each runner's own.

import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { RecordHappening } from '../chaos/process-runner.ts';

export abstract class PostgresControl {
  readonly #tell: RecordHappening;
  #frozen: readonly number[] = [];

  constructor(tell: RecordHappening) {
    this.#tell = tell;
  }

  /** Starts it, and gives the address for the program. */
  abstract start(): Promise<string>;
  /** kill -9; it is back, or another in its place, when this resolves. False: there was none. */
  abstract kill(): Promise<boolean>;
  /** Shut down as an operator does, and started again on the same data. False: there was none. */
  abstract restart(how: 'fast' | 'immediate'): Promise<boolean>;
  abstract heal(): Promise<void>;
  abstract close(keep: boolean): Promise<void>;
  /** Of the postmaster that serves now; null: there is none at the moment. */
  protected abstract pid(): Promise<number | null>;
  /** Straight to it, past any pooler. */
  protected abstract address(): string;

  async freeze(): Promise<boolean> {
    const pid = await this.pid();
    if (pid === null || this.#frozen.length > 0) return false;
    this.#frozen = [pid, ...childrenOf(pid)];
    this.say('stop', `${this.#frozen.length} processes`, pid);
    for (const one of this.#frozen) signal(one, 'SIGSTOP');
    return true;
  }

  async thaw(): Promise<void> {
    if (this.#frozen.length === 0) return;
    const [pid] = this.#frozen;
    // The postmaster last: until then it makes no new ones.
    for (const one of [...this.#frozen].reverse()) signal(one, 'SIGCONT');
    this.#frozen = [];
    this.say('continue', undefined, pid);
  }

  async killBackend(nth: number): Promise<boolean> {
    const victims = await this.#backends();
    const pid = victims[nth % Math.max(1, victims.length)];
    if (pid === undefined || this.#frozen.length > 0) return false;
    this.say('kill backend', undefined, pid);
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
    this.say('cut', `${cut.length} connections`);
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

  protected say(what: Parameters<RecordHappening>[0]['what'], detail?: string, pid?: number): void {
    this.#tell({
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
