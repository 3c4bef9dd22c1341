// The nemesis: a process of its own that runs all others and makes their lives hard, by a plan from the seed. It starts
// again what it kills, writes down what happened, and takes everything with it when it ends or when its parent is gone.

import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresControl } from '../support/postgres-control.ts';
import { PostgresRunner } from '../support/postgres-runner.ts';
import { PairRunner } from './pair-runner.ts';
import type { Action, Planned } from './plan.ts';
import { ProcessRunner, type RecordHappening } from './process-runner.ts';
import type { RunSetup } from './run-setup.ts';
import type { Happening } from './timeline.ts';

export type Order =
  | { readonly order: 'set up'; readonly setup: RunSetup }
  | { readonly order: 'begin'; readonly plan: readonly Planned[] }
  | { readonly order: 'quiet' }
  | { readonly order: 'end'; readonly keep: boolean };

export type Report =
  | { readonly report: 'up'; readonly databaseUrl: string }
  | { readonly report: 'quiet' }
  | { readonly report: 'ended' }
  | { readonly report: 'broken'; readonly why: string }
  | { readonly report: 'happened'; readonly happening: Happening };

/** A part that was killed is back after some seconds, a long stop may take longer. */
const INSIST_MS = 20_000;

class Nemesis {
  readonly #stage: RunSetup;
  readonly #postgres: PostgresControl;
  #parts = new Map<string, ProcessRunner>();
  #quiet = false;
  #pending = new Set<Promise<void>>();

  constructor(setup: RunSetup) {
    this.#stage = setup;
    const folder = join(setup.scratch, 'database');
    const tell: RecordHappening = (one) => this.tell(one);
    this.#postgres = setup.pair === null ? new PostgresRunner(folder, tell) : new PairRunner(folder, setup.pair, tell);
  }

