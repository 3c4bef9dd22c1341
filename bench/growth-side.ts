// A side of a growth bench: a database of its own in the bench's cluster, so that one side has few rows and the other many.

import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import { type Db, openDb } from '../src/base/db.ts';
import { makeLog } from '../src/base/log.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { schemaFolders } from '../src/base/schema-files.ts';
import { type AppContext, makeContext, readSchemas } from '../src/run/context.ts';
import type { BenchFixture } from './fixture.ts';

/** Rows of one statement. */
const CHUNK = 25_000;

export interface GrowthSide {
  readonly db: Db;
  readonly url: string;
  readonly context: AppContext;
  readonly venueId: string;
  /** Secret keys of the venue. */
  readonly keys: readonly string[];
}

export async function openGrowthSide(fixture: BenchFixture, name: string, keys = 0): Promise<GrowthSide> {
  const database = `bench_${name.replaceAll('-', '_')}`;
  await fixture.db.query(`create database ${database}`);
  const url = new URL(fixture.url);
  url.pathname = `/${database}`;
  await migrate(url.href, schemaFolders(packageRoot));
  const db = openDb({ url: url.href, connections: 12, pooled: false, applicationName: 'everyshare-bench-growth' });
  const venue = await fixture.seederOf(db).makeVenue(keys);
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'bench'),
    sealKeys: [Buffer.alloc(32, 7)],
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
  return { db, url: url.href, context, venueId: venue.id, keys: venue.keys };
}

/** Runs statements with the numbers of the first and the last row as $2 and $3, some at a time, without triggers. */
export async function insertRows(side: GrowthSide, texts: readonly string[], rows: number): Promise<void> {
  await withClient(side, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query('set synchronous_commit = off');
    for (let first = 1; first <= rows; first += CHUNK)
      for (const text of texts) await client.query(text, [side.venueId, first, Math.min(first + CHUNK - 1, rows)]);
  });
}

/** As autovacuum does for a table that grew over weeks. */
export async function vacuum(side: GrowthSide, tables: readonly string[], options = 'analyze'): Promise<void> {
  await withClient(side, async (client) => {
    for (const table of tables) await client.query(`vacuum (${options}) ${table}`);
  });
}

/** A connection without the time limits of the program: a large table needs long. */
async function withClient({ url }: GrowthSide, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
