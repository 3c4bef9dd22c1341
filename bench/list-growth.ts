// Listing 100 of 1,000,000 checkouts against 100 of 10,000: a list must not slow down as a venue grows.

import type { Bench, Prepared } from './bench.ts';
import { loadCheckouts } from './checkout-rows.ts';
import { makeReader, type Reader, readOnce } from './reads.ts';
import type { Stage } from './stage.ts';

const PATH = '/v1/checkouts?limit=100';
const IN_THREE_DAYS = 3 * 86_400_000;

export const listGrowth: Bench = {
  name: 'list-growth',
  floor: 0.8,
  goal: 0.97,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/checkouts?limit=100 of a venue with 1,000,000 checkouts against one with 10,000 (20,000 against 2,000 with --quick), on the same server.',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'the large list', base: 'the small list' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.serveOurs();
  const connections = stage.quick ? 16 : 48;
  const load = async (rows: number): Promise<readonly string[]> => {
    const { id, keys } = await stage.makeVenue(1);
    await loadCheckouts(stage, { venueId: id, rows, payBy: Date.now() + IN_THREE_DAYS, withEvents: false });
    return keys;
  };
  const readerOf = async (keys: readonly string[]): Promise<Reader> => {
    const text = await readOnce(server.port, PATH, keys[0] ?? '');
    if ((JSON.parse(text) as { data: unknown[] }).data.length !== 100) throw new Error('a list had not 100 checkouts');
    return makeReader(stage, {
      port: server.port,
      path: PATH,
      keys,
      length: Buffer.byteLength(text),
      counted: true,
      connections,
    });
  };
  const few = await load(stage.quick ? 2_000 : 10_000);
  const many = await load(stage.quick ? 20_000 : 1_000_000);
  await stage.db.query('analyze checkouts');
  const small = await readerOf(few);
  const large = await readerOf(many);
  return { ours: () => large.round(), base: () => small.round(), close: () => server.stop() };
}
