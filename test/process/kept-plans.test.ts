// PostgreSQL keeps the plans of what every read and every step of a party runs, on a database whose tables have been
// analyzed, as those of every installation are after a while. Planned anew at each call, a read of eight checkouts took
// twice as long, and the statements of a party of eight 22 ms more. The extension pg_stat_statements counts plans and pages.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIVING_ROWS } from '../../bench/living-rows.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { migrate } from '../../src/base/migrate.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { schemaFolders } from '../../src/base/schema-files.ts';
import { hashOfKey } from '../../src/domain/keys/key.ts';
import { admitKeys } from '../../src/domain/keys/queries.ts';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

/** One large venue among many small ones: on average a venue has few rows, and a plan for the average would read all of hers. */
const LARGE = 3_000;
const SMALL = { venues: 300, rows: 3 };
/** PostgreSQL compares plans over five calls of each connection. */
const ROUNDS_BEFORE = 12;
const ROUNDS = 10;
/** The large venue has hundreds in each table. */
const MAX_PAGES = 60;

let dataDir: string;
let postgres: EmbeddedPostgres;
let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'everyshare-plans-'));
  postgres = await startEmbeddedPostgres({
    dataDir,
    settings: {
      fsync: 'off',
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track': 'all',
      'pg_stat_statements.track_planning': 'on',
    },
  });
  await migrate(postgres.url, schemaFolders(packageRoot));
  world = await openTestWorld({ databaseUrl: postgres.url, connections: 4 });
  await world.db.query('create extension pg_stat_statements');
  venue = await openTestVenue(world);
  await world.db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    for (const text of LIVING_ROWS) await tx.query(text, [venue.venueId, 1, LARGE]);
    for (let n = 0; n < SMALL.venues; n++) {
      const id = randomUUID();
      for (const text of LIVING_ROWS) await tx.query(text, [id, 1, SMALL.rows]);
    }
  });
  await world.db.query('vacuum analyze');
});
afterAll(async () => {
  await world?.close();
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Counted {
  readonly query: string;
  readonly calls: number;
  readonly plans: number;
  readonly pages: number;
}

/** The statements that each round of `work` runs, after the rounds in which PostgreSQL compares plans. */
async function statementsOf(work: () => Promise<unknown>): Promise<Counted[]> {
  for (let round = 0; round < ROUNDS_BEFORE; round++) await work();
  await world.db.query('select pg_stat_statements_reset()');
  for (let round = 0; round < ROUNDS; round++) await work();
  return world.db.query<Counted>(
    `select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::int, plans::int,
       ((shared_blks_hit + shared_blks_read) / calls)::int as pages from pg_stat_statements
     where calls >= $1 and dbid = (select oid from pg_database where datname = current_database())`,
    [ROUNDS],
  );
}

/** Their texts: planned anew at least at every second call, or reading more than a few pages. */
function expensive(statements: readonly Counted[]): string[] {
  return statements
    .filter(({ calls, plans, pages }) => plans > calls / 2 || pages > MAX_PAGES)
    .map(({ query, calls, plans, pages }) => `${plans} plans and ${pages} pages in ${calls} calls: ${query}`);
}

it('a look-up that reads several checkouts with one key is planned once, and reads no more of the venue', async () => {
  const ids: string[] = [];
  while (ids.length < 4) ids.push((await venue.collecting()).id);
  const hash = hashOfKey(venue.key);
  const statements = await statementsOf(async () => {
    const lookups = ids.map((checkoutId) => ({ hash, effect: 'read', calls: 1, checkoutId }) as const);
    const admitted = await admitKeys(world.db.priority, lookups, Date.now());
    expect(admitted.every(({ prefetched }) => prefetched !== null)).toBe(true);
  });
  expect(statements.some(({ query }) => query.includes('string_agg'))).toBe(true);
  // The whole look-up reads the pages of all its statements.
  expect(expensive(statements.filter(({ query }) => !query.includes('from admit(')))).toEqual([]);
});

/** What a step of a party reads: the locked checkout, its shares, its holds, and the view in its events. */
const READ_BY_EACH_STEP = [
  'as "partySize"',
  'as "isOrganizer", member_id',
  'as "savesCard"',
  'row_to_json(r) order by',
];

it('each step of a party reads its checkout by plans that are made once', async () => {
  const statements = await statementsOf(() => venue.completed());
  for (const part of READ_BY_EACH_STEP) {
    const reads = statements.filter(({ query }) => query.includes(part));
    expect(reads, part).not.toEqual([]);
    expect(expensive(reads)).toEqual([]);
  }
});
