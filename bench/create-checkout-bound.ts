// A complete POST /v1/checkouts against the best rate that its two halves allow: the validated POST without a database,
// then the same SQL without a server. The difference to 1 is lost between the halves.

import type { Bench, PreparedBench } from './bench.ts';
import { createOnce, getVenueKeys, makeCreateRunner, makeSqlCreateRunner, newBody, newRequest } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';

export const createCheckoutBound: Bench = {
  name: 'create-checkout-bound',
  floor: 0.8,
  goal: 0.97,
  unit: 'requests/s',
  better: 'more',
  note: '1 / (1 / validated POST + 1 / SQL): the POST is our own server with canned rows instead of a database, the SQL is that of create-checkout; both are measured in every round.',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'our server', base: 'its two halves' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const venueKeys = await getVenueKeys(fixture);
  const requests = (count: number): string[] =>
    Array.from({ length: count }, (_, at) =>
      newRequest(venueKeys[at % venueKeys.length] as (typeof venueKeys)[number]),
    );
  const server = await fixture.getServer();
  const ours = await makeCreateRunner(fixture, { port: server.port, venueKeys, requests, rowsPerRequest: 1 });
  const { text } = await createOnce(server.port, venueKeys[0]?.key ?? '', newBody());
  const canned = await fixture.startCanned(
    venueKeys.map(({ key }) => key),
    text,
  );
  const validated = await makeCreateRunner(fixture, { port: canned.port, venueKeys, requests, rowsPerRequest: null });
  const bare = await makeSqlCreateRunner(fixture, venueKeys);
  return {
    ours: () => ours.round(),
    base: async () => 1 / (1 / (await validated.round()) + 1 / (await bare.round())),
    async close() {
      await canned.stop();
      await server.stop();
    },
  };
}
