// The SQL that takes a guest out of the data of events. Everything else of an event stays as it was written: the trigger
// refuses any other change.

import type { Queryable } from '../../base/db.ts';

export interface EventText {
  readonly venueId: string;
  readonly id: string;
  readonly createdAt: string;
  /** JSON. */
  readonly data: string;
}

export async function eventsAbout(tx: Queryable, venueId: string, subject: string): Promise<EventText[]> {
  return tx.query<EventText>(
    `select venue_id as "venueId", event_id as id, created_at as "createdAt", data::text as data from events
     where venue_id = $1 and subject = $2 order by sequence`,
    [venueId, subject],
  );
}

/** For the rest of the transaction: the trigger that keeps events as they are lets their data be replaced. */
export async function allowErasure(tx: Queryable): Promise<void> {
  await tx.query("set local everyshare.erase_guest = 'on'");
}

export async function replaceEventData(tx: Queryable, { venueId, id, data }: EventText): Promise<void> {
  await tx.query('update events set data = $3::json where venue_id = $1 and event_id = $2', [venueId, id, data]);
}
