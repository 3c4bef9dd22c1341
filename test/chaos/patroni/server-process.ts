// A program of the cluster (etcd, HAProxy, Patroni) as a process of an ordinary user, with its output in a log file.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type RunUser, spawnIds } from '../../../sandbox/postgres/user.ts';
import { signal } from '../../support/postgres-control.ts';
import type { RecordTimelineEvent } from '../process-runner.ts';

export interface ServerProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly user: RunUser | null;
  readonly logs: string;
  readonly record: RecordTimelineEvent;
}

const MAX_STOP_MS = 10_000;

export class ServerProcess {
  readonly name: string;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #options: ServerProcessOptions;
  #child: ChildProcess | null = null;

  constructor(name: string, program: string, args: readonly string[], options: ServerProcessOptions) {
    this.name = name;
    this.#program = program;
    this.#args = args;
    this.#options = options;
  }

  /** Null: it does not run. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    if (this.#child !== null) return;
    const { env, user, logs, record } = this.#options;
    const { PATH = '' } = process.env;
    const log = openSync(join(logs, `${this.name}.log`), 'a');
    const child = spawn(this.#program, [...this.#args], {
      cwd: '/',
      env: { PATH, HOME: '/', LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', log, log],
      ...spawnIds(user),
    });
    closeSync(log);
    this.#child = child;
    record({ who: this.name, what: 'start', ...(child.pid === undefined ? {} : { pid: child.pid }) });
    child.once('error', (error) => record({ who: this.name, what: 'error', detail: error.message }));
    child.once('exit', (code, name) => {
      if (this.#child === child) this.#child = null;
      record({ who: this.name, what: 'exit', detail: name ?? `code ${code}` });
    });
  }

  kill(): void {
    const pid = this.pid;
    this.#child = null;
    if (pid !== null) signal(pid, 'SIGKILL');
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS);
    await exited;
    clearTimeout(timer);
  }
}
