// The only file that reads and writes the runs that read a whole catalogue (hook_syncs).

import type { Queryable } from '../../../base/db.ts';
import { deleteBatch } from '../../../base/delete-batch.ts';
import type { ClaimedReader } from './reader-queries.ts';

export interface SyncRow {
  readonly id: string;
  readonly integration_id: string;
  readonly status: 'running' | 'finished' | 'failed' | 'canceled';
  readonly reason: string | null;
  readonly cursor: SyncCursor | null;
  readonly is_listed: boolean;
  readonly listed_count: number;
  readonly read_count: number;
  readonly created_count: number;
  readonly changed_count: number;
  readonly unchanged_count: number;
  readonly skipped_count: number;
  readonly skipped: readonly SkippedObject[];
  readonly failing_since: string | null;
  readonly internal_errors: number;
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** Where the listing goes on. */
export interface SyncCursor {
  /** The lists of the catalogue, such as one for each organization: the values that every page of a list uses. */
  readonly lists: readonly Readonly<Record<string, string>>[];
  /** The index of the list that is read, and the cursor of its next page; null: its first page. */
  readonly at: number;
  readonly next: string | null;
  /** Hashes of the cursors of this list so far: one that comes back would never end. */
  readonly seen: readonly string[];
  /** How many pages of all lists were read. */
  readonly pages: number;
}

export interface SkippedObject {
  readonly object: string;
  readonly reason: string;
}

const COLUMNS = `sync_id as id, integration_id, status, reason, cursor, is_listed, listed_count, read_count, created_count,
  changed_count, unchanged_count, skipped_count, skipped, failing_since, internal_errors, started_at, finished_at`;

/** Starts a run, unless one runs already. Null: one runs already. */
export async function insertSync(
  tx: Queryable,
  sync: { readonly venueId: string; readonly integrationId: string; readonly id: string; readonly now: number },
): Promise<SyncRow | null> {
  const rows = await tx.query<SyncRow>(
    `insert into hook_syncs (venue_id, integration_id, sync_id, status, started_at)
     values ($1, $2, $3, 'running', to_timestamp($4 / 1000.0))
     on conflict (venue_id, integration_id) where status = 'running' do nothing returning ${COLUMNS}`,
    [sync.venueId, sync.integrationId, sync.id, sync.now],
  );
  return rows[0] ?? null;
}

/** The newest run. */
export async function findSync(db: Queryable, venueId: string, integrationId: string): Promise<SyncRow | null> {
  const rows = await db.query<SyncRow>(
    `select ${COLUMNS} from hook_syncs where venue_id = $1 and integration_id = $2 order by sync_id desc limit 1`,
    [venueId, integrationId],
  );
  return rows[0] ?? null;
}

/** The run whose catalogue is not listed completely. */
export async function findSyncToList(db: Queryable, reader: ClaimedReader): Promise<SyncRow | null> {
  const rows = await db.query<SyncRow>(
    `select ${COLUMNS} from hook_syncs
     where venue_id = $1 and integration_id = $2 and status = 'running' and not is_listed`,
    [reader.venue_id, reader.integration_id],
  );
  return rows[0] ?? null;
}

export async function storeListedPage(
  tx: Queryable,
  venueId: string,
  syncId: string,
  page: { readonly cursor: SyncCursor; readonly isListed: boolean; readonly listed: number },
): Promise<void> {
  await tx.query(
    `update hook_syncs set cursor = $3, is_listed = $4, listed_count = listed_count + $5, failing_since = null,
       internal_errors = 0
     where venue_id = $1 and sync_id = $2 and status = 'running'`,
    [venueId, syncId, JSON.stringify(page.cursor), page.isListed, page.listed],
  );
}

/** Lists no more, because of the reason. The run fails when everything that was listed has been read. */
export async function endListing(tx: Queryable, venueId: string, syncId: string, reason: string): Promise<void> {
  await tx.query(
    `update hook_syncs set is_listed = true, reason = $3 where venue_id = $1 and sync_id = $2 and status = 'running'`,
    [venueId, syncId, reason],
  );
}

/** The provider has failed to list a page. */
export async function markSyncFailing(tx: Queryable, venueId: string, syncId: string, now: number): Promise<void> {
  await tx.query(
    `update hook_syncs set failing_since = coalesce(failing_since, to_timestamp($3 / 1000.0))
     where venue_id = $1 and sync_id = $2 and status = 'running'`,
    [venueId, syncId, now],
  );
}

export async function countSyncError(tx: Queryable, venueId: string, syncId: string): Promise<void> {
  await tx.query(
    `update hook_syncs set internal_errors = internal_errors + 1
     where venue_id = $1 and sync_id = $2 and status = 'running'`,
    [venueId, syncId],
  );
}

/** A pause does not count as a failure of the provider. */
export async function excludePauseOfSync(tx: Queryable, venueId: string, integrationId: string, pausedMs: number) {
  await tx.query(
    `update hook_syncs set failing_since = to_timestamp((extract(epoch from failing_since at time zone 'UTC') + $3 / 1000.0)::float8)
     where venue_id = $1 and integration_id = $2 and failing_since is not null`,
    [venueId, integrationId, pausedMs],
  );
}

export interface SyncCounts {
  readonly read: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedObject[];
}

const MAX_SKIPPED_LISTED = 50;

export async function countSynced(tx: Queryable, venueId: string, syncId: string, counts: SyncCounts): Promise<void> {
  await tx.query(
    `update hook_syncs set read_count = read_count + $3, created_count = created_count + $4,
       changed_count = changed_count + $5, unchanged_count = unchanged_count + $6, skipped_count = skipped_count + $7,
       skipped = (select coalesce(jsonb_agg(item order by number), '[]') from
         jsonb_array_elements(skipped || $8::jsonb) with ordinality as items (item, number) where number <= $9)
     where venue_id = $1 and sync_id = $2 and status = 'running'`,
    [
      venueId,
      syncId,
      counts.read,
      counts.created,
      counts.changed,
      counts.unchanged,
      counts.skipped.length,
      JSON.stringify(counts.skipped.slice(0, MAX_SKIPPED_LISTED)),
      MAX_SKIPPED_LISTED,
    ],
  );
}

/** Ends a run of which everything was listed and read. It has failed if the listing ended with a reason. */
export async function finishSync(tx: Queryable, venueId: string, syncId: string, now: number): Promise<void> {
  await tx.query(
    `update hook_syncs set status = case when reason is null then 'finished' else 'failed' end,
       finished_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and sync_id = $2 and status = 'running' and is_listed`,
    [venueId, syncId, now],
  );
}

export async function cancelSyncs(tx: Queryable, venueId: string, integrationId: string, now: number): Promise<void> {
  await tx.query(
    `update hook_syncs set status = 'canceled', finished_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and integration_id = $2 and status = 'running'`,
    [venueId, integrationId, now],
  );
}

const SYNC_RETENTION_MS = 90 * 24 * 3_600_000;
const OLD_SYNCS = {
  table: 'hook_syncs',
  key: 'venue_id, integration_id, sync_id',
  isOld: `started_at < to_timestamp($1 / 1000.0) and status <> 'running'`,
};

export async function deleteOldSyncs(db: Queryable, now: number, limit: number): Promise<number> {
  const deleted = await db.query(deleteBatch(OLD_SYNCS, '$2'), [now - SYNC_RETENTION_MS, limit]);
  return deleted.length;
}
