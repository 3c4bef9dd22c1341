// Reads the event log. It is written by record.ts, and by the functions of the database that write in one statement.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  /** As it is read and sent, the same bytes each time. */
  readonly json: string;
}

const VIEW = 'event_id as "id", type, created_at as "createdAt", event_json(e) as "json"';

export interface EventFilter {
  readonly type: string | null;
  /** The id of what the events are about. */
  readonly subject: string | null;
  readonly before: string | null;
  readonly limit: number;
}

export async function listEventViews(
  db: Queryable,
  venueId: string,
  mode: Mode,
  filter: EventFilter,
): Promise<EventView[]> {
  const { type, subject, before, limit } = filter;
  const values: unknown[] = [venueId, mode, before, limit];
  const narrowed = (column: string, value: string | null): string =>
    value === null ? '' : `and ${column} = $${values.push(value)}`;
  return db.query<EventView>(
    `select ${VIEW} from (
       select * from events where venue_id = $1 and mode = $2 and created_at < coalesce($3::timestamptz, 'infinity')
         ${narrowed('type', type)} ${narrowed('subject', subject)}
       order by created_at desc limit $4) e
     order by created_at desc`,
    values,
  );
}

export async function findEventView(db: Queryable, venueId: string, mode: Mode, id: string): Promise<EventView | null> {
  const rows = await db.query<EventView>(
    `select ${VIEW} from events e where venue_id = $1 and event_id = $2 and mode = $3`,
    [venueId, id, mode],
  );
  return rows[0] ?? null;
}

/** Oldest first, from a moment on: for whoever follows the log. */
export async function eventsSince(
  db: Queryable,
  venueId: string,
  mode: Mode,
  since: string,
  limit: number,
): Promise<EventView[]> {
  return db.query<EventView>(
    `select ${VIEW} from events e where venue_id = $1 and mode = $2 and created_at >= $3::timestamptz
     order by created_at limit $4`,
    [venueId, mode, since, limit],
  );
}
