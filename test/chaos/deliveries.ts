// Chaos for deliveries: `npm run chaos:events -- --deliveries N --seed S`. Two workers and PostgreSQL (durability on) as real
// processes, killed, stopped for longer than a lease, cut and restarted at random while events come in; a receiver that
// now and then says no, or hangs, and keeps what it was sent. Then quiet, and every promise is checked: each event reached
// each endpoint that wanted it and was acknowledged, with the same verified bytes each time, and the books say so.

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
import { openBookableVenues } from './load.ts';
import { ProcessRunner } from './process-runner.ts';
import { type Endpoint, openEndpoints, Receivers, undelivered } from './receivers.ts';
import { prepareRun } from './run-setup.ts';

interface Wish {
  readonly deliveries: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Longer than the lease of a lane. */
const MAX_DOWNTIME_MS = 600_000;
const LONGER_THAN_A_LEASE = 34_000;
const TYPES = ['checkout.created', 'checkout.funded', 'checkout.completed'] as const;
const PATIENCE_MS = 300_000;

function readWish(): Wish {
  const { values } = parseArgs({
    options: {
      deliveries: { type: 'string', default: '20000' },
      seconds: { type: 'string', default: '180' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    },
  });
  return { deliveries: Number(values.deliveries), seconds: Number(values.seconds), seed: Number(values.seed) };
}

const say = (line: string): void => void process.stderr.write(`chaos of deliveries: ${line}\n`);

/** Writes events as the program does, a few to a transaction, until there are enough deliveries. What was acknowledged is kept. */
async function makeEvents(db: Db, options: Wish, endpoints: readonly Endpoint[]): Promise<Set<string>> {
  const random = new SeededRandom(options.seed, 'events');
  const ids = makeIds(systemClock, systemRandom);
  const file = join(packageRoot, 'schemas', 'v1', 'webhook_event.json');
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: { data: unknown }[] };
  const data = JSON.stringify(examples[0]?.data);
  const venues = [...new Set(endpoints.map(({ venueId }) => venueId))];
  const response = new Set<string>();
  let deliveries = 0;
  const began = Date.now();
  const deadline = began + options.seconds * 1000 + MAX_DOWNTIME_MS;
  while (deliveries < options.deliveries) {
    if (Date.now() > deadline) throw new Error(`only ${deliveries} deliveries were created by the deadline`);
    const venueId = random.pick(venues);
    const made = Array.from({ length: 8 }, () => ({
      id: ids.prefixed('evt'),
      type: random.pick(TYPES),
      about: ids.prefixed('chk'),
    }));
    try {
      await db.transaction(async (tx) => {
        for (const { id, type, about } of made)
          await tx.query('select record_event($1, $2, $3, $4, $5, $6::json, clock_timestamp())', [
            venueId,
            id,
            'test',
            type,
            about,
            data,
          ]);
      });
      for (const { id, type } of made) {
        response.add(id);
        // Two endpoints of each venue want that one.
        deliveries += type === 'checkout.completed' ? 2 : 1;
      }
    } catch {
      // The database was away: whether these were written is known to nobody, and the check asks the log.
      await delay(200);
    }
    const due = began + (deliveries / options.deliveries) * options.seconds * 1000;
    await delay(Math.max(0, due - Date.now()));
  }
  return response;
}

/** Until it is told that it is over. Gives how often it did what. */
async function rage(
  options: Wish,
  workers: readonly ProcessRunner[],
  postgres: PostgresRunner,
  over: () => boolean,
): Promise<Record<string, number>> {
  const random = new SeededRandom(options.seed, 'nemesis');
  const done: Record<string, number> = {};
  let stopped: ProcessRunner | null = null;
  const count = (what: string): void => {
    done[what] = (done[what] ?? 0) + 1;
  };
  while (!over()) {
    await delay(random.between(700, 4_000));
    const deed = random.weighed([
      [10, 'kill'],
      [4, 'term'],
      [3, 'stop'],
      [4, 'postgres'],
      [3, 'backend'],
      [4, 'cut'],
    ] as const);
    const worker = random.pick(workers);
    if (deed === 'kill' && worker !== stopped && worker.end('SIGKILL', random.between(100, 2_500)))
      count('workers killed');
    if (deed === 'term' && worker !== stopped && worker.end('SIGTERM', random.between(100, 2_500)))
      count('workers ended');
    if (deed === 'postgres') {
      await postgres.kill();
      count('PostgreSQL killed');
    }
    if (deed === 'backend' && (await postgres.killBackend(random.below(40)))) count('backends killed');
    if (deed === 'cut' && (await postgres.cut(0.5))) count('connections cut');
    if (deed === 'stop' && stopped === null && worker.isReady && worker.stop()) {
      count('workers stopped for longer than a lease');
      stopped = worker;
      void delay(LONGER_THAN_A_LEASE).then(() => {
        worker.continue();
        stopped = null;
      });
    }
  }
  return done;
}

/** Waits until nothing is left to do. */
async function quiet(db: Db): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(500)) {
    if ((await undelivered(db).catch(() => -1)) === 0) return;
  }
  throw new Error('it did not become quiet');
}

