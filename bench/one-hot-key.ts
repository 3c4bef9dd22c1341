// All calls with one key against the same load spread over 1,000 keys, on the same server: the cost of sharing one row.

import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { makeReader, readOnce } from './read-load.ts';

const PATH = '/v1/me';
const KEYS = { full: 1000, quick: 150 };

export const oneHotKey: Bench = {
  name: 'one-hot-key',
  floor: 1.5,
  goal: 3,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/me over 48 connections; both sides on the same server (150 keys with --quick).',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'one key', base: '1,000 keys' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const { keys } = await fixture.makeVenue(fixture.isQuick ? KEYS.quick : KEYS.full);
  const server = await fixture.getServer();
  const text = await readOnce(server.port, PATH, keys[0] ?? '');
  const common = { port: server.port, path: PATH, bodyBytes: Buffer.byteLength(text), isCounted: true };
  const spread = await makeReader(fixture, { ...common, keys });
  const hot = await makeReader(fixture, { ...common, keys: keys.slice(0, 1) });
  return { ours: () => hot.round(), base: () => spread.round(), close: () => server.stop() };
}
