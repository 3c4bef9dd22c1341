// How much a lookup reads: a few index entries for each person, for any statistics of the planner. They may be of a
// nearly empty table, or of many small venues beside a big one: then an index that only starts with the venue looks as
// good as the right one, and every lookup would read the whole venue.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { rebuild } from '../../src/domain/analytics/rebuild.ts';
import { openTestActivity, reportActivity, type TestActivity } from '../support/test-activity.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

// Fills tables with many rows before it measures.
vi.setConfig({ testTimeout: 60_000 });

let world: TestWorld;
let activity: TestActivity;
let experienceId: string;
beforeAll(async () => {
  world = await openTestWorld();
  activity = await openTestActivity(world, 1, 'live');
  experienceId = activity.experiences[0]?.id ?? '';
});
afterAll(() => world.close());

const BIG_VENUE_EVENTS = 12_000;
const PEOPLE_PER_BATCH = 50;

/** Empties the tables and turns autovacuum off, so that the statistics of nearly empty tables stay. */
async function truncateActivity(): Promise<void> {
  for (const table of ['activity', 'activity_people']) {
    await world.db.query(
      `alter table ${table === 'activity' ? 'activity_partition_01' : table} set (autovacuum_enabled = off)`,
    );
    await world.db.query(`truncate ${table}`);
  }
  await world.db.query('truncate activity_days');
}

async function insertSmallVenues(count: number): Promise<void> {
  await world.db.query(
    `insert into activity_people select md5('v' || i % ($1::int / 2))::uuid, md5('t' || i % ($1::int / 2))::uuid, 'view',
       md5('p' || i)::uuid, date '2025-01-01' + i % 28, 1 from generate_series(1, $1::int) i`,
    [count],
  );
  await world.db.query(
    `insert into activity (venue_id, partition_number, at, type, subject, subject_mode, person, guests, cents, mode)
     select venue_id, activity_partition(day), day, 'view', subject, 'live', person, 1, 0, 'live' from activity_people`,
  );
}

/** Inserts one event for each person, in January 2025, as if recorded. */
async function insertBigVenue(): Promise<void> {
  await world.db.query(
    `insert into activity_people select $1, t.subject, 'view', md5('p' || i)::uuid, date '2025-01-01' + i % 28, 1 << i / 3600
     from generate_series(1, $3::int) i cross join unnest(array[$2::uuid, all_experiences_id('live')]) t(subject)`,
    [activity.venueId, experienceId, BIG_VENUE_EVENTS],
  );
  await world.db.query(
    `insert into activity (venue_id, partition_number, at, type, subject, subject_mode, person, guests, cents, mode)
     select $1, activity_partition(at), at, 'view', $2, 'live', md5('p' || i)::uuid, 1, 0, 'live'
     from (select i, timestamptz '2025-01-01T00:00:00Z' + (i % 28) * interval '1 day' + i * interval '1 second' as at
       from generate_series(1, $3::int) i) e`,
    [activity.venueId, experienceId, BIG_VENUE_EVENTS],
  );
  await world.db.query(
    `insert into activity_days (venue_id, subject, day, hour_of_day, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers,
       starter_gaps, starters)
     select s.venue_id, s.subject, s.day, 24, count(*), 0, 0, 0, 0, 0, '{400}', array[count(*)], '{}', '{}'
     from activity_people s where s.venue_id = $1 group by s.venue_id, s.subject, s.day
     on conflict do nothing`,
    [activity.venueId],
  );
}

/** Index entries and table rows that this transaction has read. */
async function rowsReadIn(tx: Queryable): Promise<number> {
  const rows = await tx.query<{ read: number }>(
    `select sum(pg_stat_get_xact_tuples_returned(c.oid))::bigint as read from pg_class c
     where c.relname ~ '^activity_(people|partition_)' and c.relkind in ('r', 'i')`,
  );
  return rows[0]?.read ?? 0;
}

async function recordViews(tx: Queryable): Promise<void> {
  await tx.query(
    `select count(*) from record_activity($1, array(select gen_random_uuid() from generate_series(1, $3::int)),
       array_fill('view'::text, array[$3::int]), array_fill($2::uuid, array[$3::int]), array_fill('live'::text, array[$3::int]),
       array(select md5('p' || i * 37)::uuid from generate_series(1, $3::int) i),
       array_fill(timestamptz '2025-01-30T00:00:00Z', array[$3::int]), array_fill(1, array[$3::int]),
       array_fill(0, array[$3::int]), array_fill('live'::text, array[$3::int]))`,
    [activity.venueId, experienceId, PEOPLE_PER_BATCH],
  );
}

