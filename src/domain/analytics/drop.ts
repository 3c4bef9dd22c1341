// Drops events by their age. Figures of whole days stay what they are, for every window; what goes is the way to look inside an
// old day, its hours with it, and to count it anew. First it is written down that nothing before is kept, so that a late or repeated event of that
// time is turned away and never counted twice; it may break off at any line and be run again.

import type { Db } from '../../base/db.ts';
import {
  advanceRetention,
  blocksOf,
  deleteOldInBlocks,
  emptyPartition,
  PARTITION_COUNT,
  type PrunedTable,
} from './queries.ts';

export interface Dropped {
  /** Months that went as a whole, or were empty. */
  readonly emptied: number;
  /** Events that went one by one. */
  readonly deleted: number;
}

/** So many blocks of a table at a time: about 10,000 rows. */
const BLOCKS_PER_BATCH = 128;

const OTHER_TABLES = ['ids', 'hours', 'seen'] as const;

/** `before` is the beginning of a day in UTC. */
export async function dropActivity(db: Db, before: string, onProgress: (share: number) => void): Promise<Dropped> {
  await db.transaction((tx) => advanceRetention(tx, before));
  let emptied = 0;
  let deleted = 0;
  for (let slot = 0; slot < PARTITION_COUNT; slot++) {
    if (await db.transaction((tx) => emptyPartition(tx, slot, before))) emptied++;
    else deleted += await deleteOld(db, slot, before);
    onProgress((slot + 1) / (PARTITION_COUNT + OTHER_TABLES.length));
  }
  for (const [index, what] of OTHER_TABLES.entries()) {
    await deleteOld(db, what, before);
    onProgress((PARTITION_COUNT + index + 1) / (PARTITION_COUNT + OTHER_TABLES.length));
  }
  return { emptied, deleted };
}

async function deleteOld(db: Db, what: PrunedTable, before: string): Promise<number> {
  const blocks = await blocksOf(db, what);
  let all = 0;
  for (let from = 0; from < blocks; from += BLOCKS_PER_BATCH) {
    all += await deleteOldInBlocks(db, what, before, { from, to: from + BLOCKS_PER_BATCH });
  }
  return all;
}
