// A whole POST /v1/checkouts against its two statements alone: what HTTP, the gate, validation and our own steps cost.

import type { Bench, Prepared } from './bench.ts';
import { makeBareCreator, makeCreator, makeLots, newRequest } from './creates.ts';
import type { Stage } from './stage.ts';

export const createCheckout: Bench = {
  name: 'create-checkout',
  floor: 0.45,
  goal: 0.7,
  unit: 'requests/s',
  better: 'more',
  note: 'POST /v1/checkouts over 48 connections, spread over 96 venues with a key each; against admit() and create_checkout() through pgbench with as many connections as our server has (prepared, warm; where the machine has no pgbench: through our own driver, 48 at once). After each round every checkout, event and counted call is looked for.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'our server', base: 'the same SQL alone' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const lots = await makeLots(stage);
  const server = await stage.serveOurs();
  const requests = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => newRequest(lots[at % lots.length] as (typeof lots)[number]));
  const ours = await makeCreator(stage, { port: server.port, lots, requests, adds: 1 });
  const bare = await makeBareCreator(stage, lots);
  return { ours: () => ours.round(), base: () => bare.round(), close: () => server.stop() };
}
