// One turn on the lane to one endpoint: sends what is due, a few at a time, and writes down in batches what came of it. The
// turn is leased and fenced: whoever wakes after the lease writes nothing. An endpoint that fails is given less and less,
// one that hangs holds nobody up but itself. What was sent and not written down is sent again: at least once.

import { type Stopwatch, systemStopwatch } from '../../../base/clock.ts';
import { type Db, isTemporary, isUnavailable, type Queryable } from '../../../base/db.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Log } from '../../../base/log.ts';
import type { Random } from '../../../base/random.ts';
import type { Seal } from '../../../base/seal.ts';
import { disableDeadEndpoint } from '../disable.ts';
import { type Attempt, type AttemptParts, attempt } from './attempt.ts';
import type { DispatchSignal } from './dispatch-signal.ts';
import {
  type DueDelivery,
  dueDeliveries,
  type EndpointQueue,
  endDeliveries,
  type Outcome,
  type QueueUpdate,
  type RecordResult,
  recordAttempts,
} from './queries.ts';
import { DEAD_AFTER, nextTry, paceOf, restAfter, SLOW_MS } from './schedule.ts';
import { openSecrets } from './signature.ts';

export interface QueueServices extends AttemptParts {
  readonly db: Db;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly log: Log;
  readonly random: Random;
  readonly dispatchSignal?: DispatchSignal;
  /** Instead of the machine's own. */
  readonly stopwatch?: Stopwatch;
}

export const LEASE_MS = 30_000;
/** Of the lease that must be left for one more attempt: its time-out, and writing it down. */
const ATTEMPT_MS = 15_000;
const AT_ONCE = 8;
const AT_ONCE_FAILING = 4;
/** Failures in a row after which a turn ends: of a healthy endpoint, a failing one, and one that is only knocked at. */
const ALLOWED = { healthy: 8, failing: 20, dead: 1 };
const FETCHED = 200;
/** Of those that wait for a disabled endpoint. */
const ENDED_AT_ONCE = 10_000;
/** More is fetched in time, so that sending does not wait for the database. */
const FETCH_BELOW = 100;
const WRITTEN = 100;
const WRITE_EVERY_MS = 1_000;
const MOST_IN_A_TURN = 2_000;
const TURN_MS = 10_000;
const LONGEST_WISHED_REST = 15 * 60_000;
/** How long a worker that stops waits for answers. */
const PATIENCE_MS = 2_000;
const TICK_MS = 100;
/** Between two tries to write while the database is away. */
const WAIT_MS = 250;

/** Answers how many attempts were made and written down. Tells, while it goes on, that the endpoint is a slow one. */
export async function processQueue(
  services: QueueServices,
  lane: EndpointQueue,
  signal: AbortSignal,
  isSlow: () => void = () => undefined,
): Promise<number> {
  return new QueueRun(services, lane, signal, isSlow).run();
}

type Sendable = DueDelivery & { readonly body: string };

class QueueRun {
  readonly #parts: QueueServices;
  readonly #stopwatch: Stopwatch;
  readonly #lane: EndpointQueue;
  readonly #signal: AbortSignal;
  readonly #isSlow: () => void;
  readonly #secrets: readonly string[];
  readonly #allowed: number;
  readonly #beganAt: number;
  #queue: Sendable[] = [];
  /** Since when. */
  readonly #underWay = new Map<string, number>();
  #finished: Outcome[] = [];
  #failures: number;
  #failedHere = 0;
  #sent = 0;
  #written = 0;
  #leaseEnds: number;
  #writtenAt: number;
  #mayHaveMore = true;
  #ending = false;
  #lost = false;
  #slow = false;
  #wishedRest = 0;
  #wake: (() => void) | null = null;

  constructor(services: QueueServices, lane: EndpointQueue, signal: AbortSignal, isSlow: () => void) {
    const now = services.clock.now();
    this.#parts = services;
    this.#stopwatch = services.stopwatch ?? systemStopwatch;
    this.#lane = lane;
    this.#signal = signal;
    this.#isSlow = isSlow;
    this.#secrets = openSecrets(services.seal, lane);
    this.#failures = lane.failures;
    this.#allowed = lane.failures === 0 ? ALLOWED.healthy : lane.failures < DEAD_AFTER ? ALLOWED.failing : ALLOWED.dead;
    this.#beganAt = this.#stopwatch.now();
    this.#writtenAt = this.#beganAt;
    this.#leaseEnds = now + LEASE_MS;
  }

