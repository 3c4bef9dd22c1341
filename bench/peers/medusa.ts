// Medusa 2 against our server: create a cart or a checkout, and read it. Both over HTTP with one key and the same number of
// connections, in production mode, each with a database of its own in the same PostgreSQL.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Bench, PreparedBench } from '../bench.ts';
import { expectCount, makeCreateRunner, newRequest } from '../create-load.ts';
import type { BenchFixture, StartedServer } from '../fixture.ts';
import type { LoadJob } from '../load.ts';
import { createCollectingCheckout } from '../read-checkout.ts';
import { makeReader, readOnce } from '../read-load.ts';
import { type CartContent, createCartRequest, databaseAddress, readCartRequest } from './medusa-requests.ts';
import { MEDUSA_FOLDER } from './packages.ts';

const CONNECTIONS = 16;
/** More than the twelve that our server opens. */
const DATABASE_CONNECTIONS = 16;
/** Medusa runs far more code for a request than ours does, so it takes longer until V8 has compiled it. */
const WARM_FACTOR = 5;
/** A round has enough requests of the slower side as well. */
const ROUND_FACTOR = 4;
const CLI_TIMEOUT_MS = 600_000;
/** It takes six seconds of processor time until its first answer, ours half a second. */
const START_SECONDS = 120;

export const medusaCreate = createBench('medusa-create', 'a cart with one item', ({ regionId, variantId }) => ({
  regionId,
  variantId,
}));

export const medusaCreateEmpty = createBench('medusa-create-empty', 'an empty cart', ({ regionId }) => ({
  regionId,
  variantId: null,
}));

export const medusaRead: Bench = {
  name: 'medusa-read',
  floor: 0,
  goal: 1,
  unit: 'requests/s',
  better: 'more',
  note: `GET over ${CONNECTIONS} connections with one key: a checkout with six shares against a cart with one item. Ours also counts the call.`,
  rounds: { full: 7, quick: 1 },
  sides: { ours: 'GET /v1/checkouts/{id}', base: 'Medusa 2, GET /store/carts/{id}' },
  prepare: prepareRead,
};

function createBench(name: string, cart: string, contentOf: (medusa: Medusa) => CartContent): Bench {
  return {
    name,
    floor: 0,
    goal: 1,
    unit: 'requests/s',
    better: 'more',
    note: `POST over ${CONNECTIONS} connections with one key: a checkout with an amount, a description and a booking against ${cart}. Ours also writes an event and counts the call. After each round the bench counts the rows of both.`,
    rounds: { full: 7, quick: 1 },
    sides: { ours: 'POST /v1/checkouts', base: 'Medusa 2, POST /store/carts' },
    prepare: (fixture) => prepareCreate(fixture, contentOf),
  };
}

async function prepareCreate(
  fixture: BenchFixture,
  contentOf: (medusa: Medusa) => CartContent,
): Promise<PreparedBench> {
  const { id, keys } = await fixture.makeVenue(1);
  const venueKey = { venueId: id, key: keys[0] ?? '' };
  const server = await fixture.getServer();
  const requests = (count: number): string[] => Array.from({ length: count }, () => newRequest(venueKey));
  const load = { port: server.port, venueKeys: [venueKey], requests, rowsPerRequest: 1, connections: CONNECTIONS };
  const ours = await makeCreateRunner(fixture, { ...load, rowsPerRequest: 1 });
  const medusa = await getMedusa(fixture);
  const peer = await medusa.start();
  const request = createCartRequest(medusa.key, contentOf(medusa));
  const base = await peerRound(fixture, medusa, { port: peer.port, request, bodyBytes: null, addsCarts: true });
  return { ours: () => ours.round(), base, close: () => stopAll(server.stop, peer.stop) };
}

async function prepareRead(fixture: BenchFixture): Promise<PreparedBench> {
  const { keys } = await fixture.makeVenue(1);
  const server = await fixture.getServer();
  const path = await createCollectingCheckout(server.port, keys[0] ?? '');
  const text = await readOnce(server.port, path, keys[0] ?? '');
  const ours = await makeReader(fixture, {
    port: server.port,
    path,
    keys,
    bodyBytes: Buffer.byteLength(text),
    isCounted: true,
    connections: CONNECTIONS,
  });
  const medusa = await getMedusa(fixture);
  const peer = await medusa.start();
  const cart = await createCart(peer.port, medusa);
  const request = readCartRequest(medusa.key, cart.id);
  const base = await peerRound(fixture, medusa, {
    port: peer.port,
    request,
    bodyBytes: cart.bytes,
    addsCarts: false,
  });
  return { ours: () => ours.round(), base, close: () => stopAll(server.stop, peer.stop) };
}

interface PeerLoad {
  readonly port: number;
  readonly request: string;
  readonly bodyBytes: number | null;
  readonly addsCarts: boolean;
}

