// For any concurrent mix of operations on a venue's activity (overlapping batches, rebuilds, damaged figures, deletion,
// a venue from before a migration), each report equals a slow recount. The set of seeds is fixed and can be extended.

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dropActivity } from '../../src/domain/analytics/drop.ts';
import { type ActivityEvent, findFigures, recordActivityEvents } from '../../src/domain/analytics/queries.ts';
import { rebuild } from '../../src/domain/analytics/rebuild.ts';
import { repetitions } from '../support/random-runs.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { ActivityModel, figuresByName, withoutZeroRows } from './activity-model.ts';

// Compares random activity with a model, many times.
vi.setConfig({ testTimeout: 60_000 });

/** In this order: dropping the events of one seed also drops those of earlier seeds. */
const SEEDS = Array.from({ length: repetitions(2, 10) }, (_, index) => index + 1);
const STEPS_PER_SEED = 12;
const QUERIES_PER_STEP = 6;

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

interface SeedStep {
  readonly model: ActivityModel;
  readonly venueId: string;
  /** Part of every failure message. */
  readonly label: string;
}

const isoOf = (time: number): string => new Date(time).toISOString();

async function record(venueId: string, events: readonly ActivityEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const outcomes = await world.db.transaction((tx) => recordActivityEvents(tx, venueId, events));
  return outcomes.filter((outcome) => outcome === 'counted').length;
}

async function recordBatch({ model, venueId, label }: SeedStep): Promise<void> {
  const events = model.randomEvents(model.random.between(1, 25));
  const counted = model.recordSent(events);
  expect(await record(venueId, events), `${label}: counted`).toBe(counted);
}

async function recordConcurrentBatches({ model, venueId, label }: SeedStep): Promise<void> {
  const { random } = model;
  const events = model.newEvents(random.between(5, 44));
  const counted = model.recordSent(events);
  const overlapping = Array.from({ length: 4 }, () => events.filter(() => random.often(0.7)));
  const concurrentRebuilds = random.often(0.4) ? [rebuild(world.db, venueId), rebuild(world.db, venueId)] : [];
  const counts = await Promise.all([...overlapping, events.toReversed()].map((batch) => record(venueId, batch)));
  await Promise.all(concurrentRebuilds);
  expect(
    counts.reduce((sum, count) => sum + count, 0),
    `${label}: counted`,
  ).toBe(counted);
}

async function removeHourlyFigures({ venueId }: SeedStep): Promise<void> {
  await world.db.query('update activity_venues set has_hourly_figures = false where venue_id = $1', [venueId]);
  await world.db.query('update activity_people set hours = 1, previous_hour = null where venue_id = $1', [venueId]);
  await world.db.query('delete from activity_days where venue_id = $1 and hour_of_day < 24', [venueId]);
}

async function damageFigures({ model, venueId }: SeedStep): Promise<void> {
  const since = isoOf(Math.max(model.retainedSince, model.start));
  const updateThird = (text: string): Promise<unknown> =>
    world.db.query(
      `${text} where venue_id = $1 and day >= $2::date and (hashtext(subject::text || day::text) + $3) % 3 = 0`,
      [venueId, since, model.random.below(3)],
    );
  await updateThird('delete from activity_people');
  await updateThird('update activity_people set previous_hour = previous_hour - 5, hours = hours | 4096');
  await updateThird(`update activity_days set views = views + 3, viewers = '{5,1}', viewer_gaps = '{1,7}'`);
}

async function rebuildConcurrently(step: SeedStep): Promise<void> {
  const { model, venueId, label } = step;
  if (model.random.often(0.5)) await damageFigures(step);
  const events = model.newEvents(30);
  model.recordSent(events);
  const recordAll = async (): Promise<void> => {
    for (let from = 0; from < events.length; from += 6) await record(venueId, events.slice(from, from + 6));
  };
  const secondRebuild = model.random.often(0.5) ? [rebuild(world.db, venueId)] : [];
  await Promise.all([rebuild(world.db, venueId), ...secondRebuild, recordAll()]);
  expect((await rebuild(world.db, venueId)).mended, `${label}: wrong figures after a rebuild`).toBe(0);
}

async function dropConcurrently({ model, venueId }: SeedStep): Promise<void> {
  const before = model.randomDay();
  const retainedSince = Math.max(model.retainedSince, before);
  const late = model.newEvents(12).filter(({ at }) => Date.parse(at) >= retainedSince);
  model.recordSent(late);
  const concurrentRebuilds = model.random.often(0.5) ? [rebuild(world.db, venueId)] : [];
  await Promise.all([
    dropActivity(world.db, isoOf(before), () => undefined),
    record(venueId, late),
    ...concurrentRebuilds,
  ]);
  model.recordDropped(before);
}

async function expectRecount({ model, venueId, label }: SeedStep): Promise<void> {
  for (let i = 0; i < QUERIES_PER_STEP; i++) {
    const query = model.randomQuery();
    const [from, to] = [isoOf(query.from), isoOf(query.to)];
    const found = await findFigures(world.db, { ...query, venueId, from, to });
    const queryLabel = `${label}: ${from} to ${to}${query.byDay ? ' by the day' : ''}`;
    expect({ from: Date.parse(found.from), to: Date.parse(found.to) }, queryLabel).toEqual(model.countedWindow(query));
    expect(withoutZeroRows(figuresByName(found.rows)), queryLabel).toEqual(
      withoutZeroRows(model.expectedFigures(query)),
    );
  }
}

const WEIGHTED_STEPS: readonly (readonly [number, (step: SeedStep) => Promise<void>])[] = [
  [45, recordBatch],
  [30, recordConcurrentBatches],
  [6, removeHourlyFigures],
  [12, rebuildConcurrently],
  [7, dropConcurrently],
];

it.each(SEEDS)(
  'reports what a slow recount gives, with seed %i',
  async (seed) => {
    const { venue } = await world.venue();
    const model = new ActivityModel(seed, venue.id);
    const stepAt = (label: string): SeedStep => ({ model, venueId: venue.id, label: `seed ${seed}, ${label}` });
    for (let step = 0; step < STEPS_PER_SEED; step++) {
      const runStep = model.random.weighed(WEIGHTED_STEPS);
      const seedStep = stepAt(`step ${step} ${runStep.name}`);
      await runStep(seedStep);
      await expectRecount(seedStep);
    }
    await rebuild(world.db, venue.id);
    await expectRecount(stepAt('the end'));
    expect((await rebuild(world.db, venue.id)).mended, `seed ${seed}, the end: wrong figures`).toBe(0);
  },
  120_000,
);
