// Job queues on PostgreSQL against our deliveries and our due work. Deliveries: each job signs and posts the same bytes to
// the same receiver, and is recorded as done. Due work: each job expires a checkout, or does nothing, which shows what the
// queue alone costs. Jobs, events and checkouts are there before a round begins.

import pg from 'pg';
import { Pool as HttpPool } from 'undici';
import { signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import type { Bench, PreparedBench } from '../bench.ts';
import { createDueCheckouts, expectExpired, makeExpiry } from '../expire-100k.ts';
import type { BenchFixture } from '../fixture.ts';
import { loadPeer } from './packages.ts';
import { type JobTimer, timeJobs } from './time-jobs.ts';

const ENDPOINTS = 16;
const EVENTS_PER_ENDPOINT = { full: 300, quick: 60 };
/** As many posts at the same time as our worker makes: eight for each endpoint. */
const POSTS_AT_A_TIME = ENDPOINTS * 8;
const DUE_JOBS = { full: 5_000, quick: 500 };
const EMPTY_JOBS = { full: 10_000, quick: 1_000 };
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
const DUE_WORK_NOTE = `${DUE_JOBS.full.toLocaleString('en-US')} checkouts that are due. Both change the status and insert an event with the view of the checkout. Ours does so in batches; a job of the peer does so for one checkout, with one statement of its own.`;
const EMPTY_NOTE = `${EMPTY_JOBS.full.toLocaleString('en-US')} checkouts or jobs that are due. Ours changes the status and inserts an event with the view of the checkout; a job of the peer does nothing.`;

interface JobQueue {
  /** Adds a job for each payload, which is not measured. */
  add(payloads: readonly string[]): Promise<void>;
  /** Runs the jobs until all are recorded as done. */
  work(timer: JobTimer): Promise<void>;
  close(): Promise<void>;
}

interface QueueOptions {
  readonly jobsAtATime: number;
  /** As many as a loop fetches and completes with one statement each, where the peer leaves that to its user. */
  readonly batchSize: number;
}

type OpenQueue = (fixture: BenchFixture, options: QueueOptions) => Promise<JobQueue>;

export const jobBenches: readonly Bench[] = [
  deliveriesBench('graphile-worker', openGraphileWorker),
  deliveriesBench('pg-boss', openPgBoss),
  dueWorkBench('graphile-worker', openGraphileWorker),
  dueWorkBench('pg-boss', openPgBoss),
  emptyJobsBench('graphile-worker', openGraphileWorker),
  emptyJobsBench('pg-boss', openPgBoss),
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
    sides: { ours: 'our expiry', base: `the same with ${peer}` },
    prepare: (fixture) => prepareDueWork(fixture, open),
  };
}