/** Warms Medusa up; each round returns requests a second. */
async function peerRound(fixture: BenchFixture, medusa: Medusa, load: PeerLoad): Promise<() => Promise<number>> {
  const { port, request, bodyBytes, addsCarts } = load;
  const job: Omit<LoadJob, 'count'> = { port, requests: [request], connections: CONNECTIONS, status: 200, bodyBytes };
  const { warm, round } = fixture.seconds;
  const count = await fixture.load.calibrate(job, WARM_FACTOR * warm, ROUND_FACTOR * round);
  return async () => {
    const before = await medusa.countCarts();
    const rate = await fixture.load.send({ ...job, count });
    expectCount('carts added', (await medusa.countCarts()) - before, addsCarts ? count : 0);
    return rate;
  };
}

async function createCart(port: number, medusa: Medusa): Promise<{ readonly id: string; readonly bytes: number }> {
  const headers = { 'x-publishable-api-key': medusa.key, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/store/carts`;
  const body = JSON.stringify({ region_id: medusa.regionId, items: [{ variant_id: medusa.variantId, quantity: 1 }] });
  const created = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { cart?: { id: string } };
  const id = created.cart?.id;
  if (id === undefined) throw new Error(`Medusa created no cart: ${JSON.stringify(created).slice(0, 300)}`);
  const text = await (await fetch(`${url}/${id}`, { headers })).text();
  const { cart } = JSON.parse(text) as { cart?: { items: unknown[]; total: number } };
  if (cart?.items.length !== 1 || cart.total !== 480)
    throw new Error(`not the cart of the bench: ${text.slice(0, 300)}`);
  return { id, bytes: Buffer.byteLength(text) };
}

interface Seeded {
  readonly key: string;
  readonly regionId: string;
  readonly variantId: string;
}

interface Medusa extends Seeded {
  start(): Promise<{ readonly port: number; stop(): Promise<void> }>;
  countCarts(): Promise<number>;
}

const medusaByFixture = new WeakMap<BenchFixture, Promise<Medusa>>();

/** The database of Medusa, migrated and seeded once for all benches of a run. */
function getMedusa(fixture: BenchFixture): Promise<Medusa> {
  const existing = medusaByFixture.get(fixture);
  if (existing !== undefined) return existing;
  const medusa = openMedusa(fixture);
  medusaByFixture.set(fixture, medusa);
  return medusa;
}

async function openMedusa(fixture: BenchFixture): Promise<Medusa> {
  await fixture.db.query('create database medusa');
  const url = databaseAddress(fixture.url, 'medusa');
  // Medusa keeps the settings of its command line here, and whether it may send telemetry.
  const home = join(MEDUSA_FOLDER, 'node_modules', '.home');
  mkdirSync(home, { recursive: true });
  const result = join(home, 'seeded.json');
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    MEDUSA_DISABLE_TELEMETRY: '1',
    DATABASE_URL: url,
    CONNECTIONS: String(DATABASE_CONNECTIONS),
    JWT_SECRET: 'jwt_secret_of_the_bench_0123456789',
    COOKIE_SECRET: 'cookie_secret_of_the_bench_0123456789',
    RESULT: result,
  };
  await runMedusa(['telemetry', '--disable'], env);
  await runMedusa(['db:migrate', '--execute-safe-links'], env);
  await runMedusa(['exec', './seed.js'], env);
  const seeded = JSON.parse(readFileSync(result, 'utf8')) as Seeded;
  return { ...seeded, start: () => startMedusa(fixture, env), countCarts: () => countCarts(url) };
}

async function runMedusa(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const cli = join(MEDUSA_FOLDER, 'node_modules', '@medusajs', 'cli', 'cli.js');
  try {
    await promisify(execFile)(process.execPath, [cli, ...args], {
      cwd: MEDUSA_FOLDER,
      env: { PATH: process.env.PATH ?? '', ...env },
      timeout: CLI_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`medusa ${args.join(' ')} failed: ${`${stdout}\n${stderr}`.trim().slice(-2_000)}`);
  }
}

/** It may write warnings to standard error, such as the one about sessions in memory. */
async function startMedusa(
  fixture: BenchFixture,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { port, child }: StartedServer = await fixture.startScript(
    join(MEDUSA_FOLDER, 'medusa-process.js'),
    env,
    '/health',
    START_SECONDS,
  );
  return {
    port,
    async stop() {
      if (child.hasEnded()) throw new Error(`Medusa ended: ${child.errorOutput().slice(-600)}`);
      await child.stop();
    },
  };
}

async function countCarts(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ carts: number }>('select count(*)::int as carts from cart');
    return rows[0]?.carts ?? 0;
  } finally {
    await client.end();
  }
}

async function stopAll(...stops: readonly (() => Promise<void>)[]): Promise<void> {
  const outcomes = await Promise.allSettled(stops.map((stop) => stop()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
