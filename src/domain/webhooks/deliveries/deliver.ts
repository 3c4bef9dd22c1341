// The two worker loops of webhooks. Dispatch turns each event into one delivery for each endpoint that subscribes to
// it. Delivery leases endpoint queues that are due and runs them concurrently, up to a fixed number for
// each pace: a long run delays no other run, and a run that turns out to be slow counts among the slow ones from then on.

import { LEASE_MS, processQueue, type QueueServices } from './endpoint-queue.ts';
import { claimQueues, dispatchEvents, type EndpointQueue } from './queries.ts';
import { PACES, type Pace } from './schedule.ts';

/** Concurrent runs in a worker, by pace. */
const MAX_RUNS_BY_PACE: Readonly<Record<Pace, number>> = { quick: 64, slow: 32, failing: 16, dead: 16 };
const POLL_MS = 250;
/** After so many looks in vain, and with nothing running, the loop of a distributed database looks rarely. */
const MAX_EMPTY_POLLS = 3;
/** The loop waits this long after a run ends, so that runs that end together cause one query. New deliveries do not wait. */
const DEBOUNCE_MS = 10;

/** One step of the dispatch loop. Returns how many events were dispatched. */
export async function dispatchDue(
  { db, clock, dispatchSignal: signal }: Pick<QueueServices, 'db' | 'clock' | 'dispatchSignal'>,
  batch: number,
): Promise<number> {
  const dispatched = await dispatchEvents(db, clock.now(), batch);
  if (dispatched > 0) signal?.notify();
  return dispatched;
}

/** Runs each queue that is due now once. Returns how many attempts were made. */
export async function deliverDue(services: QueueServices, signal: AbortSignal): Promise<number> {
  const now = services.clock.now();
  const queues = await claimQueues(services.db, now, now + LEASE_MS, MAX_RUNS_BY_PACE);
  const counts = await Promise.all(queues.map((queue) => processQueue(services, queue, signal)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Delivers until the worker shuts down or the database fails; runs in progress end first. Returns how many attempts
 * were made.
 */
export async function deliverUntilStopped(services: QueueServices, signal: AbortSignal): Promise<number> {
  return new DeliveryLoop(services, signal).run();
}

interface Run {
  pace: Pace;
  readonly ended: Promise<void>;
}

class DeliveryLoop {
  readonly #services: QueueServices;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Run>();
  readonly #used: Record<Pace, number> = { quick: 0, slow: 0, failing: 0, dead: 0 };
  #attempts = 0;
  #emptyPolls = 0;
  /** Dispatch has created deliveries since the last poll. */
  #isNotified = false;
  /** Ends the pause shortly; `#pollNow` ends it at once. */
  #wake: (() => void) | null = null;
  #pollNow: (() => void) | null = null;

  constructor(services: QueueServices, signal: AbortSignal) {
    this.#services = services;
    this.#signal = signal;
  }

  async run(): Promise<number> {
    this.#services.dispatchSignal?.subscribe(() => {
      this.#isNotified = true;
      this.#pollNow?.();
    });
    const unsubscribe = this.#services.idlePolling?.workSignal.subscribe(() => {
      const wasIdle = this.#isIdle;
      this.#emptyPolls = 0;
      if (wasIdle) this.#pollNow?.();
    });
    try {
      while (!this.#signal.aborted) {
        this.#isNotified = false;
        const beganAt = performance.now();
        const claimed = await this.#claimMore();
        if (this.#running.size === 0) this.#observe(0, beganAt, false);
        this.#services.onTurn?.();
        if (this.#isNotified) continue;
        this.#emptyPolls = claimed > 0 || this.#running.size > 0 ? 0 : this.#emptyPolls + 1;
        const shouldPollSoon = claimed > 0 && this.#used.quick < MAX_RUNS_BY_PACE.quick;
        await this.#pause(shouldPollSoon ? DEBOUNCE_MS : this.#pollMs);
      }
    } finally {
      unsubscribe?.();
      this.#services.dispatchSignal?.subscribe(null);
      await Promise.all([...this.#running].map(({ ended }) => ended));
    }
    return this.#attempts;
  }

  get #isIdle(): boolean {
    return this.#services.idlePolling !== undefined && this.#emptyPolls >= MAX_EMPTY_POLLS;
  }

  get #pollMs(): number {
    const { idlePolling } = this.#services;
    return this.#isIdle ? Math.max(POLL_MS, (idlePolling?.pace.idleSeconds ?? 0) * 1000) : POLL_MS;
  }

  async #claimMore(): Promise<number> {
    const { db, clock } = this.#services;
    const free = { ...MAX_RUNS_BY_PACE };
    for (const pace of PACES) free[pace] -= this.#used[pace];
    if (PACES.every((pace) => free[pace] <= 0)) return 0;
    const now = clock.now();
    const queues = await claimQueues(db, now, now + LEASE_MS, free);
    for (const queue of queues) this.#start(queue);
    return queues.length;
  }

  #start(queue: EndpointQueue): void {
    const { pace } = queue;
    const beganAt = performance.now();
    const ended = processQueue(this.#services, queue, this.#signal, () => this.#moveToSlow(run))
      .then((count) => {
        this.#attempts += count;
        this.#observe(count, beganAt, false);
      })
      .catch((error: unknown) => {
        this.#observe(0, beganAt, true);
        this.#services.log.error(
          { endpoint: queue.endpointId, err: error },
          'the run of an endpoint queue failed; its deliveries stay due',
        );
      })
      .finally(() => {
        this.#running.delete(run);
        this.#used[run.pace] -= 1;
        this.#wake?.();
      });
    const run: Run = { pace, ended };
    this.#running.add(run);
    this.#used[pace] += 1;
  }

  #observe(rows: number, beganAt: number, isFailed: boolean): void {
    this.#services.onRound?.({ rows, seconds: (performance.now() - beganAt) / 1000, isFailed });
  }

  /** Counts a run that turned out to be slow among the slow ones, if their number allows it. */
  #moveToSlow(run: Run): void {
    if (run.pace !== 'quick' || this.#used.slow >= MAX_RUNS_BY_PACE.slow) return;
    this.#used.quick -= 1;
    this.#used.slow += 1;
    run.pace = 'slow';
    this.#wake?.();
  }

  /** Waits this long, or until dispatch notifies, or until shortly after a run ends. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false;
      const finish = (): void => {
        // A timer of a run that ended in an earlier pause must not take away what ends the next one.
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', finish);
        this.#wake = null;
        this.#pollNow = null;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      this.#wake = () => void setTimeout(finish, DEBOUNCE_MS);
      this.#pollNow = finish;
      this.#signal.addEventListener('abort', finish);
    });
  }
}
