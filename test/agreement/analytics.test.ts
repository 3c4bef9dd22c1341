// What TypeScript and several SQL functions of analytics repeat: the id of all experiences, the longest gap, and which
// figure an event of each type counts for.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import {
  type ActivityType,
  allExperiencesId,
  findFigures,
  MAX_GAP_DAYS,
  recordActivityEvents,
  recountEvents,
  storedCounts,
} from '../../src/domain/analytics/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { inRolledBackTransaction } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

it('all experiences of a mode have one id', async () => {
  const rows = await world.db.query<{ live: string; test: string }>(
    `select all_experiences_id('live') as live, all_experiences_id('test') as test`,
  );
  expect(rows).toEqual([{ live: allExperiencesId('live'), test: allExperiencesId('test') }]);
});

it('gaps of MAX_GAP_DAYS and longer count as none before', async () => {
  const day = '2026-06-01';
  const rows = await world.db.query<{ gaps: number[]; hours: (number | null)[] }>(
    `select array[gap_in_days(null, $1), gap_in_days($1::date - $2::integer - 1, $1), gap_in_days($1::date - $2::integer, $1),
         gap_in_days($1::date - $2::integer + 1, $1)] as gaps,
       (select array_agg(recent_hour(activity_hour(p.day::timestamp at time zone 'UTC'), $1) is null order by p.day)
        from (values ($1::date - $2::integer), ($1::date - $2::integer + 1)) p(day)) as hours`,
    [day, MAX_GAP_DAYS],
  );
  const gaps = [MAX_GAP_DAYS, MAX_GAP_DAYS, MAX_GAP_DAYS, MAX_GAP_DAYS - 1];
  expect(rows).toEqual([{ gaps, hours: [true, false] }]);
});

const NOTHING = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0 };
const COUNTED: Readonly<Record<ActivityType, object>> = {
  view: { views: 1 },
  venue_page_view: { views: 1 },
  save: { saves: 1 },
  booking: { bookings: 1, guests: 3, cents: 700 },
  check_in: { check_ins: 1 },
  booking_start: {},
};

for (const type of Object.keys(COUNTED) as ActivityType[]) {
  it(`${type} counts for the same figures when recorded, recounted and read from part of an hour`, async () => {
    await inRolledBackTransaction(world.db, async (tx) => {
      const subject = type === 'venue_page_view' ? venueId : randomUUID();
      const subjectMode = type === 'venue_page_view' ? null : 'live';
      const event = {
        key: randomUUID(),
        type,
        subject,
        subjectMode,
        person: randomUUID(),
        guests: 3,
        cents: 700,
      } as const;
      await recordActivityEvents(tx, venueId, [{ ...event, at: '2026-06-01T10:30:00Z', mode: 'live' }]);
      const expected = { ...NOTHING, ...COUNTED[type] };
      const stored = await storedCounts(tx, venueId, '2026-06-01');
      expect(stored.filter((row) => row.subject === subject).sort((a, b) => a.hour_of_day - b.hour_of_day)).toEqual(
        [10, 24].map((hour) => expect.objectContaining({ hour_of_day: hour, ...expected })),
      );
      const recounted = await recountEvents(tx, venueId, '2026-06-01');
      expect(recounted.sort((a, b) => a.hour_of_day - b.hour_of_day)).toEqual(
        [10, 24].map((hour) => expect.objectContaining({ subject, hour_of_day: hour, ...expected })),
      );
      const ofDay = await figuresOf(tx, subject, '2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z');
      expect(ofDay).toMatchObject(expected);
      expect(await figuresOf(tx, subject, '2026-06-01T10:20:00Z', '2026-06-01T10:40:00Z')).toEqual(ofDay);
    });
  });
}

async function figuresOf(tx: Queryable, subject: string, from: string, to: string) {
  const { rows } = await findFigures(tx, { venueId, subjects: [subject], from, to, byDay: false });
  return rows.find((row) => row.row_kind === 'subject');
}
