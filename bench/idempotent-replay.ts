// Creates repeated with their Idempotency-Key against new creates: a retry must be cheap.

import type { Bench, PreparedBench } from './bench.ts';
import { createOnce, getVenueKeys, makeCreateRunner, newBody, newRequest } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';

/** The same creates are repeated in every round. */
const REPLAYED_CREATES = 480;

export const idempotentReplay: Bench = {
  name: 'idempotent-replay',
  floor: 2,
  goal: 3,
  unit: 'requests/s',
  better: 'more',
  note: 'POST /v1/checkouts with an Idempotency-Key over 48 connections, spread over 96 venues; both sides on the same server. A replay must add no rows and return the first response byte for byte.',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'replays', base: 'creates' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const venueKeys = await getVenueKeys(fixture);
  const server = await fixture.getServer();
  await expectReplay(server.port, venueKeys[0]?.key ?? '');
  const newRequests = (count: number): string[] =>
    Array.from({ length: count }, (_, at) =>
      newRequest(venueKeys[at % venueKeys.length] as (typeof venueKeys)[number], true),
    );
  const first = newRequests(REPLAYED_CREATES);
  const creates = await makeCreateRunner(fixture, {
    port: server.port,
    venueKeys,
    requests: newRequests,
    rowsPerRequest: 1,
  });
  const job = { port: server.port, connections: 48, status: 201, bodyBytes: null } as const;
  await fixture.load.send({ ...job, requests: first, count: first.length });
  const replays = await makeCreateRunner(fixture, {
    port: server.port,
    venueKeys,
    requests: () => first,
    rowsPerRequest: 0,
  });
  return { ours: () => replays.round(), base: () => creates.round(), close: () => server.stop() };
}

async function expectReplay(port: number, key: string): Promise<void> {
  const body = newBody();
  const headers = { 'idempotency-key': `checked-${body.length}` };
  const created = await createOnce(port, key, body, headers);
  const repeated = await createOnce(port, key, body, headers);
  if (created.replayed || !repeated.replayed || repeated.text !== created.text) {
    throw new Error('a repeated create did not return the first response');
  }
}
