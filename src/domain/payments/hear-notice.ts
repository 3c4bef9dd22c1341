// A notice of the processor, verified by the door: what it is about is marked as due, and looked at by the worker. A notice
// is a hint, not a fact: duplicates, late ones and ones out of order do no harm.

import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import { keepNotice } from './disputes/queries.ts';
import { setPayoutsEnabled } from './movements/queries.ts';
import type { Notice } from './notice.ts';
import { hintHold } from './queries.ts';

export async function hearNotice(db: Queryable, notice: Notice, now: number): Promise<void> {
  const { about, mode } = notice;
  if (about.kind === 'hold') {
    const { venueId = '', holdId = '' } = about.marks;
    if (isUuid(venueId) && isUuid(holdId)) await hintHold(db, { venueId, holdId, mode, now });
    return;
  }
  if (about.kind === 'account') return setPayoutsEnabled(db, mode, about.accountId, about.payoutsEnabled);
  if (about.kind === 'dispute') await keepNotice(db, { id: notice.eventId, mode, about, now });
}
