// Records a notice for each live key 14 days and 3 days before it expires. A key that was created for a shorter time, or
// that was rolled, is not reported: its end is meant.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { recordNotice } from '../notices/notices.ts';
import { type ExpiringKey, expiringKeys } from './queries.ts';

/** The shorter first: a key that has three days left is not reported as one that has fourteen. */
const DAYS_BEFORE = [3, 14] as const;
const DAY_MS = 86_400_000;

/** One step of the worker. Returns how many notices are new. */
export async function noticeExpiringKeys(
  { db, clock, ids }: { readonly db: Db; readonly clock: Clock; readonly ids: Ids },
  batch: number,
): Promise<number> {
  const now = clock.now();
  let recorded = 0;
  let after: ExpiringKey | null = null;
  for (;;) {
    const page: ExpiringKey[] = await expiringKeys(db, after, { now, until: now + 14 * DAY_MS, limit: batch });
    for (const key of page) {
      const left = Date.parse(key.expiresAt) - now;
      const life = Date.parse(key.expiresAt) - Date.parse(key.createdAt);
      const days = DAYS_BEFORE.find((one) => left <= one * DAY_MS);
      if (days === undefined || life <= days * DAY_MS) continue;
      const { venueId, id, name, hint, expiresAt } = key;
      const subject = `${id} ${days} days before ${expiresAt}`;
      const detail = { key: id, name, hint, expires_at: expiresAt };
      const notice = { venueId, mode: 'live', kind: 'key_expiry', subject, detail } as const;
      if (await recordNotice(db, { ids, now }, notice)) recorded += 1;
    }
    after = page.at(-1) ?? null;
    if (page.length < batch) return recorded;
  }
}
