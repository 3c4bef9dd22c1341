// Figures equal a slow, obvious recount, for any order of events, any window and any filter; also when two servers
// record at the same time, after old events were deleted, and after a rebuild.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dropActivity } from '../../src/domain/analytics/drop.ts';
import { rebuild } from '../../src/domain/analytics/rebuild.ts';
import { runs } from '../support/random-runs.ts';
import {
  type ActivityEvent,
  expectedAnalytics,
  figuresOf,
  openTestActivity,
  reportActivity,
  type TestActivity,
} from '../support/test-activity.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

// Compares random activity with a model, many times.
vi.setConfig({ testTimeout: 60_000 });

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const START = Date.UTC(2023, 0, 30);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TYPES = ['view', 'view', 'view', 'booking_start', 'save', 'booking', 'check_in', 'venue_page_view'] as const;

interface EventDraft {
  readonly id: number;
  readonly type: (typeof TYPES)[number];
  readonly experience: number;
  readonly member: number;
  readonly at: number;
  readonly guests: number | undefined;
  readonly amount: number | undefined;
  readonly mode: 'live' | 'test';
}

/** Few people and days, with times at, around and between full hours and midnight, so that events overlap often. */
const TIMES_OF_DAY = [
  0,
  1,
  HOUR_MS / 2,
  6 * HOUR_MS,
  6 * HOUR_MS + 1,
  6.5 * HOUR_MS,
  7 * HOUR_MS - 1,
  7 * HOUR_MS,
  12 * HOUR_MS,
  23.5 * HOUR_MS,
  DAY_MS - 1,
];
const randomTime = fc
  .record({
    day: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 420 })),
    timeOfDay: fc.constantFrom(...TIMES_OF_DAY),
  })
  .map(({ day, timeOfDay }) => START + day * DAY_MS + timeOfDay);
const eventDraft: fc.Arbitrary<EventDraft> = fc.record({
  id: fc.integer({ min: 0, max: 400 }),
  type: fc.constantFrom(...TYPES),
  experience: fc.integer({ min: 0, max: 2 }),
  member: fc.integer({ min: 0, max: 4 }),
  at: randomTime,
  guests: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  amount: fc.option(fc.integer({ min: 0, max: 99_999 }), { nil: undefined }),
  mode: fc.constantFrom('live', 'live', 'live', 'live', 'test'),
});

function eventOf(
  activity: TestActivity,
  { id, type, experience, member, at, guests, amount, mode }: EventDraft,
): ActivityEvent {
  const target =
    type === 'venue_page_view'
      ? { venue_id: activity.venueId }
      : { experience_id: activity.experiences[experience]?.id ?? '' };
  return {
    id: `event-${id}`,
    type,
    ...target,
    member_id: `member-${member}`,
    at: new Date(at).toISOString(),
    mode,
    ...(guests === undefined ? {} : { guests }),
    ...(amount === undefined ? {} : { amount }),
  };
}

/** The first event of each id counts; later ones are duplicates, with any content. */
function firstOfEachId(sent: ActivityEvent[]): ActivityEvent[] {
  const seen = new Set<string>();
  return sent.filter(({ id }) => !seen.has(id) && seen.add(id));
}

async function expectExact(
  activity: TestActivity,
  sent: readonly ActivityEvent[],
  from: number,
  to: number,
  only?: number,
) {
  const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const id = only === undefined ? undefined : activity.experiences[only]?.id;
  const response = await activity.get({ ...window, ...(id === undefined ? {} : { experience_id: id }) });
  expect(response.status, response.text).toBe(200);
  expect(response.json.data).toEqual(expectedAnalytics(activity, sent, window.from, window.to, id));
}

/** Compares every line of the CSV with the events of its experience and day. */
async function expectExactCsv(activity: TestActivity, sent: readonly ActivityEvent[], from: number, to: number) {
  const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const response = await activity.get(window, { accept: 'text/csv' });
  expect(response.status, response.text).toBe(200);
  const [head = '', ...lines] = response.text.trim().split('\r\n');
  const names = head.split(',');
  for (const line of lines) {
    const row = Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell]));
    const mine = sent.filter(
      ({ experience_id, at, mode }) =>
        experience_id === row.experience_id &&
        mode === 'live' &&
        at.slice(0, 10) === row.date &&
        Date.parse(at) >= from &&
        Date.parse(at) < to,
    );
    const { view_to_booking_rate: _, ...figures } = figuresOf(mine);
    expect(row).toMatchObject(
      Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)])),
    );
  }
}

const windows = fc.array(
  fc.record({ a: randomTime, b: randomTime, only: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }) }),
  { minLength: 12, maxLength: 20 },
);

