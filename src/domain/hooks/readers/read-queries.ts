// The only file that reads and writes the queue of objects to read (hook_reads) and who waits for them (hook_read_waits).

import type { Queryable } from '../../../base/db.ts';
import { deleteBatch } from '../../../base/delete-batch.ts';
import type { Outcome } from '../upsert-from-hook.ts';
import { IS_NAMED } from './named-read-queries.ts';
import type { ClaimedReader } from './reader-queries.ts';
import { refreshTime } from './refresh.ts';

export interface WantedRead {
  readonly venueId: string;
  readonly integrationId: string;
  readonly hash: Buffer;
  readonly readName: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Null: the order of arrival decides. */
  readonly version: bigint | null;
  /** When the delivery that names the object was received. Null: it is read in any case, such as for a catalogue run. */
  readonly receivedAt: string | null;
  readonly now: number;
}

/**
 * Puts an object into the queue, or makes the one that is there newer, for a delivery or a catalogue run that waits for
 * it. `waiterId` null: no delivery and no run waits. False: this version or a newer one was read already, so nothing is read.
 */
export async function wantRead(tx: Queryable, read: WantedRead, waiterId: string | null): Promise<boolean> {
  const version = read.version === null ? null : String(read.version);
  const rows = await tx.query<{ wanted_seq: string }>(
    `insert into hook_reads as h (venue_id, integration_id, object_hash, read_name, variables, wanted_version, wanted_at,
       wanted_seq, due_at, waiting_since, updated_at)
     values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, '-infinity'), 1, to_timestamp($8 / 1000.0),
       to_timestamp($8 / 1000.0), to_timestamp($8 / 1000.0))
     on conflict (venue_id, integration_id, object_hash) do update
       set wanted_version = greatest(h.wanted_version, excluded.wanted_version),
         wanted_at = greatest(h.wanted_at, excluded.wanted_at), wanted_seq = h.wanted_seq + 1,
         variables = excluded.variables, due_at = coalesce(h.due_at, excluded.due_at),
         waiting_since = coalesce(h.waiting_since, excluded.waiting_since), updated_at = excluded.updated_at
       where $7::timestamptz is null or h.read_at is null or h.due_at is not null or case
         when h.read_version is not null and excluded.wanted_version is not null
           then excluded.wanted_version > h.read_version
         else excluded.wanted_at > h.read_at end
     returning wanted_seq::text as wanted_seq`,
    [
      read.venueId,
      read.integrationId,
      read.hash,
      read.readName,
      JSON.stringify(read.variables),
      version,
      read.receivedAt,
      read.now,
    ],
  );
  const seq = rows[0]?.wanted_seq;
  if (seq === undefined) return false;
  if (waiterId === null) return true;
  await tx.query(
    `insert into hook_read_waits (venue_id, waiter_id, object_hash, integration_id, wanted_at, wanted_seq, wanted_version)
     values ($1, $2, $3, $4, coalesce($5::timestamptz, '-infinity'), $6, $7)
     on conflict (venue_id, waiter_id, object_hash) do update
       set outcome = null, wanted_at = excluded.wanted_at, wanted_seq = excluded.wanted_seq,
         wanted_version = excluded.wanted_version`,
    [read.venueId, waiterId, read.hash, read.integrationId, read.receivedAt, seq, version],
  );
  return true;
}

/** A delivery that is applied again waits anew. */
export async function deleteWaits(tx: Queryable, venueId: string, waiterId: string): Promise<void> {
  await tx.query('delete from hook_read_waits where venue_id = $1 and waiter_id = $2', [venueId, waiterId]);
}

export interface DueRead {
  readonly object_hash: Buffer;
  readonly read_name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly wanted_version: string | null;
  readonly wanted_at: string;
  readonly wanted_seq: string;
  /** How often the provider has failed since the object was named, and since when. */
  readonly attempts: number;
  readonly failing_since: string | null;
  readonly internal_errors: number;
  readonly offering_external_id: string | null;
  /** No delivery and no catalogue run waits for it, such as when it is read again because a day has passed. */
  readonly is_unawaited: boolean;
}

