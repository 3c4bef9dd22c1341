// Runs one seed. First faults of every kind happen, and safety must hold after every step. Then the faults end, and all
// work must finish within bounds (liveness). A seed always gives the same run, to the byte.

import type { ApiRequest } from '../../sandbox/processor/messages.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { startLateRefund, startOrganizer, startPartner, startProcessorEvents, startSecondBooking } from './actors.ts';
import { Database, type StatementChange } from './database.ts';
import { DeliveryInvariants } from './delivery-invariants.ts';
import {
  closeOpenDisputes,
  DisputeInvariants,
  openDispute,
  startDisputes,
  takeLostDisputesBack,
  topUpBalance,
} from './disputes.ts';
import type { SimulationEnvironment } from './environment.ts';
import { checkEnd, checkSettled, Invariants } from './invariants.ts';
import { startEndOfReservations, startOperators } from './operator.ts';
import { Receivers } from './receivers.ts';
import { type Actor, Scheduler, Violation } from './scheduler.ts';
import { payOutDaily, simulateProcessor } from './simulated-processor.ts';
import {
  ClientMemory,
  DAY_MS,
  drawPlan,
  HOUR_MS,
  idsFor,
  MAX_SKEW_MS,
  type Plan,
  type Simulation,
  START_MS,
  sealFor,
} from './simulation.ts';
import { ALL_PARTS, CommittedState } from './snapshot.ts';
import { claimableAt, dueLoops, latestClock, startWorker } from './workers.ts';

export interface Outcome {
  readonly seed: number;
  /** Null if every invariant held. */
  readonly violation: string | null;
  readonly trace: readonly string[];
  readonly hash: string;
  readonly steps: number;
  readonly statuses: readonly string[];
  /** The transitions that happened: a seed proves nothing about others. */
  readonly transitions: readonly string[];
}

/** Bugs that the simulation must find. */
export type PlantedBug =
  | 'no last-share lock'
  | 'no capture key'
  | 'event outside the transaction'
  | 'a worker with a stale lease token writes'
  | 'a delivery ends with its first failure'
  | 'a refused event pauses its endpoint';

const PLANTED_STATEMENTS: Partial<Record<PlantedBug, StatementChange>> = {
  'no last-share lock': { rewrite: (text) => text.replace(/ for no key update\s*$/, ' ') },
  'event outside the transaction': { commitsAlone: (text) => text.includes('record_checkout_event(') },
  // As if the lease token were not compared: the statement gets the current one.
  'a worker with a stale lease token writes': {
    rewrite: (text) =>
      text.replace(
        'record_attempts($1, $2, $3,',
        'record_attempts($1, $2, (select lease_token from endpoint_queues where venue_id = $1 and endpoint_id = $2 and $3::integer is not null),',
      ),
  },
  'a delivery ends with its first failure': {
    rewrite: (text) =>
      text
        .replace('$12::text[]', "array_replace($12::text[], 'pending', 'failed')")
        .replace('$18::float8[]', 'array_fill(null::float8, array[cardinality($18::float8[])])'),
  },
  'a refused event pauses its endpoint': {
    rewrite: (text) =>
      text.replace(
        'record_attempts($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0)',
        `record_attempts($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0)
          + case when $8 and 'pending' = any($12::text[]) then interval '90 seconds' else interval '0' end`,
      ),
  },
};

function withoutCaptureKey(request: ApiRequest): ApiRequest {
  if (!request.path.endsWith('/capture')) return request;
  const { 'idempotency-key': _, ...headers } = request.headers;
  return { ...request, headers };
}

const MAX_SETTLE_STEPS = 3_000;
/** Captures are retried after ten minutes at the latest. */
const MAX_FUNDED_MS = 2 * 3_600_000;
const MAX_SETTLE_ROUNDS = 400;

