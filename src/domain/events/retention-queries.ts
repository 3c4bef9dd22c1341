// Deletes old events (EVENT_LOG_DAYS), window by window from where the last step stopped. The first event of an object stays:
// it has the response to its creation, which a repeated create gets. The newest stays too: the next event continues its
// sequence. So the event log cannot be dropped by partition: no day is free of such events.

import type { Db, Queryable } from '../../base/db.ts';

const HOUR_MS = 3_600_000;
const MAX_WINDOW_MS = 720 * HOUR_MS;
const MIN_WINDOW_MS = 1_000;
/** A window with more events is halved: its statement must stay far below the time limit. */
const MAX_EVENTS = 5_000;
/** Of one step of the worker. */
const MAX_WINDOWS = 50;

export interface Trimmed {
  readonly deleted: number;
  /** Everything before the given time was looked at. */
  readonly isDone: boolean;
}

/** Deletes events from before `until`, in milliseconds. Workers that do so at the same time delete nothing twice. */
export async function deleteEventsBefore(db: Db, until: number): Promise<Trimmed> {
  let from = await trimmedUntil(db);
  let width = HOUR_MS;
  let deleted = 0;
  for (let window = 0; window < MAX_WINDOWS && from < until; window++) {
    let to = Math.min(from + width, until);
    while (to - from > MIN_WINDOW_MS && (await hasManyEvents(db, from, to))) to = Math.ceil((from + to) / 2);
    deleted += await trimWindow(db, from, to);
    width = Math.min(2 * (to - from), MAX_WINDOW_MS);
    from = to;
  }
  return { deleted, isDone: from >= until };
}

async function trimmedUntil(db: Queryable): Promise<number> {
  const rows = await db.query<{ at: number }>(
    'select (extract(epoch from trimmed_until) * 1000)::float8 as at from event_retention',
  );
  if (rows[0] === undefined) throw new Error('event_retention has no row');
  return rows[0].at;
}

const WINDOW = 'created_at >= to_timestamp($1 / 1000.0) and created_at < to_timestamp($2 / 1000.0)';

async function hasManyEvents(db: Queryable, from: number, to: number): Promise<boolean> {
  const [found] = await db.query<{ count: number }>(
    `select count(*)::integer as count from (select 1 from events where ${WINDOW} limit ${MAX_EVENTS + 1}) counted`,
    [from, to],
  );
  return (found?.count ?? 0) > MAX_EVENTS;
}

/** The events and the mark in one transaction: a crash repeats the window or leaves it done. */
function trimWindow(db: Db, from: number, to: number): Promise<number> {
  return db.transaction(async (tx) => {
    // The trigger that keeps events as they are lets them be deleted for the rest of the transaction. A distributed database
    // hands `set local` on to its workers, and set_config() not.
    await tx.query("set local everyshare.trim_events = 'on'");
    const rows = await tx.query(
      `delete from events e where ${WINDOW} and sequence > 1 and exists (
         select from events n where n.venue_id = e.venue_id and n.subject = e.subject and n.sequence > e.sequence) returning 1`,
      [from, to],
    );
    await tx.query(
      'update event_retention set trimmed_until = to_timestamp($1 / 1000.0) where trimmed_until < to_timestamp($1 / 1000.0)',
      [to],
    );
    return rows.length;
  });
}