/** Of a row h of hook_reads. */
const DUE_READ = `object_hash, read_name, variables, wanted_version::text as wanted_version, wanted_at,
  wanted_seq::text as wanted_seq, attempts, failing_since, internal_errors, offering_external_id,
  not exists (select 1 from hook_read_waits w where w.venue_id = h.venue_id and w.integration_id = h.integration_id
    and w.object_hash = h.object_hash and w.outcome is null) as is_unawaited`;

/** The object that has waited longest: first of those that deliveries name, then of catalogue runs unless `isNamedOnly`. */
export async function oldestDueRead(
  db: Queryable,
  reader: ClaimedReader,
  now: number,
  isNamedOnly: boolean,
): Promise<DueRead | null> {
  const rows = await db.query<DueRead>(
    `select ${DUE_READ} from (
       select h.*, ${IS_NAMED} as is_named from hook_reads h
       where h.venue_id = $1 and h.integration_id = $2 and h.due_at <= to_timestamp($3 / 1000.0)) h
     where is_named or not $4 order by is_named desc, due_at limit 1`,
    [reader.venue_id, reader.integration_id, now, isNamedOnly],
  );
  return rows[0] ?? null;
}

/** The object that is to be read again first. */
export async function oldestRefresh(db: Queryable, reader: ClaimedReader, now: number): Promise<DueRead | null> {
  const rows = await db.query<DueRead>(
    `select ${DUE_READ} from hook_reads h
     where venue_id = $1 and integration_id = $2 and refresh_at <= to_timestamp($3 / 1000.0) and due_at is null
     order by refresh_at limit 1`,
    [reader.venue_id, reader.integration_id, now],
  );
  return rows[0] ?? null;
}

/** Whether an object is read again every day from now on, as before, or no longer. */
export type Refresh = 'start' | 'keep' | 'end';

export interface ReadEnd {
  /** False: the object could not be read. */
  readonly isRead: boolean;
  readonly refresh: Refresh;
  /** Deliveries have changed a part of it since the read began: it is read again at once. */
  readonly isOutdated?: boolean;
  readonly now: number;
}

/** The read is over, and its waits have ended. If others wait for a newer version, or it is outdated, the object stays due. */
export async function finishRead(
  tx: Queryable,
  reader: ClaimedReader,
  read: DueRead,
  { isRead, refresh, isOutdated = false, now }: ReadEnd,
  offering: string | null,
): Promise<void> {
  await tx.query(
    `update hook_reads h set attempts = 0, internal_errors = 0, failing_since = null,
       updated_at = to_timestamp($6 / 1000.0),
       read_version = case when $7 then $4::bigint else read_version end,
       read_at = case when $7 then $5::timestamptz else read_at end,
       offering_external_id = coalesce($8, offering_external_id),
       refresh_at = case when $9 = 'start' or ($9 = 'keep' and h.refresh_at is not null)
         then to_timestamp($10 / 1000.0) end,
       due_at = case when w.is_wanted then to_timestamp($6 / 1000.0) end,
       waiting_since = case when w.is_wanted then to_timestamp($6 / 1000.0) end
     from (select $11 or exists (select 1 from hook_read_waits
       where venue_id = $1 and integration_id = $2 and object_hash = $3 and outcome is null) as is_wanted) w
     where h.venue_id = $1 and h.integration_id = $2 and h.object_hash = $3`,
    [
      reader.venue_id,
      reader.integration_id,
      read.object_hash,
      read.wanted_version,
      read.wanted_at,
      now,
      isRead,
      offering,
      refresh,
      refreshTime(read.object_hash, now),
      isOutdated,
    ],
  );
}

