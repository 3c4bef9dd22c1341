// The only place that touches the table of venues, except the SQL function that admits a key and reads its venue.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

/** What guests see of a venue beside its name. */
export interface VenueProfileRow {
  readonly timezone: string;
  readonly support_email: string | null;
  readonly support_phone: string | null;
  readonly support_url: string | null;
  readonly terms_url: string | null;
  readonly privacy_url: string | null;
  readonly accent_color: string | null;
  readonly logo_url: string | null;
}

/** What can be changed of a venue by its owners. */
export interface NamedProfileRow extends VenueProfileRow {
  readonly name: string;
}

export interface VenueRow extends NamedProfileRow {
  readonly id: string;
  readonly linked: boolean;
  readonly test_origins: string[];
  readonly live_origins: string[];
  readonly fee_bps: number;
  readonly fee_fixed: number;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Since when no new checkouts are created; null: they are. */
  readonly suspended_at: string | null;
  readonly suspension_note: string | null;
}

const COLUMNS = `venue_id as id, name, linked_at is not null as linked, origins as test_origins, live_origins, fee_bps, fee_fixed,
  created_at, revoked_at, suspended_at, suspension_note, timezone, support_email, support_phone, support_url, terms_url, privacy_url, accent_color, logo_url`;

export async function insertVenue(
  tx: Queryable,
  venue: {
    readonly id: string;
    readonly name: string;
    readonly testOrigins: readonly string[];
    readonly liveOrigins: readonly string[];
    readonly linked: boolean;
    readonly now: number;
  },
): Promise<void> {
  await tx.query(
    `insert into venues (venue_id, name, origins, live_origins, linked_at, created_at)
     values ($1, $2, $3, $4, case when $5 then to_timestamp($6 / 1000.0) end, to_timestamp($6 / 1000.0))`,
    [venue.id, venue.name, venue.testOrigins, venue.liveOrigins, venue.linked, venue.now],
  );
}

export async function findVenue(db: Queryable, id: string): Promise<VenueRow | null> {
  const rows = await db.query<VenueRow>(`select ${COLUMNS} from venues where venue_id = $1`, [id]);
  return rows[0] ?? null;
}

/** In no certain order; unknown ids are left out. */
export async function findVenues(db: Queryable, ids: readonly string[]): Promise<VenueRow[]> {
  if (ids.length === 0) return [];
  return db.query<VenueRow>(`select ${COLUMNS} from venues where venue_id = any($1::uuid[])`, [ids]);
}

/** One page, newest first; `before` is the id of the last venue of the page before. */
export async function listVenues(db: Queryable, before: string | null): Promise<VenueRow[]> {
  return db.query<VenueRow>(
    `select ${COLUMNS} from venues where $1::uuid is null or venue_id < $1 order by venue_id desc limit 1000`,
    [before],
  );
}

/** The oldest venue that is not revoked; null: there is none. */
export async function findFirstVenue(db: Queryable): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    'select venue_id as id from venues where revoked_at is null order by venue_id limit 1',
  );
  return rows[0]?.id ?? null;
}

export async function countVenues(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: number }>('select count(*) as count from venues');
  return rows[0]?.count ?? 0;
}

/** The lock is held until the transaction ends, so that two operators do not overwrite each other. */
export async function lockVenue(tx: Queryable, id: string): Promise<VenueRow | null> {
  const rows = await tx.query<VenueRow>(`select ${COLUMNS} from venues where venue_id = $1 for update`, [id]);
  return rows[0] ?? null;
}

export async function setLinked(tx: Queryable, id: string, now: number): Promise<void> {
  await tx.query('update venues set linked_at = to_timestamp($2 / 1000.0) where venue_id = $1 and linked_at is null', [
    id,
    now,
  ]);
}

export async function setRevoked(tx: Queryable, id: string, now: number): Promise<void> {
  await tx.query(
    'update venues set revoked_at = to_timestamp($2 / 1000.0) where venue_id = $1 and revoked_at is null',
    [id, now],
  );
}

/** Null: the venue is suspended no longer. The caller has locked it. */
export async function setSuspended(
  tx: Queryable,
  id: string,
  suspension: { readonly now: number; readonly note: string } | null,
): Promise<void> {
  await tx.query(
    'update venues set suspended_at = to_timestamp($2 / 1000.0), suspension_note = $3 where venue_id = $1',
    [id, suspension?.now ?? null, suspension?.note ?? null],
  );
}

/** Venues whose name contains a text, newest first, up to `limit` + 1. */
export async function searchVenues(
  db: Queryable,
  { text, before, limit }: { readonly text: string; readonly before: string | null; readonly limit: number },
): Promise<VenueRow[]> {
  return db.query<VenueRow>(
    `select ${COLUMNS} from venues
     where strpos(lower(name), lower($1)) > 0 and ($2::uuid is null or venue_id < $2) order by venue_id desc limit $3`,
    [text, before, limit + 1],
  );
}

/** The caller has locked the venue. */
export async function setOrigins(
  tx: Queryable,
  id: string,
  { test, live }: Readonly<Record<Mode, readonly string[]>>,
): Promise<void> {
  await tx.query('update venues set origins = $2, live_origins = $3 where venue_id = $1', [id, test, live]);
}

export async function setFee(tx: Queryable, id: string, bps: number, fixed: number): Promise<void> {
  await tx.query('update venues set fee_bps = $2, fee_fixed = $3 where venue_id = $1', [id, bps, fixed]);
}

/** The caller has locked the venue. */
export async function setProfile(tx: Queryable, id: string, profile: NamedProfileRow): Promise<void> {
  await tx.query(
    `update venues set timezone = $2, support_email = $3, support_phone = $4, support_url = $5, terms_url = $6,
       privacy_url = $7, accent_color = $8, logo_url = $9, name = $10 where venue_id = $1`,
    [
      id,
      profile.timezone,
      profile.support_email,
      profile.support_phone,
      profile.support_url,
      profile.terms_url,
      profile.privacy_url,
      profile.accent_color,
      profile.logo_url,
      profile.name,
    ],
  );
}

/** Whether a venue has registered an origin for a mode. */
export async function isRegisteredOrigin(
  db: Queryable,
  origin: string,
  { venueId, mode }: { readonly venueId: string; readonly mode: Mode },
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from venues
     where venue_id = $2 and case $3::text when 'live' then live_origins else origins end @> array[$1]`,
    [origin, venueId, mode],
  );
  return rows.length > 0;
}

/** Whether any venue has registered an origin, for either mode. */
export async function isOriginOfAnyVenue(db: Queryable, origin: string): Promise<boolean> {
  const rows = await db.query('select 1 from venues where origins @> array[$1] or live_origins @> array[$1] limit 1', [
    origin,
  ]);
  return rows.length > 0;
}

/** The ids, of those given, that are venues and not revoked. */
export async function knownVenueIds(db: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }>(
    'select venue_id as id from venues where venue_id = any($1::uuid[]) and revoked_at is null',
    [ids],
  );
  return rows.map(({ id }) => id);
}
