// How long a caller must wait whose call was not granted: the seconds of the Retry-After header.

import type { CountedCalls } from './queries.ts';

/** At least 1. A retry after this many seconds is never too early: the times have microseconds, which Date.parse drops. */
export function retryAfterSeconds({ retry_at, counted_at }: Pick<CountedCalls, 'retry_at' | 'counted_at'>): number {
  const now = Date.parse(counted_at);
  const retryAt = retry_at === null ? now : Date.parse(retry_at) + 1;
  return Math.max(1, Math.ceil((retryAt - now) / 1_000));
}
