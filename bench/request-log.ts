// What the request log costs: the same calls to two of our servers on one database, one with the log and one without.

import type { Bench, PreparedBench } from './bench.ts';
import { CHECKOUTS_PATH, createOnce, getVenueKeys, makeCreateRunner, newBody, newRequest } from './create-load.ts';
import type { BenchFixture, StartedServer } from './fixture.ts';
import { makeReader, readOnce } from './read-load.ts';

const COMMON = {
  floor: 0.93,
  goal: 0.98,
  unit: 'requests/s',
  better: 'more',
  rounds: { full: 21, quick: 3 },
  sides: { ours: 'with the request log', base: 'without it' },
} as const;

export const requestLogReads: Bench = {
  ...COMMON,
  name: 'request-log',
  note: 'GET /v1/checkouts/{id} with one key over 48 connections.',
  prepare: async (fixture) => {
    const { keys } = await fixture.makeVenue(1);
    return withBothServers(fixture, async ({ port }) => {
      const { id } = await createOnce(port, keys[0] ?? '', newBody());
      const path = `${CHECKOUTS_PATH}/${id}`;
      const text = await readOnce(port, path, keys[0] ?? '');
      const { warmAlone: warmSeconds } = fixture.seconds;
      const load = { port, path, keys, bodyBytes: Buffer.byteLength(text), isCounted: true, warmSeconds };
      return makeReader(fixture, load);
    });
  },
};

export const requestLogCreates: Bench = {
  ...COMMON,
  name: 'request-log-creates',
  isExtra: true,
  note: 'POST /v1/checkouts of 96 venues over 48 connections.',
  prepare: async (fixture) => {
    const venueKeys = await getVenueKeys(fixture);
    const requests = (count: number): string[] =>
      Array.from({ length: count }, (_, index) =>
        newRequest(venueKeys[index % venueKeys.length] as (typeof venueKeys)[0]),
      );
    return withBothServers(fixture, ({ port }) =>
      makeCreateRunner(fixture, { port, venueKeys, requests, rowsPerRequest: 1 }),
    );
  },
};

/** Each side's load, warmed up. */
async function withBothServers(
  fixture: BenchFixture,
  loadOf: (server: StartedServer) => Promise<{ round(): Promise<number> }>,
): Promise<PreparedBench> {
  const [on, off] = [await fixture.startServer(), await fixture.startServer({ REQUEST_LOG: 'off' })];
  const [withLog, without] = [await loadOf(on), await loadOf(off)];
  return {
    ours: () => withLog.round(),
    base: () => without.round(),
    close: async () => {
      await on.stop();
      await off.stop();
    },
  };
}
