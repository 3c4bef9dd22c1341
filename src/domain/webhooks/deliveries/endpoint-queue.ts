// One run of the queue of one endpoint: sends the deliveries that are due, a few at a time, and records the outcomes in
// batches. The run holds a lease with a token: a worker with a stale lease token writes nothing. Untried deliveries go
// before retries, and an event that the endpoint refuses delays no other event. A failing endpoint gets fewer attempts
// at a time; one that does not answer is probed. An attempt that was not recorded is repeated: at-least-once delivery.

import { type MonotonicClock, systemMonotonicClock } from '../../../base/clock.ts';
import { type Db, isTemporary, isUnavailable, type Queryable } from '../../../base/db.ts';
import type { PollInterval } from '../../../base/distribution/poll-interval.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Log } from '../../../base/log.ts';
import type { Random } from '../../../base/random.ts';
import type { Seal } from '../../../base/seal.ts';
import type { WorkSignal } from '../../../base/work-signal.ts';
import { disableDeadEndpoint } from '../disable.ts';
import { attemptAt } from '../inbox/receive.ts';
import type { Attempt, AttemptServices } from './attempt.ts';
import type { DispatchSignal } from './dispatch-signal.ts';
import {
  type AttemptOutcome,
  type DueDelivery,
  dueDeliveries,
  type EndpointQueue,
  endDeliveries,
  type QueueUpdate,
  type RecordResult,
  recordAttempts,
} from './queries.ts';
import { backoffAfter, isProbed, nextAttemptAt, paceOf, SLOW_MS } from './schedule.ts';
import { openSecrets } from './signature.ts';
import type { TraceAttempt } from './trace-attempt.ts';

export interface QueueServices extends AttemptServices {
  readonly db: Db;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly log: Log;
  readonly random: Random;
  readonly dispatchSignal?: DispatchSignal;
  /** Of a distributed database: it looks rarely while nothing is due, until there may be work. */
  readonly idlePolling?: { readonly pace: PollInterval; readonly workSignal: WorkSignal };
  /** Called each time the loop has looked for due queues, so that a loop that hangs is noticed. */
  readonly onTurn?: () => void;
  /** Called when the run of a queue has ended, and when the loop has looked and nothing runs: for the metrics. */
  readonly onRound?: (round: { readonly rows: number; readonly seconds: number; readonly isFailed: boolean }) => void;
  /** Makes each attempt a span of its event's trace. Absent: there are no traces. */
  readonly traceAttempt?: TraceAttempt;
  /** Called with the result of each attempt: for the metrics. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Replaces the system’s monotonic clock in tests and simulations. */
  readonly monotonicClock?: MonotonicClock;
}

export const LEASE_MS = 30_000;
/** An attempt starts only if this much of the lease is left: enough for its time-out and for recording it. */
const ATTEMPT_RESERVE_MS = 15_000;
const MAX_CONCURRENT = 8;
const MAX_CONCURRENT_FAILING = 4;
/** Attempts in a row without an answer that end the run of an endpoint that answered before: it frees its slot. */
const MAX_UNANSWERED_PER_RUN = 8;
/** With 400 in a statement the database needs a fifth less time for each delivery than with 100. */
const FETCH_LIMIT = 400;
/** How many deliveries of a disabled endpoint one run ends. */
const MAX_ENDED = 10_000;
/** The run fetches more before its buffer is empty, so that sending does not wait for the database. */
const FETCH_BELOW = 100;
const WRITE_BATCH = 400;
const WRITE_INTERVAL_MS = 1_000;
const MAX_ATTEMPTS_PER_RUN = 2_000;
const MAX_RUN_MS = 10_000;
/** How long a worker that shuts down waits for responses. */
const SHUTDOWN_GRACE_MS = 2_000;
const PROGRESS_POLL_MS = 100;
/** Pause between two attempts to write while the database is unavailable. */
const DB_RETRY_MS = 250;

