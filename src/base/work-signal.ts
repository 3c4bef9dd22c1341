// Says that work may have become due, so that the worker's loops look at once instead of at their next turn: to the loops of
// this process directly, and to other processes by a notification of PostgreSQL. It only saves time: the tables hold the
// work, and every loop looks at them regularly anyway. So a notification may be lost, and behind a pooler, where no
// session can listen, there are none.

import { type MonotonicClock, systemMonotonicClock } from './clock.ts';
import { type Db, isUnavailable, type Queryable } from './db.ts';
import type { Log } from './log.ts';

const CHANNEL = 'everyshare_work';
/** PostgreSQL commits notifications one after another, so a busy server sends few: on average this far apart. */
const GAP_MS = 25;
/** So many go at once after a rest: the event of a completed party follows the notification of its last hold. */
const BURST = 4;

export class WorkSignal {
  readonly #listeners = new Set<() => void>();
  readonly #outside: { readonly db: Queryable; readonly log: Log } | null;
  /** From this time on, the average gap is kept again. */
  #averageKeptAt = Number.NEGATIVE_INFINITY;
  readonly #clock: Pick<MonotonicClock, 'now'>;
  #timer: NodeJS.Timeout | null = null;

  /** Null: other processes are not notified. */
  constructor(
    outside: { readonly db: Queryable; readonly log: Log } | null = null,
    clock: Pick<MonotonicClock, 'now'> = systemMonotonicClock,
  ) {
    this.#outside = outside;
    this.#clock = clock;
  }

  /** The loops of this process, and of all others. Never waits. */
  notify(): void {
    this.wake();
    if (this.#outside === null || this.#timer !== null) return;
    const waitMs = this.#averageKeptAt - (BURST - 1) * GAP_MS - this.#clock.now();
    if (waitMs <= 0) this.#send();
    else this.#timer = setTimeout(() => this.#send(), waitMs).unref();
  }

  /** The loops of this process. */
  wake(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Returns what ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #send(): void {
    this.#timer = null;
    this.#averageKeptAt = Math.max(this.#averageKeptAt, this.#clock.now()) + GAP_MS;
    this.#outside?.db.query("select pg_notify($1, '')", [CHANNEL]).catch((error: unknown) => {
      // Of an outage others report; the loops look again by themselves.
      if (!isUnavailable(error)) this.#outside?.log.warn({ err: error }, 'the server could not notify the workers');
    });
  }
}

/** Wakes the loops of this process when another one notifies, until the database is closed. */
export function listenForWork({ listen }: Db, signal: WorkSignal): void {
  listen?.(CHANNEL, () => signal.wake());
}
