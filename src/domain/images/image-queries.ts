// The SQL of images, image_requests and image_files.

import { createHash } from 'node:crypto';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { sha256 } from '../../base/sha256.ts';

export type ImageKind = 'cover' | 'logo';

export interface ImageSource {
  readonly kind: ImageKind;
  readonly url: string;
}

/** The hashes, in hex, of the files of a fetched image. */
export interface ImageFiles {
  readonly file: string;
  readonly thumbnail: string | null;
  readonly preview: string | null;
}

/**
 * A venue has at most this many covers; further ones are not fetched until pages stop asking for others. A logo always is:
 * every page of the venue shows it.
 */
export const MAX_COVERS_PER_VENUE = 200;

const hashOfUrl = (url: string): Buffer => sha256(url);

interface ImageRow {
  readonly kind: ImageKind;
  readonly files: ImageFiles | null;
  readonly isStale: boolean;
}

/** What is known of the sources, by kind. `isStale`: no page has asked for a day. */
export async function readImages(
  db: Queryable,
  venueId: string,
  sources: readonly ImageSource[],
  now: number,
): Promise<ReadonlyMap<ImageKind, ImageRow>> {
  const rows = await db.query<ImageRow>(
    `select i.kind, i.wanted_at < to_timestamp($4 / 1000.0) - interval '1 day' as "isStale",
       case when i.file_hash is not null then json_build_object('file', encode(i.file_hash, 'hex'),
         'thumbnail', encode(i.thumbnail_hash, 'hex'), 'preview', encode(i.preview_hash, 'hex')) end as files
     from images i join unnest($2::text[], $3::bytea[]) as s(kind, url_hash)
       on i.kind = s.kind and i.url_hash = s.url_hash
     where i.venue_id = $1`,
    [venueId, sources.map(({ kind }) => kind), sources.map(({ url }) => hashOfUrl(url)), now],
  );
  return new Map(rows.map((row) => [row.kind, row]));
}

/** Makes new sources due, and records for known ones that a page has asked. */
export async function wantImages(
  db: Queryable,
  venueId: string,
  sources: readonly ImageSource[],
  now: number,
): Promise<void> {
  await db.query(
    `insert into images (venue_id, kind, url_hash, url, wanted_at, due_at)
     select $1, s.kind, s.url_hash, s.url, to_timestamp($5 / 1000.0), to_timestamp($5 / 1000.0)
     from unnest($2::text[], $3::bytea[], $4::text[]) as s(kind, url_hash, url)
     where s.kind = 'logo' or (select count(*) from images i where i.venue_id = $1 and i.kind = 'cover') < $6 or exists (
       select from images i where i.venue_id = $1 and i.kind = s.kind and i.url_hash = s.url_hash)
     order by s.kind
     on conflict (venue_id, kind, url_hash) do update set wanted_at = greatest(images.wanted_at, excluded.wanted_at)`,
    [
      venueId,
      sources.map(({ kind }) => kind),
      sources.map(({ url }) => hashOfUrl(url)),
      sources.map(({ url }) => url),
      now,
      MAX_COVERS_PER_VENUE,
    ],
  );
}

export interface ImageRequest {
  readonly venueId: string;
  readonly mode: Mode;
  readonly offeringExternalId: string;
  /** How many new checkouts name the offering. */
  readonly count: number;
}

/**
 * Takes the requests of up to `limit` new checkouts, each offering once. They come back if the transaction fails. Venue by
 * venue, because a distributed database has the rows of different venues on different nodes.
 */
export async function takeImageRequests(tx: Queryable, limit: number): Promise<ImageRequest[]> {
  const venues = await tx.query<{ venueId: string; ids: string[] }>(
    `select venue_id as "venueId", array_agg(checkout_id) as ids
     from (select venue_id, checkout_id from image_requests limit $1) r group by venue_id order by venue_id`,
    [limit],
  );
  const requests: ImageRequest[] = [];
  for (const { venueId, ids } of venues) {
    const rows = await tx.query<ImageRequest>(
      `with taken as (
         delete from image_requests where venue_id = $1 and checkout_id in (
           select checkout_id from image_requests where venue_id = $1 and checkout_id = any($2) for update skip locked)
         returning mode, offering_external_id)
       select $1::uuid as "venueId", mode, offering_external_id as "offeringExternalId", count(*)::integer as count
       from taken group by 1, 2, 3 order by 2, 3`,
      [venueId, ids],
    );
    requests.push(...rows);
  }
  return requests;
}

export interface DueImage {
  readonly venueId: string;
  readonly kind: ImageKind;
  readonly urlHash: Buffer;
  readonly url: string;
  /** The end of the lease: a worker whose lease ran out must not write. */
  readonly dueAt: string;
}

export interface Claim {
  readonly now: number;
  readonly leasedUntil: number;
  readonly limit: number;
  /** Whether to claim those that another worker has claimed before and recorded nothing of. */
  readonly isRepeated: boolean;
}

/**
 * Claims due images, at most one of a venue, so that slow addresses of one venue do not delay another. A worker that
 * dies leaves them due at the end of the lease, with one more attempt. A repeated one gets its error in advance. Venue by
 * venue, because a distributed database has the rows of different venues on different nodes.
 */
