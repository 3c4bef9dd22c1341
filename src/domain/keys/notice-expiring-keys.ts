// Records a notice for each live key 14 days and 3 days before it expires. A key that was created for a shorter time, or
// that was rolled, is not reported: its end is meant.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { recordNotice } from '../notices/record-notice.ts';
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
  const range = { now, until: now + 14 * DAY_MS, limit: batch };
  let recorded = 0;
  let page = await expiringKeys(db, null, range);
  while (page.length > 0) {
    for (const key of page) {
      const days = daysBefore(key, now);
      if (days === null) continue;
      const { venueId, id, name, hint, expiresAt } = key;
      const subject = `${id} ${days} days before ${expiresAt}`;
      const detail = { key: id, name, hint, expires_at: expiresAt };
      const notice = { venueId, mode: 'live', kind: 'key_expiry', subject, detail } as const;
      if (await recordNotice(db, { ids, now }, notice)) recorded += 1;
    }
    page = page.length < batch ? [] : await expiringKeys(db, page.at(-1) ?? null, range);
  }
  return recorded;
}

/** Which of the two notices is due; null: neither. */
function daysBefore({ createdAt, expiresAt }: ExpiringKey, now: number): number | null {
  const end = Date.parse(expiresAt);
  const days = DAYS_BEFORE.find((one) => end - now <= one * DAY_MS);
  return days === undefined || end - Date.parse(createdAt) <= days * DAY_MS ? null : days;
}
