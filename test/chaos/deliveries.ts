// Chaos for deliveries: `npm run chaos:events -- --deliveries N --seed S`. Two workers and PostgreSQL (durability on) as real
// processes, killed, stopped for longer than a lease, cut and restarted at random while events come in; a receiver that
// now and then says no, or hangs, and keeps what it was sent. Then quiet, and every promise is checked: each event reached
// each endpoint that wanted it and was acknowledged, with the same verified bytes each time, and the books say so.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Stripe from 'stripe';
import { systemClock } from '../../src/base/clock.ts';
import { type Db, openDb } from '../../src/base/db.ts';
import { makeIds } from '../../src/base/ids.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { openLane } from '../../src/domain/webhooks/deliveries/queries.ts';
import { secretRow } from '../../src/domain/webhooks/deliveries/signature.ts';
import { insertEndpoint } from '../../src/domain/webhooks/queries.ts';
import { startReceiver } from '../outbound/receiver.ts';
import { Chance } from '../sim/chance.ts';
import { PartRunner } from './part-runner.ts';
import { PostgresRunner } from './postgres-runner.ts';
import { openStage, type Stage } from './stage.ts';
import { openShops } from './town.ts';

interface Wish {
  readonly deliveries: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Longer than the lease of a lane. */
const LONGER_THAN_A_LEASE = 34_000;
const SECRET = 'whsec_chaoschaoschaoschaoschaoschaos';
const TYPES = ['checkout.created', 'checkout.funded', 'checkout.completed'] as const;
const PATIENCE_MS = 300_000;

interface Endpoint {
  readonly id: string;
  readonly venueId: string;
  readonly path: string;
  readonly events: readonly string[];
}

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

/** What the partners' server was sent, and how it answers: mostly at once, at times with a no, at times not at all. */
class Partner {
  /** By endpoint and event: every body that came, and whether one was acknowledged. */
  readonly got = new Map<string, { bodies: Set<string>; posts: number; acknowledged: number }>();
  readonly wrong: string[] = [];
  posts = 0;
  #chance: Chance;
  #webhooks = new Stripe('sk_test_unused').webhooks;

  constructor(seed: number) {
    this.#chance = new Chance(seed, 'partner');
  }