export async function claimDueImages(
  db: Queryable,
  { now, leasedUntil, limit, isRepeated }: Claim,
): Promise<DueImage[]> {
  const venues = await db.query<{ venueId: string }>(
    `select venue_id as "venueId" from images where due_at <= to_timestamp($1 / 1000.0) and (attempts > 0) = $2
     group by venue_id order by min(due_at) limit $3`,
    [now, isRepeated, limit],
  );
  const claimed: DueImage[] = [];
  for (const { venueId } of venues) {
    const rows = await db.query<DueImage>(
      // Materialized: as a subquery it could be run again for each row, and lock another one each time.
      `with due as materialized (
         select kind, url_hash from images
         where venue_id = $1 and due_at <= to_timestamp($2 / 1000.0) and (attempts > 0) = $4
         order by due_at, kind, url_hash limit 1 for update skip locked)
       update images i set due_at = to_timestamp($3 / 1000.0), attempts = least(i.attempts + 1, 1000),
         failed_at = case when $4 then to_timestamp($2 / 1000.0) else i.failed_at end,
         error = case when $4 then 'The service stopped twice while it read it.' else i.error end
       from due where i.venue_id = $1 and i.kind = due.kind and i.url_hash = due.url_hash
       returning i.venue_id as "venueId", i.kind, i.url_hash as "urlHash", i.url, i.due_at as "dueAt"`,
      [venueId, now, leasedUntil, isRepeated],
    );
    claimed.push(...rows);
  }
  return claimed;
}

/** The images of a venue that are to be fetched, in a transaction that has made them so. */
export async function dueImagesOf(tx: Queryable, venueId: string): Promise<DueImage[]> {
  return tx.query<DueImage>(
    `select venue_id as "venueId", kind, url_hash as "urlHash", url, due_at as "dueAt" from images
     where venue_id = $1 and due_at is not null for update`,
    [venueId],
  );
}

/** Gives a claimed image back that was not read: the worker stops. Writes nothing if the lease has run out. */
export async function releaseImage(db: Queryable, due: DueImage, now: number): Promise<void> {
  await db.query(
    `update images set due_at = to_timestamp($5 / 1000.0), attempts = attempts - 1
     where venue_id = $1 and kind = $2 and url_hash = $3 and due_at = $4`,
    [due.venueId, due.kind, due.urlHash, due.dueAt, now],
  );
}

export interface NewFile {
  readonly type: 'image/webp' | 'image/jpeg';
  readonly content: Buffer;
}

/** The address of a file is the hash of its content and of what it was made of, so that no two images share a file. */
function hashOfFile({ venueId, kind, urlHash }: DueImage, { content }: NewFile): Buffer {
  return createHash('sha256').update(`${venueId} ${kind} `).update(urlHash).update(content).digest();
}

/** In a transaction. Returns false and writes nothing if the lease has run out. */
export async function recordFetched(
  tx: Queryable,
  due: DueImage,
  files: { readonly file: NewFile; readonly thumbnail: NewFile | null; readonly preview: NewFile | null },
): Promise<boolean> {
  const { file, thumbnail, preview } = files;
  const all = [file, thumbnail, preview].filter((one) => one !== null);
  const hashOf = (one: NewFile | null): Buffer | null => (one === null ? null : hashOfFile(due, one));
  const recorded = await tx.query(
    `update images set due_at = null, attempts = 0, failed_at = null, error = null, file_hash = $5, thumbnail_hash = $6, preview_hash = $7
     where venue_id = $1 and kind = $2 and url_hash = $3 and due_at = $4 returning 1`,
    [due.venueId, due.kind, due.urlHash, due.dueAt, hashOf(file), hashOf(thumbnail), hashOf(preview)],
  );
  if (recorded.length === 0) return false;
  await tx.query(
    `insert into image_files (file_hash, type, content)
     select f.file_hash, f.type, f.content from unnest($1::bytea[], $2::text[], $3::bytea[]) as f(file_hash, type, content)
     on conflict do nothing`,
    [all.map((one) => hashOfFile(due, one)), all.map(({ type }) => type), all.map(({ content }) => content)],
  );
  return true;
}

/** Writes nothing if the lease has run out. */
export async function recordFailed(
  db: Queryable,
  due: DueImage,
  failure: { readonly error: string; readonly at: number; readonly retryAt: number },
): Promise<void> {
  await db.query(
    `update images set failed_at = to_timestamp($5 / 1000.0), error = $6, due_at = to_timestamp($7 / 1000.0), attempts = 0
     where venue_id = $1 and kind = $2 and url_hash = $3 and due_at = $4`,
    [due.venueId, due.kind, due.urlHash, due.dueAt, failure.at, failure.error, failure.retryAt],
  );
}

/** Null: there is no such file. `hash` is in hex. */
export async function readImageFile(db: Queryable, hash: string): Promise<NewFile | null> {
  const rows = await db.query<NewFile>(`select type, content from image_files where file_hash = decode($1, 'hex')`, [
    hash,
  ]);
  return rows[0] ?? null;
}

/** In a transaction: deletes images that no page has asked for, with their files. Returns how many images. */
export async function deleteUnusedImages(tx: Queryable, before: number, limit: number): Promise<number> {
  const venues = await tx.query<{ venueId: string; count: number }>(
    `select venue_id as "venueId", count(*)::integer as count
     from (select venue_id from images where wanted_at < to_timestamp($1 / 1000.0) order by wanted_at limit $2) i
     group by venue_id order by venue_id`,
    [before, limit],
  );
  let deleted = 0;
  for (const { venueId, count } of venues) {
    const gone = await tx.query<{ hashes: (Buffer | null)[] }>(
      `delete from images where venue_id = $1 and (kind, url_hash) in (
         select kind, url_hash from images where venue_id = $1 and wanted_at < to_timestamp($2 / 1000.0)
         order by wanted_at limit $3 for update skip locked)
       returning array[file_hash, thumbnail_hash, preview_hash] as hashes`,
      [venueId, before, count],
    );
    deleted += gone.length;
    const hashes = gone.flatMap((row) => row.hashes.filter((hash) => hash !== null));
    if (hashes.length > 0) await tx.query('delete from image_files where file_hash = any($1::bytea[])', [hashes]);
  }
  return deleted;
}
