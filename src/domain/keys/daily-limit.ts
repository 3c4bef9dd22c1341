// Limits of a rolling day, for what costs money: exact across servers, and kept through a crash of the database. A use is
// reserved in the transaction of its cause, so a call that fails later uses nothing.

import type { Queryable } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import { type DailyUse, reserveDailyUses } from './daily-use-queries.ts';
import { retryAfterSeconds } from './retry-after.ts';

export interface DailyLimit {
  /** Whose limit it is, such as `invites <venue id>`. */
  readonly subject: string;
  readonly limit: number;
}

/** Throws 429 if the day has no room for all of them. `rule` says the limit in a sentence. */
export async function requireDailyUses(
  tx: Queryable,
  { subject, limit }: DailyLimit,
  uses: number,
  rule: string,
): Promise<void> {
  if (uses === 0) return;
  const [use] = await reserveDailyUses(tx, { subject, limit, uses, mayWait: false });
  if (use === undefined || use.granted) return;
  throw new Problem('rate_limited', {
    message: `${rule} Try again at ${wholeSecond(use)} or later.`,
    headers: { 'retry-after': String(retryAfterSeconds({ retry_at: use.at, counted_at: use.counted_at })) },
  });
}

/** From when each use is allowed, in milliseconds; null: now. */
export async function scheduleDailyUses(
  tx: Queryable,
  { subject, limit }: DailyLimit,
  uses: number,
): Promise<readonly (number | null)[]> {
  if (uses === 0) return [];
  const reserved = await reserveDailyUses(tx, { subject, limit, uses, mayWait: true });
  return reserved.map(({ at, counted_at }) => (Date.parse(at) > Date.parse(counted_at) ? Date.parse(at) + 1 : null));
}

/** Rounded up, so that a call at that time is not too early. */
function wholeSecond({ at }: DailyUse): string {
  return new Date(Math.ceil((Date.parse(at) + 1) / 1_000) * 1_000).toISOString().replace('.000', '');
}
