// The newest events of the venues that have a stream open on this server. All streams of a venue and mode share one feed,
// which polls the log. A feed goes on for a minute after its last stream, so that a client that comes back goes on exactly
// where it was. Bounded: a reader that is behind the oldest event of its feed is dropped, and resumes from the log.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { EventFollower } from './follow-events.ts';
import type { EventView } from './queries.ts';

export interface FeedServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}

const POLL_MS = 500;
/** Between two pages of many events: the readers take the first meanwhile. */
const PAGE_PAUSE_MS = 20;
const RETRY_MS = 2_000;
const KEPT_MS = 60_000;
const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 8_000_000;

export class EventFeed {
  readonly #services: FeedServices;
  readonly #follower: EventFollower;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #done: Promise<void>;
  #events: EventView[] = [];
  #characters = 0;
  /** The number of the first event that is kept; numbers count all events of the feed. */
  #first = 0;

  private constructor(services: FeedServices, follower: EventFollower) {
    this.#services = services;
    this.#follower = follower;
    this.#done = this.#run();
  }

  static async open(services: FeedServices, venueId: string, mode: Mode): Promise<EventFeed> {
    return new EventFeed(services, await EventFollower.fromNow(services, venueId, mode));
  }

  /** The number of the next event. */
  get end(): number {
    return this.#first + this.#events.length;
  }

  /** The number after this event; null: it is not kept any more, or never was in this feed. */
  positionAfter(eventId: string): number | null {
    const index = this.#events.findIndex(({ id }) => id === eventId);
    return index < 0 ? null : this.#first + index + 1;
  }

  /** The events from a number on; null: some of them are not kept any more. */
  from(position: number): readonly EventView[] | null {
    return position < this.#first ? null : this.#events.slice(position - this.#first);
  }

  /** Resolves when there is an event with this number, or the signal aborts, or the feed is closed. */
  async reaches(position: number, signal: AbortSignal): Promise<void> {
    if (this.end > position || signal.aborted || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wakeAll();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.isClosed) {
      const found = await this.#poll();
      if (found === null) await this.#pause(RETRY_MS);
      else await this.#pause(found === 0 ? POLL_MS : PAGE_PAUSE_MS);
    }
  }

  /** How many events there were; null: the database did not answer. The next poll finds what this one did not. */
  async #poll(): Promise<number | null> {
    try {
      const events = await this.#follower.next();
      for (const event of events) this.#add(event);
      if (events.length > 0) this.#wakeAll();
      return events.length;
    } catch (error) {
      this.#services.log.warn({ err: error }, 'a stream could not read the event log: it tries again');
      return null;
    }
  }

  #add(event: EventView): void {
    this.#events.push(event);
    this.#characters += event.json.length;
    while (this.#events.length > MAX_EVENTS || (this.#characters > MAX_CHARACTERS && this.#events.length > 1)) {
      this.#characters -= this.#events.shift()?.json.length ?? 0;
      this.#first++;
    }
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }
}

interface UsedFeed {
  readonly feed: Promise<EventFeed>;
  readers: number;
  timer: NodeJS.Timeout | null;
}

export class EventFeeds {
  readonly #services: FeedServices;
  readonly #feeds = new Map<string, UsedFeed>();
  #isClosed = false;

  constructor(services: FeedServices) {
    this.#services = services;
  }

  /** The caller calls `release` once, when it reads no more. */
  async use(venueId: string, mode: Mode): Promise<{ readonly feed: EventFeed; readonly release: () => void }> {
    // A feed that opens while the server stops would go on without an end.
    if (this.#isClosed) throw new Problem('service_unavailable', { headers: { 'retry-after': '1' } });
    const key = `${venueId} ${mode}`;
    const used = this.#feeds.get(key) ?? this.#open(key, venueId, mode);
    used.readers++;
    if (used.timer !== null) clearTimeout(used.timer);
    used.timer = null;
    const release = (): void => this.#release(key, used);
    try {
      return { feed: await used.feed, release };
    } catch (error) {
      if (this.#feeds.get(key) === used) this.#feeds.delete(key);
      throw error;
    }
  }

  /** Ends every feed, and with it every stream. No other opens: the server stops. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#feeds.values()];
    this.#feeds.clear();
    for (const { timer } of open) if (timer !== null) clearTimeout(timer);
    await Promise.allSettled(open.map(async ({ feed }) => (await feed).close()));
  }

  #open(key: string, venueId: string, mode: Mode): UsedFeed {
    const used: UsedFeed = { feed: EventFeed.open(this.#services, venueId, mode), readers: 0, timer: null };
    this.#feeds.set(key, used);
    return used;
  }

  #release(key: string, used: UsedFeed): void {
    used.readers--;
    if (used.readers > 0 || this.#feeds.get(key) !== used) return;
    used.timer = setTimeout(() => {
      this.#feeds.delete(key);
      void used.feed.then((feed) => feed.close());
    }, KEPT_MS);
    used.timer.unref();
  }
}
