// Figures equal a slow, obvious recount, for any order of events, any window and any filter; also when two servers
// record at the same time, after old events were deleted, and after a rebuild.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropActivity } from '../../src/domain/analytics/drop.ts';
import { rebuild } from '../../src/domain/analytics/rebuild.ts';
import {
  type ActivityEvent,
  figuresOf,
  openTestActivity,
  recount,
  report,
  type TestActivity,
} from '../support/test-activity.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const START = Date.UTC(2023, 0, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TYPES = ['view', 'view', 'view', 'booking_start', 'save', 'booking', 'check_in', 'venue_page_view'] as const;

interface Sketch {
  readonly id: number;
  readonly type: (typeof TYPES)[number];
  readonly thing: number;
  readonly member: number;
  readonly at: number;
  readonly guests: number | undefined;
  readonly amount: number | undefined;
  readonly mode: 'live' | 'test';
}

/** Few people and days, with times at, around and between full hours and midnight, so that events overlap often. */
const INTO = [
  0,
  1,
  HOUR / 2,
  6 * HOUR,
  6 * HOUR + 1,
  6.5 * HOUR,
  7 * HOUR - 1,
  7 * HOUR,
  12 * HOUR,
  23.5 * HOUR,
  DAY - 1,
];
const moment = fc
  .record({
    day: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 420 })),
    into: fc.constantFrom(...INTO),
  })
  .map(({ day, into }) => START + day * DAY + into);
const sketch: fc.Arbitrary<Sketch> = fc.record({
  id: fc.integer({ min: 0, max: 400 }),
  type: fc.constantFrom(...TYPES),
  thing: fc.integer({ min: 0, max: 2 }),
  member: fc.integer({ min: 0, max: 4 }),
  at: moment,
  guests: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  amount: fc.option(fc.integer({ min: 0, max: 99_999 }), { nil: undefined }),
  mode: fc.constantFrom('live', 'live', 'live', 'live', 'test'),
});

function eventOf(app: TestActivity, { id, type, thing, member, at, guests, amount, mode }: Sketch): ActivityEvent {
  const about =
    type === 'venue_page_view' ? { venue_id: app.venueId } : { experience_id: app.experiences[thing]?.id ?? '' };
  return {
    id: `event-${id}`,
    type,
    ...about,
    member_id: `member-${member}`,
    at: new Date(at).toISOString(),
    mode,
    ...(guests === undefined ? {} : { guests }),
    ...(amount === undefined ? {} : { amount }),
  };
}

/** The first event of each id counts; later ones are duplicates, whatever their content. */
function isFirst(sent: ActivityEvent[]): ActivityEvent[] {
  const seen = new Set<string>();
  return sent.filter(({ id }) => !seen.has(id) && seen.add(id));
}

async function expectExact(app: TestActivity, sent: readonly ActivityEvent[], from: number, to: number, only?: number) {
  const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const id = only === undefined ? undefined : app.experiences[only]?.id;
  const response = await app.get({ ...window, ...(id === undefined ? {} : { experience_id: id }) });
  expect(response.status, response.text).toBe(200);
  expect(response.json.data).toEqual(recount(app, sent, window.from, window.to, id));
}

/** Compares every line of the CSV with the events of its experience and day. */
async function expectExactCsv(app: TestActivity, sent: readonly ActivityEvent[], from: number, to: number) {
  const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const response = await app.get(window, { accept: 'text/csv' });
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
  fc.record({ a: moment, b: moment, only: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }) }),
  { minLength: 12, maxLength: 20 },
);

async function checkWindows(
  app: TestActivity,
  sent: readonly ActivityEvent[],
  asked: readonly { a: number; b: number; only: number | undefined }[],
) {
  for (const { a, b, only } of asked) {
    const from = Math.min(a, b);
    await expectExact(app, sent, from, Math.min(Math.max(a, b, from + 1), from + 366 * DAY), only);
  }
  const [first] = asked;
  if (first === undefined) return;
  const from = Math.min(first.a, first.b);
  await expectExactCsv(app, sent, from, Math.min(Math.max(first.a, first.b, from + 1), from + 12 * DAY));
}

