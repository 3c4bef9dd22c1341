// Drops events by their age. Figures of whole days stay what they are, for every window; what goes is the way to look inside an
// old day, its hours with it, and to count it anew. First it is written down that nothing before is kept, so that a late or repeated event of that
// time is turned away and never counted twice; it may break off at any line and be run again.

import type { Db } from '../../base/db.ts';
import { blocksOf, emptySlot, type Forgettable, forgetBlocks, moveKeptFrom, SLOTS } from './queries.ts';

export interface Dropped {
  /** Months that went as a whole, or were empty. */
  readonly emptied: number;
  /** Events that went one by one. */
  readonly deleted: number;
}

/** So many blocks of a table at a time: about 10,000 rows. */
const BATCH = 128;

const OTHERS = ['ids', 'hours', 'seen'] as const;

/** `before` is the beginning of a day in UTC. */
export async function dropActivity(db: Db, before: string, onProgress: (share: number) => void): Promise<Dropped> {
  await db.transaction((tx) => moveKeptFrom(tx, before));
  let emptied = 0;
  let deleted = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    if (await db.transaction((tx) => emptySlot(tx, slot, before))) emptied++;
    else deleted += await forget(db, slot, before);
    onProgress((slot + 1) / (SLOTS + OTHERS.length));
  }
  for (const [index, what] of OTHERS.entries()) {
    await forget(db, what, before);
    onProgress((SLOTS + index + 1) / (SLOTS + OTHERS.length));
  }
  return { emptied, deleted };
}

async function forget(db: Db, what: Forgettable, before: string): Promise<number> {
  const blocks = await blocksOf(db, what);
  let all = 0;
  for (let from = 0; from < blocks; from += BATCH) {
    all += await forgetBlocks(db, what, before, { from, to: from + BATCH });
  }
  return all;
}
