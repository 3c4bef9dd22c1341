// For any concurrent mix of operations on a venue's activity (overlapping batches, rebuilds, damaged figures, deletion,
// a venue from before a migration), each report equals a slow recount. The set of seeds is fixed and can be extended.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { dropActivity } from '../../src/domain/analytics/drop.ts';
import { type ActivityEvent, findFigures, recordActivityEvents } from '../../src/domain/analytics/queries.ts';
import { rebuild } from '../../src/domain/analytics/rebuild.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { answered, Story, withoutNothing } from './activity-model.ts';

/** Run in this order: events that one seed deletes are missing for earlier seeds. */
const SEEDS = [1, 2, 3, 4, 5];
const STEPS = 12;
const QUESTIONS = 6;

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

interface Scene {
  readonly story: Story;
  readonly venueId: string;
  /** Part of every failure message. */
  readonly where: string;
}

const isoOf = (time: number): string => new Date(time).toISOString();

async function record(venueId: string, events: readonly ActivityEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const outcomes = await world.db.transaction((tx) => recordActivityEvents(tx, venueId, events));
  return outcomes.filter((outcome) => outcome === 'counted').length;
}

async function oneBatch({ story, venueId, where }: Scene): Promise<void> {
  const events = story.events(story.random.between(1, 25));
  const counted = story.sent(events);
  expect(await record(venueId, events), `${where}: counted`).toBe(counted);
}

async function batchesAtOnce({ story, venueId, where }: Scene): Promise<void> {
  const { random } = story;
  const events = story.newEvents(random.between(5, 44));
  const counted = story.sent(events);
  const some = Array.from({ length: 4 }, () => events.filter(() => random.often(0.7)));
  const besides = random.often(0.4) ? [rebuild(world.db, venueId), rebuild(world.db, venueId)] : [];
  const response = await Promise.all([...some, events.toReversed()].map((batch) => record(venueId, batch)));
  await Promise.all(besides);
  expect(
    response.reduce((sum, count) => sum + count, 0),
    `${where}: counted`,
  ).toBe(counted);
}

async function beforeHourlyCounting({ venueId }: Scene): Promise<void> {
  await world.db.query('update activity_venues set has_hourly_figures = false where venue_id = $1', [venueId]);
  await world.db.query('update activity_people set hours = 1, previous_hour = null where venue_id = $1', [venueId]);
  await world.db.query('delete from activity_days where venue_id = $1 and part < 24', [venueId]);
}

async function damaged({ story, venueId }: Scene): Promise<void> {
  const since = isoOf(Math.max(story.kept, story.start));
  const third = (text: string): Promise<unknown> =>
    world.db.query(
      `${text} where venue_id = $1 and day >= $2::date and (hashtext(subject::text || day::text) + $3) % 3 = 0`,
      [venueId, since, story.random.below(3)],
    );
  await third('delete from activity_people');
  await third('update activity_people set previous_hour = previous_hour - 5, hours = hours | 4096');
  await third(`update activity_days set views = views + 3, viewers = '{5,1}', viewer_gaps = '{1,7}'`);
}

async function rebuiltConcurrently(scene: Scene): Promise<void> {
  const { story, venueId, where } = scene;
  if (story.random.often(0.5)) await damaged(scene);
  const events = story.newEvents(30);
  story.sent(events);
  const recordAll = async (): Promise<void> => {
    for (let from = 0; from < events.length; from += 6) await record(venueId, events.slice(from, from + 6));
  };
  const twice = story.random.often(0.5) ? [rebuild(world.db, venueId)] : [];
  await Promise.all([rebuild(world.db, venueId), ...twice, recordAll()]);
  expect((await rebuild(world.db, venueId)).mended, `${where}: wrong after it was counted anew`).toBe(0);
}

async function deletedConcurrently({ story, venueId }: Scene): Promise<void> {
  const before = story.aDay();
  const kept = Math.max(story.kept, before);
  const late = story.newEvents(12).filter(({ at }) => Date.parse(at) >= kept);
  story.sent(late);
  const besides = story.random.often(0.5) ? [rebuild(world.db, venueId)] : [];
  await Promise.all([dropActivity(world.db, isoOf(before), () => undefined), record(venueId, late), ...besides]);
  story.dropped(before);
}

async function expectRecount({ story, venueId, where }: Scene): Promise<void> {
  for (let i = 0; i < QUESTIONS; i++) {
    const question = story.question();
    const [from, to] = [isoOf(question.from), isoOf(question.to)];
    const found = await findFigures(world.db, { ...question, venueId, from, to });
    const asked = `${where}: ${from} to ${to}${question.byDay ? ' by the day' : ''}`;
    expect({ from: Date.parse(found.from), to: Date.parse(found.to) }, asked).toEqual(story.window(question));
    expect(withoutNothing(answered(found.rows)), asked).toEqual(withoutNothing(story.truth(question)));
  }
}

const STEP: readonly (readonly [number, (scene: Scene) => Promise<void>])[] = [
  [45, oneBatch],
  [30, batchesAtOnce],
  [6, beforeHourlyCounting],
  [12, rebuiltConcurrently],
  [7, deletedConcurrently],
];

it.each(SEEDS)(
  'reports what a slow recount gives, with seed %i',
  async (seed) => {
    const { venue } = await world.venue();
    const story = new Story(seed, venue.id);
    const scene = (where: string): Scene => ({ story, venueId: venue.id, where: `seed ${seed}, ${where}` });
    for (let step = 0; step < STEPS; step++) {
      const take = story.random.weighed(STEP);
      const here = scene(`step ${step} ${take.name}`);
      await take(here);
      await expectRecount(here);
    }
    await rebuild(world.db, venue.id);
    await expectRecount(scene('the end'));
    expect((await rebuild(world.db, venue.id)).mended, `seed ${seed}, the end: wrong`).toBe(0);
  },
  120_000,
);
