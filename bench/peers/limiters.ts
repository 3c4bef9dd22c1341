// Rate limiters against our admission. On PostgreSQL: both count every call there, for all servers together. In memory:
// what it costs that our limit is exact, shared by all servers and outlives a restart.

import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openDb } from '../../src/base/db.ts';
import { hashTextOfKey } from '../../src/domain/keys/key.ts';
import { makeAdmission } from '../../src/run/admission.ts';
import type { Bench, PreparedBench } from '../bench.ts';
import type { BenchFixture } from '../fixture.ts';
import { makeReader, readOnce } from '../read-load.ts';
import { loadPeer, PEERS_FOLDER } from './packages.ts';

const KEYS = 96;
const CALLERS = 48;
const CALLS = { full: 12_000, quick: 2_000 };
const NO_LIMIT = 1_000_000_000;
const PATH = '/v1/me';

export const limiterOnPostgres: Bench = {
  name: 'admission-and-rate-limiter-flexible',
  floor: 0,
  goal: 1,
  unit: 'calls/s',
  better: 'more',
  note: `${CALLERS} callers at the same time with ${KEYS} keys. Ours counts in a rolling hour and finds the key in the same statement; the peer adds to a counter of a fixed window. Neither waits for the disk: the tables of both are unlogged.`,
  rounds: { full: 7, quick: 1 },
  sides: { ours: 'our admission', base: 'rate-limiter-flexible on PostgreSQL' },
  prepare: prepareOnPostgres,
};

export const limiterInMemory: Bench = {
  name: 'read-and-fastify-rate-limit',
  floor: 0,
  goal: 1,
  unit: 'requests/s',
  better: 'more',
  note: `GET ${PATH} with one key over 48 connections; the peer returns the same text and counts in the memory of its process.`,
  rounds: { full: 9, quick: 1 },
  sides: { ours: 'our server', base: 'Fastify with @fastify/rate-limit' },
  prepare: prepareInMemory,
};

interface FlexibleLimiter {
  consume(key: string): Promise<unknown>;
}
interface FlexibleModule {
  RateLimiterPostgres: new (options: object, onReady: (error?: Error) => void) => FlexibleLimiter;
}
interface PgPool {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

async function prepareOnPostgres(fixture: BenchFixture): Promise<PreparedBench> {
  const hashes = (await fixture.makeVenue(KEYS)).keys.map(hashTextOfKey);
  const connections = { pooled: false, connections: 16, applicationName: 'everyshare-bench-admission' };
  const db = openDb({ url: fixture.url, ...connections });
  const admit = makeAdmission(db, systemClock);
  const { default: pg } = await loadPeer<{ default: { Pool: new (options: object) => PgPool } }>('pg');
  const pool = new pg.Pool({ connectionString: fixture.url, max: connections.connections });
  const limiter = await openFlexible(pool);
  // The peer would make a logged table, and each of its calls would wait for the disk, as none of ours does.
  await pool.query('alter table peer_limits set unlogged');
  const calls = CALLS[fixture.isQuick ? 'quick' : 'full'];
  const run = async (call: (index: number) => Promise<void>): Promise<number> => {
    let next = 0;
    const startedAt = performance.now();
    const caller = async (): Promise<void> => {
      while (next < calls) await call(next++);
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return calls / ((performance.now() - startedAt) / 1000);
  };
  const ours = (): Promise<number> =>
    run(async (index) => {
      const hash = hashes[index % KEYS] ?? '';
      const { key, rateLimit } = await admit({ hash, effect: 'read', address: '127.0.0.1', origin: '' });
      if (key === null || rateLimit.retryAfter !== null) throw new Error('a call was not admitted');
    });
  const base = (): Promise<number> => run(async (index) => void (await limiter.consume(`key-${index % KEYS}`)));
  await ours();
  await base();
  return {
    ours,
    base,
    async close() {
      await pool.end();
      await db.close();
    },
  };
}

async function openFlexible(pool: PgPool): Promise<FlexibleLimiter> {
  const { RateLimiterPostgres } = await loadPeer<FlexibleModule>('rate-limiter-flexible');
  return new Promise((resolve, reject) => {
    const options = {
      storeClient: pool,
      storeType: 'pool',
      tableName: 'peer_limits',
      points: NO_LIMIT,
      duration: 3600,
    };
    const limiter: FlexibleLimiter = new RateLimiterPostgres(options, (error) =>
      error === undefined ? resolve(limiter) : reject(error),
    );
  });
}

async function prepareInMemory(fixture: BenchFixture): Promise<PreparedBench> {
  const { keys } = await fixture.makeVenue(1);
  const ours = await fixture.getServer();
  const text = await readOnce(ours.port, PATH, keys[0] ?? '');
  const peer = await fixture.startScript(
    join(PEERS_FOLDER, 'rate-limit-process.js'),
    { ROUTE: PATH, BODY: text },
    PATH,
  );
  const common = { path: PATH, keys, bodyBytes: Buffer.byteLength(text), warmSeconds: fixture.seconds.warmAlone };
  const oursReader = await makeReader(fixture, { ...common, port: ours.port, isCounted: true });
  const peerReader = await makeReader(fixture, { ...common, port: peer.port, isCounted: false });
  return {
    ours: () => oursReader.round(),
    base: () => peerReader.round(),
    async close() {
      await peer.stop();
      await ours.stop();
    },
  };
}
