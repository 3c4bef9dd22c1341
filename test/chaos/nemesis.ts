// The nemesis: a separate process that runs all others and disturbs them by the plan. It restarts what it kills,
// records every action in the timeline, and stops all processes when it ends or when its parent ends.

import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresControl } from '../support/postgres-control.ts';
import { PostgresRunner } from '../support/postgres-runner.ts';
import { CitusRunner } from './citus-runner.ts';
import { PairRunner } from './pair-runner.ts';
import { leaderFaults } from './patroni/leader-faults.ts';
import { PatroniRunner } from './patroni/runner.ts';
import type { Action, PlannedAction } from './plan.ts';
import { ProcessRunner, type RecordTimelineEvent } from './process-runner.ts';
import type { RunSetup } from './run-setup.ts';
import type { TimelineEvent } from './timeline.ts';

export type NemesisCommand =
  | { readonly command: 'start'; readonly setup: RunSetup }
  | { readonly command: 'run'; readonly plan: readonly PlannedAction[] }
  | { readonly command: 'heal' }
  | { readonly command: 'end'; readonly keep: boolean };

export type NemesisReport =
  | { readonly report: 'ready'; readonly databaseUrl: string }
  | { readonly report: 'healed' }
  | { readonly report: 'ended' }
  | { readonly report: 'failed'; readonly why: string }
  | { readonly report: 'event'; readonly event: TimelineEvent };

/** An action on a process that is down is tried for this long: a killed process is back after some seconds. */
const RETRY_ACTION_MS = 20_000;
/** Shorter than the time between a transfer and a later reversal. */
const PAY_OUT_EVERY_MS = 300;