async function checkWindows(
  activity: TestActivity,
  sent: readonly ActivityEvent[],
  requested: readonly { a: number; b: number; only: number | undefined }[],
) {
  for (const { a, b, only } of requested) {
    const from = Math.min(a, b);
    await expectExact(activity, sent, from, Math.min(Math.max(a, b, from + 1), from + 366 * DAY_MS), only);
  }
  const [first] = requested;
  if (first === undefined) return;
  const from = Math.min(first.a, first.b);
  await expectExactCsv(activity, sent, from, Math.min(Math.max(first.a, first.b, from + 1), from + 12 * DAY_MS));
}

/** Each smaller case records its activity anew: shrinking takes longer than the test may. The seed repeats the case. */
const WITHOUT_SHRINKING = { endOnFailure: true };

describe('the report', () => {
  it('equals a recount: random activity, late, out of order and repeated, any window, any filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(eventDraft, { minLength: 1, maxLength: 40 }), { maxLength: 5 }),
        windows,
        async (batches, requested) => {
          const activity = await openTestActivity(world, 3, 'live');
          const sent: ActivityEvent[] = [];
          for (const batch of batches) {
            const events = batch.map((one) => eventOf(activity, one));
            const before = firstOfEachId(sent).length;
            sent.push(...events);
            const { json } = await reportActivity(world, events);
            const accepted = firstOfEachId(sent).length - before;
            expect(json).toEqual({ accepted, duplicates: events.length - accepted, rejected: [] });
          }
          const counted = firstOfEachId(sent);
          await checkWindows(activity, counted, requested);
          await expectExact(activity, counted, START, START + 366 * DAY_MS);
          expect((await rebuild(world.db, activity.venueId)).mended).toBe(0);
        },
      ),
      { ...runs(30, 4, 6), ...WITHOUT_SHRINKING },
    );
  }, 120_000);

  it('equals a recount when two servers get the same and overlapping batches at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(eventDraft, { minLength: 20, maxLength: 60 }), windows, async (all, requested) => {
        const activity = await openTestActivity(world, 3, 'live');
        const events = firstOfEachId(all.map((one) => eventOf(activity, one)));
        const half = Math.floor(events.length / 2);
        const batches = [
          events,
          events.toReversed(),
          events.slice(0, half),
          events.slice(half),
          events.slice(half / 2),
        ];
        const responses = await Promise.all(batches.map((batch, i) => reportActivity(world, batch, i % 2)));
        for (const { status, text } of responses) expect(status, text).toBe(200);
        expect(responses.reduce((sum, { json }) => sum + json.accepted, 0)).toBe(events.length);
        await checkWindows(activity, events, requested);
        expect((await rebuild(world.db, activity.venueId)).mended).toBe(0);
      }),
      { ...runs(15, 2, 3), ...WITHOUT_SHRINKING },
    );
  }, 120_000);

  it('counts a person once in a window of 366 days, and once on each of two days', async () => {
    const activity = await openTestActivity(world, 1, 'live');
    const events = [0, 200, 365, 366, 400, 800].map((day, id) =>
      eventOf(activity, {
        id,
        type: 'view',
        experience: 0,
        member: 1,
        at: START + day * DAY_MS,
        guests: undefined,
        amount: undefined,
        mode: 'live',
      }),
    );
    // Every order of arrival corrects the rows of later days.
    for (const one of [5, 0, 4, 2, 1, 3]) await reportActivity(world, events.slice(one, one + 1));
    for (const from of [0, 1, 199, 200, 366, 367, 401, 434, 435]) {
      await expectExact(activity, events, START + from * DAY_MS, START + (from + 366) * DAY_MS);
      await expectExact(activity, events, START + from * DAY_MS + 1, START + (from + 366) * DAY_MS + 1);
    }
  });
});