/** What was committed and is not in the log, and what of the log did not arrive. */
async function check(
  db: Db,
  endpoints: readonly Endpoint[],
  response: ReadonlySet<string>,
  receivers: Receivers,
): Promise<string[]> {
  const log = await db.query<{ event_id: string }>('select event_id from events');
  const known = new Set(log.map(({ event_id }) => event_id));
  const lost = [...response].filter((id) => !known.has(id)).map((id) => `${id} was committed and is not in the log`);
  return [...lost, ...(await receivers.check(db, endpoints))];
}

async function run(options: Wish): Promise<number> {
  const folder = join(packageRoot, '.chaos', `events-${options.seed}`);
  say(`seed ${options.seed}: building`);
  const setup = await prepareRun(options.seed, folder, null);
  const tell = (): void => undefined;
  const postgres = new PostgresRunner(join(setup.scratch, 'database'), tell);
  const receivers = new Receivers(new SeededRandom(options.seed, 'partner'));
  const address = await receivers.open();
  const url = await postgres.start();
  const runners = setup.processes
    .filter(({ name }) => name === 'processor' || name.startsWith('worker'))
    .map((part) => new ProcessRunner(part, { DATABASE_URL: url }, folder, tell));
  process.once('exit', () => {
    for (const runner of runners) runner.slay();
  });
  let db: Db | null = null;
  try {
    for (const runner of runners) {
      runner.start();
      await runner.heal();
    }
    db = openDb({ url, connections: 6, pooled: false, applicationName: 'everyshare-chaos' });
    const venues = [
      ...(await openBookableVenues(db, setup)),
      ...(await openBookableVenues(db, setup)),
      ...(await openBookableVenues(db, setup)),
    ];
    const endpoints = await openEndpoints(db, setup, venues, address, TYPES);
    say(`${options.deliveries} deliveries to ${endpoints.length} endpoints in ${options.seconds} s`);
    let over = false;
    const raging = rage(
      options,
      runners.filter(({ name }) => name !== 'processor'),
      postgres,
      () => over,
    );
    const response = await makeEvents(db, options, endpoints);
    over = true;
    const done = await raging;
    say(
      `quiet after ${Object.entries(done)
        .map(([what, times]) => `${times} ${what}`)
        .join(', ')}`,
    );
    await postgres.heal();
    await Promise.all(runners.map((runner) => runner.heal()));
    await quiet(db);
    const faults = await check(db, endpoints, response, receivers);
    const [{ deliveries = 0, attempts = 0 } = {}] = await db.query<{ deliveries: number; attempts: number }>(
      'select count(*) as deliveries, sum(attempts)::int as attempts from deliveries',
    );
    say(`${deliveries} deliveries, ${attempts} attempts in the books, ${receivers.posts} posts received`);
    for (const fault of faults.slice(0, 20)) say(fault);
    say(faults.length === 0 ? 'none was lost' : `${faults.length} FAULTS; logs in ${folder}`);
    return faults.length === 0 && deliveries >= options.deliveries ? 0 : 1;
  } finally {
    await db?.close().catch(() => undefined);
    await Promise.all(runners.map((runner) => runner.close()));
    await postgres.close(false);
    await receivers.close();
    rmSync(setup.scratch, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await run(readWish());
} catch (error) {
  process.stderr.write(
    `chaos of deliveries: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
