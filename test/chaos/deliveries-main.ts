// Chaos for deliveries: `npm run chaos:events -- --deliveries N --seed S`. Two workers and PostgreSQL (durability on)
// run as real processes, which are killed, stopped for longer than a lease and disconnected at random while events are
// created. The receiver sometimes refuses or hangs, and records every post. At the end each event must have reached and
// been acknowledged by each subscribed endpoint, with the same verified bytes each time, and the deliveries must say
// so.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { type Db, openDb } from '../../src/base/db.ts';
import { makeIds } from '../../src/base/ids.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { PostgresRunner } from '../support/postgres-runner.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { createBookableVenues } from './load.ts';
import { ProcessRunner } from './process-runner.ts';
import { countUndelivered, createEndpoints, type Endpoint, Receivers } from './receivers.ts';
import { prepareRun } from './run-setup.ts';

interface Options {
  readonly deliveries: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Time that the database may be down in all. */
const MAX_DOWNTIME_MS = 600_000;
/** Longer than the lease of an endpoint queue. */
const LONG_STOP_MS = 34_000;
const TYPES = ['checkout.created', 'checkout.funded', 'checkout.completed'] as const;
const SETTLE_TIMEOUT_MS = 300_000;

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      deliveries: { type: 'string', default: '20000' },
      seconds: { type: 'string', default: '180' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    },
  });
  return { deliveries: Number(values.deliveries), seconds: Number(values.seconds), seed: Number(values.seed) };
}

const log = (line: string): void => void process.stderr.write(`chaos of deliveries: ${line}\n`);

/**
 * Records events as the program does, eight in a transaction, until there are enough deliveries. Returns the committed
 * ids.
 */
async function createEvents(db: Db, options: Options, endpoints: readonly Endpoint[]): Promise<Set<string>> {
  const random = new SeededRandom(options.seed, 'events');
  const ids = makeIds(systemClock, systemRandom);
  const file = join(packageRoot, 'schemas', 'v1', 'webhook_event.json');
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: { data: unknown }[] };
  const data = JSON.stringify(examples[0]?.data);
  const venues = [...new Set(endpoints.map(({ venueId }) => venueId))];
  const committed = new Set<string>();
  let deliveries = 0;
  const startedAt = Date.now();
  const deadline = startedAt + options.seconds * 1000 + MAX_DOWNTIME_MS;
  while (deliveries < options.deliveries) {
    if (Date.now() > deadline) throw new Error(`only ${deliveries} deliveries were created by the deadline`);
    const venueId = random.pick(venues);
    const batch = Array.from({ length: 8 }, () => ({
      id: ids.prefixed('evt'),
      type: random.pick(TYPES),
      subject: ids.prefixed('chk'),
    }));
    try {
      await db.transaction(async (tx) => {
        for (const { id, type, subject } of batch)
          await tx.query('select record_event($1, $2, $3, $4, $5, $6::json, clock_timestamp())', [
            venueId,
            id,
            'test',
            type,
            subject,
            data,
          ]);
      });
      for (const { id, type } of batch) {
        committed.add(id);
        // Two endpoints of each venue subscribe to checkout.completed.
        deliveries += type === 'checkout.completed' ? 2 : 1;
      }
    } catch {
      // The database was down, and the outcome of this commit is unknown. The check reads the events from the database.
      await delay(200);
    }
    const due = startedAt + (deliveries / options.deliveries) * options.seconds * 1000;
    await delay(Math.max(0, due - Date.now()));
  }
  return committed;
}

/** Disturbs workers and PostgreSQL at random until `isOver`. Returns how often it did what. */
async function disturb(
  options: Options,
  workers: readonly ProcessRunner[],
  postgres: PostgresRunner,
  isOver: () => boolean,
): Promise<Record<string, number>> {
  const random = new SeededRandom(options.seed, 'nemesis');
  const done: Record<string, number> = {};
  let stopped: ProcessRunner | null = null;
  const count = (what: string): void => {
    done[what] = (done[what] ?? 0) + 1;
  };
  while (!isOver()) {
    await delay(random.between(700, 4_000));
    const action = random.weighed([
      [10, 'kill'],
      [4, 'term'],
      [3, 'stop'],
      [4, 'postgres'],
      [3, 'backend'],
      [4, 'cut'],
    ] as const);
    const worker = random.pick(workers);
    if (action === 'kill' && worker !== stopped && worker.end('SIGKILL', random.between(100, 2_500)))
      count('workers killed');
    if (action === 'term' && worker !== stopped && worker.end('SIGTERM', random.between(100, 2_500)))
      count('workers ended');
    if (action === 'postgres') {
      await postgres.kill();
      count('PostgreSQL killed');
    }
    if (action === 'backend' && (await postgres.killBackend(random.below(40)))) count('backends killed');
    if (action === 'cut' && (await postgres.cut(0.5))) count('connections cut');
    if (action === 'stop' && stopped === null && worker.isReady && worker.stop()) {
      count('workers stopped for longer than a lease');
      stopped = worker;
      void delay(LONG_STOP_MS).then(() => {
        worker.continue();
        stopped = null;
      });
    }
  }
  return done;
}

