// The loop that deletes old events. An event that is owed to a partner stays, and with it every later event: one that waits
// for dispatch, or for an attempt to deliver it.

import type { Db } from '../../base/db.ts';
import { timeOfId } from '../../base/ids.ts';
import { DAY_MS } from '../../base/retention.ts';
import { deleteEventsBefore } from '../events/retention-queries.ts';
import { oldestUndelivered } from './deliveries/undelivered-queries.ts';

/** An event can be recorded a little later than its id was made. */
const ID_MARGIN_MS = 3_600_000;

/** `days` null: events are never deleted. Returns at least 1 while more is to be looked at. */
export async function deleteOldEvents(db: Db, now: number, days: number | null): Promise<number> {
  if (days === null) return 0;
  const until = now - days * DAY_MS;
  const { eventId, deliveryAt } = await oldestUndelivered(db, until);
  const dispatchAt = eventId === null ? null : timeOfId(eventId) - ID_MARGIN_MS;
  const { deleted, isDone } = await deleteEventsBefore(db, Math.min(until, dispatchAt ?? until, deliveryAt ?? until));
  return isDone ? deleted : Math.max(deleted, 1);
}