export async function runSeed(
  environment: SimulationEnvironment,
  seed: number,
  bug: PlantedBug | null = null,
): Promise<Outcome> {
  const scheduler = new Scheduler(new SeededRandom(seed, 'scheduler'), START_MS);
  const simulation = await createSimulation(environment, seed, scheduler, bug);
  let violation: string | null = null;
  try {
    startPartner(simulation);
    startOrganizer(simulation);
    startProcessorEvents(simulation);
    startDisputes(simulation);
    startOperators(simulation);
    for (const name of ['worker 1', 'worker 2']) startWorker(simulation, name, 'worker');
    if (simulation.receivers.endpoints.length > 0) {
      for (const name of ['delivery worker 1', 'delivery worker 2']) startWorker(simulation, name, 'delivery worker');
    }
    await scheduler.untilIdle();
    if (scheduler.failure !== null) throw scheduler.failure;
    await safety(simulation);
    if (simulation.plan.hasSecondBooking && startSecondBooking(simulation)) {
      await scheduler.untilIdle();
      await safety(simulation);
    }
    await liveness(simulation);
  } catch (error) {
    violation = error instanceof Violation ? error.message : `${error instanceof Error ? error.stack : error}`;
    scheduler.log(`VIOLATION: ${violation.split('\n')[0]}`);
  }
  for (const actor of scheduler.actors) scheduler.kill(actor);
  await simulation.database.close();
  await environment.deleteAll();
  const statuses = simulation.invariants.current.checkouts.map(({ status }) => status);
  const transitions = [...simulation.invariants.transitions, ...simulation.deliveries.transitions].sort();
  return {
    seed,
    violation,
    trace: scheduler.trace,
    hash: scheduler.digest(),
    steps: scheduler.step,
    statuses,
    transitions,
  };
}

