// Reads the event log. record.ts writes it, and so do the SQL functions that change a checkout in one statement.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { pageRowsSql } from '../../base/page.ts';

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  /** The event as the API shows it and webhooks send it: always the same bytes. */
  readonly json: string;
}

const VIEW =
  'event_id as "id", type, created_at as "createdAt", event_object(e.event_id, e.type, e.mode, e.created_at, e.sequence, e.data) as "json"';

export interface EventFilter {
  readonly type: string | null;
  /** The id of the object that the events are about. */
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
  const condition = (column: string, value: string | null): string =>
    value === null ? '' : `and ${column} = $${values.push(value)}`;
  const newest = `select ${VIEW} from (
       select * from events where venue_id = $1 and mode = $2 and created_at < coalesce($3::timestamptz, 'infinity')
         ${condition('type', type)} ${condition('subject', subject)}
       order by created_at desc limit $4) e`;
  return db.query<EventView>(
    pageRowsSql('"id", type, "createdAt", "json"', newest, '"createdAt"', 'octet_length("json")'),
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

const MAX_FOLLOWED = 200;

/** Oldest first, from a time on, without the events of `seen`: as many as make a page. For a client that follows the log. */
export async function eventsSince(
  db: Queryable,
  venueId: string,
  mode: Mode,
  since: string,
  seen: readonly string[],
): Promise<EventView[]> {
  const oldest = `select ${VIEW} from events e
     where venue_id = $1 and mode = $2 and created_at >= $3::timestamptz and event_id <> all($4::text[])
     order by created_at limit ${MAX_FOLLOWED}`;
  return db.query<EventView>(
    pageRowsSql('"id", type, "createdAt", "json"', oldest, '"createdAt"', 'octet_length("json")', 'asc'),
    [venueId, mode, since, seen],
  );
}

/** Every event that is visible now, from a time on, oldest first: what a client that follows the log from now on leaves out. */
export async function visibleEvents(
  db: Queryable,
  venueId: string,
  mode: Mode,
  since: string,
): Promise<Pick<EventView, 'id' | 'type' | 'createdAt'>[]> {
  return db.query(
    `select event_id as "id", type, created_at as "createdAt" from events
     where venue_id = $1 and mode = $2 and created_at >= $3::timestamptz order by created_at`,
    [venueId, mode, since],
  );
}

export interface EventOfSubject {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  /** For the key of its deliveries. */
  readonly createdAt: string;
  /** Of an event about a refund. */
  readonly refund: { readonly amount: number; readonly reason: string | null } | null;
  /** The shares as they were then, of an event that can change them. */
  readonly shares: readonly { readonly id: string; readonly status: string; readonly heldAt: string | null }[] | null;
}

/** The events about one checkout, oldest first. */
export async function eventsOfCheckout(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  limit: number,
): Promise<EventOfSubject[]> {
  return db.query<EventOfSubject>(
    `select event_id as "id", type, utc_micros(created_at) as "at", created_at as "createdAt", data -> 'refund' as "refund",
       case when type in ('checkout.collecting', 'share.held', 'checkout.expired', 'checkout.canceled') then (
         select coalesce(json_agg(json_build_object('id', s ->> 'id', 'status', s ->> 'status', 'heldAt', s ->> 'held_at')), '[]')
         from json_array_elements(data -> 'object' -> 'shares') s) end as "shares"
     from events where venue_id = $1 and subject = $2 order by sequence limit $3`,
    [venueId, checkoutId, limit],
  );
}

/** The id of the object that an event is about. */
export async function subjectOfEvent(db: Queryable, venueId: string, eventId: string): Promise<string | null> {
  const rows = await db.query<{ subject: string }>('select subject from events where venue_id = $1 and event_id = $2', [
    venueId,
    eventId,
  ]);
  return rows[0]?.subject ?? null;
}

export interface RecentEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly subject: string;
  /** The object as it was then: of a checkout, an offering or an endpoint. */
  readonly object: Readonly<Record<string, unknown>>;
  readonly refund: { readonly amount: number; readonly reason: string | null } | null;
}

/** Newest first. */
export async function recentEvents(db: Queryable, venueId: string, mode: Mode, limit: number): Promise<RecentEvent[]> {
  return db.query<RecentEvent>(
    `select event_id as "id", type, utc_micros(created_at) as "at", subject, data -> 'object' as "object",
       data -> 'refund' as "refund"
     from events where venue_id = $1 and mode = $2 order by created_at desc limit $3`,
    [venueId, mode, limit],
  );
}
