// Job queues on PostgreSQL against our deliveries and our due work. Deliveries: each job signs and posts the same bytes to
// the same receiver, and is recorded as done. Due work: ours expires a checkout, and a job of a peer does nothing. Jobs,
// events and checkouts are there before a round begins.

import { Pool as HttpPool } from 'undici';
import { signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import type { Bench, PreparedBench } from '../bench.ts';
import { makeExpiry } from '../expire-100k.ts';
import type { BenchFixture } from '../fixture.ts';
import { loadPeer } from './packages.ts';
import { type JobTimer, timeJobs } from './time-jobs.ts';

const ENDPOINTS = 16;
const EVENTS_PER_ENDPOINT = { full: 300, quick: 60 };
/** As many posts at the same time as our worker makes: eight for each endpoint. */
const POSTS_AT_A_TIME = ENDPOINTS * 8;
const DUE_JOBS = { full: 20_000, quick: 1_000 };
/** As in the performance notes of graphile-worker. */
const DUE_JOBS_AT_A_TIME = 24;
/** A job that does nothing ends at once, so that a large batch only saves statements. */
const DUE_JOBS_TOGETHER = 250;
const CONNECTIONS = 16;
/** Of pg-boss. */
const LOOPS = 4;
const ADDED_TOGETHER = 200;
const MAX_ROUND_MS = 300_000;
const SECRET = 'whsec_forthebenchforthebenchforthe';
/** As long as the body of the event that our side delivers. */
const BODY = JSON.stringify({ id: 'evt_of_the_bench', type: 'checkout.completed', data: { text: 'x'.repeat(1_900) } });
const DELIVERIES_NOTE = `${ENDPOINTS * EVENTS_PER_ENDPOINT.full} posts of 2 KB over TLS, at most ${POSTS_AT_A_TIME} at the same time, from a full queue to the last one recorded. Ours also takes each event from the log to the queue of its endpoint, and keeps the answer of each attempt. The clock of the peer starts with its first job, ours before the first look.`;
const DUE_WORK_NOTE = `${DUE_JOBS.full.toLocaleString('en-US')} jobs that are due. Ours changes the status of a checkout and writes an event with its view; the peer runs an empty function and records the job as done.`;

interface JobQueue {
  /** Adds so many jobs, which is not measured. */
  add(count: number): Promise<void>;
  /** Runs the jobs until all are recorded as done. */
  work(timer: JobTimer): Promise<void>;
  close(): Promise<void>;
}

interface QueueOptions {
  readonly jobsAtATime: number;
  /** As many as a loop fetches and completes with one statement each, where the peer leaves that to its user. */
  readonly batchSize: number;
  /** Of a job. */
  readonly payload: string;
}

type OpenQueue = (fixture: BenchFixture, options: QueueOptions) => Promise<JobQueue>;

export const jobBenches: readonly Bench[] = [
  deliveriesBench('graphile-worker', openGraphileWorker),
  deliveriesBench('pg-boss', openPgBoss),
  dueWorkBench('graphile-worker', openGraphileWorker),
  dueWorkBench('pg-boss', openPgBoss),
];

function deliveriesBench(peer: string, open: OpenQueue): Bench {
  return {
    name: `deliveries-and-${peer}`,
    floor: 0,
    goal: 1,
    unit: 'jobs/s',
    better: 'more',
    note: DELIVERIES_NOTE,
    rounds: { full: 7, quick: 1 },
    sides: { ours: 'our deliveries', base: peer },
    prepare: (fixture) => prepareDeliveries(fixture, open),
  };
}

function dueWorkBench(peer: string, open: OpenQueue): Bench {
  return {
    name: `due-work-and-${peer}`,
    floor: 0,
    goal: 1,
    unit: 'jobs/s',
    better: 'more',
    note: DUE_WORK_NOTE,
    rounds: { full: 5, quick: 1 },
    sides: { ours: 'our expiry', base: `empty jobs of ${peer}` },
    prepare: (fixture) => prepareDueWork(fixture, open),
  };
}

async function prepareDeliveries(fixture: BenchFixture, open: OpenQueue): Promise<PreparedBench> {
  const deliveries = await fixture.deliveries();
  const venueIds: string[] = [];
  while (venueIds.length < ENDPOINTS) venueIds.push((await fixture.makeVenue(0)).id);
  const eventsPerEndpoint = EVENTS_PER_ENDPOINT[fixture.isQuick ? 'quick' : 'full'];
  const load = { venueIds, eventsPerEndpoint, faults: [] };
  await deliveries.createEndpoints(load);
  const connections = POSTS_AT_A_TIME;
  const http = new HttpPool(deliveries.receiver, { connections, connect: { rejectUnauthorized: false } });
  const batchSize = POSTS_AT_A_TIME / LOOPS;
  const queue = await open(fixture, { jobsAtATime: POSTS_AT_A_TIME, batchSize, payload: BODY });
  const ours = async (): Promise<number> => {
    await deliveries.createEvents(load);
    return deliveries.deliver(load);
  };
  const base = (): Promise<number> => runJobs(queue, ENDPOINTS * eventsPerEndpoint, () => post(http));
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

async function prepareDueWork(fixture: BenchFixture, open: OpenQueue): Promise<PreparedBench> {
  const expire = await makeExpiry(fixture);
  const options = { jobsAtATime: DUE_JOBS_AT_A_TIME, batchSize: DUE_JOBS_TOGETHER, payload: 'chk_of_the_bench' };
  const queue = await open(fixture, options);
  const base = (count: number): Promise<number> => runJobs(queue, count, async () => undefined);
  await expire(500);
  await base(500);
  const count = DUE_JOBS[fixture.isQuick ? 'quick' : 'full'];
  return { ours: () => expire(count), base: () => base(count), close: () => queue.close() };
}

/** Returns jobs a second. */
async function runJobs(queue: JobQueue, count: number, run: () => Promise<void>): Promise<number> {
  await queue.add(count);
  const timer = timeJobs(count, run, MAX_ROUND_MS);
  await queue.work(timer);
  return count / timer.seconds();
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
  readonly Logger: new (factory: () => () => void) => object;
}

/**
 * With the settings that its documentation recommends for many short jobs: a local queue, and completions in batches. It
 * logs nothing; by default it would write a line for each job.
 */
async function openGraphileWorker({ url, db }: BenchFixture, options: QueueOptions): Promise<JobQueue> {
  const { run, runMigrations, Logger } = await loadPeer<GraphileWorker>('graphile-worker');
  const preset = {
    worker: {
      connectionString: url,
      concurrentJobs: options.jobsAtATime,
      maxPoolSize: CONNECTIONS,
      pollInterval: 100,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      logger: new Logger(() => () => undefined),
    },
  };
  await runMigrations({ preset });
  const hasJobs = async (): Promise<boolean> => {
    const rows = await db.query<{ has_jobs: boolean }>(
      'select exists (select 1 from graphile_worker._private_jobs) as has_jobs',
    );
    return rows[0]?.has_jobs ?? false;
  };
  return {
    async add(count) {
      // In parts, since one statement with thousands of calls runs into the time limit of this connection.
      for (let left = count; left > 0; left -= ADDED_TOGETHER)
        await db.query(
          `select graphile_worker.add_job('work', json_build_object('body', $2::text))
           from generate_series(1, $1::int)`,
          [Math.min(left, ADDED_TOGETHER), options.payload],
        );
      await db.query('analyze graphile_worker._private_jobs');
    },
    async work(timer) {
      const runner = await run({ preset, noHandleSignals: true, taskList: { work: timer.run } });
      try {
        // The look at the table waits for the last job, so that the peer does not pay for it.
        await timer.allRan;
        while (await hasJobs()) await timer.pause();
        timer.markRecorded();
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
async function openPgBoss({ url, db }: BenchFixture, options: QueueOptions): Promise<JobQueue> {
  const { default: Boss } = await loadPeer<{ default: new (options: object) => PgBoss }>('pg-boss');
  const boss = new Boss({ connectionString: url, max: CONNECTIONS, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue('work');
  const { batchSize } = options;
  return {
    async add(count) {
      const job = { name: 'work', data: { body: options.payload } };
      for (let left = count; left > 0; left -= ADDED_TOGETHER)
        await boss.insert(Array.from({ length: Math.min(left, ADDED_TOGETHER) }, () => job));
      await db.query('analyze pgboss.job');
    },
    async work(timer) {
      const loop = async (): Promise<void> => {
        for (;;) {
          const jobs = await boss.fetch('work', { batchSize });
          if (jobs.length === 0) return;
          await Promise.all(jobs.map(timer.run));
          await boss.complete(
            'work',
            jobs.map(({ id }) => id),
          );
          timer.markRecorded();
        }
      };
      await Promise.all(Array.from({ length: LOOPS }, loop));
      await timer.allRan;
    },
    close: () => boss.stop({ graceful: false, wait: true }),
  };
}
