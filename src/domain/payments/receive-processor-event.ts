// Receives a verified event of the processor: makes the hold, the refund or the payout account that it concerns due, so
// that the worker asks the processor, and stores the event of a dispute for the worker. An event is a hint, not a fact:
// duplicates, late events and events out of order do no harm.

import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import { countDecline } from './decline-queries.ts';
import { storeProcessorEvent } from './dispute-queries.ts';
import { markAccountDue } from './payout-account-queries.ts';
import type { ProcessorEvent } from './processor-event.ts';
import { markHoldDue } from './queries.ts';
import { markRefundDue } from './refund-queries.ts';

const HOUR = 3_600_000;

/** Returns whether this has left work for a worker. */
export async function receiveProcessorEvent(db: Queryable, event: ProcessorEvent, now: number): Promise<boolean> {
  const { subject, mode } = event;
  if (subject.kind === 'hold') {
    const { venueId = '', holdId = '' } = subject.metadata;
    if (!isUuid(venueId) || !isUuid(holdId)) return false;
    // Only declines of the last hour count, so an older one need not be stored.
    if (subject.decline !== undefined && now - event.at < HOUR) {
      const declineId = subject.decline.chargeId ?? event.eventId;
      const { reason } = subject.decline;
      await countDecline(db, { venueId, holdId, mode, declineId, at: event.at, reason });
    }
    return markHoldDue(db, { venueId, holdId, mode, now });
  }
  if (subject.kind === 'refund') {
    const { venueId, movementId } = subject;
    if (isUuid(venueId) && isUuid(movementId)) await markRefundDue(db, { venueId, movementId, mode, now });
  }
  if (subject.kind === 'account') await markAccountDue(db, mode, subject.accountId, now);
  if (subject.kind === 'dispute') await storeProcessorEvent(db, { id: event.eventId, mode, subject, now });
  return true;
}
