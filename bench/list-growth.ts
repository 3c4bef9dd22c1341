// Listing 100 of 1,000,000 objects against 100 of 10,000: a list must not slow down as a venue grows.

import type { Db } from '../src/base/db.ts';
import type { Bench, Prepared } from './bench.ts';
import { makeReader, type Reader, readOnce } from './reads.ts';
import type { Stage } from './stage.ts';

const PATH = '/v1/offerings?limit=100';
const CHUNK = 50_000;

export const listGrowth: Bench = {
  name: 'list-growth',
  floor: 0.8,
  goal: 0.97,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/offerings?limit=100 of a venue with 1,000,000 offerings (100,000 with --quick) against one with 10,000, on the same server, until checkouts are there.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'the large list', base: 'the small list' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.startOurs();
  const readerOf = async (rows: number): Promise<Reader> => {
    const keys = await stage.makeKeys(1);
    await fill(stage.db, rows);
    const length = Buffer.byteLength(await readOnce(server.port, PATH, keys[0] ?? ''));
    return makeReader(stage, { port: server.port, path: PATH, keys, length, counted: true });
  };
  const small = await readerOf(10_000);
  const large = await readerOf(stage.quick ? 100_000 : 1_000_000);
  await stage.db.query('analyze offerings');
  return { ours: () => large.round(), base: () => small.round(), close: () => server.stop() };
}

/** Offerings of the newest venue, each changed a millisecond after the one before. */
async function fill(db: Db, rows: number): Promise<void> {
  for (let done = 0; done < rows; done += CHUNK) {
    await db.query(
      `insert into offerings (venue_id, offering_id, mode, external_id, status, content, fingerprint, created_at, changed_at)
       select v.venue_id, gen_random_uuid(), 'test', 'offering-' || lpad(i::text, 8, '0'), 'pending',
         json_build_object('external_id', 'offering-' || lpad(i::text, 8, '0'), 'kind', 'class', 'title', 'Morning class',
           'tiers', json_build_array(json_build_object('amount', 2500, 'currency', 'usd', 'unit', 'per_person'))),
         '\\x00', timestamptz '2026-01-01' + i * interval '1 millisecond', timestamptz '2026-01-01' + i * interval '1 millisecond'
       from (select venue_id from venues order by venue_id desc limit 1) v, generate_series($1::int, $2::int) i`,
      [done + 1, Math.min(done + CHUNK, rows)],
    );
  }
}