/** Returns how many attempts were made and recorded. Calls `onSlow` as soon as the endpoint turns out to be slow. */
export async function processQueue(
  services: QueueServices,
  queue: EndpointQueue,
  signal: AbortSignal,
  onSlow: () => void = () => undefined,
): Promise<number> {
  return new QueueRun(services, queue, signal, onSlow).run();
}

type Sendable = DueDelivery & { readonly body: string };

class QueueRun {
  readonly #services: QueueServices;
  readonly #monotonicClock: MonotonicClock;
  readonly #queue: EndpointQueue;
  readonly #signal: AbortSignal;
  readonly #onSlow: () => void;
  readonly #secrets: readonly string[];
  readonly #startedAt: number;
  #waiting: Sendable[] = [];
  /** Deliveries in flight, with the time at which each started, oldest first. */
  readonly #inFlight = new Map<string, number>();
  #finished: AttemptOutcome[] = [];
  /** Attempts in a row without an answer, those of earlier runs included. */
  #unanswered: number;
  #unansweredInRun = 0;
  /** The last attempt that ended was not delivered. */
  #isFailing: boolean;
  #sent = 0;
  #recorded = 0;
  #leaseEndsAt: number;
  #writtenAt: number;
  #hasMore = true;
  #isEnding = false;
  #isLeaseLost = false;
  #isSlow = false;
  #wake: (() => void) | null = null;

  constructor(services: QueueServices, queue: EndpointQueue, signal: AbortSignal, onSlow: () => void) {
    const now = services.clock.now();
    this.#services = services;
    this.#monotonicClock = services.monotonicClock ?? systemMonotonicClock;
    this.#queue = queue;
    this.#signal = signal;
    this.#onSlow = onSlow;
    this.#secrets = openSecrets(services.seal, queue);
    this.#unanswered = queue.unanswered;
    this.#isFailing = queue.unanswered > 0;
    this.#startedAt = this.#monotonicClock.now();
    this.#writtenAt = this.#startedAt;
    this.#leaseEndsAt = now + LEASE_MS;
  }

