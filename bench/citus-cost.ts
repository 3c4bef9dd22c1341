// `npm run bench:citus`: what a create and a read cost in processor time of all database processes, on plain PostgreSQL,
// on Citus with one worker and on Citus with two. The same PostgreSQL and the same settings; whole calls, with the request
// log, over one connection, the three in turns. One machine holds every node, so how long a call takes would say nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDb } from '../src/base/db.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { schemaFolders } from '../src/base/schema-files.ts';
import {
  type CitusNode,
  distributeDatabase,
  findCitus,
  runStatements,
  startCitusNodes,
} from '../test/support/citus-cluster.ts';
import { createDatabase } from '../test/support/create-database.ts';
import { requireDurability } from '../test/support/postgres-runner.ts';
import { makeCleanup } from './cleanup.ts';
import { CHECKOUTS_PATH, createOnce, newBody, newRequest, type VenueKey } from './create-load.ts';
import { type BenchFixture, openFixture } from './fixture.ts';
import { getRequest } from './load.ts';
import { describeMachine, loadNow } from './machine.ts';
import { processorSeconds } from './processor-time.ts';

const DATABASE = 'everyshare';
/** So many that the shards of venues and of keys are spread over the workers. */
const VENUES = 32;
const ROUNDS = 15;
const CALLS = 300;
/** Every statement is planned for each shard by then. */
const WARM_CALLS = 1_000;
/** What Citus gives a new table. */
const SHARDS = '32';
const IDLE_MS = 5_000;
/** A worker that finds nothing looks more and more rarely. */
const SETTLE_MS = 60_000;
const IDLE_WORKER_MS = 60_000;
/** It would read the many new tables of a cluster just then. */
const WITHOUT_VACUUM = ['alter system set autovacuum = off', 'select pg_reload_conf()'];

/** `workers` null: plain PostgreSQL. */
const PLACES = [
  { name: 'plain PostgreSQL', workers: null },
  { name: 'Citus, one worker', workers: 1 },
  { name: 'Citus, two workers', workers: 2 },
] as const;

/** Each measures a round: the processor time of one call, or of a second without calls. */
interface Meter {
  createMs(): Promise<number>;
  readMs(): Promise<number>;
  idleMs(): Promise<number>;
  /** The same with a worker that finds nothing to do. */
  idleWorkerMs(): Promise<number>;
}

interface Measured {
  readonly name: string;
  readonly meter: Meter;
  /** Of each round. */
  readonly createMs: number[];
  readonly readMs: number[];
}

const cleanup = makeCleanup();
try {
  const { values } = parseArgs({ options: { shards: { type: 'string', default: SHARDS } } });
  const shards = Number(values.shards);
  if (!(Number.isInteger(shards) && shards > 0)) throw new Error('--shards takes a whole number of shards');
  await run(shards);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}

async function run(shards: number): Promise<void> {
  const bin = findCitus();
  if (bin === null) throw new Error('nothing was measured');
  const loadBefore = loadNow();
  const fixture = await openFixture({ isQuick: false, shouldStartAll: false }, cleanup);
  const places: Measured[] = [];
  for (const { name, workers } of PLACES)
    places.push({ name, meter: await openPlace(fixture, bin, workers, shards), createMs: [], readMs: [] });
  for (let round = 0; round < ROUNDS; round++)
    for (const { meter, createMs, readMs } of places) {
      createMs.push(await meter.createMs());
      readMs.push(await meter.readMs());
    }
  process.stdout.write('processor time of all database processes, in ms a call: median (least to most)\n');
  for (const { name, meter, createMs, readMs } of places) {
    const idle = `idle ${(await meter.idleMs()).toFixed(1)} ms/s, ${(await meter.idleWorkerMs()).toFixed(1)} with a worker`;
    process.stdout.write(`${name.padEnd(20)} create ${listed(createMs)}   read ${listed(readMs)}   ${idle}\n`);
  }
  const { cpu, cores, node } = await describeMachine(fixture.db, loadBefore);
  process.stdout.write(`${shards} shards a table; ${cpu}, ${cores} cores, Node ${node}, load before ${loadBefore}\n`);
}