async function createSimulation(
  environment: SimulationEnvironment,
  seed: number,
  scheduler: Scheduler,
  bug: PlantedBug | null,
): Promise<Simulation> {
  const plan = drawPlan(new SeededRandom(seed, 'plan'));
  const clock = { now: () => scheduler.now };
  const invariants = new Invariants();
  const state = new CommittedState();
  const idBits = new SeededRandom(seed, 'ids');
  const ids = idsFor(clock, idBits);
  const refusals = new SeededRandom(seed, 'refusals');
  const receivers = new Receivers(new SeededRandom(seed, 'receivers'), refusals, scheduler, invariants);
  const disputes = new DisputeInvariants();
  const deliveries = new DeliveryInvariants(receivers, 2 * MAX_SKEW_MS, plan.hasClockSkew);
  const skewRandom = new SeededRandom(seed, 'clocks');
  if (plan.hasClockSkew) scheduler.drawSkew = () => skewRandom.between(-MAX_SKEW_MS, MAX_SKEW_MS);
  const processor = simulateProcessor({
    mode: plan.mode,
    clock,
    // A label is part of the seed: another label would give every seed another run.
    random: new SeededRandom(seed, 'bank'),
    faultRate: plan.faultRate,
    payoutRandom: new SeededRandom(seed, 'payouts'),
    payoutRate: plan.payoutRate,
    onCapture: (charge) => invariants.onCapture(charge),
    rewrite: bug === 'no capture key' ? withoutCaptureKey : null,
  });
  await payOutDaily(processor.processor, plan.mode);
  const venue = { id: ids.uuid(), name: 'Harbor Club', linked: true, origins: ['https://harbor.example'] };
  await environment.write(
    `insert into venues (venue_id, name, origins, fee_bps, fee_fixed, linked_at, created_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($6 / 1000.0))`,
    [venue.id, venue.name, venue.origins, plan.feeBps, plan.feeFixed, START_MS],
  );
  const account = plan.mode === 'live' ? await processor.openAccount() : null;
  if (account !== null) await insertAccount(environment, venue.id, account.id);
  await receivers.insertInto(environment, venue.id, plan.mode, START_MS);
  // Known from the start: in some seeds no statement names these tables.
  state.update(await environment.readSnapshot(['accounts', 'endpoints', 'queues']));
  const database = new Database({
    environment,
    scheduler,
    random: new SeededRandom(seed, 'database'),
    change: bug === null ? null : (PLANTED_STATEMENTS[bug] ?? null),
    lossRate: () => (simulation.isHealed ? 0 : plan.connectionLossRate),
    onCommit: (texts, isOneCommit) => {
      scheduler.addToHash(JSON.stringify(texts));
      const before = invariants.current;
      const next = state.update(texts);
      invariants.onCommit(next, isOneCommit, processor.books);
      disputes.onCommit(before, next);
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
    state,
    invariants,
    venue,
    account,
    ids,
    idRandom: idBits,
    receivers,
    deliveries,
    seal: sealFor(new SeededRandom(seed, 'seal')),
    memory: new ClientMemory(),
    runningLoops: new Map(),
    processorClients: 0,
    isHealed: false,
  };
  return simulation;
}

async function insertAccount(environment: SimulationEnvironment, venueId: string, accountId: string): Promise<void> {
  await environment.write(
    `insert into payout_accounts (venue_id, mode, account_id, transfers_status, requirements_due, checked_at, check_at, created_at)
     select $1, 'live', $2, 'active', '{}', t, t + interval '6 hours', t from to_timestamp($3 / 1000.0) t`,
    [venueId, accountId, START_MS],
  );
}

async function safety(simulation: Simulation): Promise<void> {
  const { scheduler, plan } = simulation;
  const nemesis = new SeededRandom(simulation.seed, scheduler.step === 0 ? 'nemesis' : 'second nemesis');
  const reviewer = new SeededRandom(simulation.seed, scheduler.step === 0 ? 'reviewer' : 'second reviewer');
  const lastStep = scheduler.step + plan.maxSteps;
  while (scheduler.step < lastStep) {
    scheduler.now += nemesis.below(200);
    await reviewAccount(simulation, reviewer);
    await disturb(simulation, nemesis, plan);
    const runnable = scheduler.runnableActions();
    if (runnable.length > 0) await scheduler.runOne(runnable);
    else {
      // All actors wait: advance to the next due time, or end if it is far away.
      const next = nextDueTime(simulation);
      if (next === null || next - scheduler.now > 180_000) return;
      scheduler.step++;
      await advanceTime(simulation, next - scheduler.now);
    }
    if (scheduler.failure !== null) throw scheduler.failure;
  }
}

function nextDueTime({ invariants: { current }, scheduler }: Simulation): number | null {
  const times = [...current.holds, ...current.movements, ...current.checkouts, ...current.processorEvents]
    .flatMap(({ due }) => due ?? [])
    .concat(
      current.queues.flatMap((queue) => claimableAt(queue) ?? []),
      scheduler.nextTimer() ?? [],
    )
    .filter((due) => due > scheduler.now);
  const stopped = scheduler.actors.filter(({ stoppedUntil }) => stoppedUntil > scheduler.step);
  for (const actor of stopped) actor.stoppedUntil = 0;
  if (stopped.length > 0) return scheduler.now + 1;
  return times.length === 0 ? null : Math.min(...times);
}

async function disturb(simulation: Simulation, nemesis: SeededRandom, plan: Plan): Promise<void> {
  const { scheduler } = simulation;
  if (nemesis.often(plan.crashRate)) await crash(simulation, nemesis);
  if (nemesis.often(plan.crashRate)) {
    // The actor is stopped for longer than every lease, then continues.
    const workers = scheduler.actors.filter(({ kind, isDead, isDone }) => kind !== 'external' && !isDead && !isDone);
    const actor = nemesis.pick(workers);
    actor.stoppedUntil = scheduler.step + nemesis.between(5, 40);
    scheduler.log(`nemesis stops ${actor.name}`);
    if (nemesis.often(0.7)) await advanceTime(simulation, nemesis.between(61_000, 130_000));
  }
  if (nemesis.often(0.015)) await jumpInTime(simulation, nemesis);
  if (plan.hasClockSkew && nemesis.often(0.01)) {
    const workers = scheduler.actors.filter(
      ({ kind, isDead }) => (kind === 'worker' || kind === 'delivery worker') && !isDead,
    );
    const actor = nemesis.pick(workers);
    actor.skew = nemesis.between(-MAX_SKEW_MS, MAX_SKEW_MS);
    scheduler.log(`nemesis sets the clock of ${actor.name}: ${(actor.skew / 1000).toFixed(3)} s`);
  }
}

/**
 * The processor restricts the venue's account, and makes it active again. While a transfer waits the account is active:
 * after two weeks of refusals the service would give the transfer up, and time may jump that far.
 */
async function reviewAccount(
  { account, invariants, scheduler, plan }: Simulation,
  reviewer: SeededRandom,
): Promise<void> {
  if (account === null || plan.faultRate === 0) return;
  const hasTransfers = invariants.current.movements.some(
    ({ kind, status }) => kind === 'transfer' && status !== 'done' && status !== 'dropped',
  );
  const isActive = hasTransfers || (account.isActive ? !reviewer.often(0.03) : reviewer.often(0.06));
  if (isActive === account.isActive) return;
  await account.setActive(isActive);
  scheduler.log(`the processor makes the venue's account ${isActive ? 'active' : 'restricted'}`);
}

async function crash(simulation: Simulation, nemesis: SeededRandom): Promise<void> {
  const { scheduler, database } = simulation;
  const alive = scheduler.actors.filter(
    (actor) => actor.kind !== 'external' && !actor.isDead && !actor.isDone && !database.isBlocked(actor),
  );
  if (alive.length === 0) return;
  const actor = nemesis.pick(alive);
  scheduler.log(`nemesis kills ${actor.name}`);
  await killActor(simulation, actor);
  if (actor.kind === 'worker' || actor.kind === 'delivery worker')
    startWorker(simulation, `${actor.name}'`, actor.kind);
  await scheduler.untilIdle();
}

async function killActor(simulation: Simulation, actor: Actor): Promise<void> {
  simulation.scheduler.kill(actor);
  await simulation.database.abandonAll(actor);
}

async function jumpInTime(simulation: Simulation, nemesis: SeededRandom): Promise<void> {
  const { now } = simulation.scheduler;
  const expiries = simulation.invariants.current.checkouts.map(({ expiresAt }) => expiresAt);
  const toExpiry = expiries.map((expiry) => expiry - now + nemesis.pick([-1_000, 0, 1, 5_000])).filter((by) => by > 0);
  const isLong = simulation.plan.payByMs > DAY_MS;
  const by = nemesis.weighed<number>([
    [6, nemesis.between(500, 3_000)],
    [4, nemesis.between(20_000, 130_000)],
    [3, nemesis.between(130_000, 1_900_000)],
    [toExpiry.length > 0 ? 1 : 0, nemesis.pick([...toExpiry, 1_000])],
    [isLong ? (simulation.plan.hasLateGuest ? 8 : 2) : 0, nemesis.between(5 * DAY_MS, 7 * DAY_MS)],
  ]);
  await advanceTime(simulation, by);
}

/** PostgreSQL ends transactions that stay idle for 15 seconds. */
async function advanceTime(simulation: Simulation, by: number): Promise<void> {
  const { scheduler, database, processor } = simulation;
  if (by > 15_000) await database.endIdleTransactions();
  scheduler.now += by;
  processor.processor.tick();
  scheduler.log(`time passes: ${(by / 1000).toFixed(3)} s`);
  await scheduler.untilIdle();
}

async function liveness(simulation: Simulation): Promise<void> {
  const { scheduler, processor } = simulation;
  scheduler.log('the faults end');
  simulation.isHealed = true;
  processor.heal();
  await simulation.account?.setActive(true);
  simulation.receivers.isHealed = true;
  for (const actor of scheduler.actors) actor.stoppedUntil = 0;
  startEndOfReservations(simulation);
  if (simulation.plan.hasDisputes) await topUpBalance(simulation);
  if (simulation.plan.hasDisputes && simulation.random.often(0.6)) await settleWithOpenDisputes(simulation);
  await closeOpenDisputes(simulation);
  await settle(simulation);
  await compareState(simulation);
  checkSettled(simulation.invariants.current, processor.books);
  if (simulation.plan.hasDisputes) {
    await takeLostDisputesBack(simulation);
    await settleWithOpenDisputes(simulation);
    await closeOpenDisputes(simulation);
    await settle(simulation);
    checkSettled(simulation.invariants.current, processor.books);
  }
  // Advance to the end: holds are renewed, then unpaid checkouts expire.
  for (let round = 0; round < 12; round++) {
    const next = nextScheduledTime(simulation, round < 6);
    if (next === null) break;
    await advanceTime(simulation, next - latestClock(simulation, 'worker'));
    await settle(simulation);
  }
  await settleDeliveries(simulation);
  await compareState(simulation);
  checkEnd(simulation.invariants.current, processor.books);
  simulation.deliveries.checkEnd(simulation.invariants.current);
  checkIdempotencyKeys(simulation);
}

/**
 * Guests dispute charges, and the partner refunds while the disputes are open: transfers and refunds wait. Or the disputes
 * end before the service learns of them.
 */
async function settleWithOpenDisputes(simulation: Simulation): Promise<void> {
  const { random } = simulation;
  for (let count = random.between(1, 2); count > 0; count--) await openDispute(simulation);
  if (random.often(0.2)) return;
  await settle(simulation);
  startLateRefund(simulation);
  await settle(simulation);
}

/** After a commit only the parts that its statements can change are read. All others must be unchanged. */
async function compareState({ environment, state }: Simulation): Promise<void> {
  state.compare(await environment.readSnapshot(ALL_PARTS));
}

/** The next time at which a checkout expires or a hold is renewed. */
function nextScheduledTime(simulation: Simulation, withRenewals: boolean): number | null {
  const { current } = simulation.invariants;
  const now = latestClock(simulation, 'worker');
  const expiries = current.checkouts
    .filter(({ status }) => status === 'open' || status === 'collecting')
    .map(({ expiresAt }) => expiresAt + 1);
  const renewals = current.holds.filter(({ status }) => status === 'held').map(({ due }) => due ?? 0);
  const times = [...expiries, ...(withRenewals ? renewals : [])].filter((time) => time > now);
  return times.length === 0 ? null : Math.min(...times);
}

/** Runs until every decision is carried out, within bounds. */
async function settle(simulation: Simulation): Promise<void> {
  const { scheduler } = simulation;
  const last = scheduler.step + MAX_SETTLE_STEPS;
  const fundedSince = new Map<string, number>();
  for (let round = 0; round < MAX_SETTLE_ROUNDS; round++) {
    for (let runnable = scheduler.runnableActions(); runnable.length > 0; runnable = scheduler.runnableActions()) {
      if (scheduler.step > last) throw new Violation('the work does not end within the allowed steps');
      scheduler.now += 20;
      await scheduler.runOne(runnable);
    }
    checkFundedBriefly(simulation, fundedSince);
    const timer = scheduler.nextTimer();
    if (timer !== null) {
      await advanceTime(simulation, timer - scheduler.now);
      continue;
    }
    for (const kind of ['worker', 'delivery worker'] as const) {
      const due = dueLoops(simulation, kind, latestClock(simulation, kind));
      const hasWorkers = kind === 'worker' || simulation.receivers.endpoints.length > 0;
      if (due.length > 0 && hasWorkers) throw new Violation(`${due.join()} is due, and no worker can run it`);
    }
    const time = nextWorkTime(simulation);
    if (time === null) return;
    await advanceTime(simulation, Math.max(1, time - latestClock(simulation, 'worker')));
  }
  throw new Violation('the work does not end, however much time passes');
}

/**
 * Without faults a funded checkout is captured soon, also when the processor has stored failures under earlier keys: it
 * repeats those for a day.
 */
function checkFundedBriefly({ invariants: { current }, scheduler }: Simulation, since: Map<string, number>): void {
  for (const { id, status } of current.checkouts) {
    if (status !== 'funded') since.delete(id);
    else if (!since.has(id)) since.set(id, scheduler.now);
    else if (scheduler.now - (since.get(id) ?? 0) > MAX_FUNDED_MS) {
      throw new Violation(`${id} is still funded two hours after the faults ended`);
    }
  }
}

/** The next due time of a decision that is not yet carried out. */
function nextWorkTime({ invariants: { current }, processor }: Simulation): number | null {
  const times: number[] = [];
  for (const { status, due } of current.checkouts) if (status === 'funded' && due !== null) times.push(due);
  const frozen = new Set(current.movements.filter(({ status }) => status === 'frozen').map(({ id }) => id));
  for (const { id, status, due, reversed } of current.movements) {
    // The reversal of a transfer that waits for the end of a dispute waits with it.
    if (reversed !== null && frozen.has(reversed)) continue;
    // A done refund is only asked for again, which matters if it failed at the processor.
    if (due !== null && (status !== 'done' || processor.books.hasFailedRefund(id))) times.push(due);
  }
  for (const { due } of current.processorEvents) times.push(due);
  for (const { status, due } of current.accounts) if (status !== 'active') times.push(due);
  for (const { status, due, intent } of current.holds) {
    // An open hold without a card waits for a guest; once the processor has an answer, it waits for a worker.
    const intentStatus = intent === null ? undefined : processor.books.intents.get(intent)?.status;
    const waitsForWorker =
      status === 'requested' ||
      status === 'releasing' ||
      status === 'captured' ||
      (status === 'open' && intentStatus !== 'requires_payment_method' && intentStatus !== 'requires_action');
    if (waitsForWorker && due !== null) times.push(due);
  }
  return times.length === 0 ? null : Math.min(...times);
}

/** Runs until every event is delivered, or its delivery has failed. */
async function settleDeliveries(simulation: Simulation): Promise<void> {
  const { scheduler, receivers, invariants } = simulation;
  const hasUnacceptable = receivers.endpoints.some(({ isDead, refusedType }) => isDead || refusedType !== null);
  for (let round = 0; round < 40; round++) {
    const pending = invariants.current.deliveries.filter(({ status }) => status === 'pending');
    if (pending.length === 0) return;
    const dueTimes = [...pending, ...invariants.current.queues].flatMap(({ due }) => due ?? []);
    const claimTimes = invariants.current.queues.flatMap((queue) => claimableAt(queue) ?? []);
    // Advance to the last due time; with an endpoint that never accepts some events by 20 hours, because its retries
    // every four hours take too many rounds.
    const next = Math.max(...dueTimes, ...claimTimes, hasUnacceptable ? scheduler.now + 20 * HOUR_MS : 0);
    await advanceTime(simulation, Math.max(1, next - latestClock(simulation, 'delivery worker')));
    await settle(simulation);
  }
  throw new Violation('deliveries do not end, however much time passes');
}

function checkIdempotencyKeys({ invariants: { current }, memory }: Simulation): void {
  for (const { id, key } of memory.created) {
    if (!current.checkouts.some((checkout) => checkout.id === id))
      throw new Violation(`${id} was acknowledged, and is missing`);
    if (key !== null && current.keys.find((stored) => stored.key === key)?.refersTo !== id) {
      throw new Violation(`${id} was created with key ${key}, and the key refers to another object`);
    }
  }
  for (const { key, refersTo, status } of current.keys) {
    if (status >= 400) throw new Violation(`a response with ${status} is stored for key ${key}`);
    if (refersTo !== null && !current.checkouts.some(({ id }) => id === refersTo)) {
      throw new Violation(`key ${key} refers to ${refersTo}, which is missing`);
    }
  }
}
