// Runs a Citus cluster of three PostgreSQL servers, a coordinator and two workers, over which `everyshare distribute` has
// spread the tables. kill() kills one of them (SIGKILL), each in its turn, and starts it again on the same data. Citus
// ends what the crash left prepared, so no acknowledged change may be lost, and none may be there in part.

import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type CitusNode, runStatements, startCitusNodes } from '../support/citus-cluster.ts';
import { PostgresControl, signal } from '../support/postgres-control.ts';
import { requireDurability } from '../support/postgres-runner.ts';
import type { RecordTimelineEvent } from './process-runner.ts';
import type { Env } from './run-setup.ts';

const run = promisify(execFile);
const DATABASE = 'everyshare';
/** How long a killed server stays away, one after the other. */
const DOWN_MS = [0, 1_000, 4_000];

export interface CitusSetup {
  /** The folder with the programs of a PostgreSQL that has Citus. */
  readonly bin: string;
  /** The built program: `everyshare distribute` migrates the database too. */
  readonly main: string;
  readonly env: Env;
}

export class CitusRunner extends PostgresControl {
  readonly #folder: string;
  readonly #setup: CitusSetup;
  #nodes: readonly CitusNode[] = [];
  /** How many servers were killed or restarted. */
  #turn = 0;
  #changing: Promise<void> = Promise.resolve();

  constructor(folder: string, setup: CitusSetup, record: RecordTimelineEvent) {
    super(record);
    this.#folder = folder;
    this.#setup = setup;
  }

  async start(): Promise<string> {
    this.say('start');
    this.#nodes = await startCitusNodes(this.#setup.bin, this.#folder, { isDurable: true });
    for (const node of this.#nodes) {
      await runStatements(node.url(), [`create database ${DATABASE}`]);
      await runStatements(node.url(DATABASE), ['create extension citus']);
      await requireDurability(node.url(DATABASE));
    }
    const [, ...workers] = this.#nodes;
    const distributed = workers.flatMap(({ port }) => ['--worker', `127.0.0.1:${port}`]);
    const env = { ...this.#setup.env, PATH: process.env.PATH, DATABASE_URL: this.address() };
    await run(process.execPath, [this.#setup.main, 'distribute', ...distributed], { env, cwd: '/' });
    this.say('ready', undefined, (await this.pid()) ?? undefined);
    return this.address();
  }

  async kill(): Promise<boolean> {
    return this.#endAndStart('kill', (pid) => signal(pid, 'SIGKILL'), DOWN_MS[this.#turn % DOWN_MS.length] ?? 0);
  }

  async restart(how: 'fast' | 'immediate'): Promise<boolean> {
    return this.#endAndStart('restart', (_pid, node) => node.stop(how), 0);
  }

  /** One at a time. The next fault is that of another server. */
  async #endAndStart(
    what: 'kill' | 'restart',
    end: (pid: number, node: CitusNode) => void | Promise<void>,
    downMs: number,
  ): Promise<boolean> {
    const previous = this.#changing;
    let wasRunning = false;
    const change = async (): Promise<void> => {
      await previous;
      await this.thaw();
      const node = this.#current();
      const pid = node?.pid() ?? null;
      if (node === undefined || pid === null) return;
      wasRunning = true;
      this.say(what, node.name, pid);
      await end(pid, node);
      this.say('exit', node.name, pid);
      await delay(downMs);
      await startAgain(node);
      this.#turn += 1;
      this.say('ready', node.name, node.pid() ?? undefined);
    };
    const changing = change();
    this.#changing = changing.catch(() => undefined); // The caller gets the error.
    await changing;
    return wasRunning;
  }

  async heal(): Promise<void> {
    await this.thaw();
    await this.#changing;
    for (const node of this.#nodes) if (node.pid() === null) await startAgain(node);
  }

  async close(keep: boolean): Promise<void> {
    await this.thaw();
    await this.#changing;
    for (const node of this.#nodes) if (node.pid() !== null) await node.stop('immediate');
    this.say('exit', 'stopped');
    if (!keep) await rm(this.#folder, { recursive: true, force: true });
  }

  protected async pid(): Promise<number | null> {
    return this.#current()?.pid() ?? null;
  }

  protected address(): string {
    return this.#nodes[0]?.url(DATABASE) ?? '';
  }

  /** The workers come before the coordinator: a run that is short kills one of them first. */
  #current(): CitusNode | undefined {
    const [coordinator, ...workers] = this.#nodes;
    return [...workers, coordinator][this.#turn % this.#nodes.length];
  }
}

/** The children of a killed postmaster may still hold its shared memory. */
async function startAgain(node: CitusNode): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await node.start();
      return;
    } catch (error) {
      if (tries === 10) throw error;
      await delay(500);
    }
  }
}
