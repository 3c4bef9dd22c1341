// Analytics over 366 days of a venue with 5,000,000 events against one with 10,000: the report must not slow down as a
// venue collects activity.

import { DAYS, FIRST_DAY, insertActivity, insertExperiences, queryWithoutTimeout } from './activity-rows.ts';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { makeReader, type Reader, readOnce } from './read-load.ts';

const EXPERIENCES = 20;
const HALF_PAST_SIX = 6.5 * 3_600_000;
/**
 * The window begins and ends inside a day with activity, as a window of a real clock does. This is the more expensive
 * case.
 */
const FROM = new Date(FIRST_DAY + HALF_PAST_SIX).toISOString();
const TO = new Date(FIRST_DAY + (DAYS - 1) * 86_400_000 + HALF_PAST_SIX).toISOString();
const PATH = `/v1/analytics?from=${FROM}&to=${TO}`;

export const analyticsGrowth: Bench = {
  name: 'analytics-growth',
  floor: 0.4,
  goal: 0.7,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/analytics over 366 days and 20 experiences, from 06:30 of the first day to 06:30 of the last, with activity before and after, of a venue with 5,000,000 events against one with 10,000 (5,000 against 1,000 on seven days with --quick).',
  rounds: { full: 9, quick: 2 },
  sides: { ours: 'many events', base: 'few events' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const connections = fixture.isQuick ? 8 : 48;
  const makeVenueReader = async (rows: number): Promise<Reader> => {
    const { id, keys } = await fixture.makeVenue(1);
    const experienceIds = await insertExperiences(fixture, id, EXPERIENCES);
    await insertActivity(fixture, id, experienceIds, rows);
    await queryWithoutTimeout(fixture, 'analyze activity, activity_days, activity_people, experiences');
    const text = await readOnce(server.port, PATH, keys[0] ?? '');
    await expectExactTotals(fixture, id, text);
    return makeReader(fixture, {
      port: server.port,
      path: PATH,
      keys,
      bodyBytes: Buffer.byteLength(text),
      isCounted: true,
      connections,
    });
  };
  const small = await makeVenueReader(fixture.isQuick ? 1_000 : 10_000);
  const large = await makeVenueReader(fixture.isQuick ? 5_000 : 5_000_000);
  return { ours: () => large.round(), base: () => small.round(), close: () => server.stop() };
}

async function expectExactTotals(fixture: BenchFixture, venueId: string, text: string): Promise<void> {
  const [expected] = await queryWithoutTimeout<{ views: number; people: number }>(
    fixture,
    `select count(*)::integer as views, count(distinct person)::integer as people from activity
     where venue_id = $1 and type = 'view' and at >= $2 and at < $3`,
    [venueId, FROM, TO],
  );
  const { totals } = (JSON.parse(text) as { data: { totals: { views: number; unique_viewers: number } } }).data;
  if (totals.views !== expected?.views || totals.unique_viewers !== expected.people) {
    throw new Error(
      `the response has ${totals.views} views by ${totals.unique_viewers} people, not ${JSON.stringify(expected)}`,
    );
  }
}