class Nemesis {
  readonly #setup: RunSetup;
  readonly #postgres: PostgresControl;
  #runners = new Map<string, ProcessRunner>();
  #isEnding = false;
  #pending = new Set<Promise<void>>();

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.#postgres = this.#makePostgres(setup);
  }

  #makePostgres({ scratch, folder, program, sharedEnv, database }: RunSetup): PostgresControl {
    const data = join(scratch, 'database');
    const record: RecordTimelineEvent = (event) => this.record(event);
    if (database.kind === 'one server') return new PostgresRunner(data, record);
    if (database.kind === 'standby') return new PairRunner(data, database.programs, record);
    if (database.kind === 'citus')
      return new CitusRunner(
        data,
        { bin: database.bin, main: join(program, 'dist', 'main.js'), env: sharedEnv },
        record,
      );
    return new PatroniRunner(data, join(folder, 'logs'), database.programs, database.isSynchronous, record);
  }

  record(event: Omit<TimelineEvent, 'at'>): void {
    const timed: TimelineEvent = { at: Date.now(), ...event };
    appendFileSync(join(this.#setup.folder, 'timeline.jsonl'), `${JSON.stringify(timed)}\n`);
    send({ report: 'event', event: timed });
  }

  async startAll(): Promise<string> {
    const url = await this.#postgres.start();
    const { processes, folder } = this.#setup;
    const starting: Promise<void>[] = [];
    for (const [index, spec] of processes.entries()) {
      const runner = new ProcessRunner(spec, { DATABASE_URL: url }, folder, (event) => this.record(event));
      this.#runners.set(spec.name, runner);
      runner.start();
      starting.push(runner.heal());
      // The processor must be ready before the servers use it, and the first server migrates the database.
      if (index < 2) await Promise.all(starting);
    }
    await Promise.all(starting);
    return url;
  }

  async run(plan: readonly PlannedAction[]): Promise<void> {
    const startedAt = Date.now();
    if (this.#postgres instanceof PatroniRunner) this.#start('postgres', this.#failLeaders(this.#postgres));
    for (const { at, kind, action } of plan) {
      await delay(Math.max(0, startedAt + at - Date.now()));
      if (this.#isEnding) return;
      this.#start(action.target, this.#tryFor(kind, action));
    }
  }

  #start(target: string, work: Promise<void>): void {
    const running: Promise<void> = work
      .catch((error: unknown) => this.record({ who: target, what: 'error', detail: String(error) }))
      .finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }

  /** One fault of the leader after the other, until the nemesis ends. */
  async #failLeaders(cluster: PatroniRunner): Promise<void> {
    const { seed, database } = this.#setup;
    for (const fault of leaderFaults(seed, database.kind === 'patroni' && database.isSynchronous)) {
      if (this.#isEnding) return;
      if (await cluster.failLeader(fault)) this.record({ who: 'postgres', what: 'done', detail: fault.kind });
      await this.#wait(fault.quietMs);
    }
  }

  /** Repeats an action whose target is down or stopped at the moment. */
  async #tryFor(kind: string, action: Action): Promise<void> {
    const until = Date.now() + RETRY_ACTION_MS;
    do {
      if (await this.#do(action)) {
        this.record({ who: action.target, what: 'done', detail: kind });
        return;
      }
      await this.#wait(500);
    } while (!this.#isEnding && Date.now() <= until);
    this.record({ who: action.target, what: 'skipped', detail: kind });
  }

  /** Returns false if the target is not running. */
  async #do(action: Action): Promise<boolean> {
    const runner = this.#runners.get(action.target);
    let done = true;
    switch (action.act) {
      case 'kill':
        if (action.target === 'postgres') done = await this.#postgres.kill();
        else done = runner?.end('SIGKILL', action.downMs) ?? false;
        break;
      case 'term':
        done = runner?.end('SIGTERM', action.downMs) ?? false;
        break;
      case 'stop':
        done = action.target === 'postgres' ? await this.#postgres.freeze() : (runner?.stop() ?? false);
        if (!done) break;
        await this.#wait(action.forMs);
        if (action.target === 'postgres') await this.#postgres.thaw();
        else runner?.continue();
        break;
      case 'restart':
        done = await this.#postgres.restart(action.how);
        break;
      case 'kill backend':
        done = await this.#postgres.killBackend(action.nth);
        break;
      case 'cut':
        done = await this.#postgres.cut(action.fraction);
        break;
      case 'receiver behavior':
        // The receivers run in the parent, which changes their behavior when it gets this event.
        this.record({ who: 'receivers', what: 'faults', detail: action.behavior });
        await this.#wait(action.forMs);
        this.record({ who: 'receivers', what: 'faults over' });
        break;
      case 'faults':
        done = await this.#setFaults(action.settings);
        if (!done) break;
        this.record({ who: 'processor', what: 'faults', detail: JSON.stringify(action.settings) });
        await this.#wait(action.forMs);
        await this.#setFaults(null);
        this.record({ who: 'processor', what: 'faults over' });
        break;
      case 'pay out':
        done = await this.#payOutFor(action.forMs);
        break;
    }
    return done;
  }

  /** Returns false if the processor never answered. */
  async #payOutFor(ms: number): Promise<boolean> {
    let count = 0;
    for (const until = Date.now() + ms; !this.#isEnding && Date.now() < until; await this.#wait(PAY_OUT_EVERY_MS)) {
      if (await this.#callSandbox('POST', 'payouts', 'accounts=now')) count += 1;
    }
    if (count > 0) this.record({ who: 'processor', what: 'pay out', detail: `${count} times` });
    return count > 0;
  }

  /** Returns early when the nemesis is ending. */
  async #wait(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (!this.#isEnding && Date.now() < until) await delay(Math.min(50, until - Date.now()));
  }

  #setFaults(settings: unknown): Promise<boolean> {
    return settings === null
      ? this.#callSandbox('DELETE', 'faults')
      : this.#callSandbox('PUT', 'faults', JSON.stringify(settings));
  }

  /** Returns false if the processor did not do it. */
  async #callSandbox(method: 'PUT' | 'POST' | 'DELETE', name: string, body?: string): Promise<boolean> {
    const { processorUrl, processorSecrets } = this.#setup;
    try {
      const response = await fetch(`${processorUrl}/sandbox/${name}`, {
        method,
        headers: { authorization: `Bearer ${processorSecrets.test}` },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(2_000),
      });
      return response.ok;
    } catch {
      return false;
    }
  }

  /** Ends all actions, starts all processes and removes all faults. */
  async healAll(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#pending]);
    await this.#postgres.heal();
    await Promise.all([...this.#runners.values()].map((runner) => runner.heal()));
    for (let tries = 0; !(await this.#setFaults(null)); tries++) {
      if (tries > 20) throw new Error('the card processor does not remove its faults');
      await delay(200);
    }
    this.record({ who: 'nemesis', what: 'healed' });
  }

  async end(keep: boolean): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#runners.values()].map((runner) => runner.close()));
    await this.#postgres.close(keep);
    if (!keep) rmSync(this.#setup.scratch, { recursive: true, force: true });
  }

  killAll(): void {
    for (const runner of this.#runners.values()) runner.kill();
    if (this.#postgres instanceof PatroniRunner) this.#postgres.killAll();
  }
}

function send(report: NemesisReport): void {
  if (process.connected) process.send?.(report, () => undefined);
}

export function runNemesis(): void {
  let nemesis: Nemesis | null = null;
  let ending: Promise<void> | null = null;
  const end = (keep: boolean): Promise<void> => {
    ending ??= nemesis?.end(keep) ?? Promise.resolve();
    return ending;
  };
  const handle = async (message: NemesisCommand): Promise<void> => {
    if (message.command === 'start') {
      nemesis = new Nemesis(message.setup);
      send({ report: 'ready', databaseUrl: await nemesis.startAll() });
    } else if (message.command === 'run') await nemesis?.run(message.plan);
    else if (message.command === 'heal') {
      await nemesis?.healAll();
      send({ report: 'healed' });
    } else {
      await end(message.keep);
      send({ report: 'ended' });
      process.disconnect();
    }
  };
  process.on('message', (message: NemesisCommand) => {
    handle(message).catch((error: unknown) => {
      send({ report: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
  });
  // The parent has ended: no process of the nemesis may outlive it.
  process.on('disconnect', () => {
    void end(false).finally(() => process.exit(0));
  });
  process.on('exit', () => nemesis?.killAll());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end(false).finally(() => process.exit(1)));
  }
}
