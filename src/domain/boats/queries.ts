// The only place that touches the table of boats. What it shares with offerings and experiences is in catalogue/.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { catalogueQueries, type ReviewOutcome } from '../catalogue/queries.ts';
import type { BoatContent, BoatRow, BoatViewRow, CalendarBlock } from './boat.ts';

const LIST_COLUMNS = `boat_id as id, venue_id, mode, external_id, status, review_note, content, created_at, changed_at,
  reviewed_at, calendar_url, calendar_checked_at, calendar_read_at, calendar_error, calendar_blocks, calendar_problems`;
const COLUMNS = `${LIST_COLUMNS}, extra, fingerprint`;

export const {
  findByReference: findBoat,
  findByExternalIds,
  countByStatus: countBoats,
  listPage: listBoatRows,
  listForReview: listBoatsForReview,
  listByChange: listBoatsByChange,
  countPending: countPendingBoats,
} = catalogueQueries<BoatRow, BoatViewRow>({
  table: 'boats',
  idColumn: 'boat_id',
  columns: COLUMNS,
  listColumns: LIST_COLUMNS,
  pageColumn: 'changed_at',
  titleField: 'name',
});

export interface BoatWrite {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly content: BoatContent;
  readonly extra: unknown;
  readonly fingerprint: Buffer;
  readonly calendarUrl: string | null;
  readonly at: string;
}

/**
 * Inserts or updates all rows in one statement. A new row is created at `at`, an existing one is changed at `at`. The
 * calendar is due at once; what was read of it is dropped when its address changes.
 */
export async function writeBoats(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  writes: readonly BoatWrite[],
): Promise<Map<string, BoatRow>> {
  const rows = await tx.query<BoatRow>(
    `insert into boats (venue_id, mode, boat_id, external_id, status, content, extra, fingerprint, created_at, changed_at,
       calendar_url, calendar_due_at)
     select $1, $2, n.id, n.external_id, n.status, n.content::json, n.extra::json, n.fingerprint, n.at, n.at,
       n.calendar_url, case when n.calendar_url is not null then n.at end
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::timestamptz[], $10::text[])
       as n(id, external_id, status, content, extra, fingerprint, at, calendar_url)
     on conflict (venue_id, mode, external_id) do update
       set status = excluded.status, review_note = null, content = excluded.content, extra = excluded.extra,
         fingerprint = excluded.fingerprint, changed_at = excluded.changed_at, calendar_url = excluded.calendar_url,
         calendar_due_at = excluded.calendar_due_at, calendar_failures = 0,
         calendar_checked_at = case when excluded.calendar_url = boats.calendar_url then boats.calendar_checked_at end,
         calendar_read_at = case when excluded.calendar_url = boats.calendar_url then boats.calendar_read_at end,
         calendar_error = case when excluded.calendar_url = boats.calendar_url then boats.calendar_error end,
         calendar_blocks = case when excluded.calendar_url = boats.calendar_url then boats.calendar_blocks end,
         calendar_problems = case when excluded.calendar_url = boats.calendar_url then boats.calendar_problems end
     returning ${COLUMNS}`,
    [
      venueId,
      mode,
      writes.map(({ id }) => id),
      writes.map(({ externalId }) => externalId),
      writes.map(({ status }) => status),
      writes.map(({ content }) => JSON.stringify(content)),
      writes.map(({ extra }) => (extra === undefined ? null : JSON.stringify(extra))),
      writes.map(({ fingerprint }) => fingerprint),
      writes.map(({ at }) => at),
      writes.map(({ calendarUrl }) => calendarUrl),
    ],
  );
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** Records the review of a pending boat. Null: it is not pending, and nothing is written. */
export async function setReviewed(
  tx: Queryable,
  venueId: string,
  id: string,
  { from, status, note, at }: ReviewOutcome,
): Promise<BoatRow | null> {
  const rows = await tx.query<BoatRow>(
    `update boats set status = $3, review_note = $4, changed_at = $5,
       reviewed_at = case when $3 = 'pending' then null else $5::timestamptz end
     where venue_id = $1 and boat_id = $2 and status = any($6) returning ${COLUMNS}`,
    [venueId, id, status, note, at, from],
  );
  return rows[0] ?? null;
}

export interface DueCalendar {
  readonly venue_id: string;
  readonly id: string;
  readonly calendar_url: string;
  readonly calendar_due_at: string;
  readonly calendar_failures: number;
  readonly timezone: string | null;
}

/**
 * Claims calendars that are due by moving their due time to the end of the lease. When a worker dies, they are due
 * again then. Boat by boat, because a distributed database has those of different venues on different nodes.
 */
export async function claimDueCalendars(
  db: Queryable,
  now: number,
  leaseSeconds: number,
  limit: number,
  excludedVenues: readonly string[] = [],
): Promise<DueCalendar[]> {
  const due = await db.query<{ venueId: string; id: string }>(
    `select venue_id as "venueId", boat_id as id from boats
     where calendar_due_at <= to_timestamp($1 / 1000.0) and venue_id <> all($3::uuid[]) order by calendar_due_at limit $2`,
    [now, limit, excludedVenues],
  );
  const claimed: DueCalendar[] = [];
  for (const { venueId, id } of due) {
    const rows = await db.query<DueCalendar>(
      `update boats set calendar_due_at = to_timestamp($4 / 1000.0)
       where venue_id = $1 and boat_id = $2 and calendar_due_at <= to_timestamp($3 / 1000.0)
       returning venue_id, boat_id as id, calendar_url, calendar_due_at, calendar_failures,
         content #>> '{availability,timezone}' as timezone`,
      [venueId, id, now, now + leaseSeconds * 1000],
    );
    claimed.push(...rows);
  }
  return claimed;
}

export interface CalendarOutcome {
  readonly checkedAt: number;
  readonly dueAt: number;
  readonly error: string | null;
  /** Null: the attempt failed, and what was read before stays. */
  readonly read: { readonly blocks: readonly CalendarBlock[]; readonly problems: readonly string[] } | null;
}

/** Writes nothing and gives false when the claim is stale: the lease ran out, or the boat was sent again. */
export async function recordCalendar(db: Queryable, due: DueCalendar, outcome: CalendarOutcome): Promise<boolean> {
  const rows = await db.query(
    `update boats set calendar_checked_at = to_timestamp($4 / 1000.0), calendar_due_at = to_timestamp($5 / 1000.0),
       calendar_error = $6, calendar_failures = case when $7::json is null then calendar_failures + 1 else 0 end,
       calendar_read_at = case when $7::json is null then calendar_read_at else to_timestamp($4 / 1000.0) end,
       calendar_blocks = coalesce($7::json, calendar_blocks),
       calendar_problems = coalesce($8::json, calendar_problems)
     where venue_id = $1 and boat_id = $2 and calendar_due_at = $3 returning 1`,
    [
      due.venue_id,
      due.id,
      due.calendar_due_at,
      outcome.checkedAt,
      outcome.dueAt,
      outcome.error,
      outcome.read === null ? null : JSON.stringify(outcome.read.blocks),
      outcome.read === null ? null : JSON.stringify(outcome.read.problems),
    ],
  );
  return rows.length > 0;
}