  tell(happening: Omit<Happening, 'at'>): void {
    const whole: Happening = { at: Date.now(), ...happening };
    appendFileSync(join(this.#stage.folder, 'timeline.jsonl'), `${JSON.stringify(whole)}\n`);
    send({ report: 'happened', happening: whole });
  }

  async setUp(): Promise<string> {
    const url = await this.#postgres.start();
    const { processes: parts, folder } = this.#stage;
    const starting: Promise<void>[] = [];
    for (const [place, part] of parts.entries()) {
      const runner = new ProcessRunner(part, { DATABASE_URL: url }, folder, (one) => this.tell(one));
      this.#parts.set(part.name, runner);
      runner.start();
      starting.push(runner.heal());
      // The bank is there before it is told things, and the first server migrates the database; the rest start together.
      if (place < 2) await Promise.all(starting);
    }
    await Promise.all(starting);
    return url;
  }

  async run(plan: readonly Planned[]): Promise<void> {
    const began = Date.now();
    for (const { at, kind, deed } of plan) {
      await delay(Math.max(0, began + at - Date.now()));
      if (this.#quiet) return;
      const doing: Promise<void> = this.#insist(kind, deed)
        .catch((error: unknown) => this.tell({ who: deed.target, what: 'trouble', detail: String(error) }))
        .finally(() => this.#pending.delete(doing));
      this.#pending.add(doing);
    }
  }

  /** Whoever is down or stopped at the moment is tried again for a while. */
  async #insist(kind: string, deed: Action): Promise<void> {
    const until = Date.now() + INSIST_MS;
    do {
      if (await this.#do(deed)) {
        this.tell({ who: deed.target, what: 'done', detail: kind });
        return;
      }
      await this.#wait(500);
    } while (!this.#quiet && Date.now() <= until);
    this.tell({ who: deed.target, what: 'skipped', detail: kind });
  }

  /** False: there was nobody to do it to. */
  async #do(deed: Action): Promise<boolean> {
    const part = this.#parts.get(deed.target);
    let done = true;
    switch (deed.act) {
      case 'kill':
        if (deed.target === 'postgres') done = await this.#postgres.kill();
        else done = part?.end('SIGKILL', deed.downMs) ?? false;
        break;
      case 'term':
        done = part?.end('SIGTERM', deed.downMs) ?? false;
        break;
      case 'stop':
        done = deed.target === 'postgres' ? await this.#postgres.freeze() : (part?.stop() ?? false);
        if (!done) break;
        await this.#wait(deed.forMs);
        if (deed.target === 'postgres') await this.#postgres.thaw();
        else part?.continue();
        break;
      case 'restart':
        done = await this.#postgres.restart(deed.how);
        break;
      case 'kill backend':
        done = await this.#postgres.killBackend(deed.nth);
        break;
      case 'cut':
        done = await this.#postgres.cut(deed.share);
        break;
      case 'mood':
        // They are the parent's: it hears this and does it.
        this.tell({ who: 'receivers', what: 'faults', detail: deed.mood });
        await this.#wait(deed.forMs);
        this.tell({ who: 'receivers', what: 'faults over' });
        break;
      case 'faults':
        done = await this.#faults(deed.settings);
        if (!done) break;
        this.tell({ who: 'processor', what: 'faults', detail: JSON.stringify(deed.settings) });
        await this.#wait(deed.forMs);
        await this.#faults(null);
        this.tell({ who: 'processor', what: 'faults over' });
        break;
    }
    return done;
  }

  /** Ends early when it becomes quiet. */
  async #wait(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (!this.#quiet && Date.now() < until) await delay(Math.min(50, until - Date.now()));
  }

  async #faults(settings: unknown): Promise<boolean> {
    const { processorUrl, processorSecrets } = this.#stage;
    try {
      const answer = await fetch(`${processorUrl}/sandbox/faults`, {
        method: settings === null ? 'DELETE' : 'PUT',
        headers: { authorization: `Bearer ${processorSecrets.test}` },
        ...(settings === null ? {} : { body: JSON.stringify(settings) }),
        signal: AbortSignal.timeout(2_000),
      });
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** Everything up, nothing in the way. */
  async becomeQuiet(): Promise<void> {
    this.#quiet = true;
    await Promise.all([...this.#pending]);
    await this.#postgres.heal();
    await Promise.all([...this.#parts.values()].map((part) => part.heal()));
    for (let tries = 0; !(await this.#faults(null)); tries++) {
      if (tries > 20) throw new Error('the card processor does not take its faults back');
      await delay(200);
    }
    this.tell({ who: 'nemesis', what: 'quiet' });
  }

  async end(keep: boolean): Promise<void> {
    this.#quiet = true;
    await Promise.all([...this.#parts.values()].map((part) => part.close()));
    await this.#postgres.close(keep);
    if (!keep) rmSync(this.#stage.scratch, { recursive: true, force: true });
  }

  slay(): void {
    for (const part of this.#parts.values()) part.slay();
  }
}

function send(report: Report): void {
  if (process.connected) process.send?.(report, () => undefined);
}

export function runNemesis(): void {
  let nemesis: Nemesis | null = null;
  let ending: Promise<void> | null = null;
  const end = (keep: boolean): Promise<void> => {
    ending ??= nemesis?.end(keep) ?? Promise.resolve();
    return ending;
  };
  const take = async (order: Order): Promise<void> => {
    if (order.order === 'set up') {
      nemesis = new Nemesis(order.setup);
      send({ report: 'up', databaseUrl: await nemesis.setUp() });
    } else if (order.order === 'begin') await nemesis?.run(order.plan);
    else if (order.order === 'quiet') {
      await nemesis?.becomeQuiet();
      send({ report: 'quiet' });
    } else {
      await end(order.keep);
      send({ report: 'ended' });
      process.disconnect();
    }
  };
  process.on('message', (order: Order) => {
    take(order).catch((error: unknown) => {
      send({ report: 'broken', why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
  });
  // The parent is gone, in whatever way: nothing of ours outlives it.
  process.on('disconnect', () => {
    void end(false).finally(() => process.exit(0));
  });
  process.on('exit', () => nemesis?.slay());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end(false).finally(() => process.exit(1)));
  }
}
