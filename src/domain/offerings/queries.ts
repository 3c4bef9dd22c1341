// The only place that touches the table of offerings. What it shares with experiences and boats is in catalogue/.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { catalogueQueries, type ReviewOutcome } from '../catalogue/queries.ts';
import type { OfferingContent, OfferingRow, OfferingViewRow } from './offering.ts';

const LIST_COLUMNS = `offering_id as id, venue_id, mode, external_id, status, review_note, content, created_at, changed_at,
  reviewed_at`;
const COLUMNS = `${LIST_COLUMNS}, fingerprint, approved`;

export const {
  findByReference: findOffering,
  findByExternalIds,
  countByStatus: countOfferings,
  listPage: listOfferingRows,
  listForReview: listOfferingsForReview,
  listByChange: listOfferingsByChange,
  countPending: countPendingOfferings,
} = catalogueQueries<OfferingRow, OfferingViewRow>({
  table: 'offerings',
  idColumn: 'offering_id',
  columns: COLUMNS,
  listColumns: LIST_COLUMNS,
  pageColumn: 'changed_at',
  titleField: 'title',
});

/** The time zone of an offering's availability. Null: the offering has none. */
export async function timezoneOfOffering(
  db: Queryable,
  venueId: string,
  mode: Mode,
  externalId: string,
): Promise<string | null> {
  const rows = await db.query<{ timezone: string | null }>(
    `select content #>> '{availability,timezone}' as timezone from offerings
     where venue_id = $1 and mode = $2 and external_id = $3`,
    [venueId, mode, externalId],
  );
  return rows[0]?.timezone ?? null;
}

/** Null: the venue has no offering in this mode. */
export async function lastChangedExternalId(db: Queryable, venueId: string, mode: Mode): Promise<string | null> {
  const rows = await db.query<{ external_id: string }>(
    'select external_id from offerings where venue_id = $1 and mode = $2 order by changed_at desc limit 1',
    [venueId, mode],
  );
  return rows[0]?.external_id ?? null;
}

export interface OfferingForGuests {
  /** That of its availability; null: it has none. */
  readonly timezone: string | null;
  readonly media: OfferingContent['media'] | null;
  readonly policy: OfferingContent['policy'] | null;
}

/**
 * What the pages of a booking show of its offering; null: there is none. Media and policy are those of the approved version,
 * or of one that waits for its review, never of a rejected one.
 */
export async function offeringForGuests(
  db: Queryable,
  venueId: string,
  mode: Mode,
  externalId: string,
): Promise<OfferingForGuests | null> {
  const rows = await db.query<OfferingForGuests>(
    `select content #>> '{availability,timezone}' as timezone, shown -> 'media' as media, shown -> 'policy' as policy
     from offerings cross join lateral (
       select coalesce(approved, case when status <> 'rejected' then content end) as shown) s
     where venue_id = $1 and mode = $2 and external_id = $3`,
    [venueId, mode, externalId],
  );
  return rows[0] ?? null;
}

export interface OfferingWrite {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly reviewNote: string | null;
  readonly content: OfferingContent;
  readonly fingerprint: Buffer;
  /** The version that members see. */
  readonly approved: OfferingContent | null;
  readonly at: string;
}

/** Inserts or updates all rows in one statement. A new row is created at `at`, an existing one is changed at `at`. */
export async function writeOfferings(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  writes: readonly OfferingWrite[],
): Promise<Map<string, OfferingRow>> {
  const rows = await tx.query<OfferingRow>(
    `insert into offerings (venue_id, mode, offering_id, external_id, status, review_note, content, fingerprint, created_at,
       changed_at, approved)
     select $1, $2, n.id, n.external_id, n.status, n.note, n.content::json, n.fingerprint, n.at, n.at, n.approved::json
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::timestamptz[], $10::text[])
       as n(id, external_id, status, note, content, fingerprint, at, approved)
     on conflict (venue_id, mode, external_id) do update
       set status = excluded.status, review_note = excluded.review_note, content = excluded.content,
         fingerprint = excluded.fingerprint, changed_at = excluded.changed_at, approved = excluded.approved
     returning ${COLUMNS}`,
    [
      venueId,
      mode,
      writes.map(({ id }) => id),
      writes.map(({ externalId }) => externalId),
      writes.map(({ status }) => status),
      writes.map(({ reviewNote }) => reviewNote),
      writes.map(({ content }) => JSON.stringify(content)),
      writes.map(({ fingerprint }) => fingerprint),
      writes.map(({ at }) => at),
      writes.map(({ approved }) => (approved === null ? null : JSON.stringify(approved))),
    ],
  );
  return new Map(rows.map((row) => [row.external_id, row]));
}

/**
 * Records the review of an offering. A rejection of approved ones takes one more: a rejected one whose earlier version
 * members still see. A takedown takes every one of which members see a version. Null: it has another status, and nothing is written.
 */
export async function setReviewed(
  tx: Queryable,
  venueId: string,
  id: string,
  { from, status, note, at, takesDown = false }: ReviewOutcome,
): Promise<OfferingRow | null> {
  // A rejected change leaves the version that members see. A rejection of what does not wait for review takes it down.
  const rows = await tx.query<OfferingRow>(
    `update offerings set status = $3, review_note = $4, changed_at = $5,
       reviewed_at = case when $3 = 'pending' then null else $5::timestamptz end,
       approved = case when $3 = 'approved' then content when $3 = 'rejected' and (status <> 'pending' or $7) then null
         else approved end
     where venue_id = $1 and offering_id = $2
       and case when $7 then approved is not null
         else status = any($6) or ($3 = 'rejected' and 'approved' = any($6) and status = 'rejected' and approved is not null) end
     returning ${COLUMNS}`,
    [venueId, id, status, note, at, from, takesDown],
  );
  return rows[0] ?? null;
}

/** Of these offerings, those of which members see a version. */
export async function visibleOfferings(
  db: Queryable,
  venueId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    `select offering_id as "id" from offerings where venue_id = $1 and offering_id = any($2::uuid[]) and approved is not null`,
    [venueId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
