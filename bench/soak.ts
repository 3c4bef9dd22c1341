// `npm run soak -- --minutes N`: half load for N minutes (creates, reads, completes, deliveries), with samples each minute of
// memory, disk for each request, and how long requests take. Says whether each is flat, and writes a page with plots.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/base/package-root.ts';
import { makeCleanup } from './cleanup.ts';
import { CHECKOUTS_PATH, createOnce, getVenueKeys, newBody, newRequest, type VenueKey } from './create-load.ts';
import { type BenchFixture, openFixture, type StartedServer } from './fixture.ts';
import { percentile } from './latency.ts';
import { getRequest, type Load, type LoadJob } from './load.ts';
import { describeMachine, loadNow } from './machine.ts';
import { renderSoak, type Series, trendLine, trendsOf } from './soak-page.ts';

const CONNECTIONS = 32;
/** Of the rate of a closed loop of each kind alone: together half of what the machine does. */
const PART_OF_RATE = 0.25;
const READ_CHECKOUTS = 64;
const COMPLETES_PER_SECOND = 1;
/** A minute is sent in parts, since a part of the load has a time limit. */
const PARTS_OF_A_MINUTE = 4;
const PART_SECONDS = 60 / PARTS_OF_A_MINUTE;
const MB = 1024 * 1024;
/** How long the worker may need for the last deliveries. */
const MAX_REST_MS = 60_000;

interface Minute {
  readonly requests: number;
  readonly createMs: readonly number[];
  readonly readMs: readonly number[];
  readonly serverRssMb: number;
  readonly serverHeapMb: number;
  readonly workerRssMb: number;
  readonly databaseBytes: number;
  /** Deliveries that are due and not sent. */
  readonly waiting: number;
}

interface Soak {
  readonly fixture: BenchFixture;
  readonly server: StartedServer;
  readonly workerPid: number;
  readonly venueKeys: readonly VenueKey[];
  readonly reads: readonly string[];
  readonly loads: { readonly creates: Load; readonly reads: Load };
  readonly perSecond: { readonly creates: number; readonly reads: number };
}

const cleanup = makeCleanup();
try {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '120' } } });
  const minutes = Number(values.minutes);
  if (!(Number.isInteger(minutes) && minutes > 0)) throw new Error('--minutes takes a whole number of minutes');
  await run(minutes);
} catch (error) {
  process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}

async function run(minutes: number): Promise<void> {
  const loadBefore = loadNow();
  const fixture = await openFixture({ isQuick: false, shouldStartAll: false }, cleanup);
  const soak = await prepare(fixture);
  const { creates, reads } = soak.perSecond;
  process.stderr.write(
    `soak: ${Math.round(creates)} creates, ${Math.round(reads)} reads and ${COMPLETES_PER_SECOND} complete a second for ${minutes} minutes\n`,
  );
  const samples: Minute[] = [];
  let bytes = await databaseBytes(fixture);
  while (samples.length < minutes) {
    const minute = await runMinute(soak, bytes);
    bytes += minute.databaseBytes;
    samples.push(minute);
    process.stderr.write(`soak: minute ${samples.length}: ${lineOf(minute)}\n`);
  }
  await untilDelivered(fixture);
  const trends = trendsOf(seriesOf(samples));
  const waiting = Math.max(...samples.map((minute) => minute.waiting));
  const remarks = [
    `${Math.round(creates)} creates, ${Math.round(reads)} reads and ${COMPLETES_PER_SECOND} complete a second, a quarter of what each of creates and reads reaches alone, for ${minutes} minutes. Every event of them was delivered; at most ${waiting} deliveries waited at the end of a minute.`,
  ];
  const folder = join(packageRoot, 'bench', 'report');
  mkdirSync(folder, { recursive: true });
  const machine = await describeMachine(fixture.db, loadBefore);
  writeFileSync(join(folder, 'soak.html'), renderSoak(trends, machine, new Date(), remarks));
  process.stdout.write(`${[...remarks, ...trends.map(trendLine)].join('\n')}\n`);
  process.stderr.write(`soak: wrote ${join(folder, 'soak.html')}\n`);
  if (trends.some(({ trend }) => trend.result === 'grows')) process.exitCode = 1;
}

async function prepare(fixture: BenchFixture): Promise<Soak> {
  const server = await fixture.startServer();
  const worker = fixture.startWorker();
  const { receiver } = await fixture.deliveries();
  const venueKeys = await getVenueKeys(fixture);
  for (const { key } of venueKeys) await createEndpoint(server.port, key, `${receiver}/hooks/0`);
  const reads: string[] = [];
  while (reads.length < READ_CHECKOUTS) {
    const { key } = venueKeys[reads.length % venueKeys.length] as VenueKey;
    const { id } = await createOnce(server.port, key, newBody());
    reads.push(getRequest(`${CHECKOUTS_PATH}/${id}`, key));
  }
  const loads = { creates: fixture.load, reads: fixture.startLoad() };
  const closed = { port: server.port, connections: CONNECTIONS, bodyBytes: null } as const;
  const createJob = (count: number): LoadJob => ({
    ...closed,
    requests: newRequests(venueKeys, count),
    count,
    status: 201,
  });
  const readJob = (count: number): LoadJob => ({ ...closed, requests: reads, count, status: 200 });
  await loads.creates.send(createJob(500));
  await loads.reads.send(readJob(2_000));
  const perSecond = {
    creates: PART_OF_RATE * (await loads.creates.send(createJob(2_000))),
    reads: PART_OF_RATE * (await loads.reads.send(readJob(10_000))),
  };
  const workerPid = worker.child.process.pid ?? 0;
  return { fixture, server, workerPid, venueKeys, reads, loads, perSecond };
}