/** Waits until every event is delivered. */
async function waitUntilDelivered(db: Db): Promise<void> {
  for (const end = Date.now() + SETTLE_TIMEOUT_MS; Date.now() < end; await delay(500)) {
    if ((await countUndelivered(db).catch(() => -1)) === 0) return;
  }
  throw new Error(`deliveries are left after ${SETTLE_TIMEOUT_MS / 1000} s`);
}

/** Committed events that are missing in the database, and events that did not arrive. */
async function check(
  db: Db,
  endpoints: readonly Endpoint[],
  committed: ReadonlySet<string>,
  receivers: Receivers,
): Promise<string[]> {
  const log = await db.query<{ event_id: string }>('select event_id from events');
  const stored = new Set(log.map(({ event_id }) => event_id));
  const lost = [...committed].filter((id) => !stored.has(id)).map((id) => `${id} was committed and is missing`);
  return [...lost, ...(await receivers.check(db, endpoints))];
}

async function run(options: Options): Promise<number> {
  const folder = join(packageRoot, '.chaos', `events-${options.seed}`);
  log(`seed ${options.seed}: building`);
  const setup = await prepareRun(options.seed, folder, { kind: 'one server' });
  const ignoreEvent = (): void => undefined;
  const postgres = new PostgresRunner(join(setup.scratch, 'database'), ignoreEvent);
  const receivers = new Receivers(new SeededRandom(options.seed, 'partner'));
  const address = await receivers.open();
  const url = await postgres.start();
  const runners = setup.processes
    .filter(({ name }) => name === 'processor' || name.startsWith('worker'))
    .map((spec) => new ProcessRunner(spec, { DATABASE_URL: url }, folder, ignoreEvent));
  process.once('exit', () => {
    for (const runner of runners) runner.kill();
  });
  let db: Db | null = null;
  try {
    for (const runner of runners) {
      runner.start();
      await runner.heal();
    }
    db = openDb({ url, connections: 6, pooled: false, applicationName: 'everyshare-chaos' });
    const venues = [
      ...(await createBookableVenues(db, setup)),
      ...(await createBookableVenues(db, setup)),
      ...(await createBookableVenues(db, setup)),
    ];
    const endpoints = await createEndpoints(db, setup, venues, address, TYPES);
    log(`${options.deliveries} deliveries to ${endpoints.length} endpoints in ${options.seconds} s`);
    let isOver = false;
    const disturbing = disturb(
      options,
      runners.filter(({ name }) => name !== 'processor'),
      postgres,
      () => isOver,
    );
    const committed = await createEvents(db, options, endpoints);
    isOver = true;
    const counts = await disturbing;
    log(
      `the disturbances end after ${Object.entries(counts)
        .map(([what, times]) => `${times} ${what}`)
        .join(', ')}`,
    );
    await postgres.heal();
    await Promise.all(runners.map((runner) => runner.heal()));
    await waitUntilDelivered(db);
    const problems = await check(db, endpoints, committed, receivers);
    const [{ deliveries = 0, attempts = 0 } = {}] = await db.query<{ deliveries: number; attempts: number }>(
      'select count(*) as deliveries, sum(attempts)::int as attempts from deliveries',
    );
    log(`${deliveries} deliveries with ${attempts} attempts, ${receivers.posts} posts received`);
    for (const problem of problems.slice(0, 20)) log(problem);
    log(problems.length === 0 ? 'no event was lost' : `${problems.length} PROBLEMS; logs in ${folder}`);
    return problems.length === 0 && deliveries >= options.deliveries ? 0 : 1;
  } finally {
    await db?.close().catch(() => undefined);
    await Promise.all(runners.map((runner) => runner.close()));
    await postgres.close(false);
    await receivers.close();
    rmSync(setup.scratch, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await run(readOptions());
} catch (error) {
  process.stderr.write(
    `chaos of deliveries: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