function emptyJobsBench(peer: string, open: OpenQueue): Bench {
  return {
    name: `due-work-and-empty-${peer}`,
    floor: 0,
    goal: 1,
    unit: 'jobs/s',
    better: 'more',
    note: EMPTY_NOTE,
    rounds: { full: 5, quick: 1 },
    sides: { ours: 'our expiry', base: `empty jobs of ${peer}` },
    prepare: (fixture) => prepareEmptyJobs(fixture, open),
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
  const queue = await open(fixture, { jobsAtATime: POSTS_AT_A_TIME, batchSize });
  const ours = async (): Promise<number> => {
    await deliveries.createEvents(load);
    return deliveries.deliver(load);
  };
  const payloads = Array<string>(ENDPOINTS * eventsPerEndpoint).fill(BODY);
  const base = (): Promise<number> => runJobs(queue, payloads, (body) => post(http, body));
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

/**
 * What a job of the peer does: the update and the event of one checkout, whose events are a microsecond apart, because no
 * two events of a venue have the same time.
 */
const EXPIRE_ONE = `
  with expired as (
    update checkouts set status = 'expired'
    where venue_id = $1 and checkout_id = $2 and status in ('open', 'collecting') and expires_at <= now()
    returning checkouts as c
  )
  insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
  select (c).venue_id, 'evt_1' || substr((c).checkout_id, 6), (c).mode, 'checkout.expired', (c).checkout_id, 2,
    json_build_object('object', checkout_object(c)), to_timestamp($3 / 1000.0) + $4 * interval '1 microsecond'
  from expired`;

async function prepareDueWork(fixture: BenchFixture, open: OpenQueue): Promise<PreparedBench> {
  const ours = await makeExpiry(fixture);
  const queue = await open(fixture, { jobsAtATime: DUE_JOBS_AT_A_TIME, batchSize: DUE_JOBS_TOGETHER });
  const pool = new pg.Pool({ connectionString: fixture.url, max: CONNECTIONS });
  const base = async (count: number): Promise<number> => {
    const venueId = await createDueCheckouts(fixture, count);
    const rows = await fixture.db.query<{ checkout_id: string }>(
      'select checkout_id from checkouts where venue_id = $1',
      [venueId],
    );
    const payloads = rows.map(({ checkout_id: id }, index) => `${id} ${index}`);
    const now = Date.now();
    const rate = await runJobs(queue, payloads, async (payload) => {
      const [id, index] = payload.split(' ');
      await pool.query({ name: 'expire one', text: EXPIRE_ONE, values: [venueId, id, now, Number(index)] });
    });
    await expectExpired(fixture, venueId, count);
    return rate;
  };
  await ours(500);
  await base(500);
  const count = DUE_JOBS[fixture.isQuick ? 'quick' : 'full'];
  return {
    ours: () => ours(count),
    base: () => base(count),
    async close() {
      await queue.close();
      await pool.end();
    },
  };
}

async function prepareEmptyJobs(fixture: BenchFixture, open: OpenQueue): Promise<PreparedBench> {
  const ours = await makeExpiry(fixture);
  const queue = await open(fixture, { jobsAtATime: DUE_JOBS_AT_A_TIME, batchSize: DUE_JOBS_TOGETHER });
  const base = (count: number): Promise<number> =>
    runJobs(queue, Array<string>(count).fill('chk_of_the_bench'), async () => undefined);
  await ours(500);
  await base(500);
  const count = EMPTY_JOBS[fixture.isQuick ? 'quick' : 'full'];
  return { ours: () => ours(count), base: () => base(count), close: () => queue.close() };
}

/** Returns jobs a second. */
async function runJobs(
  queue: JobQueue,
  payloads: readonly string[],
  run: (payload: string) => Promise<void>,
): Promise<number> {
  await queue.add(payloads);
  const timer = timeJobs(payloads.length, run, MAX_ROUND_MS);
  await queue.work(timer);
  return payloads.length / timer.seconds();
}

async function post(http: HttpPool, body: string): Promise<void> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'service-signature': signatureOf([SECRET], body, Date.now()),
  };
  const response = await http.request({ method: 'POST', path: '/hooks/0', headers, body });
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
    async add(payloads) {
      // In parts, since one statement with thousands of calls runs into the time limit of this connection.
      for (let from = 0; from < payloads.length; from += ADDED_TOGETHER)
        await db.query(
          `select graphile_worker.add_job('work', json_build_object('body', body)) from unnest($1::text[]) as body`,
          [payloads.slice(from, from + ADDED_TOGETHER)],
        );
      await db.query('analyze graphile_worker._private_jobs');
    },
    async work(timer) {
      const work = ({ body }: { body: string }): Promise<void> => timer.run(body);
      const runner = await run({ preset, noHandleSignals: true, taskList: { work } });
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
  fetch(name: string, options: object): Promise<readonly { id: string; data: { body: string } }[]>;
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
    async add(payloads) {
      const jobs = payloads.map((body) => ({ name: 'work', data: { body } }));
      for (let from = 0; from < jobs.length; from += ADDED_TOGETHER)
        await boss.insert(jobs.slice(from, from + ADDED_TOGETHER));
      await db.query('analyze pgboss.job');
    },
    async work(timer) {
      const loop = async (): Promise<void> => {
        for (;;) {
          const jobs = await boss.fetch('work', { batchSize });
          if (jobs.length === 0) return;
          await Promise.all(jobs.map(({ data }) => timer.run(data.body)));
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