  async run(): Promise<number> {
    if (this.#queue.status === 'disabled') {
      await this.#endDeliveries('endpoint_disabled');
      await this.#write(true);
      return 0;
    }
    let shutdownAt: number | null = null;
    for (;;) {
      if (this.#shouldFetch()) await this.#fetch();
      this.#startAttempts();
      if (this.#isLeaseLost || (this.#inFlight.size === 0 && (this.#isEnding || this.#waiting.length === 0))) break;
      if (this.#signal.aborted) shutdownAt ??= this.#monotonicClock.now();
      if (shutdownAt !== null && this.#monotonicClock.now() - shutdownAt > SHUTDOWN_GRACE_MS) break;
      await this.#waitForProgress();
      this.#detectSlowness();
      if (this.#shouldWrite()) await this.#write(false);
    }
    if (!this.#isLeaseLost) await this.#write(true);
    return this.#recorded;
  }

  #shouldFetch(): boolean {
    const isProbing = isProbed(this.#unanswered) && this.#inFlight.size + this.#waiting.length > 0;
    return !this.#isEnding && !this.#isLeaseLost && this.#hasMore && !isProbing && this.#waiting.length < FETCH_BELOW;
  }

  async #fetch(): Promise<void> {
    if (this.#finished.length > 0) await this.#write(false);
    if (this.#isLeaseLost) return;
    // A probe is the newest untried delivery; if it is answered, the next fetch gets all that wait, oldest first.
    const limit = isProbed(this.#unanswered) ? 1 : FETCH_LIMIT;
    const now = this.#services.clock.now();
    try {
      const found = await dueDeliveries(this.#services.db, this.#queue, now, limit, this.#knownKeys());
      this.#hasMore = found.length === limit;
      const sendable = found.filter((delivery): delivery is Sendable => delivery.body !== null);
      this.#waiting.push(...sendable);
      if (sendable.length < found.length) await this.#endDeliveries(null);
    } catch (error) {
      if (!isUnavailable(error) || this.#inFlight.size === 0) throw error;
      // Attempts in flight still finish and are recorded.
      this.#hasMore = false;
      this.#services.log.warn(
        { endpoint: this.#queue.endpointId, err: error },
        'the worker could not fetch more deliveries; it finishes those in flight',
      );
    }
  }

  #knownKeys(): string[] {
    return [...this.#inFlight.keys(), ...[...this.#waiting, ...this.#finished].map(({ createdAt }) => createdAt)];
  }

  /** Ends the deliveries whose 72 hours are over; with a `reason`, ends all deliveries that wait. */
  async #endDeliveries(reason: string | null): Promise<void> {
    const now = this.#services.clock.now();
    const result = await this.#disableIfDead(now, (tx) =>
      endDeliveries(tx, this.#queue, now, MAX_ENDED, this.#knownKeys(), reason),
    );
    if (result === 'dead') this.#stopSending();
  }

  /** Disables the endpoint in the same transaction if the work shows that it is dead. */
  #disableIfDead(now: number, work: (tx: Queryable) => Promise<RecordResult>): Promise<RecordResult> {
    return this.#services.db.transaction(async (tx) => {
      const result = await work(tx);
      if (result === 'dead') await disableDeadEndpoint(tx, this.#services, this.#queue, now);
      return result;
    });
  }

  /** Attempts in flight finish; no other starts. */
  #stopSending(): void {
    this.#isEnding = true;
    this.#waiting = [];
  }

  /** Starts as many attempts as may be in flight. Called again whenever one has ended. */
  #startAttempts(): void {
    const { clock } = this.#services;
    this.#isEnding ||=
      this.#signal.aborted ||
      this.#sent >= MAX_ATTEMPTS_PER_RUN ||
      this.#monotonicClock.now() - this.#startedAt > MAX_RUN_MS;
    while (!this.#isEnding && !this.#isLeaseLost && this.#inFlight.size < this.#maxInFlight()) {
      // Too little of the lease is left: the next write extends it.
      if (clock.now() + ATTEMPT_RESERVE_MS > this.#leaseEndsAt) return;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#sent += 1;
      this.#inFlight.set(next.createdAt, this.#monotonicClock.now());
      void this.#send(next);
    }
  }

  #maxInFlight(): number {
    if (isProbed(this.#unanswered)) return 1;
    return this.#isFailing ? MAX_CONCURRENT_FAILING : MAX_CONCURRENT;
  }

  async #send(delivery: Sendable): Promise<void> {
    try {
      const { traceAttempt } = this.#services;
      const attempt = () => attemptAt(this.#services, this.#queue, this.#secrets, delivery.body);
      const result = await (traceAttempt?.(this.#queue, delivery.createdAt, attempt) ?? attempt());
      this.#services.onAttempt?.(result);
      this.#finished.push(this.#outcome(delivery, result));
    } catch (error) {
      // The result is unknown, so nothing is recorded and the delivery stays due.
      this.#isEnding = true;
      this.#services.log.warn(
        { endpoint: this.#queue.endpointId, err: error },
        'an attempt was aborted; the delivery stays due',
      );
    }
    this.#inFlight.delete(delivery.createdAt);
    this.#startAttempts();
    // Wakes the loop only if it has work: a batch to write, more to fetch, or the end of the run.
    if (this.#inFlight.size === 0 || this.#finished.length >= WRITE_BATCH || this.#shouldFetch()) this.#wake?.();
  }

  #outcome({ createdAt, tries, endsAt }: DueDelivery, result: Attempt): AttemptOutcome {
    const { clock, random } = this.#services;
    const { status: httpStatus, error, response, durationMs, at } = result;
    this.#countAnswer(result);
    if (result.delivered) {
      return { createdAt, endsAt, httpStatus, error, response, durationMs, at, status: 'delivered', dueAt: null };
    }
    const jitter = random.bytes(2).readUInt16BE() / 0xffff;
    const dueAt = nextAttemptAt({
      tries: tries + 1,
      now: clock.now(),
      endsAt,
      retryAfter: result.retryAfter,
      random: jitter,
    });
    const status = dueAt === null ? 'failed' : 'pending';
    return { createdAt, endsAt, httpStatus, error, response, durationMs, at, status, dueAt };
  }

  /** Only a missing answer slows down the whole queue. An error, also one with Retry-After, is about its own event. */
  #countAnswer({ delivered, answered }: Attempt): void {
    this.#isFailing = !delivered;
    this.#unanswered = answered ? 0 : this.#unanswered + 1;
    this.#unansweredInRun = answered ? 0 : this.#unansweredInRun + 1;
    const wasAnswering = this.#queue.unanswered === 0;
    if (isProbed(this.#unanswered) || (wasAnswering && this.#unansweredInRun >= MAX_UNANSWERED_PER_RUN))
      this.#isEnding = true;
  }

  /** An endpoint is slow if its oldest attempt in flight has lasted SLOW_MS. */
  #detectSlowness(): void {
    const [since] = this.#inFlight.values();
    if (this.#isSlow || since === undefined || this.#monotonicClock.now() - since < SLOW_MS) return;
    this.#isSlow = true;
    this.#onSlow();
  }

  /** Resolves when an attempt has ended or a tick has passed. */
  #waitForProgress(): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = this.#monotonicClock.schedule(PROGRESS_POLL_MS, resolve);
      this.#wake = () => {
        cancelTimer();
        resolve();
      };
    });
  }

  #shouldWrite(): boolean {
    const elapsed = this.#monotonicClock.now() - this.#writtenAt;
    if (this.#finished.length > 0) return this.#finished.length >= WRITE_BATCH || elapsed >= WRITE_INTERVAL_MS;
    return this.#leaseEndsAt - this.#services.clock.now() < ATTEMPT_RESERVE_MS;
  }

  /** Records the outcomes so far, and extends or releases the lease. */
  async #write(shouldRelease: boolean): Promise<void> {
    const outcomes = this.#finished;
    this.#finished = [];
    const now = this.#services.clock.now();
    const unanswered = this.#unanswered;
    const availableAt = now + (shouldRelease ? backoffAfter(unanswered) : LEASE_MS);
    const pace = paceOf(unanswered, this.#isSlow);
    const update = { now, availableAt, unanswered, pace, isReleased: shouldRelease };
    const result = await this.#recordWithRetry(update, outcomes);
    this.#writtenAt = this.#monotonicClock.now();
    if (result === 'stale' || result === 'dead') this.#stopSending();
    if (result !== 'lost') {
      this.#leaseEndsAt = availableAt;
      this.#recorded += outcomes.length;
      return;
    }
    this.#isLeaseLost = true;
    const { endpointId, leaseToken } = this.#queue;
    this.#services.log.warn(
      { endpoint: endpointId, leaseToken, outcomes: outcomes.length },
      'the lease token is stale; the outcomes are not recorded',
    );
  }

  /** Retries while the database is unavailable and the lease lasts, so that a short outage does not repeat attempts. */
  async #recordWithRetry(update: QueueUpdate, outcomes: readonly AttemptOutcome[]): Promise<RecordResult> {
    const { clock, log } = this.#services;
    for (;;) {
      try {
        return await this.#record(update, outcomes);
      } catch (error) {
        const canRetry = isTemporary(error) || (isUnavailable(error) && !this.#signal.aborted);
        if (!canRetry || clock.now() > this.#leaseEndsAt) throw error;
        log.warn({ endpoint: this.#queue.endpointId, err: error }, 'recording outcomes failed; the worker retries it');
        await new Promise<void>((resolve) => this.#monotonicClock.schedule(DB_RETRY_MS, resolve));
      }
    }
  }

  #record(update: QueueUpdate, outcomes: readonly AttemptOutcome[]): Promise<RecordResult> {
    if (outcomes.every(({ status }) => status !== 'failed'))
      return recordAttempts(this.#services.db, this.#queue, update, outcomes);
    return this.#disableIfDead(update.now, (tx) => recordAttempts(tx, this.#queue, update, outcomes));
  }
}
