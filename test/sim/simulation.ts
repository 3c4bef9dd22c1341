// What a seed is about: the venue, the party, the hour by which everybody has to pay, and how rough the world is; and what
// each actor is handed: the real commands on a database, a clock and a bank that the seed decides about.

import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { type Ids, makeIds } from '../../src/base/ids.ts';
import type { Log } from '../../src/base/log.ts';
import { makeSeal, type Seal } from '../../src/base/seal.ts';
import type { PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import type { Caller } from '../../src/domain/keys/caller.ts';
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
import type { SimulatedProcessor } from './simulated-processor.ts';
import type { OurBooks } from './snapshot.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** How far a clock may be from the true time. */
export const MAX_SKEW = 3 * MINUTE;
/** In 2033: later than any clock on the wall, so that "kept for 30 days" by the wall's clock never ends within a seed. */
export const START = 2_000_000_000_000;

/** Loops log what stops them and go on: a mistake of ours must not pass unseen. */
function failingLog(scheduler: Scheduler, actor: Actor): Log {
  const error = (about: { readonly err?: unknown }, message: string): void => {
    const { err } = about;
    if (actor.dead || err === undefined || isUnavailable(err)) return;
    scheduler.failure ??= new Violation(`${actor.name} logged "${message}": ${err instanceof Error ? err.stack : err}`);
  };
  const nothing = (): void => undefined;
  return { error, fatal: error, warn: nothing, info: nothing, debug: nothing, trace: nothing } as unknown as Log;
}

export interface Plan {
  readonly people: number;
  readonly amount: number;
  readonly feeBps: number;
  readonly feeFixed: number;
  readonly payIn: number;
  readonly payoutDelay: number;
  readonly faulty: number;
  readonly lossy: number;
  readonly crashes: number;
  readonly steps: number;
  readonly again: boolean;
  /** Guests who mean it, most of them with cards that work: the way to the captures. */
  readonly eager: boolean;
  /** Clocks are not right. */
  readonly skewed: boolean;
}

export function drawPlan(random: SeededRandom): Plan {
  const isCalm = random.often(0.2);
  const people = random.weighed([
    [5, 2],
    [4, 3],
    [2, 4],
    [1, 5],
  ] as const);
  return {
    people,
    amount: random.pick([people * 1000, people * 1000 + 1, 100 * people, 9_973, 24_001]) + random.below(3),
    feeBps: random.pick([0, 250, 333, 10_000]),
    feeFixed: random.pick([0, 30]),
    payIn: random.weighed([
      [3, 20 * MINUTE],
      [4, 5 * HOUR],
      [2, 9 * DAY],
      [1, 16 * DAY],
    ] as const),
    payoutDelay: random.pick([0, 0, 2 * HOUR]),
    faulty: isCalm ? 0 : random.pick([0.03, 0.1, 0.3]),
    lossy: isCalm ? 0 : random.pick([0, 0.005, 0.02]),
    crashes: isCalm ? 0 : random.pick([0, 0.01, 0.025]),
    steps: random.between(80, 260),
    again: random.often(0.3),
    eager: random.often(0.7),
    skewed: random.often(0.4),
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
  readonly books: OurBooks;
  readonly invariants: Invariants;
  readonly venue: Venue;
  /** Of those who take no part as a process of ours. */
  readonly ids: Ids;
  /** What ids of every process are made of. */
  readonly idBits: SeededRandom;
  readonly receivers: Receivers;
  readonly deliveries: DeliveryInvariants;
  readonly seal: Seal;
  readonly memory: ClientMemory;
  /** Which loop each worker is in. */
  readonly working: Map<Actor, string>;
  slots: number;
  healed: boolean;
}

/** What outsiders have been told, and must not be told otherwise. */
export class ClientMemory {
  readonly created: {
    readonly key: string | null;
    readonly body: string;
    readonly id: string;
    readonly json: string;
  }[] = [];
  readonly refunds = new Map<string, string>();
  readonly #payers = new Map<string, string>();

  /** A hold belongs to who asked for it: nobody else is ever given its secret. */
  rememberSecret(holdId: string, payer: string): void {
    const before = this.#payers.get(holdId) ?? payer;
    if (before !== payer) throw new Violation(`the secret of hold ${holdId} was given to two people`);
    this.#payers.set(holdId, payer);
  }

  rememberCreate(key: string | null, body: string, json: string): void {
    const { id } = JSON.parse(json) as { id: string };
    for (const before of this.created) {
      if (before.body === body && before.key === key && before.id === id && before.json !== json) {
        throw new Violation(`the same call was answered twice, and differently: ${before.json} and ${json}`);
      }
      if (key !== null && before.key === key && (before.body !== body || before.id !== id)) {
        throw new Violation(`key ${key} made two checkouts: ${before.id} and ${id}`);
      }
    }
    this.created.push({ key, body, id, json });
  }
}

export function sealFor(random: SeededRandom): Seal {
  return makeSeal(createHash('sha256').update('simulation').digest(), random);
}

export const idsFor = (clock: Clock, random: SeededRandom): Ids => makeIds(clock, random);

/** What a process of ours works with. */
export interface ActorServices {
  readonly payments: PaymentServices;
  /** To send with, for one round over the lanes: it remembers which turns it was given. */
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
  const ids = idsFor(clock, simulation.idBits);
  const slot = environment.slot(simulation.slots++);
  slot.carry = (request) =>
    new Promise((resolve) => {
      scheduler.enqueue({
        actor,
        label: () => `${request.method} ${request.path.split('?')[0]} [${request.headers['idempotency-key'] ?? ''}]`,
        grant: async () => {
          const response = await processor.carry(request);
          scheduler.note(`  ${response.fault ?? response.status}`);
          resolve(response);
        },
      });
    });
  const db = simulation.database.for(actor);
  const log = failingLog(scheduler, actor);
  const money: PaymentServices = {
    db,
    clock,
    ids,
    seal,
    log,
    processors: { test: slot.processor },
    payoutDelay: simulation.plan.payoutDelay,
  };
  const { contract, registry, validator } = environment;
  const context = {
    db,
    clock,
    ids,
    seal,
    random: simulation.random,
    log,
    services: money,
    contract,
    registry,
    validator,
    operatorToken: '',
    address: { base: 'https://pay.example' },
    docUrl: (code: string) => `https://pay.example/docs/errors/${code}`,
    checkoutUrl: (id: string) => `https://pay.example/c/${id}`,
  } as unknown as AppContext;
  const perform = makePerform(context);
  return {
    payments: money,
    queues: () => lanesFor(simulation, actor, money),
    async call(name, params, body, key) {
      const operation = operations.get(name);
      if (operation === undefined || operation.kind === 'tool server') throw new Error(`no operation ${name}`);
      const by = { name: 'partner', via: 'http', address: null, requestId: null } as const;
      const caller = {
        ...commandContext(context, by),
        venue: simulation.venue,
        mode: 'test',
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

/** Nobody is woken to the moment: mostly soon, sometimes much later. */
const LATE = [0, 500, 2_000, 20_000];

function lanesFor({ receivers, random, scheduler }: Simulation, actor: Actor, money: PaymentServices): QueueServices {
  const turns: LeaseTokens = new Map();
  const { db } = money;
  const query: typeof db.query = async (text, values) => {
    const rows = await db.query(text, values);
    if (text.includes('update endpoint_queues q set lease_token')) {
      for (const { endpointId, leaseToken: turn } of rows as unknown as EndpointQueue[]) turns.set(endpointId, turn);
    }
    return rows as never;
  };
  return {
    ...money,
    db: { ...db, query },
    random,
    outbound: receivers.outboundFor(actor, turns),
    monotonicClock: scheduler.monotonicClockFor(actor, () => random.pick(LATE)),
  };
}
