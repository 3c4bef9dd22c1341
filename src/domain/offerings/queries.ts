// The only place that touches the table of offerings.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import type { PageQuery } from '../../base/page.ts';
import type { OfferingContent, OfferingRow, ShownOfferingRow } from './offering.ts';

/** What a list shows: not the version for members, nor what only a comparison needs. */
const SHOWN = `offering_id as id, venue_id, mode, external_id, status, review_note, content, created_at, changed_at,
  reviewed_at`;

const COLUMNS = `offering_id as id, venue_id, mode, external_id, status, review_note, content, fingerprint, approved,
  created_at, changed_at, reviewed_at`;

export async function findByExternalIds(
  db: Queryable,
  venueId: string,
  mode: Mode,
  externalIds: readonly string[],
): Promise<Map<string, OfferingRow>> {
  const rows = await db.query<OfferingRow>(
    `select ${COLUMNS} from offerings where venue_id = $1 and mode = $2 and external_id = any($3)`,
    [venueId, mode, externalIds],
  );
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** By its id or by the venue's own id; an id match wins. */
export async function findOffering(
  db: Queryable,
  venueId: string,
  mode: Mode,
  reference: string,
): Promise<OfferingRow | null> {
  const rows = await db.query<OfferingRow>(
    `select ${COLUMNS} from offerings
     where venue_id = $1 and mode = $2 and (offering_id = $3::uuid or external_id = $4)
     order by offering_id = $3::uuid desc nulls last limit 1`,
    [venueId, mode, isUuid(reference) ? reference : null, reference],
  );
  return rows[0] ?? null;
}

/** The time zone of an offering, else of the venue's latest ones that has one; null: nobody has said. */
export async function zoneFor(
  db: Queryable,
  venueId: string,
  mode: Mode,
  externalId: string | null,
): Promise<string | null> {
  const rows = await db.query<{ zone: string | null }>(
    `select coalesce(
       (select o.content #>> '{availability,timezone}' from offerings o
        where o.venue_id = $1 and o.mode = $2 and o.external_id = $3),
       (select n.zone from (
          select o.content #>> '{availability,timezone}' as zone, o.changed_at from offerings o
          where o.venue_id = $1 and o.mode = $2 order by o.changed_at desc limit 20) n
        where n.zone is not null order by n.changed_at desc limit 1)) as zone`,
    [venueId, mode, externalId],
  );
  return rows[0]?.zone ?? null;
}

export async function listOfferingRows(
  db: Queryable,
  venueId: string,
  mode: Mode,
  page: PageQuery,
): Promise<ShownOfferingRow[]> {
  return db.query<ShownOfferingRow>(
    `select ${SHOWN} from offerings
     where venue_id = $1 and mode = $2 and ($3::text is null or status = $3)
       and changed_at < coalesce($4::timestamptz, 'infinity')
     order by changed_at desc limit $5`,
    [venueId, mode, page.status, page.before, page.limit + 1],
  );
}

export interface OfferingForReview {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly status: string;
  readonly title: string;
  readonly external_id: string;
  readonly created_at: string;
}

/** Of every venue and both modes, unless narrowed; oldest first. The status is part of the text, so that its index is. */
export async function listOfferingsForReview(
  db: Queryable,
  question: {
    readonly status: 'pending' | 'approved' | 'rejected';
    readonly mode: Mode | null;
    readonly venueId: string | null;
    readonly limit: number;
  },
): Promise<OfferingForReview[]> {
  return db.query<OfferingForReview>(
    `select offering_id as id, venue_id, mode, status, content ->> 'title' as title, external_id, created_at
     from offerings
     where status = '${question.status}' and ($1::text is null or mode = $1) and ($2::uuid is null or venue_id = $2)
     order by created_at, offering_id limit $3`,
    [question.mode, question.venueId, question.limit],
  );
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

/** New ones are created at `at`, known ones changed at it; one statement for all of them. */
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

/** Moves a pending offering by its review; null: it is not pending (any more). */
export async function setReviewed(
  tx: Queryable,
  venueId: string,
  id: string,
  authResult: { readonly status: 'approved' | 'rejected'; readonly note: string | null; readonly at: string },
): Promise<OfferingRow | null> {
  const rows = await tx.query<OfferingRow>(
    `update offerings set status = $3, review_note = $4, reviewed_at = $5, changed_at = $5,
       approved = case when $3 = 'approved' then content else approved end
     where venue_id = $1 and offering_id = $2 and status = 'pending' returning ${COLUMNS}`,
    [venueId, id, authResult.status, authResult.note, authResult.at],
  );
  return rows[0] ?? null;
}
