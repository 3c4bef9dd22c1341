// A complete POST /v1/checkouts against its two statements alone: the cost of HTTP, admission, validation and our own
// code.

import type { Bench, PreparedBench } from './bench.ts';
import { getVenueKeys, makeCreateRunner, makeSqlCreateRunner, newRequest } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';

export const createCheckout: Bench = {
  name: 'create-checkout',
  floor: 0.65,
  goal: 0.85,
  unit: 'requests/s',
  better: 'more',
  note: 'POST /v1/checkouts over 48 connections, spread over 96 venues with a key each; against admit() and create_checkout() through pgbench with as many connections as our server has (prepared, warm; on a machine without pgbench through our own driver, 48 at the same time). After each round the bench checks every checkout, event and counted call.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'our server', base: 'the same SQL alone' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const venueKeys = await getVenueKeys(fixture);
  const server = await fixture.getServer();
  const requests = (count: number): string[] =>
    Array.from({ length: count }, (_, at) =>
      newRequest(venueKeys[at % venueKeys.length] as (typeof venueKeys)[number]),
    );
  const ours = await makeCreateRunner(fixture, { port: server.port, venueKeys, requests, rowsPerRequest: 1 });
  const bare = await makeSqlCreateRunner(fixture, venueKeys);
  return { ours: () => ours.round(), base: () => bare.round(), close: () => server.stop() };
}
