// The only file that reads and writes the runs that read a whole catalogue (hook_syncs).

import type { Queryable } from '../../../base/db.ts';
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
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** Where the listing goes on: the values that every page uses, and the cursor of the next page. */
export interface SyncCursor {
  readonly kept: Readonly<Record<string, string>>;
  readonly next: string | null;
}

export interface SkippedObject {
  readonly object: string;
  readonly reason: string;
}

const COLUMNS = `sync_id as id, integration_id, status, reason, cursor, is_listed, listed_count, read_count, created_count,
  changed_count, unchanged_count, skipped_count, skipped, started_at, finished_at`;

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
    `update hook_syncs set cursor = $3, is_listed = $4, listed_count = listed_count + $5
     where venue_id = $1 and sync_id = $2 and status = 'running'`,
    [venueId, syncId, JSON.stringify(page.cursor), page.isListed, page.listed],
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

export async function endSync(
  tx: Queryable,
  venueId: string,
  syncId: string,
  end: { readonly status: 'finished' | 'failed'; readonly reason: string | null; readonly now: number },
): Promise<void> {
  await tx.query(
    `update hook_syncs set status = $3, reason = $4, finished_at = to_timestamp($5 / 1000.0)
     where venue_id = $1 and sync_id = $2 and status = 'running' and ($3 <> 'finished' or is_listed)`,
    [venueId, syncId, end.status, end.reason, end.now],
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

export async function deleteOldSyncs(db: Queryable, now: number, limit: number): Promise<number> {
  const deleted = await db.query(
    `delete from hook_syncs where ctid = any(array(
       select ctid from hook_syncs where started_at < to_timestamp($1 / 1000.0) and status <> 'running' limit $2)) returning 1`,
    [now - SYNC_RETENTION_MS, limit],
  );
  return deleted.length;
}
