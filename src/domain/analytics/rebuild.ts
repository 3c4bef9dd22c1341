// Rebuilds a venue's figures from its events while servers keep recording. It repairs in three steps: the hours in which
// each person was seen, the previous hour of each, then the figures. A repaired day stays correct, because recording keeps
// it so. A busy day is processed in ranges of people, so that locks and statements are short. Days whose events were
// deleted keep their figures.

import type { Db } from '../../base/db.ts';
import { figureCorrections } from './figure-corrections.ts';
import {
  countEvents,
  countVenuesWithActivity,
  daysWithActivity,
  markHourlyFigures,
  type PeopleAtGap,
  type PersonRange,
  recountEvents,
  recountPeople,
  repairCountOf,
  repairDay,
  repairPeople,
  repairPreviousHours,
  storedCounts,
  storedPeople,
  useSnapshot,
  venuesWithActivity,
} from './queries.ts';

export interface RebuildResult {
  readonly venues: number;
  readonly days: number;
  /** How many rows were wrong; a public field of the JSON that the CLI prints. */
  readonly mended: number;
}

/** Called with the share of the work that is done, from 0 to 1. */
export type OnProgress = (share: number) => void;

const VENUES_PER_BATCH = 100;

/** `venueId` null: rebuilds every venue. */
export async function rebuild(
  db: Db,
  venueId: string | null,
  onProgress: OnProgress = () => undefined,
): Promise<RebuildResult> {
  if (venueId !== null) return { venues: 1, ...(await rebuildVenue(db, venueId, onProgress)) };
  const total = await countVenuesWithActivity(db);
  let all: RebuildResult = { venues: 0, days: 0, mended: 0 };
  for (let after: string | null = null; ; ) {
    const ids: string[] = await venuesWithActivity(db, after, VENUES_PER_BATCH);
    for (const id of ids) {
      const before = all;
      const { days, mended: repaired } = await rebuildVenue(db, id, (share) =>
        onProgress(Math.min(1, (before.venues + share) / total)),
      );
      all = { venues: all.venues + 1, days: all.days + days, mended: all.mended + repaired };
    }
    after = ids.at(-1) ?? null;
    if (ids.length < VENUES_PER_BATCH) return all;
  }
}

async function rebuildVenue(db: Db, venueId: string, onProgress: OnProgress): Promise<Omit<RebuildResult, 'venues'>> {
  let repaired = 0;
  let days = 0;
  for (const [stepIndex, step] of STEPS.entries()) {
    // Read for each step: a day that was added meanwhile may be based on people that were still wrong.
    const all = await daysWithActivity(db, venueId);
    for (const [index, day] of all.entries()) {
      repaired += await step(db, venueId, day, rangesFor(await countEvents(db, venueId, day)));
      onProgress((stepIndex + (index + 1) / all.length) / STEPS.length);
    }
    days = all.length;
  }
  await markHourlyFigures(db, venueId);
  return { days, mended: repaired };
}

const STEPS = [repairPeopleOfDay, repairPreviousHoursOfDay, repairFiguresOfDay];

/** About how many events a range of people has. */
const EVENTS_PER_RANGE = 10_000;
const MAX_RANGES = 256;

/** Person ids are evenly distributed hashes: divides them into ranges of their first 16 bits. */
function rangesFor(events: number): PersonRange[] {
  const count = Math.min(Math.max(Math.ceil(events / EVENTS_PER_RANGE), 1), MAX_RANGES);
  const start = (range: number): number => Math.floor((range * 65_536) / count);
  const hex = (number: number): string => number.toString(16).padStart(4, '0');
  return Array.from({ length: count }, (_, range) => ({
    low: `${hex(start(range))}0000-0000-0000-0000-000000000000`,
    high: `${hex(start(range + 1) - 1)}ffff-ffff-ffff-ffff-ffffffffffff`,
  }));
}

async function repairPeopleOfDay(
  db: Db,
  venueId: string,
  day: string,
  ranges: readonly PersonRange[],
): Promise<number> {
  let changed = 0;
  for (const range of ranges) changed += await db.transaction((tx) => repairPeople(tx, venueId, day, range));
  return changed;
}

async function repairPreviousHoursOfDay(
  db: Db,
  venueId: string,
  day: string,
  ranges: readonly PersonRange[],
): Promise<number> {
  let changed = 0;
  for (const range of ranges) changed += await db.transaction((tx) => repairPreviousHours(tx, venueId, day, range));
  return changed;
}

/** Two repairs of a venue at the same time are an exception, and each of them has an end. */
const MAX_RECOUNTS = 100;

/** Recounts without a lock and repeats if another repair ran meanwhile. */
async function repairFiguresOfDay(
  db: Db,
  venueId: string,
  day: string,
  ranges: readonly PersonRange[],
): Promise<number> {
  for (let round = 0; round < MAX_RECOUNTS; round++) {
    const { repairCount, corrections } = await db.transaction(async (tx) => {
      await useSnapshot(tx);
      const people: PeopleAtGap[] = [];
      for (const range of ranges) people.push(...(await recountPeople(tx, venueId, day, range)));
      const recounted = { counts: await recountEvents(tx, venueId, day), people };
      const stored = { counts: await storedCounts(tx, venueId, day), people: await storedPeople(tx, venueId, day) };
      return { repairCount: await repairCountOf(tx, venueId), corrections: figureCorrections(stored, recounted) };
    });
    if (corrections.counts.length === 0) return 0;
    const repaired = await db.transaction((tx) => repairDay(tx, venueId, day, repairCount, corrections));
    if (repaired !== null) return repaired;
  }
  throw new Error(`another repair of venue ${venueId} came first in each of ${MAX_RECOUNTS} recounts of ${day}`);
}