/** A window that starts inside an hour. */
async function findFigures(tx: Queryable): Promise<void> {
  const allExperiences = '00000000-0000-0000-0000-000000000001';
  await tx.query(`select * from activity_figures($1, $2, '2025-01-05T03:10:00Z', '2025-01-29T00:00:00Z', false)`, [
    activity.venueId,
    [experienceId, allExperiences, activity.venueId],
  ]);
}

const STATISTICS: [string, () => Promise<void>][] = [
  [
    'statistics of nearly empty tables',
    async () => {
      await reportActivity(world, [
        {
          id: 'a',
          type: 'view',
          experience_id: experienceId,
          member_id: 'm',
          at: '2025-01-01T00:00:00Z',
          mode: 'live',
        },
      ]);
      await world.db.query('analyze');
      await insertBigVenue();
    },
  ],
  [
    'current statistics of many small venues and a big one',
    async () => {
      await insertSmallVenues(30_000);
      await insertBigVenue();
      await world.db.query('analyze');
    },
  ],
  [
    'statistics of only small venues, one row for each',
    async () => {
      await insertSmallVenues(4000);
      await world.db.query('analyze');
      await insertBigVenue();
    },
  ],
];

describe.each(STATISTICS)('with %s', (_name, prepare) => {
  it('recording and reporting read a few entries for each person, not the whole venue', async () => {
    await truncateActivity();
    await prepare();
    const rowsReadByRecording = await world.db.transaction(async (tx) => {
      const before = await rowsReadIn(tx);
      await recordViews(tx);
      return (await rowsReadIn(tx)) - before;
    });
    // For each person: two lookups for the experience and two for all experiences, with at most one entry each.
    expect(rowsReadByRecording).toBeLessThanOrEqual(PEOPLE_PER_BATCH * 10);
    const inPart = await world.db.query<{ people: number }>(
      `select count(*) as people from activity where venue_id = $1 and at >= '2025-01-05T03:10:00Z' and at < '2025-01-05T04:00:00Z'`,
      [activity.venueId],
    );
    const rowsRead = await world.db.transaction(async (tx) => {
      const before = await rowsReadIn(tx);
      await findFigures(tx);
      return (await rowsReadIn(tx)) - before;
    });
    expect(inPart[0]?.people).toBeGreaterThan(0);
    expect(rowsRead).toBeGreaterThan((inPart[0]?.people ?? 0) * 2);
    expect(rowsRead).toBeLessThanOrEqual((inPart[0]?.people ?? 0) * 10 + 100);
  });
});

describe('a window that starts inside a busy day', () => {
  it('reads the events of its first hour, and only the rows of their people and of those who returned', async () => {
    await truncateActivity();
    const [views, people, returning] = [12_000, 4000, 100];
    await world.db.query(
      `insert into activity (venue_id, partition_number, at, type, subject, subject_mode, person, guests, cents, mode)
       select $1, activity_partition(at), at, 'view', $2, 'live', md5('p' || i % $4::int)::uuid, 1, 0, 'live'
       from (
         select i, timestamptz '2025-01-05T00:00:00Z' + i * (interval '1 day' / $3::int) as at from generate_series(0, $3::int - 1) i
         union all
         select i, timestamptz '2025-01-07T12:00:00Z' + i * interval '1 second' from generate_series(0, $5::int - 1) i
       ) e`,
      [activity.venueId, experienceId, views, people, returning],
    );
    await rebuild(world.db, activity.venueId);
    const window = { from: '2025-01-05T06:30:00Z', to: '2025-02-04T06:30:00Z' };
    const allExperiences = '00000000-0000-0000-0000-000000000001';
    const rowsRead = await world.db.transaction(async (tx) => {
      const before = await rowsReadIn(tx);
      await tx.query('select * from activity_figures($1, $2, $3, $4, false)', [
        activity.venueId,
        [experienceId, allExperiences, activity.venueId],
        window.from,
        window.to,
      ]);
      return (await rowsReadIn(tx)) - before;
    });
    const inFirstHour = views / 48;
    // For each person: one event, one lookup for the experience and one for all, with two entries each; and those who
    // returned, for both.
    expect(rowsRead).toBeLessThanOrEqual(inFirstHour * 5 + returning * 4 + 100);
    expect(rowsRead).toBeLessThan(people / 2);
    const { totals } = (await activity.get(window)).json.data;
    expect(totals).toMatchObject({ views: (views * 35) / 48 + returning, unique_viewers: people });
  });
});
