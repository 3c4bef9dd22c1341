// The parameters of a seed (venue, party, deadline, fault rates), and the services of each actor: the real commands
// with a simulated database connection, clock and processor.

import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { Mode } from '../../src/base/config.ts';
import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { type Ids, makeIds } from '../../src/base/ids.ts';
import type { Log } from '../../src/base/log.ts';
import { DEFAULT_RETENTION } from '../../src/base/retention.ts';
import { makeSeal, type Seal } from '../../src/base/seal.ts';
import { readFromPrimary } from '../../src/base/standby-reads.ts';
import type { PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { makeRunOnce } from '../../src/domain/idempotency/run-once.ts';
import type { Caller } from '../../src/domain/keys/caller.ts';
import { ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import type { Venue } from '../../src/domain/venues/venue.ts';
import type { QueueServices } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import type { EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { type AppContext, commandContext } from '../../src/run/context.ts';
import { checkouts } from '../../src/run/operations/checkouts.ts';
import { type HttpReply, makePerform } from '../../src/run/perform.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Database } from './database.ts';
import type { DeliveryInvariants } from './delivery-invariants.ts';
import type { SimulationEnvironment } from './environment.ts';
import type { Invariants } from './invariants.ts';
import type { LeaseTokens, Receivers } from './receivers.ts';
import { type Actor, type Scheduler, Violation } from './scheduler.ts';
import type { SimulatedProcessor, VenueAccount } from './simulated-processor.ts';
import type { CommittedState } from './snapshot.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** The largest difference of a clock from the true time. */
export const MAX_SKEW_MS = 3 * MINUTE_MS;
/**
 * In 2033, later than the system clock: rows that PostgreSQL keeps for 30 days by its own clock never expire in a seed.
 */
export const START_MS = 2_000_000_000_000;

/**
 * Loops log unexpected errors and continue, so an error log line counts as a violation. A failure of the processor or of a
 * connection does not: it is a planned fault, which a loop logs as an error only when its work has waited for days.
 */
function violationLog(scheduler: Scheduler, actor: Actor): Log {
  const error = (fields: { readonly err?: unknown }, message: string): void => {
    const { err } = fields;
    if (actor.isDead || err === undefined || isUnavailable(err) || err instanceof ProcessorUnavailable) return;
    scheduler.failure ??= new Violation(`${actor.name} logged "${message}": ${err instanceof Error ? err.stack : err}`);
  };
  const ignore = (): void => undefined;
  return { error, fatal: error, warn: ignore, info: ignore, debug: ignore, trace: ignore } as unknown as Log;
}

export interface Plan {
  readonly partySize: number;
  readonly amount: number;
  readonly feeBps: number;
  readonly feeFixed: number;
  readonly payByMs: number;
  readonly payoutDelayMs: number;
  readonly faultRate: number;
  /** How often a transfer leaves the venue's account at once, besides the payout at midnight. */
  readonly payoutRate: number;
  readonly connectionLossRate: number;
  readonly crashRate: number;
  readonly maxSteps: number;
  readonly choosesAgain: boolean;
  /** Most guests pay with cards that work, so that the seed reaches captures. */
  readonly hasEagerGuests: boolean;
  /** After the first booking is paid for, it is refunded, and there is another one: what the venue owes is settled. */
  readonly hasSecondBooking: boolean;
  /** The actors' clocks differ. */
  readonly hasClockSkew: boolean;
  /** One guest pays after days, when the holds of the others are about to lapse; many of them cannot be renewed. */
  readonly hasLateGuest: boolean;
  /** In live mode the venue has an account, which the processor restricts now and then. */
  readonly mode: Mode;
  /** Guests dispute charges. */
  readonly hasDisputes: boolean;
}

export function drawPlan(random: SeededRandom): Plan {
  const isCalm = random.often(0.2);
  const partySize = random.weighed([
    [5, 2],
    [4, 3],
    [2, 4],
    [1, 5],
  ] as const);
  const payByMs = random.weighed([
    [3, 20 * MINUTE_MS],
    [4, 5 * HOUR_MS],
    [2, 9 * DAY_MS],
    [1, 16 * DAY_MS],
  ] as const);
  const plan: Plan = {
    partySize,
    amount: random.pick([partySize * 1000, partySize * 1000 + 1, 100 * partySize, 9_973, 24_001]) + random.below(3),
    feeBps: random.pick([0, 250, 333, 10_000]),
    feeFixed: random.pick([0, 30]),
    payByMs,
    payoutDelayMs: random.pick([0, 2 * HOUR_MS]),
    faultRate: isCalm ? 0 : random.pick([0.03, 0.1, 0.3]),
    connectionLossRate: isCalm ? 0 : random.pick([0, 0.005, 0.02]),
    crashRate: isCalm ? 0 : random.pick([0, 0.01, 0.025]),
    maxSteps: random.between(80, 260),
    choosesAgain: random.often(0.3),
    hasEagerGuests: random.often(0.7),
    hasClockSkew: random.often(0.4),
    hasLateGuest: payByMs > DAY_MS && random.often(0.6),
    mode: random.often(0.5) ? 'live' : 'test',
    hasDisputes: random.often(0.5),
    payoutRate: random.pick([0, 0.3, 0.8]),
    hasSecondBooking: random.often(0.4),
  };
  if (plan.hasLateGuest || !plan.hasSecondBooking) return { ...plan, hasSecondBooking: false };
  // The first booking must be completed and paid out before the second can settle anything.
  return {
    ...plan,
    payByMs: Math.max(plan.payByMs, 5 * HOUR_MS),
    payoutDelayMs: 0,
    faultRate: plan.faultRate / 3,
    crashRate: plan.crashRate / 2,
    maxSteps: plan.maxSteps + 150,
    choosesAgain: false,
    hasEagerGuests: true,
  };
}

export interface Simulation {
  readonly seed: number;
  readonly environment: SimulationEnvironment;
  readonly plan: Plan;
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly database: Database;
  readonly processor: SimulatedProcessor;
  readonly state: CommittedState;
  readonly invariants: Invariants;
  readonly venue: Venue;
  /** The venue's account at the processor; null in test mode, where the first transfer creates it. */
  readonly account: VenueAccount | null;
  /** Ids that no process of the service makes. */
  readonly ids: Ids;
  /** The random source of every process's ids. */
  readonly idRandom: SeededRandom;
  readonly receivers: Receivers;
  readonly deliveries: DeliveryInvariants;
  readonly seal: Seal;
  readonly memory: ClientMemory;
  /** The loop that each worker runs. */
  readonly runningLoops: Map<Actor, string>;
  processorClients: number;
  isHealed: boolean;
}

/** The responses that clients got, which later responses must not contradict. */
export class ClientMemory {
  readonly created: {
    readonly key: string | null;
    readonly body: string;
    readonly id: string;
    readonly json: string;
  }[] = [];
  readonly refunds = new Map<string, string>();
  readonly #payers = new Map<string, string>();

  /** The secret of a hold is returned only to the payer who requested it. */
  rememberSecret(holdId: string, payer: string): void {
    const before = this.#payers.get(holdId) ?? payer;
    if (before !== payer) throw new Violation(`the secret of hold ${holdId} was returned to two payers`);
    this.#payers.set(holdId, payer);
  }

  rememberCreate(key: string | null, body: string, json: string): void {
    const { id } = JSON.parse(json) as { id: string };
    for (const before of this.created) {
      if (before.body === body && before.key === key && before.id === id && before.json !== json) {
        throw new Violation(`equal requests got different responses: ${before.json} and ${json}`);
      }
      if (key !== null && before.key === key && (before.body !== body || before.id !== id)) {
        throw new Violation(`key ${key} created two checkouts: ${before.id} and ${id}`);
      }
    }
    this.created.push({ key, body, id, json });
  }
}

export function sealFor(random: SeededRandom): Seal {
  return makeSeal([createHash('sha256').update('simulation').digest()], random);
}

export const idsFor = (clock: Clock, random: SeededRandom): Ids => makeIds(clock, random);

/** The services of one actor. */
export interface ActorServices {
  readonly payments: PaymentServices;
  /** For one run of the delivery loop; it records the lease tokens that it claims. */
  queues(): QueueServices;
  call(
    operation: string,
    params: Readonly<Record<string, string>>,
    body: string | null,
    key: string | null,
  ): Promise<CallResult>;
}

export type CallResult =
  | { readonly ok: true; readonly status: number; readonly json: string }
  | { readonly ok: false; readonly status: number; readonly reason: string };

const operations = new Map<string, AppOperation>(checkouts.map((operation) => [operation.id, operation]));

export function servicesFor(simulation: Simulation, actor: Actor): ActorServices {
  const { environment, seal, scheduler, processor } = simulation;
  const clock: Clock = { now: () => scheduler.now + actor.skew };
  const ids = idsFor(clock, simulation.idRandom);
  const { mode } = simulation.plan;
  const client = environment.processorClient(mode, simulation.processorClients++);
  client.send = (request) =>
    new Promise((resolve) => {
      scheduler.enqueue({
        actor,
        label: () => `${request.method} ${request.path.split('?')[0]} [${request.headers['idempotency-key'] ?? ''}]`,
        run: async () => {
          const response = await processor.send(request);
          scheduler.log(`  ${response.fault ?? response.status}`);
          resolve(response);
        },
      });
    });
  const db = simulation.database.for(actor);
  const log = violationLog(scheduler, actor);
  const payments: PaymentServices = {
    db,
    clock,
    ids,
    seal,
    log,
    processors: { [mode]: client.processor },
    payoutDelay: simulation.plan.payoutDelayMs,
  };
  const { contract, registry, validator } = environment;
  const context = {
    db,
    reads: readFromPrimary(db),
    clock,
    ids,
    seal,
    random: simulation.random,
    log,
    services: { ...payments, runOnce: makeRunOnce(db, seal, DEFAULT_RETENTION.idempotencyKeyDays * DAY_MS) },
    contract,
    registry,
    validator,
    retention: DEFAULT_RETENTION,
    operatorToken: '',
    address: { base: 'https://pay.example' },
    docUrl: (code: string) => `https://pay.example/docs/errors/${code}`,
    checkoutUrl: (id: string) => `https://pay.example/c/${id}`,
  } as unknown as AppContext;
  const perform = makePerform(context);
  return {
    payments,
    queues: () => queueServicesFor(simulation, actor, payments),
    async call(name, params, body, key) {
      const operation = operations.get(name);
      if (operation === undefined || operation.kind === 'tool server' || operation.kind === 'stream')
        throw new Error(`no operation ${name}`);
      const by = { name: 'partner', via: 'http', address: null, requestId: null } as const;
      const caller = {
        ...commandContext(context, by),
        venue: simulation.venue,
        mode,
        key: { id: 'key', kind: 'secret' },
      };
      try {
        const reply: HttpReply = await perform(operation, caller as unknown as Caller, {
          params,
          query: {},
          body: body === null ? null : Buffer.from(body),
          contentType: 'application/json',
          idempotencyKey: key ?? undefined,
        });
        return { ok: true, status: reply.status, json: reply.json };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return { ok: false, status: error.status, reason: error.detail.reason ?? error.code };
      }
    },
  };
}

/** A timer runs mostly soon after its time, sometimes much later. */
const WAKE_DELAYS_MS = [0, 500, 2_000, 20_000];

function queueServicesFor(
  { receivers, random, scheduler }: Simulation,
  actor: Actor,
  payments: PaymentServices,
): QueueServices {
  const leaseTokens: LeaseTokens = new Map();
  const { db } = payments;
  const query: typeof db.query = async (text, values) => {
    const rows = await db.query(text, values);
    if (text.includes('from claim_queues(')) {
      for (const { endpointId, leaseToken } of rows as unknown as EndpointQueue[])
        leaseTokens.set(endpointId, leaseToken);
    }
    return rows as never;
  };
  return {
    ...payments,
    db: { ...db, query },
    random,
    outbound: receivers.outboundFor(actor, leaseTokens),
    monotonicClock: scheduler.monotonicClockFor(actor, () => random.pick(WAKE_DELAYS_MS)),
  };
}