function newRequests(venueKeys: readonly VenueKey[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => newRequest(venueKeys[at % venueKeys.length] as VenueKey, true));
}

async function createEndpoint(port: number, key: string, url: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['checkout.created', 'checkout.completed'] }),
  });
  if (response.status !== 201) throw new Error(`the endpoint was not created: ${await response.text()}`);
}

async function runMinute(soak: Soak, bytesBefore: number): Promise<Minute> {
  const { fixture, server } = soak;
  const parts: Part[] = [];
  while (parts.length < PARTS_OF_A_MINUTE) parts.push(await runPart(soak));
  const createMs = parts.flatMap((part) => part.createMs);
  const readMs = parts.flatMap((part) => part.readMs);
  const completes = parts.reduce((sum, part) => sum + part.completes, 0);
  return {
    requests: createMs.length + readMs.length + 2 * completes,
    createMs,
    readMs,
    serverRssMb: rssMb(server.child.process.pid ?? 0),
    serverHeapMb: await heapMb(server.port),
    workerRssMb: rssMb(soak.workerPid),
    databaseBytes: (await databaseBytes(fixture)) - bytesBefore,
    waiting: await waitingDeliveries(fixture),
  };
}

interface Part extends Pick<Minute, 'createMs' | 'readMs'> {
  readonly completes: number;
}

async function runPart(soak: Soak): Promise<Part> {
  const { server, venueKeys, loads, perSecond, reads } = soak;
  const job = (requests: readonly string[], rate: number, status: 200 | 201): LoadJob => ({
    port: server.port,
    connections: CONNECTIONS,
    bodyBytes: null,
    requests,
    count: Math.ceil(rate * PART_SECONDS),
    status,
    perSecond: rate,
  });
  const creates = newRequests(venueKeys, Math.ceil(perSecond.creates * PART_SECONDS));
  const [createMs, readMs, completes] = await Promise.all([
    loads.creates.sendTimed(job(creates, perSecond.creates, 201)),
    loads.reads.sendTimed(job(reads, perSecond.reads, 200)),
    completeSome(soak),
  ]);
  return { createMs, readMs, completes };
}

/** One after the other, evenly over the time. Returns how many. */
async function completeSome({ server: { port }, venueKeys }: Soak): Promise<number> {
  const endsAt = performance.now() + PART_SECONDS * 1_000;
  let done = 0;
  while (performance.now() < endsAt) {
    const nextAt = performance.now() + 1_000 / COMPLETES_PER_SECOND;
    const { key } = venueKeys[done % venueKeys.length] as VenueKey;
    const { id } = await createOnce(port, key, newBody(2));
    const response = await fetch(`http://127.0.0.1:${port}/v1/test_helpers/checkouts/${id}/complete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    if (response.status !== 200) throw new Error(`complete answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    done += 1;
    await delay(Math.max(0, nextAt - performance.now()));
  }
  return done;
}

/** From /proc, so this needs Linux. */
function rssMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function heapMb(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const [, bytes] = /^everyshare_nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)/m.exec(text) ?? [];
  if (bytes === undefined) throw new Error('/metrics has no size of the heap');
  return Number(bytes) / MB;
}

async function databaseBytes({ db }: BenchFixture): Promise<number> {
  const [row] = await db.query<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes');
  return row?.bytes ?? 0;
}

async function waitingDeliveries({ db }: BenchFixture): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(
    `select ((select count(*) from undispatched_events)
       + (select count(*) from deliveries where due_at < now() - interval '5 seconds'))::integer as waiting`,
  );
  return row?.waiting ?? 0;
}

/** Every event of the run was delivered, or the run failed. */
async function untilDelivered(fixture: BenchFixture): Promise<void> {
  const endsAt = performance.now() + MAX_REST_MS;
  for (;;) {
    const [row] = await fixture.db.query<{ rest: number }>(
      `select ((select count(*) from undispatched_events)
         + (select count(*) from deliveries where status <> 'delivered'))::integer as rest`,
    );
    if (row?.rest === 0) return;
    if (performance.now() > endsAt) throw new Error(`${row?.rest} events were not delivered`);
    await delay(250);
  }
}

function seriesOf(samples: readonly Minute[]): Series[] {
  const series = (name: string, unit: string, read: (minute: Minute) => number): Series => ({
    name,
    unit,
    values: samples.map(read),
  });
  return [
    series('memory of the server', 'MB', (minute) => minute.serverRssMb),
    series('heap of the server', 'MB', (minute) => minute.serverHeapMb),
    series('memory of the worker', 'MB', (minute) => minute.workerRssMb),
    series('disk for a request', 'bytes', (minute) => minute.databaseBytes / minute.requests),
    series('create, median', 'ms', (minute) => percentile(minute.createMs, 0.5)),
    series('create, 99th percentile', 'ms', (minute) => percentile(minute.createMs, 0.99)),
    series('read, median', 'ms', (minute) => percentile(minute.readMs, 0.5)),
    series('read, 99th percentile', 'ms', (minute) => percentile(minute.readMs, 0.99)),
  ];
}

function lineOf(minute: Minute): string {
  const series = seriesOf([minute]).map(({ name, unit, values: [value = 0] }) => `${name} ${value.toFixed(1)} ${unit}`);
  return `${minute.requests} requests, ${series.join(', ')}, ${minute.waiting} deliveries wait`;
}
