// Runs one seed: first everything goes wrong that can (safety must hold after every step), then the world heals and within
// bounds everything must come to rest (liveness). The same seed does the same, to the byte.

import type { ApiRequest } from '../../sandbox/processor/messages.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { beginNotices, beginOrganizer, beginPartner } from './actors.ts';
import { Database, type Plant } from './database.ts';
import { DeliveryInvariants } from './delivery-invariants.ts';
import type { SimulationEnvironment } from './environment.ts';
import { checkEnd, checkQuiet, Invariants } from './invariants.ts';
import { Receivers } from './receivers.ts';
import { type Actor, Scheduler, Violation } from './scheduler.ts';
import { simulateProcessor } from './simulated-processor.ts';
import {
  ClientMemory,
  DAY,
  drawPlan,
  HOUR,
  idsFor,
  MAX_SKEW,
  type Plan,
  type Simulation,
  START,
  sealFor,
} from './simulation.ts';
import { ALL_PARTS, OurBooks } from './snapshot.ts';
import { beginWorker, dueLoops, hourOf, latestClock } from './workers.ts';

export interface Outcome {
  readonly seed: number;
  /** Null: everything held. */
  readonly violation: string | null;
  readonly trace: readonly string[];
  readonly hash: string;
  readonly steps: number;
  readonly statuses: readonly string[];
  /** What was met on the way: a simulation that never comes to a place says nothing about it. */
  readonly met: readonly string[];
}

/** Bugs that a simulation worth its name must find. */
export type PlantedBug =
  | 'no last-share lock'
  | 'no capture key'
  | 'event outside the transaction'
  | 'a late postman writes'
  | 'a delivery is ended with its first failure';

const PLANTED_STATEMENTS: Partial<Record<PlantedBug, Plant>> = {
  'no last-share lock': { text: (text) => text.replace(/ for no key update\s*$/, ' ') },
  'event outside the transaction': { astray: (text) => text.includes('record_checkout_event(') },
  // As if the turn were not compared: whoever writes has the lane, whatever it was given.
  'a late postman writes': {
    text: (text) =>
      text.replace(
        'record_attempts($1, $2, $3,',
        'record_attempts($1, $2, (select lease_token from endpoint_queues where venue_id = $1 and endpoint_id = $2 and $3::integer is not null),',
      ),
  },
  'a delivery is ended with its first failure': {
    text: (text) =>
      text
        .replace('$12::text[]', "array_replace($12::text[], 'pending', 'failed')")
        .replace('$18::float8[]', 'array_fill(null::float8, array[cardinality($18::float8[])])'),
  },
};

function withoutCaptureKey(request: ApiRequest): ApiRequest {
  if (!request.path.endsWith('/capture')) return request;
  const { 'idempotency-key': _, ...headers } = request.headers;
  return { ...request, headers };
}

const HEAL_STEPS = 3_000;
const ROUNDS = 400;

export async function runSeed(
  environment: SimulationEnvironment,
  seed: number,
  bug: PlantedBug | null = null,
): Promise<Outcome> {
  const scheduler = new Scheduler(new SeededRandom(seed, 'scheduler'), START);
  const simulation = await setStage(environment, seed, scheduler, bug);
  let violation: string | null = null;
  try {
    beginPartner(simulation);
    beginOrganizer(simulation);
    beginNotices(simulation);
    for (const name of ['worker 1', 'worker 2']) beginWorker(simulation, name, 'worker');
    if (simulation.receivers.endpoints.length > 0) {
      for (const name of ['postman 1', 'postman 2']) beginWorker(simulation, name, 'postman');
    }
    await scheduler.rest();
    if (scheduler.failure !== null) throw scheduler.failure;
    await safety(simulation);
    await liveness(simulation);
  } catch (error) {
    violation = error instanceof Violation ? error.message : `${error instanceof Error ? error.stack : error}`;
    scheduler.note(`VIOLATION: ${violation.split('\n')[0]}`);
  }
  for (const actor of scheduler.actors) scheduler.kill(actor);
  await simulation.database.close();
  await environment.empty();
  const statuses = simulation.invariants.present.checkouts.map(({ status }) => status);
  const met = [...simulation.invariants.met, ...simulation.deliveries.met].sort();
  return { seed, violation, trace: scheduler.lines, hash: scheduler.digest(), steps: scheduler.step, statuses, met };
}

