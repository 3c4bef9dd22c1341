// Deliveries a second, from the event log to acknowledged and recorded, against a raw loop that posts the same bytes.

import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';

const ENDPOINTS = 16;
/** The maximum of our worker: eight posts for each endpoint. */
const CONCURRENCY = ENDPOINTS * 8;

export const deliverEvents: Bench = {
  name: 'deliver-events',
  floor: 0.5,
  goal: 0.8,
  unit: 'deliveries/s',
  better: 'more',
  note: `16 endpoints with 1,000 events each (150 with --quick), of 2 KB, over TLS: dispatched, signed, posted, recorded; against ${CONCURRENCY} keep-alive loops that post the same bytes, signed beforehand, to the same receiver, over connections that stay open from round to round, as ours do.`,
  rounds: { full: 7, quick: 2 },
  sides: { ours: 'our two loops', base: 'a raw loop' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const deliveries = await fixture.deliveries();
  const venueIds: string[] = [];
  while (venueIds.length < ENDPOINTS) venueIds.push((await fixture.makeVenue(0)).id);
  const load = { venueIds, eventsPerEndpoint: fixture.isQuick ? 150 : 1_000, faults: [] };
  await deliveries.createEndpoints(load);
  const ours = async (): Promise<number> => {
    await deliveries.createEvents(load);
    return deliveries.deliver(load);
  };
  // Posts the events that were just delivered again.
  const base = (): Promise<number> => deliveries.postDirectly(load, CONCURRENCY);
  await ours();
  await base();
  return { ours, base, close: async () => undefined };
}
