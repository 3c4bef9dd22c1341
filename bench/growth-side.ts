// A side of a growth bench: a database of its own in the bench's cluster, so that one side has few rows and the other many.

import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import { type Db, openDb, type Queryable } from '../src/base/db.ts';
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
  return { db, context, venueId: venue.id, keys: venue.keys };
}

/** Runs statements with the numbers of the first and the last row as $2 and $3, some at a time, without triggers. */
export async function insertRows({ db, venueId }: GrowthSide, texts: readonly string[], rows: number): Promise<void> {
  for (let first = 1; first <= rows; first += CHUNK)
    await db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`set local statement_timeout = '120s'`);
      await tx.query('set local synchronous_commit = off');
      for (const text of texts) await tx.query(text, [venueId, first, Math.min(first + CHUNK - 1, rows)]);
    });
}

/** As autovacuum does for a table that grew over weeks. Each table by itself: a large one needs long. */
export async function vacuum(db: Queryable, tables: readonly string[], options = 'analyze'): Promise<void> {
  for (const table of tables) await db.query(`vacuum (${options}) ${table}`);
}