  take(path: string, body: string, signature: string): 'ok' | 'no' | 'hang' {
    this.posts += 1;
    try {
      this.#webhooks.constructEvent(body, signature, SECRET, 120);
    } catch (error) {
      this.wrong.push(`${path}: ${String(error)}`);
    }
    const key = `${path} ${(JSON.parse(body) as { id: string }).id}`;
    const got = this.got.get(key) ?? { bodies: new Set(), posts: 0, acknowledged: 0 };
    this.got.set(key, got);
    got.bodies.add(body);
    got.posts += 1;
    // Only at first, so that it ends: what was refused once is taken the next time.
    const answer =
      got.posts > 1 ? 'ok' : this.#chance.weighed([[960, 'ok'] as const, [35, 'no'] as const, [5, 'hang'] as const]);
    if (answer === 'ok') got.acknowledged += 1;
    return answer;
  }
}

async function openEndpoints(db: Db, stage: Stage, base: string): Promise<Endpoint[]> {
  const seal = makeSeal(Buffer.from(stage.sharedEnv.ENCRYPTION_KEY ?? '', 'base64'), systemRandom);
  const ids = makeIds(systemClock, systemRandom);
  const endpoints: Endpoint[] = [];
  const shops = [...(await openShops(db, stage)), ...(await openShops(db, stage)), ...(await openShops(db, stage))];
  for (const { venueId } of shops) {
    // One wants everything, the other only what it confirms bookings on.
    for (const events of [TYPES, ['checkout.completed']]) {
      const id = ids.prefixed('whe');
      const path = `/${id}`;
      await db.transaction(async (tx) => {
        const secret = seal.seal(SECRET, secretRow(venueId, id));
        await insertEndpoint(tx, { venueId, id, mode: 'test', url: `${base}${path}`, events, secret, now: Date.now() });
        await openLane(tx, venueId, id);
      });
      endpoints.push({ id, venueId, path, events });
    }
  }
  return endpoints;
}

/** Writes events as the program does, a few to a transaction, until there are enough deliveries. What was acknowledged is kept. */
async function makeEvents(db: Db, wish: Wish, endpoints: readonly Endpoint[]): Promise<Set<string>> {
  const chance = new Chance(wish.seed, 'events');
  const ids = makeIds(systemClock, systemRandom);
  const file = join(packageRoot, 'schemas', 'v1', 'webhook_event.json');
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: { data: unknown }[] };
  const data = JSON.stringify(examples[0]?.data);
  const venues = [...new Set(endpoints.map(({ venueId }) => venueId))];
  const told = new Set<string>();
  let deliveries = 0;
  const began = Date.now();
  while (deliveries < wish.deliveries) {
    const venueId = chance.pick(venues);
    const made = Array.from({ length: 8 }, () => ({
      id: ids.prefixed('evt'),
      type: chance.pick(TYPES),
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
        told.add(id);
        // Two endpoints of each venue want that one.
        deliveries += type === 'checkout.completed' ? 2 : 1;
      }
    } catch {
      // The database was away: whether these were written is known to nobody, and the check asks the log.
      await delay(200);
    }
    const due = began + (deliveries / wish.deliveries) * wish.seconds * 1000;
    await delay(Math.max(0, due - Date.now()));
  }
  return told;
}

/** Until it is told that it is over. Gives how often it did what. */
async function rage(
  wish: Wish,
  workers: readonly PartRunner[],
  postgres: PostgresRunner,
  over: () => boolean,
): Promise<Record<string, number>> {
  const chance = new Chance(wish.seed, 'nemesis');
  const done: Record<string, number> = {};
  let stopped: PartRunner | null = null;
  const count = (what: string): void => {
    done[what] = (done[what] ?? 0) + 1;
  };
  while (!over()) {
    await delay(chance.between(700, 4_000));
    const deed = chance.weighed([
      [10, 'kill'],
      [4, 'term'],
      [3, 'stop'],
      [4, 'postgres'],
      [3, 'backend'],
      [4, 'cut'],
    ] as const);
    const worker = chance.pick(workers);
    if (deed === 'kill' && worker !== stopped && worker.end('SIGKILL', chance.between(100, 2_500)))
      count('workers killed');
    if (deed === 'term' && worker !== stopped && worker.end('SIGTERM', chance.between(100, 2_500)))
      count('workers ended');
    if (deed === 'postgres') {
      await postgres.kill();
      count('PostgreSQL killed');
    }
    if (deed === 'backend' && (await postgres.killBackend(chance.below(40)))) count('backends killed');
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
    const rows = await db
      .query<{ left: number }>(
        'select (select count(*) from undispatched_events) + (select count(*) from deliveries where due_at is not null) as left',
      )
      .catch(() => []);
    if (rows[0]?.left === 0) return;
  }
  throw new Error('it did not become quiet');
}

interface Row {
  readonly event_id: string;
  readonly venue_id: string;
  readonly type: string;
}

async function check(
  db: Db,
  endpoints: readonly Endpoint[],
  told: ReadonlySet<string>,
  partner: Partner,
): Promise<string[]> {
  const faults = [...partner.wrong];
  const log = await db.query<Row>('select event_id, venue_id, type from events');
  const known = new Set(log.map(({ event_id }) => event_id));
  for (const id of told) if (!known.has(id)) faults.push(`${id} was committed and is not in the log`);
  const kept = await db.query<{ key: string; status: string; attempts: number }>(
    `select endpoint_id || ' ' || event_id as key, status, attempts from deliveries`,
  );
  const books = new Map(kept.map((row) => [row.key, row]));
  let wanted = 0;
  for (const { event_id, venue_id, type } of log) {
    for (const { id, path, venueId, events } of endpoints) {
      if (venueId !== venue_id || !events.includes(type)) continue;
      wanted += 1;
      const got = partner.got.get(`${path} ${event_id}`);
      if (got === undefined || got.acknowledged === 0) faults.push(`${event_id} never reached ${id}`);
      else if (got.bodies.size !== 1) faults.push(`${event_id} came to ${id} with ${got.bodies.size} different bodies`);
      const row = books.get(`${id} ${event_id}`);
      if (row?.status !== 'delivered')
        faults.push(`${event_id} to ${id} is ${row?.status ?? 'not there'} in the books`);
    }
  }
  if (books.size !== wanted) faults.push(`${books.size} deliveries in the books, ${wanted} were wanted`);
  return faults;
}

async function run(wish: Wish): Promise<number> {
  const folder = join(packageRoot, '.chaos', `events-${wish.seed}`);
  say(`seed ${wish.seed}: building`);
  const stage = await openStage(wish.seed, folder, null);
  const tell = (): void => undefined;
  const postgres = new PostgresRunner(join(stage.scratch, 'database'), tell);
  const partner = new Partner(wish.seed);
  const receiver = await startReceiver((request, response, body) => {
    const answer = partner.take(request.url ?? '', body, String(request.headers['service-signature']));
    if (answer === 'hang') return;
    response.statusCode = answer === 'ok' ? 200 : 503;
    response.end();
  });
  const url = await postgres.start();
  const runners = stage.parts
    .filter(({ name }) => name === 'processor' || name.startsWith('worker'))
    .map(
      (part) =>
        new PartRunner(
          { ...part, env: { ...part.env, ALLOW_INSECURE_TARGETS: '1' } },
          { DATABASE_URL: url },
          folder,
          tell,
        ),
    );
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
    const endpoints = await openEndpoints(db, stage, `https://127.0.0.1:${receiver.port}`);
    say(`${wish.deliveries} deliveries to ${endpoints.length} endpoints in ${wish.seconds} s`);
    let over = false;
    const raging = rage(
      wish,
      runners.filter(({ name }) => name !== 'processor'),
      postgres,
      () => over,
    );
    const told = await makeEvents(db, wish, endpoints);
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
    const faults = await check(db, endpoints, told, partner);
    const [{ deliveries = 0, attempts = 0 } = {}] = await db.query<{ deliveries: number; attempts: number }>(
      'select count(*) as deliveries, sum(attempts)::int as attempts from deliveries',
    );
    say(`${deliveries} deliveries, ${attempts} attempts in the books, ${partner.posts} posts received`);
    for (const fault of faults.slice(0, 20)) say(fault);
    say(faults.length === 0 ? 'none was lost' : `${faults.length} FAULTS; logs in ${folder}`);
    return faults.length === 0 && deliveries >= wish.deliveries ? 0 : 1;
  } finally {
    await db?.close().catch(() => undefined);
    await Promise.all(runners.map((runner) => runner.close()));
    await postgres.close(false);
    await receiver.close();
    rmSync(stage.scratch, { recursive: true, force: true });
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
