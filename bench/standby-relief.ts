// How much a standby takes from the primary: lists of 100 checkouts for each second of processor time that the primary's
// PostgreSQL needs, with DATABASE_READ_URL against without. Admission, and the question how far the log is, stay at the
// primary.

import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCluster } from '../sandbox/postgres/cluster.ts';
import { openDb } from '../src/base/db.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { schemaFolders } from '../src/base/schema-files.ts';
import { startStandbyPair } from '../test/support/standby-pair.ts';
import type { Bench, PreparedBench } from './bench.ts';
import { insertCheckoutRows } from './checkout-rows.ts';
import type { BenchFixture } from './fixture.ts';
import { processorSeconds } from './processor-time.ts';
import { callsCounted, makeReader, type Reader, readOnce } from './read-load.ts';

const PATH = '/v1/checkouts?limit=100';
const ROWS = 2_000;
const IN_THREE_DAYS = 3 * 86_400_000;
/** Few: a busy server takes the standby's answer for late, and reads the primary. */
const CONNECTIONS = 4;

export const standbyRelief: Bench = {
  name: 'standby-relief',
  floor: 4,
  goal: 10,
  unit: 'requests/CPU s',
  better: 'more',
  isExtra: true,
  note: 'GET /v1/checkouts?limit=100 for each second of processor time of the primary.',
  rounds: { full: 7, quick: 2 },
  sides: { ours: 'lists read from a standby (DATABASE_READ_URL)', base: 'lists read from the primary' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const folder = await mkdtemp(join(tmpdir(), 'everyshare-relief-'));
  await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  const pair = await startStandbyPair(folder, (url) => migrate(url, schemaFolders(packageRoot)));
  const db = openDb({ url: pair.primary.url, connections: 4, pooled: false, applicationName: 'everyshare-bench' });
  const own: BenchFixture = { ...fixture, db, ...fixture.seederOf(db) };
  const { id, keys } = await own.makeVenue(1);
  await insertCheckoutRows(own, { venueId: id, rows: ROWS, payBy: Date.now() + IN_THREE_DAYS, withEvents: false });
  await db.query('analyze checkouts');
  const settings = { DATABASE_URL: pair.primary.url };
  const plain = await fixture.startServer(settings);
  const relieved = await fixture.startServer({ ...settings, DATABASE_READ_URL: pair.standby.url });
  const pid = await postmasterOf(join(folder, 'primary'));
  const readerAt = async (port: number): Promise<Reader> => {
    const text = await readOnce(port, PATH, keys[0] ?? '');
    const bodyBytes = Buffer.byteLength(text);
    return makeReader(own, { port, path: PATH, keys, bodyBytes, isCounted: true, connections: CONNECTIONS });
  };
  const measure = async (reader: Reader): Promise<number> => {
    const [calls, before] = [await callsCounted(db), processorSeconds([pid])];
    await reader.round();
    const used = processorSeconds([pid]) - before;
    return ((await callsCounted(db)) - calls) / used;
  };
  const [atPrimary, atStandby] = [await readerAt(plain.port), await readerAt(relieved.port)];
  return {
    ours: () => measure(atStandby),
    base: () => measure(atPrimary),
    async close() {
      try {
        await Promise.all([plain.stop(), relieved.stop()]);
      } finally {
        await db.close();
        await pair.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function postmasterOf(dataDir: string): Promise<number> {
  const cluster = await findCluster(dataDir);
  if (cluster === null) throw new Error('the primary has no cluster');
  return Number(readFileSync(join(cluster.pgdata, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}
