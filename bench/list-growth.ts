// Listing 100 of 1,000,000 checkouts against 100 of 10,000: a list must not slow down as a venue grows.

import type { Bench, PreparedBench } from './bench.ts';
import { insertCheckoutRows } from './checkout-rows.ts';
import type { BenchFixture } from './fixture.ts';
import { makeReader, type Reader, readOnce } from './read-load.ts';

const PATH = '/v1/checkouts?limit=100';
const IN_THREE_DAYS = 3 * 86_400_000;

export const listGrowth: Bench = {
  name: 'list-growth',
  floor: 0.9,
  goal: 1,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/checkouts?limit=100 of a venue with 1,000,000 checkouts against one with 10,000 (20,000 against 2,000 with --quick), on the same server.',
  rounds: { full: 13, quick: 2 },
  sides: { ours: 'the large list', base: 'the small list' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const connections = fixture.isQuick ? 16 : 48;
  const createVenue = async (rows: number): Promise<readonly string[]> => {
    const { id, keys } = await fixture.makeVenue(1);
    await insertCheckoutRows(fixture, { venueId: id, rows, payBy: Date.now() + IN_THREE_DAYS, withEvents: false });
    return keys;
  };
  const readerOf = async (keys: readonly string[]): Promise<Reader> => {
    const text = await readOnce(server.port, PATH, keys[0] ?? '');
    if ((JSON.parse(text) as { data: unknown[] }).data.length !== 100)
      throw new Error('a list does not have 100 checkouts');
    return makeReader(fixture, {
      port: server.port,
      path: PATH,
      keys,
      bodyBytes: Buffer.byteLength(text),
      isCounted: true,
      connections,
    });
  };
  const few = await createVenue(fixture.isQuick ? 2_000 : 10_000);
  const many = await createVenue(fixture.isQuick ? 20_000 : 1_000_000);
  await fixture.db.query('analyze checkouts');
  const small = await readerOf(few);
  const large = await readerOf(many);
  return { ours: () => large.round(), base: () => small.round(), close: () => server.stop() };
}
