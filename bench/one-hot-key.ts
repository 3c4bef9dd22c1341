// All calls with one key against the same load spread over 1,000 keys, on the same server: what sharing one row costs.

import type { Bench, Prepared } from './bench.ts';
import { makeReader, readOnce } from './reads.ts';
import type { Stage } from './stage.ts';

const PATH = '/v1/me';
const KEYS = { full: 1000, quick: 150 };

export const oneHotKey: Bench = {
  name: 'one-hot-key',
  floor: 0.5,
  goal: 0.85,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/me over 48 connections; both sides on the same server, one after the other (150 keys with --quick).',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'one key', base: '1,000 keys' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const { keys } = await stage.makeVenue(stage.quick ? KEYS.quick : KEYS.full);
  const server = await stage.serveOurs();
  const text = await readOnce(server.port, PATH, keys[0] ?? '');
  const common = { port: server.port, path: PATH, length: Buffer.byteLength(text), counted: true };
  const spread = await makeReader(stage, { ...common, keys });
  const hot = await makeReader(stage, { ...common, keys: keys.slice(0, 1) });
  return { ours: () => hot.round(), base: () => spread.round(), close: () => server.stop() };
}