async function setStage(
  environment: SimulationEnvironment,
  seed: number,
  scheduler: Scheduler,
  bug: PlantedBug | null,
): Promise<Simulation> {
  const plan = drawPlan(new SeededRandom(seed, 'plan'));
  const clock = { now: () => scheduler.now };
  const invariants = new Invariants();
  const books = new OurBooks();
  const idBits = new SeededRandom(seed, 'ids');
  const ids = idsFor(clock, idBits);
  const receivers = new Receivers(new SeededRandom(seed, 'receivers'), scheduler, invariants);
  const deliveries = new DeliveryInvariants(receivers, 2 * MAX_SKEW);
  const clocks = new SeededRandom(seed, 'clocks');
  if (plan.skewed) scheduler.drawSkew = () => clocks.between(-MAX_SKEW, MAX_SKEW);
  const processor = simulateProcessor({
    clock,
    random: new SeededRandom(seed, 'bank'),
    faulty: plan.faulty,
    onCapture: (charge) => invariants.onCapture(charge),
    plant: bug === 'no capture key' ? withoutCaptureKey : null,
  });
  const venue = { id: ids.uuid(), name: 'Harbor House', linked: true, origins: ['https://harbor.example'] };
  await environment.write(
    `insert into venues (venue_id, name, origins, fee_bps, fee_fixed, linked_at, created_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($6 / 1000.0))`,
    [venue.id, venue.name, venue.origins, plan.feeBps, plan.feeFixed, START],
  );
  await receivers.writeTo(environment, venue.id, START);
  const database = new Database({
    environment,
    scheduler,
    random: new SeededRandom(seed, 'database'),
    plant: bug === null ? null : (PLANTED_STATEMENTS[bug] ?? null),
    lossy: () => (simulation.healed ? 0 : plan.lossy),
    onCommit: (look, isOneCommit) => {
      scheduler.mark(JSON.stringify(look));
      const before = invariants.present;
      const next = books.take(look);
      invariants.onCommit(next, isOneCommit);
      deliveries.onCommit(before, next, isOneCommit, scheduler.now);
    },
  });
  const simulation: Simulation = {
    seed,
    environment,
    plan,
    random: new SeededRandom(seed, 'actors'),
    scheduler,
    database,
    processor,
    books,
    invariants,
    venue,
    ids,
    idBits,
    receivers,
    deliveries,
    seal: sealFor(new SeededRandom(seed, 'seal')),
    memory: new ClientMemory(),
    working: new Map(),
    slots: 0,
    healed: false,
  };
  return simulation;
}

async function safety(simulation: Simulation): Promise<void> {
  const { scheduler, plan } = simulation;
  const nemesis = new SeededRandom(simulation.seed, 'nemesis');
  while (scheduler.step < plan.steps) {
    scheduler.now += nemesis.below(200);
    await disturb(simulation, nemesis, plan);
    const ready = scheduler.candidates();
    if (ready.length > 0) await scheduler.grantOne(ready);
    else {
      // Everybody waits: on to the next thing that is due soon, or it is over.
      const next = soonest(simulation);
      if (next === null || next - scheduler.now > 180_000) return;
      scheduler.step++;
      await passTime(simulation, next - scheduler.now);
    }
    if (scheduler.failure !== null) throw scheduler.failure;
  }
}

function soonest({ invariants: { present }, scheduler }: Simulation): number | null {
  const hours = [...present.holds, ...present.movements, ...present.checkouts, ...present.notices]
    .flatMap(({ due }) => due ?? [])
    .concat(
      present.lanes.flatMap((lane) => hourOf(lane) ?? []),
      scheduler.nextTimer() ?? [],
    )
    .filter((due) => due > scheduler.now);
  const awake = scheduler.actors.filter(({ stoppedUntil }) => stoppedUntil > scheduler.step);
  for (const actor of awake) actor.stoppedUntil = 0;
  if (awake.length > 0) return scheduler.now + 1;
  return hours.length === 0 ? null : Math.min(...hours);
}

