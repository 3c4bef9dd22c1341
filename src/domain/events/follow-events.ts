// Follows the event log of a venue and mode: returns each event once, in the order in which it becomes visible. Transactions
// commit in another order than that of their events' times, so a read looks back, and leaves out what it has returned.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { type EventView, eventsSince, visibleEvents } from './queries.ts';

export interface FollowServices {
  readonly db: Queryable;
  readonly clock: Clock;
}

/**
 * An event becomes visible at most this long after its time. A transaction waits 3 seconds for a lock and 10 for a
 * statement, has several statements, and is retried after a deadlock; the clocks of two servers differ.
 */
export const MAX_COMMIT_DELAY_MS = 60_000;

/** A look back compares with all events of a minute: among many new events this many reads go without one. */
const READS_WITHOUT_LOOK_BACK = 10;

type SeenEvent = Pick<EventView, 'id' | 'createdAt'>;

export class EventFollower {
  readonly #services: FollowServices;
  readonly #venueId: string;
  readonly #mode: Mode;
  /** The time of each event that was returned and that a look back would find again. */
  readonly #seen = new Map<string, number>();
  /** No event before this time is still to come. */
  #from: number;
  #newest: SeenEvent | null = null;
  #readsUntilLookBack = 0;

  private constructor(services: FollowServices, venueId: string, mode: Mode, from: number) {
    this.#services = services;
    this.#venueId = venueId;
    this.#mode = mode;
    this.#from = from;
  }

  /** A follower of the events that become visible from now on. */
  static async fromNow(services: FollowServices, venueId: string, mode: Mode): Promise<EventFollower> {
    const from = services.clock.now() - MAX_COMMIT_DELAY_MS;
    const follower = new EventFollower(services, venueId, mode, from);
    follower.#add(await visibleEvents(services.db, venueId, mode, isoOf(from)));
    return follower;
  }

  /** No event that it has returned, or that was visible before, has a later time. */
  get newestTime(): number {
    return this.#newest === null ? this.#from : Date.parse(this.#newest.createdAt);
  }

  /** One page; empty: there is nothing new. */
  async next(): Promise<readonly EventView[]> {
    const newest = this.#readsUntilLookBack === 0 ? null : this.#newest;
    const page = await (newest === null ? this.#lookBack() : this.#read(newest.createdAt, [newest.id]));
    if (page.length === 0) this.#readsUntilLookBack = 0;
    else if (newest === null) this.#readsUntilLookBack = READS_WITHOUT_LOOK_BACK;
    else this.#readsUntilLookBack--;
    this.#add(page);
    return page;
  }

  /** After each one the events that are too old for the next are forgotten: on a busy venue no page is ever empty. */
  async #lookBack(): Promise<readonly EventView[]> {
    const startedAt = this.#services.clock.now();
    const page = await this.#read(isoOf(this.#from), [...this.#seen.keys()]);
    const last = page.at(-1);
    const readUntil = last === undefined ? Number.POSITIVE_INFINITY : Date.parse(last.createdAt);
    this.#from = Math.max(this.#from, Math.min(startedAt - MAX_COMMIT_DELAY_MS, readUntil));
    for (const [id, at] of this.#seen) if (at < this.#from) this.#seen.delete(id);
    return page;
  }

  #read(since: string, seen: readonly string[]): Promise<EventView[]> {
    return eventsSince(this.#services.db, this.#venueId, this.#mode, since, seen);
  }

  #add(events: readonly SeenEvent[]): void {
    for (const { id, createdAt } of events) this.#seen.set(id, Date.parse(createdAt));
    const last = events.at(-1);
    if (last !== undefined && last.createdAt > (this.#newest?.createdAt ?? '')) {
      this.#newest = { id: last.id, createdAt: last.createdAt };
    }
  }
}

const isoOf = (time: number): string => new Date(time).toISOString();
