// How fast the worker calls a provider's API: the distance between the requests of a read, and the budget of a day.

import type { Reader } from '../../../../schemas/types.gen.ts';
import type { Clock } from '../../../base/clock.ts';

export const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The time between two requests that the provider's limit allows. */
export const requestIntervalMs = ({ limits }: Reader): number => MINUTE_MS / limits.requests_per_minute;

/** Waits before each request but the first, so that a read of many requests keeps the provider's limit too. */
export function requestPace(clock: Clock, wait: (ms: number) => Promise<void>, reader: Reader): () => Promise<void> {
  const distanceMs = requestIntervalMs(reader);
  let last: number | null = null;
  return async () => {
    // A wall clock that is set back must not lengthen the wait.
    const waitMs = last === null ? 0 : Math.min(distanceMs, last + distanceMs - clock.now());
    if (waitMs > 0) await wait(waitMs);
    last = clock.now();
  };
}

/** The most requests of one integration in a day: the server's limit or the provider's, the smaller one. */
export function requestsPerDay(readsPerDay: number, reader: Reader | undefined): number {
  return Math.min(readsPerDay, reader?.limits.requests_per_day ?? readsPerDay);
}

/** Catalogue runs and daily reads leave a fifth of the requests of a day to what deliveries name. */
export const backgroundRequests = (perDay: number): number => Math.ceil(perDay * 0.8);

/** From when on catalogue runs and daily reads go on: at once, or the next day (UTC). */
export function backgroundFrom(now: number, perDay: number, usedToday: number): number {
  return usedToday < backgroundRequests(perDay) ? now : now - (now % DAY_MS) + DAY_MS;
}

/**
 * The pause after some requests that keeps the budget of the day. Its first half is free; the rest is spread over the rest
 * of the day, so that a venue with many bookings is read until the evening.
 */
export function budgetPaceMs(now: number, perDay: number, usedToday: number, requests: number): number {
  if (usedToday * 2 <= perDay) return 0;
  return (requests * (DAY_MS - (now % DAY_MS))) / Math.max(1, perDay - usedToday);
}
