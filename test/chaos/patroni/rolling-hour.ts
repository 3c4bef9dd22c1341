// A caller that calls as often as it may, with a low limit. The counts of the rolling hour are in unlogged tables,
// which are empty after a promotion or a crash of PostgreSQL: each of these gives the caller at most one more hour's
// worth of calls.

import { setTimeout as delay } from 'node:timers/promises';
import type { Found } from '../../support/violation.ts';
import type { Client } from '../client.ts';
import type { Venues } from '../load.ts';

const LIMIT = 60;
const EVERY_MS = 150;

export interface RollingHour {
  readonly limit: number;
  readonly admitted: number;
  readonly refused: number;
}

export class LimitedCaller {
  readonly #client: Client;
  readonly #venues: Venues;
  #running: Promise<void> = Promise.resolve();
  #admitted = 0;
  #refused = 0;

  constructor(client: Client, venues: Venues) {
    this.#client = client;
    this.#venues = venues;
  }

  run(isStopping: () => boolean): void {
    this.#running = this.#callUntil(isStopping);
  }

  async #callUntil(isStopping: () => boolean): Promise<void> {
    const { key } = await this.#venues.keyOperator.issue(this.#venues.unrelated.venueId, LIMIT);
    for (; !isStopping(); await delay(EVERY_MS)) {
      const response = await this.#client.sendOnce({ method: 'GET', path: '/v1/checkouts?limit=1', key });
      if (response?.status === 200) this.#admitted += 1;
      if (response?.status === 429) this.#refused += 1;
    }
  }

  /** Of the whole run. */
  async result(): Promise<RollingHour> {
    await this.#running;
    return { limit: LIMIT, admitted: this.#admitted, refused: this.#refused };
  }
}

/** `resets`: how often the counts were emptied. The run is shorter than an hour, or calls leave the window too. */
export function checkRollingHour({ limit, admitted }: RollingHour, resets: number, hours: number, found: Found): void {
  const most = limit * (resets + Math.max(1, Math.ceil(hours)));
  if (admitted > most) {
    const what = `${admitted} calls were admitted, and with ${resets} promotions and crashes at most ${most} may be`;
    found('a failover gives a caller at most one more hour of calls', `a limit of ${limit}`, what);
  }
}
