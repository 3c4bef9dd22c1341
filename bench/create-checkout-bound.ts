// A whole POST /v1/checkouts against the best that its two halves allow: the validated POST without a database, and the
// same SQL alone, one after the other. What is missing to 1 is waste between the two.

import type { Bench, Prepared } from './bench.ts';
import { createOnce, makeBareCreator, makeCreator, makeLots, newBody, newRequest } from './creates.ts';
import type { Stage } from './stage.ts';

export const createCheckoutBound: Bench = {
  name: 'create-checkout-bound',
  floor: 0.75,
  goal: 0.95,
  unit: 'requests/s',
  better: 'more',
  note: '1 / (1 / validated POST + 1 / SQL): the POST is our own server with the rows that the database gave once in the place of the database, the SQL is that of create-checkout; both are measured in every round.',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'our server', base: 'its two halves' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const lots = await makeLots(stage);
  const requests = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => newRequest(lots[at % lots.length] as (typeof lots)[number]));
  const server = await stage.serveOurs();
  const ours = await makeCreator(stage, { port: server.port, lots, requests, adds: 1 });
  const { text } = await createOnce(server.port, lots[0]?.key ?? '', newBody());
  const canned = await stage.startCanned(
    lots.map(({ key }) => key),
    text,
  );
  const validated = await makeCreator(stage, { port: canned.port, lots, requests, adds: null });
  const bare = await makeBareCreator(stage, lots);
  return {
    ours: () => ours.round(),
    base: async () => 1 / (1 / (await validated.round()) + 1 / (await bare.round())),
    async close() {
      await canned.stop();
      await server.stop();
    },
  };
}
