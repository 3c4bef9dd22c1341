// Deletes old activity events. Figures of whole days stay exact; hours of the deleted days, and the possibility to
// recount them, are lost. The start of retention is stored first, so that a late or repeated event of that time is
// refused and never counted twice. The command may stop at any point and be run again.

import type { Db } from '../../base/db.ts';
import {
  advanceRetention,
  blocksOf,
  deleteOldInBlocks,
  PARTITION_COUNT,
  type PrunedTable,
  truncateOldPartition,
} from './queries.ts';

export interface DropResult {
  /** Partitions that were truncated, or were empty. */
  readonly emptied: number;
  /** Events that were deleted in batches. */
  readonly deleted: number;
}

/** Blocks of a table in one statement: about 10,000 rows. */
const BLOCKS_PER_BATCH = 128;

const OTHER_TABLES = ['ids', 'hours', 'people'] as const;

/** `before` is the start of a day in UTC. */
export async function dropActivity(db: Db, before: string, onProgress: (share: number) => void): Promise<DropResult> {
  await db.transaction((tx) => advanceRetention(tx, before));
  let emptied = 0;
  let deleted = 0;
  for (let partition = 0; partition < PARTITION_COUNT; partition++) {
    if (await db.transaction((tx) => truncateOldPartition(tx, partition, before))) emptied++;
    else deleted += await deleteOld(db, partition, before);
    onProgress((partition + 1) / (PARTITION_COUNT + OTHER_TABLES.length));
  }
  for (const [index, table] of OTHER_TABLES.entries()) {
    await deleteOld(db, table, before);
    onProgress((PARTITION_COUNT + index + 1) / (PARTITION_COUNT + OTHER_TABLES.length));
  }
  return { emptied, deleted };
}

async function deleteOld(db: Db, table: PrunedTable, before: string): Promise<number> {
  const blocks = await blocksOf(db, table);
  let deleted = 0;
  for (let from = 0; from < blocks; from += BLOCKS_PER_BATCH) {
    deleted += await deleteOldInBlocks(db, table, before, { from, to: from + BLOCKS_PER_BATCH });
  }
  return deleted;
}