  async run(): Promise<number> {
    if (this.#lane.status === 'disabled') {
      await this.#end('endpoint_disabled');
      await this.#write(true);
      return 0;
    }
    let stoppedAt: number | null = null;
    for (;;) {
      if (this.#wantsMore()) await this.#fetch();
      this.#start();
      if (this.#lost || (this.#underWay.size === 0 && (this.#ending || this.#queue.length === 0))) break;
      if (this.#signal.aborted) stoppedAt ??= this.#stopwatch.now();
      if (stoppedAt !== null && this.#stopwatch.now() - stoppedAt > PATIENCE_MS) break;
      await this.#somethingHappens();
      this.#noticeSlowness();
      if (this.#isTimeToWrite()) await this.#write(false);
    }
    if (!this.#lost) await this.#write(true);
    return this.#written;
  }

  #wantsMore(): boolean {
    return !this.#ending && !this.#lost && this.#mayHaveMore && this.#queue.length < FETCH_BELOW;
  }

  async #fetch(): Promise<void> {
    if (this.#finished.length > 0) await this.#write(false);
    if (this.#lost) return;
    try {
      const found = await dueDeliveries(this.#parts.db, this.#lane, this.#parts.clock.now(), FETCHED, this.#known());
      this.#mayHaveMore = found.length === FETCHED;
      const sendable = found.filter((one): one is Sendable => one.body !== null);
      this.#queue.push(...sendable);
      if (sendable.length < found.length) await this.#end(null);
    } catch (error) {
      if (!isUnavailable(error) || this.#underWay.size === 0) throw error;
      // What is under way comes to its end, and is written down.
      this.#mayHaveMore = false;
      this.#parts.log.warn({ endpoint: this.#lane.endpointId, err: error }, 'no more is fetched for now');
    }
  }

  #known(): string[] {
    return [...this.#underWay.keys(), ...[...this.#queue, ...this.#finished].map(({ createdAt }) => createdAt)];
  }

  /** Of what can no longer be tried, or of all that waits. */
  async #end(over: string | null): Promise<void> {
    const now = this.#parts.clock.now();
    const found = await this.#orDisable(now, (tx) =>
      endDeliveries(tx, this.#lane, now, ENDED_AT_ONCE, this.#known(), over),
    );
    if (found === 'dead') this.#stop();
  }

  /** Should that be the end of the endpoint, both are told at once. */
  #orDisable(now: number, work: (tx: Queryable) => Promise<RecordResult>): Promise<RecordResult> {
    return this.#parts.db.transaction(async (tx) => {
      const found = await work(tx);
      if (found === 'dead') await disableDeadEndpoint(tx, this.#parts, this.#lane, now);
      return found;
    });
  }

  /** What is under way comes to its end; nothing else is begun. */
  #stop(): void {
    this.#ending = true;
    this.#queue = [];
  }

  /** As many as may be under way. Called again whenever one has ended. */
  #start(): void {
    const { clock } = this.#parts;
    this.#ending ||=
      this.#signal.aborted || this.#sent >= MOST_IN_A_TURN || this.#stopwatch.now() - this.#beganAt > TURN_MS;
    while (!this.#ending && !this.#lost && this.#underWay.size < this.#atOnce()) {
      // Too little of the lease is left: it is prolonged when what has ended is written.
      if (clock.now() + ATTEMPT_MS > this.#leaseEnds) return;
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#sent += 1;
      this.#underWay.set(next.createdAt, this.#stopwatch.now());
      void this.#send(next);
    }
  }

  #atOnce(): number {
    if (this.#failures === 0) return AT_ONCE;
    return this.#failures < DEAD_AFTER ? AT_ONCE_FAILING : 1;
  }

  async #send(delivery: Sendable): Promise<void> {
    try {
      const made = await attempt(this.#parts, this.#lane.url, this.#secrets, delivery.body);
      this.#finished.push(this.#outcome(delivery, made));
    } catch (error) {
      // Nothing is known of it, so nothing is written: it stays due.
      this.#ending = true;
      this.#parts.log.warn({ endpoint: this.#lane.endpointId, err: error }, 'a delivery was broken off');
    }
    this.#underWay.delete(delivery.createdAt);
    this.#start();
    // Otherwise there is nothing to do but to wait for more.
    if (this.#underWay.size === 0 || this.#finished.length >= WRITTEN || this.#wantsMore()) this.#wake?.();
  }

  #outcome({ createdAt, tries, endsAt }: DueDelivery, made: Attempt): Outcome {
    const { clock, random } = this.#parts;
    const { status: code, error, response, durationMs, at } = made;
    if (made.delivered) {
      this.#failures = 0;
      this.#failedHere = 0;
      return { createdAt, endsAt, code, error, response, durationMs, at, status: 'delivered', dueAt: null };
    }
    this.#failures += 1;
    this.#failedHere += 1;
    if (made.retryAfter !== null)
      this.#wishedRest = Math.max(this.#wishedRest, Math.min(made.retryAfter, LONGEST_WISHED_REST));
    if (this.#failedHere >= this.#allowed || this.#wishedRest > 0) this.#ending = true;
    const chance = random.bytes(2).readUInt16BE() / 0xffff;
    const dueAt = nextTry({ tries: tries + 1, now: clock.now(), endsAt, retryAfter: made.retryAfter, chance });
    const status = dueAt === null ? 'failed' : 'pending';
    return { createdAt, endsAt, code, error, response, durationMs, at, status, dueAt };
  }

  /** The oldest that is under way tells: they are in the order in which they began. */
  #noticeSlowness(): void {
    const [since] = this.#underWay.values();
    if (this.#slow || since === undefined || this.#stopwatch.now() - since < SLOW_MS) return;
    this.#slow = true;
    this.#isSlow();
  }

  /** An answer came, or a little time has passed. */
  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#stopwatch.after(TICK_MS, resolve);
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
  }

  #isTimeToWrite(): boolean {
    const since = this.#stopwatch.now() - this.#writtenAt;
    if (this.#finished.length > 0) return this.#finished.length >= WRITTEN || since >= WRITE_EVERY_MS;
    return this.#leaseEnds - this.#parts.clock.now() < ATTEMPT_MS;
  }

  /** Whatever has ended until now, and the lease: prolonged, or let go of. */
  async #write(isReleased: boolean): Promise<void> {
    const outcomes = this.#finished;
    this.#finished = [];
    const now = this.#parts.clock.now();
    const rest = Math.max(restAfter(this.#failures), this.#wishedRest);
    const freeAt = now + (isReleased ? rest : LEASE_MS);
    const pace = paceOf(this.#failures, this.#slow);
    const after = { now, freeAt, failures: this.#failures, pace, isReleased };
    const found = await this.#recordOrWait(after, outcomes);
    this.#writtenAt = this.#stopwatch.now();
    if (found === 'stale' || found === 'dead') this.#stop();
    if (found !== 'lost') {
      this.#leaseEnds = freeAt;
      this.#written += outcomes.length;
      return;
    }
    this.#lost = true;
    const { endpointId, leaseToken: turn } = this.#lane;
    this.#parts.log.warn({ endpoint: endpointId, turn, outcomes: outcomes.length }, 'another worker has the lane');
  }

  /** A database that is away for a moment costs nobody a second post: what is known is written when it is back. */
  async #recordOrWait(after: QueueUpdate, outcomes: readonly Outcome[]): Promise<RecordResult> {
    const { clock, log } = this.#parts;
    for (;;) {
      try {
        return await this.#record(after, outcomes);
      } catch (error) {
        const mayWait = isTemporary(error) || (isUnavailable(error) && !this.#signal.aborted);
        if (!mayWait || clock.now() > this.#leaseEnds) throw error;
        log.warn({ endpoint: this.#lane.endpointId, err: error }, 'what came of deliveries is written later');
        await new Promise<void>((resolve) => this.#stopwatch.after(WAIT_MS, resolve));
      }
    }
  }

  #record(after: QueueUpdate, outcomes: readonly Outcome[]): Promise<RecordResult> {
    if (outcomes.every(({ status }) => status !== 'failed'))
      return recordAttempts(this.#parts.db, this.#lane, after, outcomes);
    return this.#orDisable(after.now, (tx) => recordAttempts(tx, this.#lane, after, outcomes));
  }
}
