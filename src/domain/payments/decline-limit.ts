// The limit on declined cards: how long a share or an address is blocked after too many of them. Pure. It keeps a thief
// from trying stolen cards here; a guest can pay an hour later.

const HOUR_MS = 3_600_000;

/** Within an hour: so many on one share, or so many from one address. */
export const MAX_DECLINES_PER_SHARE = 5;
export const MAX_DECLINES_PER_ADDRESS = 10;

/**
 * Until when declines at these times block; null: they do not. A decline that is the `limit`th within an hour blocks for
 * an hour.
 */
export function blockedUntil(declines: readonly number[], limit: number, now: number): number | null {
  const blocking = declines.filter((at) => {
    const within = declines.filter((other) => other <= at && other >= at - HOUR_MS);
    return at > now - HOUR_MS && within.length >= limit;
  });
  return blocking.length === 0 ? null : Math.max(...blocking) + HOUR_MS;
}
