// Job queues on PostgreSQL against our deliveries: each job signs and posts the same bytes to the same receiver, and is
// recorded as done. Jobs and events are there before a round begins.

import { Pool as HttpPool } from 'undici';
import { signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import type { Bench, PreparedBench } from '../bench.ts';
import type { BenchFixture } from '../fixture.ts';
import { loadPeer } from './packages.ts';

const ENDPOINTS = 16;
const EVENTS_PER_ENDPOINT = { full: 300, quick: 60 };
/** As many posts at the same time as our worker makes: eight for each endpoint. */
const CONCURRENCY = ENDPOINTS * 8;
const ADDED_TOGETHER = 200;
const SECRET = 'whsec_forthebenchforthebenchforthe';
/** As long as the body of the event that our side delivers. */
const BODY = JSON.stringify({ id: 'evt_of_the_bench', type: 'checkout.completed', data: { text: 'x'.repeat(1_900) } });
const NOTE = `${ENDPOINTS * EVENTS_PER_ENDPOINT.full} posts of 2 KB over TLS, at most ${CONCURRENCY} at the same time, from a full queue to the last one recorded. Ours also takes each event from the log to the queue of its endpoint, and keeps the answer of each attempt.`;

interface JobQueue {
  /** Adds so many jobs, which is not measured. */
  add(count: number): Promise<void>;
  /** Works until every job is done and recorded. */
  work(post: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export const graphileWorker = jobBench('graphile-worker', openGraphileWorker);
export const pgBoss = jobBench('pg-boss', openPgBoss);

function jobBench(peer: string, open: (fixture: BenchFixture) => Promise<JobQueue>): Bench {
  return {
    name: `deliveries-and-${peer}`,
    floor: 0,
    goal: 1,
    unit: 'jobs/s',
    better: 'more',
    note: NOTE,
    rounds: { full: 5, quick: 1 },
    sides: { ours: 'our deliveries', base: peer },
    prepare: (fixture) => prepare(fixture, open),
  };
}

async function prepare(
  fixture: BenchFixture,
  open: (fixture: BenchFixture) => Promise<JobQueue>,
): Promise<PreparedBench> {
  const deliveries = await fixture.deliveries();
  const venueIds: string[] = [];
  while (venueIds.length < ENDPOINTS) venueIds.push((await fixture.makeVenue(0)).id);
  const eventsPerEndpoint = EVENTS_PER_ENDPOINT[fixture.isQuick ? 'quick' : 'full'];
  const load = { venueIds, eventsPerEndpoint, faults: [] };
  await deliveries.createEndpoints(load);
  const http = new HttpPool(deliveries.receiver, { connections: CONCURRENCY, connect: { rejectUnauthorized: false } });
  const queue = await open(fixture);
  const count = ENDPOINTS * eventsPerEndpoint;
  const ours = async (): Promise<number> => {
    await deliveries.createEvents(load);
    return deliveries.deliver(load);
  };
  const base = async (): Promise<number> => {
    let posted = 0;
    await queue.add(count);
    const startedAt = performance.now();
    await queue.work(async () => {
      await post(http);
      posted += 1;
    });
    const seconds = (performance.now() - startedAt) / 1000;
    if (posted !== count) throw new Error(`${posted} of ${count} jobs posted`);
    return count / seconds;
  };
  await ours();
  await base();
  return {
    ours,
    base,
    async close() {
      await queue.close();
      await http.close();
    },
  };
}

async function post(http: HttpPool): Promise<void> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'service-signature': signatureOf([SECRET], BODY, Date.now()),
  };
  const response = await http.request({ method: 'POST', path: '/hooks/0', headers, body: BODY });
  await response.body.dump();
  if (response.statusCode !== 200) throw new Error(`the receiver answered ${response.statusCode}`);
}

interface GraphileWorker {
  runMigrations(options: object): Promise<void>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

/** With the settings that its documentation recommends for many short jobs: a local queue, and completions in batches. */
async function openGraphileWorker({ url, db }: BenchFixture): Promise<JobQueue> {
  const { run, runMigrations } = await loadPeer<GraphileWorker>('graphile-worker');
  const preset = {
    worker: {
      connectionString: url,
      concurrentJobs: CONCURRENCY,
      maxPoolSize: 16,
      pollInterval: 100,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
    },
  };
  await runMigrations({ preset });
  const left = async (): Promise<number> => {
    const rows = await db.query<{ jobs: number }>('select count(*)::int as jobs from graphile_worker._private_jobs');
    return rows[0]?.jobs ?? 0;
  };
  return {
    async add(count) {
      // In parts, since one statement with thousands of calls runs into the time limit of this connection.
      for (let left = count; left > 0; left -= ADDED_TOGETHER)
        await db.query(
          `select graphile_worker.add_job('post', json_build_object('body', $2::text))
           from generate_series(1, $1::int)`,
          [Math.min(left, ADDED_TOGETHER), BODY],
        );
      await db.query('analyze graphile_worker._private_jobs');
    },
    async work(post) {
      const runner = await run({ preset, noHandleSignals: true, taskList: { post } });
      try {
        await untilNone(left);
      } finally {
        await runner.stop();
      }
    },
    close: async () => undefined,
  };
}

interface PgBoss {
  start(): Promise<void>;
  stop(options: object): Promise<void>;
  on(event: 'error', listener: (error: unknown) => void): void;
  createQueue(name: string): Promise<void>;
  insert(jobs: readonly object[]): Promise<void>;
  fetch(name: string, options: object): Promise<readonly { id: string }[]>;
  complete(name: string, ids: readonly string[]): Promise<void>;
}

/** Its workers look at most twice a second, so the loop fetches and completes by itself, in batches. */
async function openPgBoss({ url }: BenchFixture): Promise<JobQueue> {
  const { default: Boss } = await loadPeer<{ default: new (options: object) => PgBoss }>('pg-boss');
  const boss = new Boss({ connectionString: url, max: 16, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue('post');
  return {
    async add(count) {
      await boss.insert(Array.from({ length: count }, () => ({ name: 'post', data: { body: BODY } })));
    },
    async work(run) {
      const loop = async (): Promise<void> => {
        for (;;) {
          const jobs = await boss.fetch('post', { batchSize: CONCURRENCY / 4 });
          if (jobs.length === 0) return;
          await Promise.all(jobs.map(run));
          await boss.complete(
            'post',
            jobs.map(({ id }) => id),
          );
        }
      };
      await Promise.all([loop(), loop(), loop(), loop()]);
    },
    close: () => boss.stop({ graceful: false, wait: true }),
  };
}

async function untilNone(left: () => Promise<number>): Promise<void> {
  const startedAt = performance.now();
  while ((await left()) > 0) {
    if (performance.now() - startedAt > 300_000) throw new Error('jobs are left after five minutes');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
