// The only place that touches the tables of keys and limits.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { deleteBatch } from '../../base/delete-batch.ts';
import type { PrefetchedCheckout } from './caller.ts';
import type { KeyKind } from './key.ts';
import { takeOverRaise } from './raise-queries.ts';

export interface KeyRow {
  readonly id: string;
  readonly venue_id: string;
  readonly name: string | null;
  readonly kind: KeyKind;
  readonly mode: Mode;
  readonly hint: string;
  readonly scopes: string[];
  readonly writes_per_hour: number;
  readonly reads_per_hour: number;
  readonly allow_ips: string[] | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** The id of the key that replaces it. */
  readonly rolled_to: string | null;
  /** To the minute; null: never. */
  readonly last_used_at: string | null;
  /** Masked. */
  readonly last_used_address: string | null;
  readonly created_at: string;
}

/** The values that can change. */
export interface KeyValues {
  readonly name: string | null;
  readonly writesPerHour: number;
  readonly readsPerHour: number;
  readonly allowIps: readonly string[] | null;
  readonly expiresAt: string | null;
}

export interface NewKey extends KeyValues {
  readonly venueId: string;
  readonly id: string;
  readonly hash: Buffer;
  readonly kind: KeyKind;
  readonly mode: Mode;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly now: number;
}

const COLUMNS = `key_id as id, venue_id, name, kind, mode, hint, scopes, writes_per_hour, reads_per_hour, allow_ips,
  expires_at, revoked_at, rolled_to, created_at, last_used_at, last_used_address`;

/** False: the key is stored already. */
export async function insertKey(tx: Queryable, key: NewKey): Promise<boolean> {
  const routed = await tx.query(
    'insert into key_routes (key_hash, venue_id, key_id) values ($1, $2, $3) on conflict do nothing returning key_id',
    [key.hash, key.venueId, key.id],
  );
  if (routed.length === 0) return false;
  await tx.query(
    `insert into keys (venue_id, key_id, kind, mode, hint, scopes, writes_per_hour, reads_per_hour, allow_ips, expires_at, created_at, name)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0), $12)`,
    [
      key.venueId,
      key.id,
      key.kind,
      key.mode,
      key.hint,
      key.scopes,
      key.writesPerHour,
      key.readsPerHour,
      key.allowIps,
      key.expiresAt,
      key.now,
      key.name,
    ],
  );
  await takeOverRaise(tx, key.venueId, key.id, key.now);
  return true;
}

export async function findKey(db: Queryable, id: string): Promise<KeyRow | null> {
  const venueId = await findVenueOfKey(db, id);
  if (venueId === null) return null;
  const [row] = await findKeysOfVenue(db, venueId, [id]);
  return row ?? null;
}

async function findVenueOfKey(db: Queryable, id: string): Promise<string | null> {
  const rows = await db.query<{ venueId: string }>('select venue_id as "venueId" from key_routes where key_id = $1', [
    id,
  ]);
  return rows[0]?.venueId ?? null;
}

/** The keys of a venue with these ids, in no certain order. */
export async function findKeysOfVenue(db: Queryable, venueId: string, ids: readonly string[]): Promise<KeyRow[]> {
  if (ids.length === 0) return [];
  return db.query<KeyRow>(`select ${COLUMNS} from keys where venue_id = $1 and key_id = any($2)`, [venueId, ids]);
}

/** The lock is held until the transaction ends, so that two operators do not overwrite each other. */
export async function lockKey(tx: Queryable, id: string): Promise<KeyRow | null> {
  const venueId = await findVenueOfKey(tx, id);
  const rows = await tx.query<KeyRow>(
    `select ${COLUMNS} from keys where venue_id = $1 and key_id = $2 for no key update`,
    [venueId, id],
  );
  return rows[0] ?? null;
}

export async function setKeyValues(tx: Queryable, venueId: string, id: string, values: KeyValues): Promise<void> {
  await tx.query(
    `update keys set name = $3, writes_per_hour = $4, reads_per_hour = $5, allow_ips = $6, expires_at = $7
     where venue_id = $1 and key_id = $2`,
    [venueId, id, values.name, values.writesPerHour, values.readsPerHour, values.allowIps, values.expiresAt],
  );
}

/** The venues of keys with this hint or id, as lists of keys show it. */
export async function venuesOfKey(db: Queryable, text: string): Promise<string[]> {
  const rows = await db.query<{ venueId: string }>(
    'select distinct venue_id as "venueId" from keys where key_id = $1 or hint = $1 limit 100',
    [text],
  );
  return rows.map(({ venueId }) => venueId);
}