async function disturb(simulation: Simulation, nemesis: SeededRandom, plan: Plan): Promise<void> {
  const { scheduler } = simulation;
  if (nemesis.often(plan.crashes)) await crash(simulation, nemesis);
  if (nemesis.often(plan.crashes)) {
    // Stopped, while time goes on past every lease; then it goes on as if nothing had been.
    const workers = scheduler.actors.filter(({ kind, dead, done }) => kind !== 'outside' && !dead && !done);
    const actor = nemesis.pick(workers);
    actor.stoppedUntil = scheduler.step + nemesis.between(5, 40);
    scheduler.note(`nemesis stops ${actor.name}`);
    if (nemesis.often(0.7)) await passTime(simulation, nemesis.between(61_000, 130_000));
  }
  if (nemesis.often(0.015)) await jump(simulation, nemesis);
  if (plan.skewed && nemesis.often(0.01)) {
    const workers = scheduler.actors.filter(({ kind, dead }) => (kind === 'worker' || kind === 'postman') && !dead);
    const actor = nemesis.pick(workers);
    actor.skew = nemesis.between(-MAX_SKEW, MAX_SKEW);
    scheduler.note(`nemesis sets the clock of ${actor.name}: ${(actor.skew / 1000).toFixed(3)} s`);
  }
}

async function crash(simulation: Simulation, nemesis: SeededRandom): Promise<void> {
  const { scheduler, database } = simulation;
  const alive = scheduler.actors.filter(
    (actor) => actor.kind !== 'outside' && !actor.dead && !actor.done && !database.isStuck(actor),
  );
  if (alive.length === 0) return;
  const actor = nemesis.pick(alive);
  scheduler.note(`nemesis kills ${actor.name}`);
  await kill(simulation, actor);
  if (actor.kind === 'worker' || actor.kind === 'postman') beginWorker(simulation, `${actor.name}'`, actor.kind);
  await scheduler.rest();
}

async function kill(simulation: Simulation, actor: Actor): Promise<void> {
  simulation.scheduler.kill(actor);
  await simulation.database.forget(actor);
}

async function jump(simulation: Simulation, nemesis: SeededRandom): Promise<void> {
  const { now } = simulation.scheduler;
  const ends = simulation.invariants.present.checkouts.map((checkout) => checkout.ends);
  const toTheEnd = ends.map((end) => end - now + nemesis.pick([-1_000, 0, 1, 5_000])).filter((by) => by > 0);
  const isLong = simulation.plan.payIn > DAY;
  const by = nemesis.weighed<number>([
    [6, nemesis.between(500, 3_000)],
    [4, nemesis.between(20_000, 130_000)],
    [3, nemesis.between(130_000, 1_900_000)],
    [toTheEnd.length > 0 ? 1 : 0, nemesis.pick([...toTheEnd, 1_000])],
    [isLong ? 2 : 0, nemesis.between(5 * DAY, 7 * DAY)],
  ]);
  await passTime(simulation, by);
}

/** PostgreSQL ends transactions that stay idle for 15 seconds. */
async function passTime(simulation: Simulation, by: number): Promise<void> {
  const { scheduler, database, processor } = simulation;
  if (by > 15_000) await database.endIdle();
  scheduler.now += by;
  processor.processor.tick();
  scheduler.note(`time passes: ${(by / 1000).toFixed(3)} s`);
  await scheduler.rest();
}

async function liveness(simulation: Simulation): Promise<void> {
  const { scheduler, processor } = simulation;
  scheduler.note('the world heals');
  simulation.healed = true;
  processor.heal();
  simulation.receivers.healed = true;
  for (const actor of scheduler.actors) actor.stoppedUntil = 0;
  await settle(simulation);
  await compareBooks(simulation);
  checkQuiet(simulation.invariants.present, processor.books);
  // On to the end: renewals come, and then the time is up for whoever has not paid.
  for (let round = 0; round < 12; round++) {
    const next = nextHour(simulation, round < 6);
    if (next === null) break;
    await passTime(simulation, next - latestClock(simulation, 'worker'));
    await settle(simulation);
  }
  await settleDeliveries(simulation);
  await compareBooks(simulation);
  checkEnd(simulation.invariants.present, processor.books);
  simulation.deliveries.checkEnd(simulation.invariants.present);
  checkKeys(simulation);
}

/** After each commit only what its statements name is looked at: nothing else has changed all the while. */
async function compareBooks({ environment, books }: Simulation): Promise<void> {
  books.compare(await environment.look(ALL_PARTS));
}