describe('the report', () => {
  it('equals a recount: random activity, late, out of order and repeated, any window, any filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(sketch, { minLength: 1, maxLength: 40 }), { maxLength: 5 }),
        windows,
        async (batches, asked) => {
          const app = await openTestActivity(world, 3);
          const sent: ActivityEvent[] = [];
          for (const batch of batches) {
            const events = batch.map((one) => eventOf(app, one));
            const before = isFirst(sent).length;
            sent.push(...events);
            const { json } = await report(world, events);
            const accepted = isFirst(sent).length - before;
            expect(json).toEqual({ accepted, duplicates: events.length - accepted, rejected: [] });
          }
          const counted = isFirst(sent);
          await checkWindows(app, counted, asked);
          await expectExact(app, counted, START, START + 366 * DAY);
          expect((await rebuild(world.db, app.venueId)).mended).toBe(0);
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  it('equals a recount when two servers get the same and overlapping batches at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sketch, { minLength: 20, maxLength: 60 }), windows, async (all, asked) => {
        const app = await openTestActivity(world, 3);
        const events = isFirst(all.map((one) => eventOf(app, one)));
        const half = Math.floor(events.length / 2);
        const batches = [
          events,
          events.toReversed(),
          events.slice(0, half),
          events.slice(half),
          events.slice(half / 2),
        ];
        const response = await Promise.all(batches.map((batch, i) => report(world, batch, i % 2)));
        for (const { status, text } of response) expect(status, text).toBe(200);
        expect(response.reduce((sum, { json }) => sum + json.accepted, 0)).toBe(events.length);
        await checkWindows(app, events, asked);
        expect((await rebuild(world.db, app.venueId)).mended).toBe(0);
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  it('counts a person once in a window of 366 days, and once on each of two days', async () => {
    const app = await openTestActivity(world, 1);
    const events = [0, 200, 365, 366, 400, 800].map((day, id) =>
      eventOf(app, {
        id,
        type: 'view',
        thing: 0,
        member: 1,
        at: START + day * DAY,
        guests: undefined,
        amount: undefined,
        mode: 'live',
      }),
    );
    // Every order of arrival corrects the rows of later days.
    for (const one of [5, 0, 4, 2, 1, 3]) await report(world, events.slice(one, one + 1));
    for (const from of [0, 1, 199, 200, 366, 367, 401, 434, 435]) {
      await expectExact(app, events, START + from * DAY, START + (from + 366) * DAY);
      await expectExact(app, events, START + from * DAY + 1, START + (from + 366) * DAY + 1);
    }
  });
});

describe('a venue from before hourly counting', () => {
  it('has exact figures, also for new events, and hourly figures after a rebuild', async () => {
    const app = await openTestActivity(world, 3);
    const many = fc.sample(fc.array(sketch, { minLength: 300, maxLength: 300 }), { numRuns: 1, seed: 12 })[0] ?? [];
    const sampled = fc.sample(windows, { numRuns: 1, seed: 12 })[0] ?? [];
    const near = (at: number): number => START + ((at - START) % (9 * DAY));
    const events = isFirst(many.map((one, id) => eventOf(app, { ...one, id, at: near(one.at) })));
    const asked = sampled.map(({ a, b, only }) => ({ a: near(a), b: near(b), only }));
    await report(world, events.slice(0, 150));
    // The state after the migration.
    await world.db.query('update activity_venues set has_hourly_figures = false where venue_id = $1', [app.venueId]);
    await world.db.query('update activity_people set hours = 1, previous_hour = null where venue_id = $1', [
      app.venueId,
    ]);
    await world.db.query('delete from activity_days where venue_id = $1 and part < 24', [app.venueId]);
    await checkWindows(app, events.slice(0, 150), asked);
    await report(world, events.slice(150));
    await checkWindows(app, events, asked);
    expect((await rebuild(world.db, app.venueId)).mended).toBeGreaterThan(0);
    const venues = await world.db.query('select has_hourly_figures from activity_venues where venue_id = $1', [
      app.venueId,
    ]);
    expect(venues).toEqual([{ has_hourly_figures: true }]);
    await checkWindows(app, events, asked);
    expect((await rebuild(world.db, app.venueId)).mended).toBe(0);
  }, 60_000);
});

describe('a rebuild', () => {
  it('repairs every wrong figure, and is correct while servers record', async () => {
    const app = await openTestActivity(world, 3);
    const many = fc.sample(fc.array(sketch, { minLength: 400, maxLength: 400 }), { numRuns: 1, seed: 8 })[0] ?? [];
    const events = isFirst(many.map((one, id) => eventOf(app, { ...one, id })));
    await report(world, events.slice(0, 200));
    await world.db.query(
      'update activity_days set views = views + 1, viewers = array_fill(7, array[cardinality(viewers)]) where venue_id = $1',
      [app.venueId],
    );
    await world.db.query('delete from activity_people where venue_id = $1 and person < $2', [
      app.venueId,
      '80000000-0000-0000-0000-000000000000',
    ]);
    await world.db.query(
      `insert into activity_people select venue_id, subject, action, gen_random_uuid(), day + 1, 1 from activity_people where venue_id = $1 limit 9`,
      [app.venueId],
    );
    const rest = Array.from({ length: 10 }, (_, i) => events.slice(200 + i * 20, 220 + i * 20));
    const [rebuilt] = await Promise.all([
      rebuild(world.db, app.venueId),
      ...rest.map((batch, i) => report(world, batch, i % 2)),
    ]);
    expect(rebuilt.mended).toBeGreaterThan(0);
    await expectExact(app, events, START, START + 366 * DAY);
    await expectExact(app, events, START + HOUR, START + 8 * DAY + HOUR, 1);
    expect(await rebuild(world.db, app.venueId)).toMatchObject({ venues: 1, mended: 0 });
  });

  it('repairs once when two rebuilds run at the same time', async () => {
    const app = await openTestActivity(world, 3);
    const many = fc.sample(fc.array(sketch, { minLength: 200, maxLength: 200 }), { numRuns: 1, seed: 10 })[0] ?? [];
    const events = isFirst(many.map((one, id) => eventOf(app, { ...one, id })));
    await report(world, events);
    await world.db.query(
      'update activity_days set views = views + 5, viewers = $2, viewer_gaps = $3 where venue_id = $1',
      [app.venueId, [9, 3], [2, 400]],
    );
    await world.db.query('delete from activity_people where venue_id = $1 and action = $2', [app.venueId, 'view']);
    await Promise.all([rebuild(world.db, app.venueId), rebuild(world.db, app.venueId), rebuild(world.db, app.venueId)]);
    await expectExact(app, events, START, START + 366 * DAY);
    await expectExact(app, events, START + HOUR, START + 8 * DAY + HOUR);
    expect((await rebuild(world.db, app.venueId)).mended).toBe(0);
  });

  it('processes a busy day in ranges of people, and its reported progress never decreases', async () => {
    const app = await openTestActivity(world, 1);
    const thing = app.experiences[0]?.id ?? '';
    await world.db.query('insert into activity_venues values ($1)', [app.venueId]);
    await world.db.query(
      `insert into activity (venue_id, slot, at, type, subject, subject_mode, person, guests, cents, mode)
       select $1, activity_slot(at), at, 'view', $2, 'test', md5('p' || i % 9000)::uuid, 1, 0, 'live'
       from (select i, timestamptz '2027-02-03T00:00:00Z' + i * interval '2 seconds' as at from generate_series(1, 25000) i) e`,
      [app.venueId, thing],
    );
    const response: number[] = [];
    world.statements.length = 0;
    const rebuilt = await rebuild(world.db, app.venueId, (share) => response.push(share));
    expect(world.statements.filter((text) => text.includes('repair_people'))).toHaveLength(3);
    expect(rebuilt).toEqual({ venues: 1, days: 1, mended: 2 * 9000 + 2 + 2 * 14 });
    expect(response).toEqual([1 / 3, 2 / 3, 1]);
    const all = { from: '2027-02-03T00:00:00Z', to: '2027-02-04T00:00:00Z' };
    expect((await app.get(all)).json.data.totals).toMatchObject({ views: 25_000, unique_viewers: 9000 });
  });
});

describe('deleting old events', () => {
  it('changes no figure of whole days, refuses late events, and widens a window inside a day without events', async () => {
    const other = await openTestWorld();
    try {
      const app = await openTestActivity(other, 3);
      const many = fc.sample(fc.array(sketch, { minLength: 500, maxLength: 500 }), { numRuns: 1, seed: 9 })[0] ?? [];
      const events = isFirst(many.map((one, id) => eventOf(app, { ...one, id })));
      await report(other, events);
      const cut = START + 5 * DAY;
      const ask = async (from: number, to: number) =>
        (await app.get({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })).json.data;
      const asked = [
        [0, 9],
        [2, 5],
        [3, 366],
        [4, 6],
        [100, 300],
      ].map(([a = 0, b = 0]) => [START + a * DAY, START + b * DAY] as const);
      const before = await Promise.all(asked.map(([from, to]) => ask(from, to)));
      const half = await ask(START + 5 * DAY + HOUR, START + 9 * DAY + 7 * HOUR);
      const dropped = await dropActivity(other.db, new Date(cut).toISOString(), () => undefined);
      expect(dropped.emptied + dropped.deleted).toBeGreaterThan(0);
      expect(await other.db.query('select 1 from activity where at < $1', [new Date(cut).toISOString()])).toEqual([]);
      expect(await other.db.query('select 1 from activity_ids where at < $1', [new Date(cut).toISOString()])).toEqual(
        [],
      );
      // The hours of such a day are deleted too; the day's figures stay.
      const rows = `select count(*) filter (where part < 24) > 0 as hours, count(*) filter (where part = 24) > 0 as days from activity_days`;
      expect(await other.db.query(`${rows} where day < $1`, [new Date(cut).toISOString()])).toEqual([
        { hours: false, days: true },
      ]);
      expect(await other.db.query(`${rows} where day >= $1`, [new Date(cut).toISOString()])).toEqual([
        { hours: true, days: true },
      ]);
      expect(await Promise.all(asked.map(([from, to]) => ask(from, to)))).toEqual(before);
      expect(await ask(START + 5 * DAY + HOUR, START + 9 * DAY + 7 * HOUR)).toEqual(half);
      // A window inside a day whose events were deleted covers the whole day, and the response states it.
      const whole = await ask(START + 2 * DAY, START + 9 * DAY);
      const widened = await ask(START + 2 * DAY + HOUR, START + 9 * DAY);
      expect(widened).toEqual(whole);
      expect(widened.from).toBe(new Date(START + 2 * DAY).toISOString().replace('.000Z', 'Z'));
      const asked1 = {
        from: new Date(START + 2 * DAY + HOUR).toISOString(),
        to: new Date(START + 9 * DAY).toISOString(),
      };
      const csv = (await app.get(asked1, { accept: 'text/csv' })).text.split('\r\n')[1];
      expect(csv).toMatch(new RegExp(`,${widened.from},${widened.to}$`));
      // Sent again: events before the start of retention are refused, the others are duplicates.
      const again = (await report(other, events)).json;
      const old = events.filter(({ at }) => Date.parse(at) < cut).map(({ id }) => ({ id, reason: 'too_old' }));
      expect(again).toEqual({ accepted: 0, duplicates: events.length - old.length, rejected: old });
      expect(await rebuild(other.db, null)).toMatchObject({ venues: 1, mended: 0 });
      expect(await Promise.all(asked.map(([from, to]) => ask(from, to)))).toEqual(before);
    } finally {
      await other.close();
    }
  });
});
