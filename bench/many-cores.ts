// One command with a server for each core against one server: the same reads with many keys over the same connections.
// The load and PostgreSQL need cores too, so on two cores there is nothing to win.

import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture, StartedServer } from './fixture.ts';
import { makeReader, readOnce } from './read-load.ts';

const PATH = '/v1/me';
const KEYS = 100;

export const manyCores: Bench = {
  name: 'many-cores',
  isExtra: true,
  floor: 0.8,
  goal: 1.5,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/me with 100 keys over 48 connections: everyshare serve with PROCESSES=auto, against the same without it. The goal is for four cores and more.',
  rounds: { full: 7, quick: 1 },
  sides: { ours: 'a server for each core', base: 'one server' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const { keys } = await fixture.makeVenue(KEYS);
  const servers = [await fixture.startServer({ PROCESSES: 'auto' }), await fixture.startServer()] as const;
  const readerOf = async ({ port }: StartedServer) => {
    const bodyBytes = Buffer.byteLength(await readOnce(port, PATH, keys[0] ?? ''));
    const { warmAlone: warmSeconds } = fixture.seconds;
    return makeReader(fixture, { port, path: PATH, keys, bodyBytes, isCounted: true, warmSeconds });
  };
  const [many, one] = [await readerOf(servers[0]), await readerOf(servers[1])];
  return {
    ours: () => many.round(),
    base: () => one.round(),
    async close() {
      for (const server of servers) await server.stop();
    },
  };
}
