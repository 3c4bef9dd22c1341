// Receives a verified notice of the processor: makes the hold that it concerns due, so that the worker settles it. A
// notice is a hint, not a fact: duplicates, late notices and notices out of order do no harm.

import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import { countDecline } from './decline-queries.ts';
import { storeNotice } from './dispute-queries.ts';
import { setPayoutsEnabled } from './movement-queries.ts';
import type { Notice } from './notice.ts';
import { markHoldDue } from './queries.ts';

const HOUR = 3_600_000;

export async function receiveNotice(db: Queryable, notice: Notice, now: number): Promise<void> {
  const { about, mode } = notice;
  if (about.kind === 'hold') {
    const { venueId = '', holdId = '' } = about.metadata;
    if (!isUuid(venueId) || !isUuid(holdId)) return;
    // Only declines of the last hour count, so an older one need not be stored.
    if (about.decline !== undefined && now - notice.at < HOUR) {
      const declineId = about.decline.chargeId ?? notice.eventId;
      await countDecline(db, { venueId, holdId, mode, declineId, at: notice.at });
    }
    return markHoldDue(db, { venueId, holdId, mode, now });
  }
  if (about.kind === 'account') return setPayoutsEnabled(db, mode, about.accountId, about.payoutsEnabled);
  if (about.kind === 'dispute') await storeNotice(db, { id: notice.eventId, mode, about, now });
}
