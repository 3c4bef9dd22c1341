// Counts a venue's figures anew from its events, beside whoever records. First who was seen in each hour, then when they were
// seen before, then the figures: a day that was counted anew stays right, since whoever records keeps it so. A busy day goes by
// ranges of its people, so that nobody waits long for the venue and no statement takes long. Days whose events were dropped keep
// their figures.

import type { Db } from '../../base/db.ts';
import { figureCorrections } from './figure-corrections.ts';
import {
  countEvents,
  countVenuesWithActivity,
  daysWithActivity,
  markByHour,
  type PeopleAtGap,
  type PersonRange,
  recountCounts,
  recountPeople,
  repairBefore,
  repairCountOf,
  repairDay,
  repairSeen,
  storedCounts,
  storedPeople,
  useSnapshot,
  venuesWithActivity,
} from './queries.ts';

export interface RebuildResult {
  readonly venues: number;
  readonly days: number;
  /** How many rows of figures had been wrong. */
  readonly repaired: number;
}

/** The share of all the work that is done. */
export type OnProgress = (share: number) => void;

const BATCH = 100;

/** `venueId` null: of every venue. */
export async function rebuild(
  db: Db,
  venueId: string | null,
  onProgress: OnProgress = () => undefined,
): Promise<RebuildResult> {
  if (venueId !== null) return { venues: 1, ...(await rebuildVenue(db, venueId, onProgress)) };
  const total = await countVenuesWithActivity(db);
  let all: RebuildResult = { venues: 0, days: 0, repaired: 0 };
  for (let after: string | null = null; ; ) {
    const ids: string[] = await venuesWithActivity(db, after, BATCH);
    for (const id of ids) {
      const before = all;
      const { days, repaired: mended } = await rebuildVenue(db, id, (share) =>
        onProgress(Math.min(1, (before.venues + share) / total)),
      );
      all = { venues: all.venues + 1, days: all.days + days, repaired: all.repaired + mended };
    }
    after = ids.at(-1) ?? null;
    if (ids.length < BATCH) return all;
  }
}

async function rebuildVenue(db: Db, venueId: string, onProgress: OnProgress): Promise<Omit<RebuildResult, 'venues'>> {
  let mended = 0;
  let days = 0;
  for (const [turn, step] of STEPS.entries()) {
    // Looked up for each: a day that came up meanwhile was counted beside people who were still wrong.
    const all = await daysWithActivity(db, venueId);
    for (const [index, day] of all.entries()) {
      mended += await step(db, venueId, day, rangesFor(await countEvents(db, venueId, day)));
      onProgress((turn + (index + 1) / all.length) / STEPS.length);
    }
    days = all.length;
  }
  await markByHour(db, venueId);
  return { days, repaired: mended };
}

const STEPS = [repairSeenOfDay, repairBeforeOfDay, repairFiguresOfDay];

/** A range of people has about so many events. */
const EVENTS_PER_RANGE = 10_000;
const MAX_RANGES = 256;

/** People are hashes, spread evenly: ranges of their first 16 bits, together everybody. */
function rangesFor(events: number): PersonRange[] {
  const count = Math.min(Math.max(Math.ceil(events / EVENTS_PER_RANGE), 1), MAX_RANGES);
  const start = (range: number): number => Math.floor((range * 65_536) / count);
  const hex = (number: number): string => number.toString(16).padStart(4, '0');
  return Array.from({ length: count }, (_, range) => ({
    low: `${hex(start(range))}0000-0000-0000-0000-000000000000`,
    high: `${hex(start(range + 1) - 1)}ffff-ffff-ffff-ffff-ffffffffffff`,
  }));
}

async function repairSeenOfDay(db: Db, venueId: string, day: string, ranges: readonly PersonRange[]): Promise<number> {
  let changed = 0;
  for (const range of ranges) changed += await db.transaction((tx) => repairSeen(tx, venueId, day, range));
  return changed;
}

async function repairBeforeOfDay(
  db: Db,
  venueId: string,
  day: string,
  ranges: readonly PersonRange[],
): Promise<number> {
  let changed = 0;
  for (const range of ranges) changed += await db.transaction((tx) => repairBefore(tx, venueId, day, range));
  return changed;
}

async function repairFiguresOfDay(
  db: Db,
  venueId: string,
  day: string,
  ranges: readonly PersonRange[],
): Promise<number> {
  for (;;) {
    const { mendings, lacking } = await db.transaction(async (tx) => {
      await useSnapshot(tx);
      const people: PeopleAtGap[] = [];
      for (const range of ranges) people.push(...(await recountPeople(tx, venueId, day, range)));
      const truth = { counts: await recountCounts(tx, venueId, day), people };
      const kept = { counts: await storedCounts(tx, venueId, day), people: await storedPeople(tx, venueId, day) };
      return { mendings: await repairCountOf(tx, venueId), lacking: figureCorrections(kept, truth) };
    });
    if (lacking.counts.length === 0) return 0;
    const mended = await db.transaction((tx) => repairDay(tx, venueId, day, mendings, lacking));
    if (mended !== null) return mended;
  }
}