/** The next hour at which something happens by itself. */
function nextHour(simulation: Simulation, withRenewals: boolean): number | null {
  const { present } = simulation.invariants;
  const now = latestClock(simulation, 'worker');
  const ends = present.checkouts
    .filter(({ status }) => status === 'open' || status === 'collecting')
    .map((checkout) => checkout.ends + 1);
  const renewals = present.holds.filter(({ status }) => status === 'held').map(({ due }) => due ?? 0);
  const hours = [...ends, ...(withRenewals ? renewals : [])].filter((hour) => hour > now);
  return hours.length === 0 ? null : Math.min(...hours);
}

/** Until nothing that is decided is left open, within bounds. */
async function settle(simulation: Simulation): Promise<void> {
  const { scheduler } = simulation;
  const last = scheduler.step + HEAL_STEPS;
  for (let round = 0; round < ROUNDS; round++) {
    for (let ready = scheduler.candidates(); ready.length > 0; ready = scheduler.candidates()) {
      if (scheduler.step > last) throw new Violation('it does not come to rest');
      scheduler.now += 20;
      await scheduler.grantOne(ready);
    }
    const timer = scheduler.nextTimer();
    if (timer !== null) {
      await passTime(simulation, timer - scheduler.now);
      continue;
    }
    for (const trade of ['worker', 'postman'] as const) {
      const due = dueLoops(simulation, trade, latestClock(simulation, trade));
      const isTheirs = trade === 'worker' || simulation.receivers.endpoints.length > 0;
      if (due.length > 0 && isTheirs) throw new Violation(`${due.join()} is due, and nobody can do it`);
    }
    const hour = openHour(simulation);
    if (hour === null) return;
    await passTime(simulation, Math.max(1, hour - latestClock(simulation, 'worker')));
  }
  throw new Violation('it does not come to rest, however long one waits');
}

/** When the next thing that was decided and is not done is looked at again. */
function openHour({ invariants: { present }, processor }: Simulation): number | null {
  const hours: number[] = [];
  for (const { status, due } of present.checkouts) if (status === 'funded' && due !== null) hours.push(due);
  for (const { due } of present.movements) if (due !== null) hours.push(due);
  for (const { due } of present.notices) hours.push(due);
  for (const { status, due, intent } of present.holds) {
    // One that waits for a card waits for a guest; one that the bank has a word about does not.
    const bankSays = intent === null ? undefined : processor.books.intents.get(intent)?.status;
    const waitsForUs =
      status === 'requested' ||
      status === 'releasing' ||
      (status === 'open' && bankSays !== 'requires_payment_method' && bankSays !== 'requires_action');
    if (waitsForUs && due !== null) hours.push(due);
  }
  return hours.length === 0 ? null : Math.min(...hours);
}

/** Until every event has come to everybody, or was given up. */
async function settleDeliveries(simulation: Simulation): Promise<void> {
  const { scheduler, receivers, invariants } = simulation;
  const hasDead = receivers.endpoints.some(({ isDead }) => isDead);
  for (let round = 0; round < 40; round++) {
    const pending = invariants.present.deliveries.filter(({ status }) => status === 'pending');
    if (pending.length === 0) return;
    const hours = [...pending, ...invariants.present.lanes].flatMap(({ due }) => due ?? []);
    const rests = invariants.present.lanes.flatMap((lane) => hourOf(lane) ?? []);
    // Everything at once that waits; and to one that never answers not every four hours, as nobody has the time.
    const next = Math.max(...hours, ...rests, hasDead ? scheduler.now + 20 * HOUR : 0);
    await passTime(simulation, Math.max(1, next - latestClock(simulation, 'postman')));
    await settle(simulation);
  }
  throw new Violation('events do not come to their end, however long one waits');
}

function checkKeys({ invariants: { present }, memory }: Simulation): void {
  for (const { id, key } of memory.created) {
    if (!present.checkouts.some((checkout) => checkout.id === id))
      throw new Violation(`${id} was told of, and is not there`);
    if (key !== null && present.keys.find((kept) => kept.key === key)?.refersTo !== id) {
      throw new Violation(`${id} was made under ${key}, and the key says otherwise`);
    }
  }
  for (const { key, refersTo, status } of present.keys) {
    if (status >= 400) throw new Violation(`an answer of ${status} is kept under ${key}`);
    if (refersTo !== null && !present.checkouts.some(({ id }) => id === refersTo)) {
      throw new Violation(`key ${key} refers to ${refersTo}, which is not there`);
    }
  }
}
