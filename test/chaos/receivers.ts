// The partners' servers. They verify the signature of every post, and record its body, when an event first arrived and
// whether it was acknowledged. The nemesis can make them hang, refuse, redirect, answer garbage or answer slowly; one
// endpoint never answers, and one refuses every event of one type. At the end every event must have reached every other
// subscribed endpoint, with the same bytes each time; the deliveries in the database must say so; and none may have waited
// for the dead endpoint or for events that were refused.

import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db.ts';
import { makeIds } from '../../src/base/ids.ts';
import { systemRandom } from '../../src/base/random.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { insertQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import { secretRow } from '../../src/domain/webhooks/deliveries/signature.ts';
import { insertEndpoint } from '../../src/domain/webhooks/queries.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import type { BookableVenue } from './booking.ts';
import type { RunSetup } from './run-setup.ts';

export const SECRET = 'whsec_chaoschaoschaoschaoschaoschaos';

/**
 * `normal` draws a reply for each post; otherwise all posts get the same reply. `drip` is a 200 sent slowly, byte by
 * byte.
 */
export type ReceiverBehavior = 'normal' | 'hang' | 'refuse' | 'redirect' | 'garbage' | 'drip';

type Reply = 'ok' | Exclude<ReceiverBehavior, 'normal'>;

/** The path of the dead endpoint ends with it. */
const DEAD_SUFFIX = '-dead';
/** The path of the endpoint that refuses `REFUSED_TYPE` ends with it. */
const REFUSING_SUFFIX = '-refusing';
export const REFUSED_TYPE = 'checkout.created';
/** The target of redirects. A sender must not follow them. */
const REDIRECT_PATH = '/elsewhere';
/** Three seconds in all: shorter than the sender's timeout (10 s), longer than a quick reply (2 s). */
const DRIP_BYTES = 12;
const DRIP_MS = 250;

export interface Endpoint {
  readonly id: string;
  readonly venueId: string;
  readonly path: string;
  readonly events: readonly string[];
  /** Accepts every connection and never answers. */
  readonly isDead: boolean;
  /** It answers every event of this type with 500; null: it has no such type. */
  readonly refusedType: string | null;
}

interface Received {
  readonly bodies: Set<string>;
  /** When the first post arrived. */
  readonly firstAt: number;
  posts: number;
  acknowledged: number;
}

export class Receivers {
  behavior: ReceiverBehavior = 'normal';
  posts = 0;
  readonly problems: string[] = [];
  /** By endpoint and event. */
  readonly #received = new Map<string, Received>();
  readonly #random: SeededRandom;
  readonly #webhooks = new Stripe('sk_test_unused').webhooks;
  #listening: Listening | null = null;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Starts the server; returns its address. */
  async open(): Promise<string> {
    this.#listening = await startHttpsReceiver((request, response, body) => {
      const path = request.url ?? '';
      if (path === REDIRECT_PATH) this.problems.push('a redirect was followed');
      const { reply, received } = this.#receive(path, body, String(request.headers['service-signature']));
      if (reply === 'ok') received.acknowledged += 1;
      this.#reply(reply, response, () => {
        received.acknowledged += 1;
      });
    });
    return `https://127.0.0.1:${this.#listening.port}`;
  }

  async close(): Promise<void> {
    await this.#listening?.close();
  }

  /** When an event first arrived at an endpoint, in milliseconds; null if it never did. */
  firstAt(path: string, eventId: string): number | null {
    return this.#received.get(`${path} ${eventId}`)?.firstAt ?? null;
  }

  #receive(path: string, body: string, signature: string): { readonly reply: Reply; readonly received: Received } {
    this.posts += 1;
    try {
      this.#webhooks.constructEvent(body, signature, SECRET, 120);
    } catch (error) {
      this.problems.push(`${path}: ${String(error)}`);
    }
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    const key = `${path} ${id}`;
    const received = this.#received.get(key) ?? { bodies: new Set(), firstAt: Date.now(), posts: 0, acknowledged: 0 };
    this.#received.set(key, received);
    received.bodies.add(body);
    received.posts += 1;
    if (path.endsWith(DEAD_SUFFIX)) return { reply: 'hang', received };
    if (path.endsWith(REFUSING_SUFFIX) && type === REFUSED_TYPE) return { reply: 'refuse', received };
    return { reply: this.#draw(received.posts === 1), received };
  }

  #draw(isFirst: boolean): Reply {
    if (this.behavior !== 'normal') return this.behavior;
    // Only the first post of an event gets a random reply, so that every event is delivered in the end.
    if (!isFirst) return 'ok';
    return this.#random.weighed([
      [955, 'ok'],
      [30, 'refuse'],
      [3, 'hang'],
      [4, 'redirect'],
      [4, 'garbage'],
      [4, 'drip'],
    ] as const);
  }

  #reply(reply: Reply, response: ServerResponse, onAcknowledged: () => void): void {
    switch (reply) {
      case 'hang':
        return;
      case 'garbage':
        response.socket?.end(this.#random.bytes(64));
        return;
      case 'redirect':
        response.writeHead(this.#random.pick([301, 302, 307, 308]), { location: REDIRECT_PATH });
        break;
      case 'drip':
        response.once('finish', onAcknowledged);
        void drip(response);
        return;
      default:
        response.statusCode = reply === 'ok' ? 200 : 503;
    }
    response.end();
  }

  /** Compares the received posts with the events and deliveries in the database; returns the differences. */
  async check(db: Db, endpoints: readonly Endpoint[]): Promise<string[]> {
    const problems = [...this.problems];
    const log = await db.query<{ event_id: string; venue_id: string; type: string }>(
      'select event_id, venue_id, type from events',
    );
    const deliveries = await db.query<{ key: string; status: string }>(
      `select endpoint_id || ' ' || event_id as key, status from deliveries`,
    );
    const statuses = new Map(deliveries.map(({ key, status }) => [key, status]));
    let expected = 0;
    for (const { event_id, venue_id, type } of log) {
      for (const endpoint of endpoints) {
        if (endpoint.venueId !== venue_id || !endpoint.events.includes(type)) continue;
        expected += 1;
        const status = statuses.get(`${endpoint.id} ${event_id}`) ?? 'missing';
        this.#checkOne(endpoint, { id: event_id, type }, status, problems);
      }
    }
    if (statuses.size !== expected) problems.push(`there are ${statuses.size} deliveries, not ${expected}`);
    const dead = endpoints.filter(({ isDead }) => isDead);
    for (const { id, path } of dead) {
      const tried = [...this.#received.keys()].some((key) => key.startsWith(`${path} `));
      if (expected > 0 && !tried) problems.push(`no event was ever sent to the dead endpoint ${id}`);
    }
    return problems;
  }

  #checkOne(
    { id, path, isDead, refusedType }: Endpoint,
    { id: eventId, type }: { readonly id: string; readonly type: string },
    status: string,
    problems: string[],
  ): void {
    const received = this.#received.get(`${path} ${eventId}`);
    if (received !== undefined && received.bodies.size !== 1)
      problems.push(`${eventId} arrived at ${id} with ${received.bodies.size} different bodies`);
    if (isDead) {
      if (status !== 'pending') problems.push(`the delivery of ${eventId} to the dead endpoint ${id} is ${status}`);
      return;
    }
    if (type === refusedType) {
      if (received === undefined) problems.push(`${eventId} was never sent to ${id}, which refuses it`);
      if (status !== 'pending') problems.push(`the delivery of ${eventId} that ${id} refuses is ${status}`);
      return;
    }
    if (received === undefined || received.acknowledged === 0) problems.push(`${eventId} never reached ${id}`);
    if (status !== 'delivered') problems.push(`the delivery of ${eventId} to ${id} is ${status}`);
  }
}