describe('a venue from before hourly counting', () => {
  it('has exact figures, also for new events, and hourly figures after a rebuild', async () => {
    const activity = await openTestActivity(world, 3, 'live');
    const drafts =
      fc.sample(fc.array(eventDraft, { minLength: 300, maxLength: 300 }), { numRuns: 1, seed: 12 })[0] ?? [];
    const sampledWindows = fc.sample(windows, { numRuns: 1, seed: 12 })[0] ?? [];
    const withinNineDays = (at: number): number => START + ((at - START) % (9 * DAY_MS));
    const events = firstOfEachId(
      drafts.map((one, id) => eventOf(activity, { ...one, id, at: withinNineDays(one.at) })),
    );
    const requested = sampledWindows.map(({ a, b, only }) => ({ a: withinNineDays(a), b: withinNineDays(b), only }));
    await reportActivity(world, events.slice(0, 150));
    // The state after the migration.
    await world.db.query('update activity_venues set has_hourly_figures = false where venue_id = $1', [
      activity.venueId,
    ]);
    await world.db.query('update activity_people set hours = 1, previous_hour = null where venue_id = $1', [
      activity.venueId,
    ]);
    await world.db.query('delete from activity_days where venue_id = $1 and hour_of_day < 24', [activity.venueId]);
    await checkWindows(activity, events.slice(0, 150), requested);
    await reportActivity(world, events.slice(150));
    await checkWindows(activity, events, requested);
    expect((await rebuild(world.db, activity.venueId)).mended).toBeGreaterThan(0);
    const venues = await world.db.query('select has_hourly_figures from activity_venues where venue_id = $1', [
      activity.venueId,
    ]);
    expect(venues).toEqual([{ has_hourly_figures: true }]);
    await checkWindows(activity, events, requested);
    expect((await rebuild(world.db, activity.venueId)).mended).toBe(0);
  }, 60_000);
});

describe('a rebuild', () => {
  it('repairs every wrong figure, and is correct while servers record', async () => {
    const activity = await openTestActivity(world, 3, 'live');
    const drafts =
      fc.sample(fc.array(eventDraft, { minLength: 400, maxLength: 400 }), { numRuns: 1, seed: 8 })[0] ?? [];
    const events = firstOfEachId(drafts.map((one, id) => eventOf(activity, { ...one, id })));
    await reportActivity(world, events.slice(0, 200));
    await world.db.query(
      'update activity_days set views = views + 1, viewers = array_fill(7, array[cardinality(viewers)]) where venue_id = $1',
      [activity.venueId],
    );
    await world.db.query('delete from activity_people where venue_id = $1 and person < $2', [
      activity.venueId,
      '80000000-0000-0000-0000-000000000000',
    ]);
    await world.db.query(
      `insert into activity_people select venue_id, subject, action, gen_random_uuid(), day + 1, 1 from activity_people where venue_id = $1 limit 9`,
      [activity.venueId],
    );
    const rest = Array.from({ length: 10 }, (_, i) => events.slice(200 + i * 20, 220 + i * 20));
    const [rebuilt] = await Promise.all([
      rebuild(world.db, activity.venueId),
      ...rest.map((batch, i) => reportActivity(world, batch, i % 2)),
    ]);
    expect(rebuilt.mended).toBeGreaterThan(0);
    await expectExact(activity, events, START, START + 366 * DAY_MS);
    await expectExact(activity, events, START + HOUR_MS, START + 8 * DAY_MS + HOUR_MS, 1);
    expect(await rebuild(world.db, activity.venueId)).toMatchObject({ venues: 1, mended: 0 });
  });

  it('repairs once when two rebuilds run at the same time', async () => {
    const activity = await openTestActivity(world, 3, 'live');
    const drafts =
      fc.sample(fc.array(eventDraft, { minLength: 200, maxLength: 200 }), { numRuns: 1, seed: 10 })[0] ?? [];
    const events = firstOfEachId(drafts.map((one, id) => eventOf(activity, { ...one, id })));
    await reportActivity(world, events);
    await world.db.query(
      'update activity_days set views = views + 5, viewers = $2, viewer_gaps = $3 where venue_id = $1',
      [activity.venueId, [9, 3], [2, 400]],
    );
    await world.db.query('delete from activity_people where venue_id = $1 and action = $2', [activity.venueId, 'view']);
    await Promise.all([
      rebuild(world.db, activity.venueId),
      rebuild(world.db, activity.venueId),
      rebuild(world.db, activity.venueId),
    ]);
    await expectExact(activity, events, START, START + 366 * DAY_MS);
    await expectExact(activity, events, START + HOUR_MS, START + 8 * DAY_MS + HOUR_MS);
    expect((await rebuild(world.db, activity.venueId)).mended).toBe(0);
  });

  it('processes a busy day in ranges of people, and its reported progress never decreases', async () => {
    const activity = await openTestActivity(world, 1, 'live');
    const experience = activity.experiences[0]?.id ?? '';
    await world.db.query('insert into activity_venues values ($1)', [activity.venueId]);
    await world.db.query(
      `insert into activity (venue_id, partition_number, at, type, subject, subject_mode, person, guests, cents, mode)
       select $1, activity_partition(at), at, 'view', $2, 'live', md5('p' || i % 9000)::uuid, 1, 0, 'live'
       from (select i, timestamptz '2027-02-03T00:00:00Z' + i * interval '2 seconds' as at from generate_series(1, 25000) i) e`,
      [activity.venueId, experience],
    );
    const progress: number[] = [];
    world.statements.length = 0;
    const rebuilt = await rebuild(world.db, activity.venueId, (share) => progress.push(share));
    expect(world.statements.filter((text) => text.includes('repair_people'))).toHaveLength(3);
    expect(rebuilt).toEqual({ venues: 1, days: 1, mended: 2 * 9000 + 2 + 2 * 14 });
    expect(progress).toEqual([1 / 3, 2 / 3, 1]);
    const all = { from: '2027-02-03T00:00:00Z', to: '2027-02-04T00:00:00Z' };
    expect((await activity.get(all)).json.data.totals).toMatchObject({ views: 25_000, unique_viewers: 9000 });
  });
});

