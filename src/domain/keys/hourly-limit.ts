// Limits of a rolling hour on what a caller asks for, such as codes: exact across servers.

import type { Queryable } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import { countSharedCalls } from './queries.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** Throws 429 if the hour is used up; the transaction then counts nothing. `rule` says the limit in a sentence. */
export async function requireHourlyUse(tx: Queryable, subject: string, limit: number, rule: string): Promise<void> {
  const [counted] = await countSharedCalls(tx, limit, [{ subject, calls: 1 }]);
  if (counted === undefined || counted.granted === 1) return;
  throw new Problem('rate_limited', {
    message: `${rule} Try again in ${retryAfterSeconds(counted)} seconds.`,
    headers: { 'retry-after': String(retryAfterSeconds(counted)) },
  });
}
