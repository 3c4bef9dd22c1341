// When the card form of a share is closed because too many cards were declined. Pure. It keeps a thief from trying stolen
// cards here; a guest can pay an hour later.

const HOUR_MS = 3_600_000;

/** Within an hour: so many on one share, or so many from one address. */
export const MAX_DECLINES_PER_SHARE = 5;
export const MAX_DECLINES_PER_ADDRESS = 10;

/**
 * Until when declines at these times close the form; null: it is open. A decline that is the `limit`th within an hour closes
 * the form for an hour.
 */
export function closedBy(declines: readonly number[], limit: number, now: number): number | null {
  const closing = declines.filter((at) => {
    const within = declines.filter((other) => other <= at && other >= at - HOUR_MS);
    return at > now - HOUR_MS && within.length >= limit;
  });
  return closing.length === 0 ? null : Math.max(...closing) + HOUR_MS;
}