/** One page, newest first; `before` is the id of the last key of the page before. */
export async function listKeys(db: Queryable, venueId: string | null, before: string | null): Promise<KeyRow[]> {
  return db.query<KeyRow>(
    `select ${COLUMNS} from keys
     where ($1::uuid is null or venue_id = $1) and ($2::text is null or key_id < $2) order by key_id desc limit 1000`,
    [venueId, before],
  );
}

/** A key is active, expired at `now`, or revoked. */
const STATUS = `case when revoked_at is not null then 'revoked'
  when expires_at <= to_timestamp($3 / 1000.0) then 'expired' else 'active' end`;

/** The keys of a venue and mode, newest first, up to `limit` + 1. */
export async function listKeysOfMode(
  db: Queryable,
  venueId: string,
  mode: Mode,
  filter: { readonly status: string | null; readonly before: string | null; readonly limit: number },
  now: number,
): Promise<KeyRow[]> {
  return db.query<KeyRow>(
    `select ${COLUMNS} from keys
     where venue_id = $1 and mode = $2 and ($4::text is null or ${STATUS} = $4) and ($5::text is null or key_id < $5)
     order by key_id desc limit $6`,
    [venueId, mode, now, filter.status, filter.before, filter.limit + 1],
  );
}

export async function countActiveKeys(db: Queryable, venueId: string, mode: Mode, now: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `select count(*)::int as count from keys where venue_id = $1 and mode = $2 and ${STATUS} = 'active'`,
    [venueId, mode, now],
  );
  return rows[0]?.count ?? 0;
}