async function drip(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' });
  for (let bytes = 0; bytes < DRIP_BYTES && !response.destroyed; bytes++) {
    response.write('.');
    await delay(DRIP_MS);
  }
  response.end();
}

/**
 * Creates two endpoints for each venue: one subscribes to all types, the other only to checkout.completed. With bad
 * ones, the first venue has two more, which subscribe to all types: one never answers, the other refuses one type.
 */
export async function createEndpoints(
  db: Db,
  setup: RunSetup,
  venues: readonly BookableVenue[],
  base: string,
  types: readonly string[],
  bad: 'with bad ones' | 'all good' = 'all good',
): Promise<Endpoint[]> {
  const seal = makeSeal([Buffer.from(setup.sharedEnv.ENCRYPTION_KEY ?? '', 'base64')], systemRandom);
  const ids = makeIds(systemClock, systemRandom);
  const endpoints: Endpoint[] = [];
  const create = async (venueId: string, events: readonly string[], suffix = ''): Promise<void> => {
    const id = ids.prefixed('whe');
    const path = `/${id}${suffix}`;
    await db.transaction(async (tx) => {
      const secret = seal.seal(SECRET, secretRow(venueId, id));
      await insertEndpoint(tx, { venueId, id, mode: 'test', url: `${base}${path}`, events, secret, now: Date.now() });
      await insertQueue(tx, venueId, id);
    });
    const refusedType = suffix === REFUSING_SUFFIX ? REFUSED_TYPE : null;
    endpoints.push({ id, venueId, path, events, isDead: suffix === DEAD_SUFFIX, refusedType });
  };
  for (const [index, { venueId }] of venues.entries()) {
    await create(venueId, types);
    await create(venueId, ['checkout.completed']);
    if (index !== 0 || bad === 'all good') continue;
    await create(venueId, types, DEAD_SUFFIX);
    await create(venueId, types, REFUSING_SUFFIX);
  }
  return endpoints;
}

/** Events and deliveries that are not yet sent, except those to dead endpoints and those that are always refused. */
export async function countUndelivered(db: Db, endpoints: readonly Endpoint[] = []): Promise<number> {
  const rows = await db.query<{ left: number }>(
    `select (select count(*) from undispatched_events)
       + (select count(*) from deliveries where due_at is not null and endpoint_id <> all($1)
            and not (endpoint_id = any($2) and type = $3 and attempts > 0)) as left`,
    [deadEndpointIds(endpoints), refusingEndpointIds(endpoints), REFUSED_TYPE],
  );
  return rows[0]?.left ?? 0;
}

export function deadEndpointIds(endpoints: readonly Endpoint[]): string[] {
  return endpoints.filter(({ isDead }) => isDead).map(({ id }) => id);
}

export function refusingEndpointIds(endpoints: readonly Endpoint[]): string[] {
  return endpoints.filter(({ refusedType }) => refusedType !== null).map(({ id }) => id);
}
