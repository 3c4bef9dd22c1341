// The newest events of the venues that have a stream open on this server. All streams of a venue and mode share one feed,
// which polls the log. A feed goes on for a minute after its last stream, so that a client that comes back need not read
// the log. Bounded in events, characters and time: a reader that is behind its feed is dropped, and resumes from the log.

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
const MAX_AGE_MS = 5 * 60_000;
/** What one reader takes at once, and its connection holds. */
const MAX_PAGE_EVENTS = 200;
const MAX_PAGE_CHARACTERS = 1_000_000;
/**
 * Another server may have sent an event after one that was stored this much later: it reads new events first, and looks
 * back after them; the clocks of two servers differ.
 */
const MAX_ORDER_DIFFERENCE_MS = 10_000;

interface KeptEvent {
  readonly event: EventView;
  readonly receivedAt: number;
}

export class EventFeed {
  readonly #services: FeedServices;
  readonly #follower: EventFollower;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #done: Promise<void>;
  #events: KeptEvent[] = [];
  #characters = 0;
  /** The number of the first event that is kept; numbers count all events of the feed. */
  #first = 0;
  /** Every event that this feed received, or would have received, from this time on is kept. */
  #keptSince: number;

  private constructor(services: FeedServices, follower: EventFollower) {
    this.#services = services;
    this.#follower = follower;
    this.#keptSince = services.clock.now();
    this.#done = this.#run();
  }

  static async open(services: FeedServices, venueId: string, mode: Mode): Promise<EventFeed> {
    return new EventFeed(services, await EventFollower.fromNow(services, venueId, mode));
  }

  /** The number of the next event. */
  get end(): number {
    return this.#first + this.#events.length;
  }

  /** No event before `end`, and none that was visible before the feed opened, has a later time. */
  get newestTime(): number {
    return this.#follower.newestTime;
  }

  /**
   * The number of the first event that a client may lack whose last one was `last`, which another server may have sent in
   * another order. An event that was received long before the time of `last` came before it everywhere. Null: not all
   * since then are kept.
   */
  positionAfter({ createdAt }: EventView): number | null {
    const since = Date.parse(createdAt) - MAX_ORDER_DIFFERENCE_MS;
    if (since < this.#keptSince) return null;
    const index = this.#events.findIndex(({ receivedAt }) => receivedAt >= since);
    return index < 0 ? this.end : this.#first + index;
  }

  /** A page of the events from a number on; null: some of them are not kept any more. */
  from(position: number): readonly EventView[] | null {
    if (position < this.#first) return null;
    const start = position - this.#first;
    const page: EventView[] = [];
    let characters = 0;
    for (const { event } of this.#events.slice(start, start + MAX_PAGE_EVENTS)) {
      characters += event.json.length;
      if (page.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
      page.push(event);
    }
    return page;
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
      this.#keep(events, this.#services.clock.now());
      if (events.length > 0) this.#wakeAll();
      return events.length;
    } catch (error) {
      this.#services.log.warn({ err: error }, 'a stream could not read the event log: it tries again');
      return null;
    }
  }

  #keep(events: readonly EventView[], now: number): void {
    for (const event of events) {
      this.#events.push({ event, receivedAt: now });
      this.#characters += event.json.length;
    }
    for (let [oldest] = this.#events; oldest !== undefined; [oldest] = this.#events) {
      const isOverBounds =
        this.#events.length > MAX_EVENTS ||
        (this.#characters > MAX_CHARACTERS && this.#events.length > 1) ||
        oldest.receivedAt < now - MAX_AGE_MS;
      if (!isOverBounds) return;
      this.#events.shift();
      this.#first++;
      this.#characters -= oldest.event.json.length;
      this.#keptSince = Math.max(this.#keptSince, oldest.receivedAt + 1);
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
