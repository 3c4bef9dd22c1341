// Activity by the million, written as rows: events made by SQL, and figures counted from them by what `everyshare analytics
// rebuild` counts with, which the tests prove equal to recording them one by one.

import pg from 'pg';
import { rebuild } from '../src/domain/analytics/rebuild.ts';
import type { Stage } from './stage.ts';

/** The first of the days, midnight in UTC. */
export const FIRST_DAY = Date.UTC(2026, 0, 1);
/** One more than the longest window has: it is cut out of the activity at both ends. */
export const DAYS = 367;
const CHUNK_DAYS = 6;

/** Approved experiences of a venue, in test mode as its keys are. Gives their ids. */
export async function loadExperiences({ db }: Stage, venueId: string, count: number): Promise<string[]> {
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

/** A statement over millions of rows, on a connection that has no time limit. */
export async function patiently<R extends pg.QueryResultRow>(
  { url }: Stage,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off'); // Nothing is measured here.
    return (await client.query<R>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** So many events, spread evenly over the days (with --quick over seven of them, the first and the last among them); a member comes back about five times. */
export async function loadActivity(
  stage: Stage,
  venueId: string,
  things: readonly string[],
  rows: number,
): Promise<void> {
  const { db } = stage;
  const apart = stage.quick ? 61 : 1;
  const days = Math.ceil(DAYS / apart);
  for (let day = 0; day < days; day += CHUNK_DAYS) {
    const until = Math.min(day + CHUNK_DAYS, days);
    await patiently(
      stage,
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
        things,
        rows,
        FIRST_DAY,
        (days * 86_400) / rows,
        Math.floor((rows * day) / days),
        Math.floor((rows * until) / days),
        apart,
      ],
    );
  }
  await db.query('insert into activity_venues values ($1) on conflict do nothing', [venueId]);
  await patiently(stage, 'analyze activity');
  await rebuild(db, venueId);
}
