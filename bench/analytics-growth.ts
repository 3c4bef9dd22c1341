// A 366-day answer over 5,000,000 events against one over 10,000: figures must not slow down as a venue is looked at more.

import { DAYS, FIRST_DAY, loadActivity, loadExperiences, patiently } from './activity-rows.ts';
import type { Bench, Prepared } from './bench.ts';
import { makeReader, type Reader, readOnce } from './reads.ts';
import type { Stage } from './stage.ts';

const EXPERIENCES = 20;
const HALF_PAST_SIX = 6.5 * 3_600_000;
/** Begins and ends inside a day that has activity outside it as well: what a clock gives, and the dearer case. */
const FROM = new Date(FIRST_DAY + HALF_PAST_SIX).toISOString();
const TO = new Date(FIRST_DAY + (DAYS - 1) * 86_400_000 + HALF_PAST_SIX).toISOString();
const PATH = `/v1/analytics?from=${FROM}&to=${TO}`;

export const analyticsGrowth: Bench = {
  name: 'analytics-growth',
  floor: 0.2,
  goal: 0.7,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/analytics over 366 days and 20 experiences, from 06:30 of the first day to 06:30 of the last, with activity before and after, of a venue with 5,000,000 events against one with 10,000 (5,000 against 1,000 on seven days with --quick).',
  rounds: { full: 9, quick: 2 },
  sides: { ours: 'many events', base: 'few events' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.serveOurs();
  const connections = stage.quick ? 8 : 48;
  const load = async (rows: number): Promise<Reader> => {
    const { id, keys } = await stage.makeVenue(1);
    const things = await loadExperiences(stage, id, EXPERIENCES);
    await loadActivity(stage, id, things, rows);
    await patiently(stage, 'analyze activity, activity_days, activity_people, experiences');
    const text = await readOnce(server.port, PATH, keys[0] ?? '');
    await expectRight(stage, id, text);
    return makeReader(stage, {
      port: server.port,
      path: PATH,
      keys,
      length: Buffer.byteLength(text),
      counted: true,
      connections,
    });
  };
  const small = await load(stage.quick ? 1_000 : 10_000);
  const large = await load(stage.quick ? 5_000 : 5_000_000);
  return { ours: () => large.round(), base: () => small.round(), close: () => server.stop() };
}

async function expectRight(stage: Stage, venueId: string, text: string): Promise<void> {
  const [truth] = await patiently<{ views: number; people: number }>(
    stage,
    `select count(*)::integer as views, count(distinct person)::integer as people from activity
     where venue_id = $1 and type = 'view' and at >= $2 and at < $3`,
    [venueId, FROM, TO],
  );
  const { totals } = (JSON.parse(text) as { data: { totals: { views: number; unique_viewers: number } } }).data;
  if (totals.views !== truth?.views || totals.unique_viewers !== truth.people) {
    throw new Error(
      `the answer has ${totals.views} views by ${totals.unique_viewers}, and not ${JSON.stringify(truth)}`,
    );
  }
}