/** The provider has failed: the object is due again at `dueAt`. */
export async function postponeRead(
  tx: Queryable,
  reader: ClaimedReader,
  read: DueRead,
  dueAt: number,
  now: number,
): Promise<void> {
  await tx.query(
    `update hook_reads set attempts = attempts + 1, due_at = to_timestamp($4 / 1000.0),
       waiting_since = coalesce(waiting_since, to_timestamp($5 / 1000.0)),
       failing_since = coalesce(failing_since, to_timestamp($5 / 1000.0))
     where venue_id = $1 and integration_id = $2 and object_hash = $3`,
    [reader.venue_id, reader.integration_id, read.object_hash, dueAt, now],
  );
}

/** An error of ours, which does not count as a failure of the provider. */
export async function countInternalError(
  tx: Queryable,
  reader: ClaimedReader,
  read: DueRead,
  dueAt: number,
): Promise<void> {
  await tx.query(
    `update hook_reads set internal_errors = internal_errors + 1, due_at = to_timestamp($4 / 1000.0),
       waiting_since = coalesce(waiting_since, to_timestamp($4 / 1000.0))
     where venue_id = $1 and integration_id = $2 and object_hash = $3`,
    [reader.venue_id, reader.integration_id, read.object_hash, dueAt],
  );
}

/** A pause does not count as a failure of the provider. */
export async function excludePauseOfReads(tx: Queryable, venueId: string, integrationId: string, pausedMs: number) {
  await tx.query(
    `update hook_reads set failing_since = to_timestamp((extract(epoch from failing_since at time zone 'UTC') + $3 / 1000.0)::float8)
     where venue_id = $1 and integration_id = $2 and failing_since is not null`,
    [venueId, integrationId, pausedMs],
  );
}

export interface EndedWait {
  readonly waiter_id: string;
}

/** Stores the outcome for those that named the object before the read began, or that wait for its version or an older one. */
export async function endWaits(
  tx: Queryable,
  reader: ClaimedReader,
  read: DueRead,
  outcome: Outcome,
): Promise<EndedWait[]> {
  return tx.query<EndedWait>(
    `update hook_read_waits set outcome = $6
     where venue_id = $1 and integration_id = $2 and object_hash = $3 and outcome is null
       and (wanted_seq <= $4 or wanted_version <= $5::bigint)
     returning waiter_id`,
    [
      reader.venue_id,
      reader.integration_id,
      read.object_hash,
      read.wanted_seq,
      read.wanted_version,
      JSON.stringify(outcome),
    ],
  );
}

/** The outcomes of all objects that a delivery named. Null: one of them still waits. */
export async function outcomesOf(tx: Queryable, venueId: string, waiterId: string): Promise<Outcome[] | null> {
  const rows = await tx.query<{ outcome: Outcome | null }>(
    'select outcome from hook_read_waits where venue_id = $1 and waiter_id = $2 order by object_hash',
    [venueId, waiterId],
  );
  const outcomes = rows.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
  return outcomes.length < rows.length ? null : outcomes;
}

export async function deleteEndedWait(tx: Queryable, venueId: string, waiterId: string, hash: Buffer): Promise<void> {
  await tx.query('delete from hook_read_waits where venue_id = $1 and waiter_id = $2 and object_hash = $3', [
    venueId,
    waiterId,
    hash,
  ]);
}

export async function hasWaits(tx: Queryable, venueId: string, waiterId: string): Promise<boolean> {
  const rows = await tx.query('select 1 from hook_read_waits where venue_id = $1 and waiter_id = $2 limit 1', [
    venueId,
    waiterId,
  ]);
  return rows.length > 0;
}

const READ_RETENTION_MS = 400 * 24 * 3_600_000;
const OLD_READS = {
  table: 'hook_reads',
  key: 'venue_id, integration_id, object_hash',
  isOld: 'updated_at < to_timestamp($1 / 1000.0) and due_at is null',
};

/** Deletes objects that no delivery has named for 400 days. */
export async function deleteOldReads(db: Queryable, now: number, limit: number): Promise<number> {
  const deleted = await db.query(deleteBatch(OLD_READS, '$2'), [now - READ_RETENTION_MS, limit]);
  return deleted.length;
}
