// Inserts millions of activity events as rows, and counts the figures with the code of `everyshare analytics rebuild`.
// Tests prove that its figures equal those of events recorded one by one.

import pg from 'pg';
import { rebuild } from '../src/domain/analytics/rebuild.ts';
import type { BenchFixture } from './fixture.ts';

/** Midnight (UTC) of the first day with activity. */
export const FIRST_DAY = Date.UTC(2026, 0, 1);
/** One more than the longest window, so that activity lies before and after the window. */
export const DAYS = 367;
const CHUNK_DAYS = 6;

/** Inserts approved experiences in test mode, the mode of the venue's keys. Returns their ids. */
export async function insertExperiences({ db }: BenchFixture, venueId: string, count: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `with made as (
       insert into experiences (venue_id, submission_id, mode, form, status, content, experience_id, created_at, reviewed_at)
       select $1, gen_random_uuid(), 'test', 'event', 'approved',
         json_build_object('title', 'Night ' || i, 'starts_at', '2027-06-12T22:30:00Z'), gen_random_uuid(),
         timestamptz '2026-01-01' + i * interval '1 second', timestamptz '2026-01-02'
       from generate_series(1, $2::int) i returning experience_id, venue_id, mode
     )
     insert into experience_routes select experience_id, venue_id, mode from made returning experience_id as id`,
    [venueId, count],
  );
  return rows.map(({ id }) => id);
}

/** Runs a statement over millions of rows on a connection without a time limit. */
export async function queryWithoutTimeout<R extends pg.QueryResultRow>(
  { url }: BenchFixture,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off'); // This time is not measured.
    return (await client.query<R>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/**
 * Inserts `rows` events, spread evenly over the days (with --quick over seven days, the first and the last included). A
 * member has about five events.
 */
export async function insertActivity(
  fixture: BenchFixture,
  venueId: string,
  experienceIds: readonly string[],
  rows: number,
): Promise<void> {
  const { db } = fixture;
  const dayStep = fixture.isQuick ? 61 : 1;
  const days = Math.ceil(DAYS / dayStep);
  for (let day = 0; day < days; day += CHUNK_DAYS) {
    const endDay = Math.min(day + CHUNK_DAYS, days);
    await queryWithoutTimeout(
      fixture,
      `insert into activity (venue_id, partition_number, at, type, subject, subject_mode, person, guests, cents, mode)
         select $1, activity_partition(e.at), e.at, e.type, ($2::uuid[])[1 + abs(hashint8(e.i * 7919)) % cardinality($2::uuid[])],
           'test', md5($1::uuid::text || abs(hashint8(e.i * 104729)) % greatest(1, $3::bigint / 5))::uuid,
           1 + (e.i % 4)::int, 6500, 'live'
         from (
           select i, to_timestamp($4::bigint / 1000) + (i * $5::double precision) * interval '1 second'
               + floor(i * $5::double precision / 86400) * ($8::int - 1) * interval '1 day' as at,
             (array['view','view','view','view','view','view','booking_start','save','booking','check_in'])[1 + abs(hashint8(i)) % 10]
               as type
           from generate_series($6::bigint, $7::bigint - 1) i
         ) e`,
      [
        venueId,
        experienceIds,
        rows,
        FIRST_DAY,
        (days * 86_400) / rows,
        Math.floor((rows * day) / days),
        Math.floor((rows * endDay) / days),
        dayStep,
      ],
    );
  }
  await db.query('insert into activity_venues values ($1) on conflict do nothing', [venueId]);
  await queryWithoutTimeout(fixture, 'analyze activity');
  await rebuild(db, venueId);
}
