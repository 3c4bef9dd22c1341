// Counts a venue's figures anew from its events, a day at a time, each day in a short transaction, beside whoever records. First
// who was seen on each day, then the figures: a day that was counted anew stays right, since whoever records keeps it so.
// Days whose events were dropped keep their figures.

import type { Db } from '../../base/db.ts';
import { daysWithActivity, mendSeen, recountDay, venuesWithActivity } from './queries.ts';

export interface Rebuilt {
  readonly venues: number;
  readonly days: number;
  /** How many rows of figures had been wrong. */
  readonly mended: number;
}

export type OnProgress = (done: number, share: number | null) => void;

const BATCH = 100;

/** `venueId` null: of every venue. */
export async function rebuild(
  db: Db,
  venueId: string | null,
  onProgress: OnProgress = () => undefined,
): Promise<Rebuilt> {
  if (venueId !== null) return { venues: 1, ...(await rebuildVenue(db, venueId, onProgress)) };
  let all: Rebuilt = { venues: 0, days: 0, mended: 0 };
  for (let after: string | null = null; ; ) {
    const ids: string[] = await venuesWithActivity(db, after, BATCH);
    for (const id of ids) {
      const before = all;
      const { days, mended } = await rebuildVenue(db, id, (done) => onProgress(before.days + done, null));
      all = { venues: all.venues + 1, days: all.days + days, mended: all.mended + mended };
    }
    after = ids.at(-1) ?? null;
    if (ids.length < BATCH) return all;
  }
}

async function rebuildVenue(db: Db, venueId: string, onProgress: OnProgress): Promise<Omit<Rebuilt, 'venues'>> {
  let mended = 0;
  let days = 0;
  for (const [turn, step] of [mendSeen, recountDay].entries()) {
    // Looked up for each: a day that came up meanwhile was counted beside people who were still wrong.
    const all = await daysWithActivity(db, venueId);
    for (const [index, day] of all.entries()) {
      mended += await db.transaction((tx) => step(tx, venueId, day));
      onProgress(index + 1, (turn + (index + 1) / all.length) / 2);
    }
    days = all.length;
  }
  return { days, mended };
}