describe('deleting old events', () => {
  it('changes no figure of whole days, refuses late events, and widens a window inside a day without events', async () => {
    const other = await openTestWorld();
    try {
      const activity = await openTestActivity(other, 3, 'live');
      const drafts =
        fc.sample(fc.array(eventDraft, { minLength: 500, maxLength: 500 }), { numRuns: 1, seed: 9 })[0] ?? [];
      const events = firstOfEachId(drafts.map((one, id) => eventOf(activity, { ...one, id })));
      await reportActivity(other, events);
      const cut = START + 5 * DAY_MS;
      const reportFor = async (from: number, to: number) =>
        (await activity.get({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })).json.data;
      const requested = [
        [0, 9],
        [2, 5],
        [3, 366],
        [4, 6],
        [100, 300],
      ].map(([a = 0, b = 0]) => [START + a * DAY_MS, START + b * DAY_MS] as const);
      const before = await Promise.all(requested.map(([from, to]) => reportFor(from, to)));
      const afterCut = await reportFor(START + 5 * DAY_MS + HOUR_MS, START + 9 * DAY_MS + 7 * HOUR_MS);
      const dropped = await dropActivity(other.db, new Date(cut).toISOString(), () => undefined);
      expect(dropped.emptied + dropped.deleted).toBeGreaterThan(0);
      expect(await other.db.query('select 1 from activity where at < $1', [new Date(cut).toISOString()])).toEqual([]);
      expect(await other.db.query('select 1 from activity_ids where at < $1', [new Date(cut).toISOString()])).toEqual(
        [],
      );
      // The hours of such a day are deleted too; the day's figures stay.
      const rows = `select count(*) filter (where hour_of_day < 24) > 0 as hours, count(*) filter (where hour_of_day = 24) > 0 as days from activity_days`;
      expect(await other.db.query(`${rows} where day < $1`, [new Date(cut).toISOString()])).toEqual([
        { hours: false, days: true },
      ]);
      expect(await other.db.query(`${rows} where day >= $1`, [new Date(cut).toISOString()])).toEqual([
        { hours: true, days: true },
      ]);
      expect(await Promise.all(requested.map(([from, to]) => reportFor(from, to)))).toEqual(before);
      expect(await reportFor(START + 5 * DAY_MS + HOUR_MS, START + 9 * DAY_MS + 7 * HOUR_MS)).toEqual(afterCut);
      // A window inside a day whose events were deleted covers the whole day, and the response states it.
      const whole = await reportFor(START + 2 * DAY_MS, START + 9 * DAY_MS);
      const widened = await reportFor(START + 2 * DAY_MS + HOUR_MS, START + 9 * DAY_MS);
      expect(widened).toEqual(whole);
      expect(widened.from).toBe(new Date(START + 2 * DAY_MS).toISOString().replace('.000Z', 'Z'));
      const requestedWindow = {
        from: new Date(START + 2 * DAY_MS + HOUR_MS).toISOString(),
        to: new Date(START + 9 * DAY_MS).toISOString(),
      };
      const csv = (await activity.get(requestedWindow, { accept: 'text/csv' })).text.split('\r\n')[1];
      expect(csv).toMatch(new RegExp(`,${widened.from},${widened.to}$`));
      // Sent again: events before the start of retention are refused, the others are duplicates.
      const again = (await reportActivity(other, events)).json;
      const old = events.filter(({ at }) => Date.parse(at) < cut).map(({ id }) => ({ id, reason: 'too_old' }));
      expect(again).toEqual({ accepted: 0, duplicates: events.length - old.length, rejected: old });
      expect(await rebuild(other.db, null)).toMatchObject({ venues: 1, mended: 0 });
      expect(await Promise.all(requested.map(([from, to]) => reportFor(from, to)))).toEqual(before);
    } finally {
      await other.close();
    }
  });
});
