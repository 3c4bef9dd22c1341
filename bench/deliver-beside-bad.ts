// Deliveries a second to healthy endpoints beside bad ones, against no bad ones: one in a hundred hangs; one hangs and
// one answers garbage. And deliveries a second to endpoints that refuse every event of another type.

import type { Bench, PreparedBench } from './bench.ts';
import type { EndpointFault } from './deliveries.ts';
import type { BenchFixture } from './fixture.ts';

const ENDPOINTS = 100;
const SHARED = {
  floor: 0.9,
  goal: 0.98,
  unit: 'deliveries/s',
  better: 'more',
  rounds: { full: 13, quick: 2 },
} as const;

export const deliverBesideHanging: Bench = {
  ...SHARED,
  name: 'deliver-beside-hanging',
  floor: 0.95,
  goal: 1,
  note: '100 endpoints of one host with 150 events each (20 with --quick), one of which accepts every post and never answers; measured until every healthy endpoint has received all its events.',
  sides: { ours: 'one in a hundred hangs', base: 'none hangs' },
  prepare: (fixture) => prepare(fixture, ['hang']),
};

export const deliverBesideGarbage: Bench = {
  ...SHARED,
  name: 'deliver-beside-garbage',
  isExtra: true,
  note: 'The same beside two: one never answers, one answers garbage, alternately bytes that are not HTTP and a 500 with 64 KB.',
  sides: { ours: 'one hangs, one answers garbage', base: 'all answer' },
  prepare: (fixture) => prepare(fixture, ['hang', 'garbage']),
};

export const deliverBesideFailingType: Bench = {
  ...SHARED,
  name: 'deliver-beside-failing-type',
  isExtra: true,
  floor: 0.8,
  goal: 0.95,
  note: '100 endpoints of one host with 150 checkout.created and 150 checkout.completed each (20 with --quick), all of which answer 500 to every checkout.created; measured until every checkout.completed is delivered.',
  sides: { ours: 'all refuse checkout.created', base: 'all accept it' },
  prepare: (fixture) => prepare(fixture, Array<EndpointFault>(ENDPOINTS).fill('refuse'), true),
};

async function prepare(
  fixture: BenchFixture,
  faults: readonly EndpointFault[],
  hasTwoTypes = false,
): Promise<PreparedBench> {
  const deliveries = await fixture.deliveries();
  const side = async (sideFaults: readonly EndpointFault[]): Promise<() => Promise<number>> => {
    const venues = await Promise.all(Array.from({ length: ENDPOINTS }, () => fixture.makeVenue(0)));
    const load = {
      venueIds: venues.map(({ id }) => id),
      eventsPerEndpoint: fixture.isQuick ? 20 : 150,
      faults: sideFaults,
      hasTwoTypes,
    };
    await deliveries.createEndpoints(load);
    // createEvents resets every endpoint, so that the worker has to detect the bad ones again in each round.
    return async () => {
      await deliveries.createEvents(load);
      return deliveries.deliver(load);
    };
  };
  const [ours, base] = [await side(faults), await side([])];
  await ours();
  await base();
  return { ours, base, close: async () => undefined };
}
