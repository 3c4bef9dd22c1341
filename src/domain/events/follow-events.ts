// Follows the event log of a venue and mode: returns each event once, in the order in which it becomes visible. Transactions
// commit in another order than that of their events' times, so each poll looks back, and leaves out what it has returned.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { type EventView, eventsSince } from './queries.ts';

export interface FollowServices {
  readonly db: Queryable;
  readonly clock: Clock;
}

/** An event becomes visible at most this long after its time. A transaction waits 3 seconds for a lock, at most. */
export const MAX_COMMIT_DELAY_MS = 10_000;

export class EventFollower {
  readonly #services: FollowServices;
  readonly #venueId: string;
  readonly #mode: Mode;
  /** The time of each returned event that a poll would find again. */
  readonly #seen = new Map<string, number>();
  #from: number;

  private constructor(services: FollowServices, venueId: string, mode: Mode) {
    this.#services = services;
    this.#venueId = venueId;
    this.#mode = mode;
    this.#from = services.clock.now() - MAX_COMMIT_DELAY_MS;
  }

  /** A follower of the events that become visible from now on. */
  static async fromNow(services: FollowServices, venueId: string, mode: Mode): Promise<EventFollower> {
    const follower = new EventFollower(services, venueId, mode);
    while ((await follower.next()).length > 0);
    return follower;
  }

  /** One page; empty: there is nothing new. */
  async next(): Promise<readonly EventView[]> {
    const { db, clock } = this.#services;
    const startedAt = clock.now();
    const since = new Date(this.#from).toISOString();
    const page = await eventsSince(db, this.#venueId, this.#mode, since, [...this.#seen.keys()]);
    for (const { id, createdAt } of page) this.#seen.set(id, Date.parse(createdAt));
    if (page.length > 0) return page;
    this.#from = Math.max(this.#from, startedAt - MAX_COMMIT_DELAY_MS);
    for (const [id, at] of this.#seen) if (at < this.#from) this.#seen.delete(id);
    return page;
  }
}