function listed(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `${median.toFixed(2)} (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`;
}

async function openPlace(fixture: BenchFixture, bin: string, workers: number | null, shards: number): Promise<Meter> {
  const folder = await mkdtemp(join(tmpdir(), 'everyshare-citus-cost-'));
  await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const shape = { isDurable: true, shards: workers === null ? null : shards, workers: workers ?? 0 };
  const nodes = await startCitusNodes(bin, join(folder, 'nodes'), shape);
  cleanup.add(async () => void (await Promise.all(nodes.map((node) => node.stop('immediate')))));
  return openMeter(fixture, await prepare(nodes), nodes);
}

/** The address of a migrated database, distributed if there are workers. */
async function prepare(nodes: readonly CitusNode[]): Promise<string> {
  const [coordinator, ...workers] = nodes;
  if (coordinator === undefined) throw new Error('no server was started');
  const url = await createDatabase(coordinator.url(), DATABASE, null);
  await migrate(url, schemaFolders(packageRoot));
  await requireDurability(url);
  if (workers.length > 0)
    await distributeDatabase({ url: coordinator.url(), workers: workers.map((node) => node.url()) }, DATABASE);
  for (const node of nodes) await runStatements(node.url(DATABASE), WITHOUT_VACUUM);
  return url;
}

async function openMeter(fixture: BenchFixture, url: string, nodes: readonly CitusNode[]): Promise<Meter> {
  const venueKeys = await makeVenueKeys(fixture, url);
  const { port, stop } = await fixture.startServer({ DATABASE_URL: url });
  cleanup.add(stop);
  const reads: string[] = [];
  for (const { key } of venueKeys) {
    const { id } = await createOnce(port, key, newBody());
    reads.push(getRequest(`${CHECKOUTS_PATH}/${id}`, key));
  }
  const postmasters = nodes.map(pidOf);
  const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = processorSeconds(postmasters);
    await work();
    return processorSeconds(postmasters) - before;
  };
  const send = (requests: readonly string[], status: 200 | 201, count: number): Promise<number> =>
    fixture.load.send({ port, requests, connections: 1, count, status, bodyBytes: null });
  const create = async (count: number): Promise<number> => {
    const requests = Array.from({ length: count }, (_, index) => newRequest(venueKeys[index % VENUES] as VenueKey));
    return secondsOf(() => send(requests, 201, count));
  };
  const read = (count: number): Promise<number> => secondsOf(() => send(reads, 200, count));
  const perSecond = async (ms: number): Promise<number> => ((await secondsOf(() => delay(ms))) * 1000) / (ms / 1000);
  await create(WARM_CALLS);
  await read(WARM_CALLS);
  return {
    createMs: async () => ((await create(CALLS)) * 1000) / CALLS,
    readMs: async () => ((await read(CALLS)) * 1000) / CALLS,
    idleMs: () => perSecond(IDLE_MS),
    idleWorkerMs: async () => {
      const worker = fixture.startWorker({ DATABASE_URL: url });
      await delay(SETTLE_MS);
      const used = await perSecond(IDLE_WORKER_MS);
      await worker.stop();
      return used;
    },
  };
}

async function makeVenueKeys(fixture: BenchFixture, url: string): Promise<VenueKey[]> {
  const db = openDb({ url, connections: 2, pooled: false, applicationName: 'everyshare-bench' });
  try {
    const { makeVenue } = fixture.seederOf(db);
    const venueKeys: VenueKey[] = [];
    while (venueKeys.length < VENUES) {
      const { id, keys } = await makeVenue(1);
      venueKeys.push({ venueId: id, key: keys[0] ?? '' });
    }
    return venueKeys;
  } finally {
    await db.close();
  }
}

function pidOf(node: CitusNode): number {
  const pid = node.pid();
  if (pid === null) throw new Error(`${node.name} does not run`);
  return pid;
}
