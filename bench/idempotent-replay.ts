// Creates that were made before, sent again with their Idempotency-Key, against creates: a retry must be cheap.

import type { Bench, Prepared } from './bench.ts';
import { createOnce, makeCreator, makeLots, newBody, newRequest } from './creates.ts';
import type { Stage } from './stage.ts';

/** So many creates are sent again and again. */
const KEPT = 480;

export const idempotentReplay: Bench = {
  name: 'idempotent-replay',
  floor: 1.3,
  goal: 2.5,
  unit: 'requests/s',
  better: 'more',
  note: 'POST /v1/checkouts with an Idempotency-Key over 48 connections, spread over 96 venues; both sides on the same server. A replay must add nothing, and gives the first answer byte for byte.',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'replays', base: 'creates' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const lots = await makeLots(stage);
  const server = await stage.serveOurs();
  await insistOnReplay(server.port, lots[0]?.key ?? '');
  const fresh = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => newRequest(lots[at % lots.length] as (typeof lots)[number], true));
  const first = fresh(KEPT);
  const creates = await makeCreator(stage, { port: server.port, lots, requests: fresh, adds: 1 });
  const order = { port: server.port, connections: 48, status: 201, length: null } as const;
  await stage.load.send({ ...order, requests: first, count: first.length });
  const replays = await makeCreator(stage, { port: server.port, lots, requests: () => first, adds: 0 });
  return { ours: () => replays.round(), base: () => creates.round(), close: () => server.stop() };
}

async function insistOnReplay(port: number, key: string): Promise<void> {
  const body = newBody();
  const once = { 'idempotency-key': `looked-at-${body.length}` };
  const created = await createOnce(port, key, body, once);
  const again = await createOnce(port, key, body, once);
  if (created.replayed || !again.replayed || again.text !== created.text) {
    throw new Error('a create that was sent again did not get the first answer');
  }
}
