// Runs the worker's loops: after a full batch a loop continues immediately, else it sleeps for its interval, or until the
// work signal says that there may be work. A step that fails is retried after the interval. Says which loops have made no
// progress for long, so that a hanging worker is noticed.

import { setMaxListeners } from 'node:events';
import type { Loop, Round, WorkerServices } from './loop.ts';
import { LOOPS } from './loops.ts';

export interface RunningWorker {
  /** The loops that should have turned and did not: a step that hangs, or a timer that never came. */
  stalledLoops(): string[];
  /** For each loop: how long ago it turned, and after how long it counts as stalled, in seconds. */
  turnAges(): readonly TurnAge[];
  /** Waits for the current steps and starts no new ones. */
  close(): Promise<void>;
}

export interface TurnAge {
  readonly loop: string;
  readonly seconds: number;
  readonly maxSeconds: number;
}

/** Called after each step of a loop: for the metrics. */
export type ObserveStep = (step: Round & { readonly loop: string }) => void;

/** No step takes this long: calls to the processor and to partners have time-outs of seconds. */
const DEFAULT_MAX_STEP_SECONDS = 300;

export function startWorker(services: WorkerServices, observe: ObserveStep = () => undefined): RunningWorker {
  return runLoops(LOOPS, services, observe);
}

