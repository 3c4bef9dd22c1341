// Tells the open pages of a server that their checkout has changed. All pages of the server share one loop, and the loop
// reads the marks of all followed checkouts in one statement: how many pages are open does not change how often the
// database is asked. The loop runs while a page is open. It says that something changed, never what: the page reads that.

import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import type { ServerSentEvent } from '../../../base/operation.ts';
import { type CheckoutMark, type FollowedCheckout, readMarks } from './change-queries.ts';

export interface ChangeServices {
  readonly db: Queryable;
  readonly log: Log;
}

const POLL_MS = 500;
const RETRY_MS = 2_000;

interface Followed extends FollowedCheckout {
  readers: number;
  /** Null: the loop has not read it yet. */
  last: CheckoutMark | null;
  readonly waiting: Set<() => void>;
}

export class CheckoutChanges {
  readonly #services: ChangeServices;
  readonly #followed = new Map<string, Followed>();
  #stop: AbortController | null = null;

  constructor(services: ChangeServices) {
    this.#services = services;
  }

  /** The current mark, then each new one. Ends with the checkout, when the signal aborts, or when the server stops. */
  async *watch(
    { venueId, checkoutId }: FollowedCheckout,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ServerSentEvent[]> {
    const followed = this.#use(venueId, checkoutId);
    const stop = this.#run().signal;
    let sent: string | null = null;
    try {
      while (!signal.aborted && !stop.aborted) {
        const { last } = followed;
        if (last === null || last.mark === sent) {
          await changeOf(followed, signal);
          continue;
        }
        sent = last.mark;
        yield [{ id: last.mark, event: 'checkout', data: 'changed' }];
        if (last.isOver) return;
      }
    } finally {
      this.#release(followed);
    }
  }

  /** Ends every stream. A later one starts the loop again. */
  close(): void {
    this.#stop?.abort();
    this.#stop = null;
    for (const followed of this.#followed.values()) wakeReaders(followed);
  }

  #use(venueId: string, checkoutId: string): Followed {
    const followed = this.#followed.get(checkoutId) ?? {
      venueId,
      checkoutId,
      readers: 0,
      last: null,
      waiting: new Set(),
    };
    followed.readers++;
    this.#followed.set(checkoutId, followed);
    return followed;
  }

  #release(followed: Followed): void {
    followed.readers--;
    if (followed.readers > 0) return;
    this.#followed.delete(followed.checkoutId);
    if (this.#followed.size > 0) return;
    this.#stop?.abort();
    this.#stop = null;
  }

  #run(): AbortController {
    if (this.#stop !== null) return this.#stop;
    const stop = new AbortController();
    this.#stop = stop;
    void this.#loop(stop.signal);
    return stop;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = (await this.#look()) ? POLL_MS : RETRY_MS;
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** False: the database did not answer. The next look finds what this one did not. */
  async #look(): Promise<boolean> {
    try {
      for (const mark of await readMarks(this.#services.db, [...this.#followed.values()])) {
        const followed = this.#followed.get(mark.checkoutId);
        if (followed === undefined || followed.last?.mark === mark.mark) continue;
        followed.last = mark;
        wakeReaders(followed);
      }
      return true;
    } catch (error) {
      this.#services.log.warn({ err: error }, 'the server could not look for changes of open pages: it tries again');
      return false;
    }
  }
}

function wakeReaders({ waiting }: Followed): void {
  for (const wake of [...waiting]) wake();
}

/** Resolves at the next change, or when the signal aborts. */
async function changeOf({ waiting }: Followed, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake);
  });
}