/** The caller has locked the old key. It ends at a time, or with null at once. False: it was rolled before. */
export async function setRolled(
  tx: Queryable,
  { venue_id, id }: KeyRow,
  newId: string,
  endsAt: string | null,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update keys set rolled_to = $3, expires_at = coalesce($4, expires_at),
       revoked_at = case when $4::timestamptz is null then to_timestamp($5 / 1000.0) end
     where venue_id = $1 and key_id = $2 and rolled_to is null and revoked_at is null returning 1`,
    [venue_id, id, newId, endsAt, now],
  );
  return rows.length === 1;
}

/** False: the key was revoked before. */
export async function setRevoked(tx: Queryable, venueId: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `update keys set revoked_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and key_id = $2 and revoked_at is null returning key_id`,
    [venueId, id, now],
  );
  return rows.length > 0;
}

/** The result of counting calls of one subject in the rolling hour. */
export interface CountedCalls {
  readonly granted: number;
  readonly remaining: number;
  readonly reset_at: string | null;
  readonly retry_at: string | null;
  readonly counted_at: string;
}

/** A key and its venue. */
export interface AdmittedKey {
  readonly venue_id: string;
  readonly venue_name: string;
  readonly venue_linked: boolean;
  readonly venue_origins: string[];
  readonly key_id: string;
  readonly kind: KeyKind;
  readonly mode: Mode;
  readonly scopes: string[];
  readonly allow_ips: string[] | null;
  readonly writes_per_hour: number;
  readonly reads_per_hour: number;
  readonly created_at: string;
  readonly expires_at: string | null;
}

export interface AdmittedCalls {
  /** Null: unknown, revoked or expired. */
  readonly key: AdmittedKey | null;
  readonly callLimit: number;
  /** Null: the key has no limit of its own, and its calls are counted under a shared subject. */
  readonly counted: CountedCalls | null;
  /** Null: no checkout was requested, or the venue has none with this id. */
  readonly prefetched: PrefetchedCheckout | null;
}

export interface KeyLookup {
  readonly hash: Buffer;
  readonly effect: 'read' | 'write';
  readonly calls: number;
  /** The checkout that the call reads; null for every other call. */
  readonly checkoutId: string | null;
}

type AdmitRow = { position: number; call_limit: number; prefetched: string | null; overdue: boolean } & AdmittedKey &
  CountedCalls;

/**
 * Finds each key, counts its calls and fetches its checkout, in one statement. One result for each, in the order
 * given.
 */
export async function admitKeys(db: Queryable, lookups: readonly KeyLookup[], now: number): Promise<AdmittedCalls[]> {
  const checkoutIds = lookups.map(({ checkoutId }) => checkoutId);
  const rows = await db.query<AdmitRow>('select * from admit($1, $2, $3, $4, to_timestamp($5 / 1000.0))', [
    lookups.map(({ hash }) => hash),
    lookups.map(({ effect }) => effect),
    lookups.map(({ calls }) => calls),
    checkoutIds.some((id) => id !== null) ? checkoutIds : null,
    now,
  ]);
  const admitted: AdmittedCalls[] = [];
  for (const row of rows) {
    admitted[row.position - 1] = {
      key: row.venue_id === null ? null : row,
      callLimit: row.call_limit,
      counted: row.granted === null ? null : row,
      prefetched: row.prefetched === null ? null : { json: row.prefetched, overdue: row.overdue },
    };
  }
  return admitted;
}

/** Counts calls of subjects that share one limit. One result for each, in the order given. */
export async function countSharedCalls(
  db: Queryable,
  limit: number,
  subjects: readonly { readonly subject: string; readonly calls: number }[],
): Promise<CountedCalls[]> {
  const rows = await db.query<{ position: number } & CountedCalls>('select * from count_calls_each($1, $2, $3)', [
    subjects.map(({ subject }) => subject),
    limit,
    subjects.map(({ calls }) => calls),
  ]);
  return rows.sort((a, b) => a.position - b.position);
}

/** The calls of the last hour, and when the oldest of them leaves it. It locks nothing, so it may be a moment old. */
export async function callsInLastHour(
  db: Queryable,
  subject: string,
): Promise<{ readonly calls: number; readonly retry_at: string | null; readonly counted_at: string }> {
  const rows = await db.query<{ calls: number; retry_at: string | null; counted_at: string }>(
    // There is at most one row, and an aggregate makes one where there is none.
    `select coalesce(max(w.total - (c.total - c.calls)), 0)::int as calls, max(c.at) + interval '1 hour' as retry_at,
       clock_timestamp() as counted_at
     from limit_windows w left join lateral (
       select * from limit_calls c where c.subject = w.subject and c.at > clock_timestamp() - interval '1 hour'
       order by c.at limit 1) c on true
     where w.subject = $1`,
    [subject],
  );
  if (rows[0] === undefined) throw new Error('counting the calls of the last hour returned no row');
  return rows[0];
}

/** The index is on this and not on `at`, which PostgreSQL could use to count a call: it would read the calls of all subjects. */
export const CALLED_AT = "least(at, 'infinity'::timestamptz)";

/** Subjects whose rows are deleted at the same time. */
const SUBJECTS_AT_ONCE = 20;

/**
 * Deletes calls older than the rolling hour, and each window whose last call is one of them. Returns how many rows it
 * found. Windows have no index by age, because every counted call would have to update it, so they are found by their
 * calls. A statement for each subject: it holds no lock that a caller of another one waits for, and it deletes in the
 * order in which count_calls does, so that the two cannot deadlock. The window goes first: after a crash between the
 * two, the next look finds the rest of the calls.
 */
export async function deleteExpiredCalls(db: Queryable, limit: number): Promise<number> {
  const calls = await db.query<{ subject: string; at: string }>(
    `select subject, at from limit_calls where ${CALLED_AT} < now() - interval '1 hour' order by ${CALLED_AT} limit $1`,
    [limit],
  );
  const newest = [...new Map(calls.map(({ subject, at }) => [subject, at]))];
  for (let first = 0; first < newest.length; first += SUBJECTS_AT_ONCE)
    await Promise.all(
      newest.slice(first, first + SUBJECTS_AT_ONCE).map(([subject, at]) => deleteCalls(db, subject, at)),
    );
  return calls.length;
}

async function deleteCalls(db: Queryable, subject: string, newest: string): Promise<void> {
  await db.query('delete from limit_windows where subject = $1 and last_at = $2', [subject, newest]);
  await db.query('delete from limit_calls where subject = $1 and at <= $2', [subject, newest]);
}

/**
 * Deletes windows unused for a day. Only such windows are left that lost their calls: during an upgrade, workers of the
 * release before delete calls alone. Reads the whole table, so it runs rarely.
 */
export async function deleteIdleWindows(db: Queryable, limit: number): Promise<number> {
  const isOld = "last_at < now() - interval '1 day'";
  return (await db.query(deleteBatch({ table: 'limit_windows', key: 'subject', isOld }, '$1'), [limit])).length;
}

/** The names of keys of a venue, by id; null: the key has none. */
export async function keyNames(
  db: Queryable,
  venueId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; name: string | null }>(
    'select key_id as "id", name from keys where venue_id = $1 and key_id = any($2)',
    [venueId, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export interface ExpiringKey {
  readonly venueId: string;
  readonly id: string;
  readonly name: string | null;
  readonly hint: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A page of live keys, the soonest to expire first, that are valid now and expire until a time. */
export async function expiringKeys(
  db: Queryable,
  after: Pick<ExpiringKey, 'expiresAt' | 'id'> | null,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<ExpiringKey[]> {
  return db.query<ExpiringKey>(
    `select venue_id as "venueId", key_id as "id", name, hint, created_at as "createdAt", expires_at as "expiresAt"
     from keys where mode = 'live' and revoked_at is null and rolled_to is null and expires_at > to_timestamp($1 / 1000.0)
       and expires_at <= to_timestamp($2 / 1000.0) and ($3::timestamptz is null or (expires_at, key_id) > ($3, $4))
     order by expires_at, key_id limit $5`,
    [now, until, after?.expiresAt ?? null, after?.id ?? null, limit],
  );
}