export function runLoops(
  loops: readonly Loop[],
  services: WorkerServices,
  observe: ObserveStep = () => undefined,
): RunningWorker {
  const stop = new AbortController();
  // Every loop adds a listener while it sleeps, so Node's warning about a leak would be wrong.
  setMaxListeners(0, stop.signal);
  const runs = loops.map((loop) => new LoopRun(loop, services, observe));
  const running = runs.map((run) => run.run(stop.signal));
  return {
    stalledLoops: () => runs.filter((run) => run.isStalled()).map(({ name }) => name),
    turnAges: () => runs.map((run) => run.turnAge()),
    async close() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

/** So many looks in a row may follow the last one at once, within this time: the first of them often comes too early. */
const MAX_EARLY_POLLS = 2;
const EARLY_POLLS_MS = 200;
/** After so many looks in vain a loop of a distributed database looks rarely. */
const MAX_EMPTY_POLLS = 3;

class LoopRun {
  readonly #loop: Loop;
  readonly #services: WorkerServices;
  readonly #observe: ObserveStep;
  /** By the monotonic clock, in milliseconds. */
  #turnedAt = performance.now();
  #isSleeping = false;
  /** There may be work since the last step began, as another loop or a request says. */
  #isNotified = false;
  /** The last step processed rows: perhaps there are more. */
  #hasWorked = false;
  /** When the last looks began that did not wait for `wakeMs`, by the monotonic clock. */
  #earlyLooks: number[] = [];
  #endSleep: (() => void) | null = null;
  #hasFailed = false;
  #emptyPolls = 0;

  constructor(loop: Loop, services: WorkerServices, observe: ObserveStep) {
    this.#loop = loop;
    this.#services = services;
    this.#observe = observe;
  }

  get name(): string {
    return this.#loop.name;
  }

  turnAge(): TurnAge {
    const { name: loop, intervalSeconds, maxStepSeconds = DEFAULT_MAX_STEP_SECONDS } = this.#loop;
    const maxSeconds = maxStepSeconds + (this.#isSleeping ? intervalSeconds + this.#idleMs / 1000 : 0);
    return { loop, seconds: (performance.now() - this.#turnedAt) / 1000, maxSeconds };
  }

  isStalled(): boolean {
    const { seconds, maxSeconds } = this.turnAge();
    return seconds > maxSeconds;
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#services.workSignal?.subscribe(() => this.#notify());
    while (!signal.aborted) {
      this.#turn();
      this.#isNotified = false;
      const rows = await this.#step(signal);
      this.#turn();
      if (rows >= this.#loop.batchSize) continue;
      this.#isSleeping = true;
      await this.#sleep(signal);
      const { yieldMs = 0 } = this.#loop;
      if (yieldMs > 0 && this.#isNotified) await this.#sleepFor(yieldMs, signal, false);
      this.#isSleeping = false;
    }
    unsubscribe?.();
  }

  /**
   * After a failed step for the whole interval. Otherwise a loop with `wakeMs` sleeps until notified, and at least that
   * long, unless it may look early.
   */
  async #sleep(signal: AbortSignal): Promise<void> {
    const { intervalSeconds } = this.#loop;
    const wakeMs = this.#wakeMs;
    const canWake = wakeMs !== undefined && !this.#hasFailed;
    if (wakeMs !== undefined) {
      const isEarly = canWake && this.#mayPollEarly();
      if (!isEarly || !this.#isNotified) await this.#sleepFor(wakeMs, signal, isEarly);
      if (isEarly && this.#isNotified) this.#earlyLooks.push(performance.now());
      if (canWake && (this.#isNotified || this.#hasWorked)) return;
    }
    await this.#sleepFor(intervalSeconds * 1000 - (wakeMs ?? 0), signal, canWake);
    if (!this.#isNotified && this.#idleMs > 0) await this.#sleepFor(this.#idleMs, signal, true);
  }

  /** A look that asks every shard is not made again at once. */
  get #wakeMs(): number | undefined {
    const { wakeMs } = this.#loop;
    return wakeMs === undefined ? undefined : Math.max(wakeMs, this.#services.pollInterval?.wakeMs ?? 0);
  }

  /** How long it sleeps beyond its interval, after several looks in vain. Whatever may be work for any loop ends that. */
  get #idleMs(): number {
    const { pollInterval } = this.#services;
    if (pollInterval === undefined || this.#emptyPolls < MAX_EMPTY_POLLS) return 0;
    return Math.max(0, pollInterval.idleSeconds - this.#loop.intervalSeconds) * 1000;
  }

  async #sleepFor(ms: number, signal: AbortSignal, canWake: boolean): Promise<void> {
    await sleep(ms, signal, (end) => {
      if (canWake) this.#endSleep = end;
    });
    this.#endSleep = null;
  }

  #mayPollEarly(): boolean {
    const since = performance.now() - EARLY_POLLS_MS;
    this.#earlyLooks = this.#earlyLooks.filter((at) => at > since);
    return this.#earlyLooks.length < MAX_EARLY_POLLS;
  }

  #notify(): void {
    this.#isNotified = true;
    this.#emptyPolls = 0;
    this.#endSleep?.();
  }

  #turn(): void {
    this.#turnedAt = performance.now();
  }

  #wakeOthers(): void {
    const isNotified = this.#isNotified;
    this.#services.workSignal?.wake();
    this.#isNotified = isNotified;
  }

  async #step(signal: AbortSignal): Promise<number> {
    const { name, batchSize, step, observesRounds = false } = this.#loop;
    const observe = (round: Round): void => this.#observe({ loop: name, ...round });
    const { log } = this.#services;
    const beganAt = performance.now();
    let rows = 0;
    this.#hasFailed = false;
    try {
      rows = await step(this.#services, batchSize, signal, () => this.#turn(), observe);
      if (rows > 0) log.info({ loop: name, rows }, 'the loop processed rows');
    } catch (error) {
      this.#hasFailed = true;
      log.error({ loop: name, err: error }, 'a loop’s step failed; the worker retries it');
    }
    if (!observesRounds || this.#hasFailed)
      observe({ rows, seconds: (performance.now() - beganAt) / 1000, isFailed: this.#hasFailed });
    this.#hasWorked = rows > 0;
    this.#emptyPolls = rows > 0 || this.#hasFailed ? 0 : this.#emptyPolls + 1;
    // What a step did is often work for another loop: captured money is an event to send.
    if (this.#hasWorked) this.#wakeOthers();
    return rows;
  }
}

/** Hands `onBegin` what ends the sleep early. */
function sleep(ms: number, signal: AbortSignal, onBegin: (end: () => void) => void = () => undefined): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish);
    onBegin(finish);
  });
}
