// The partners' own servers, that take our events and write them down: each verified by the signature, with the body it came
// with, when it came first and whether it was acknowledged. The nemesis can make them hang, refuse, send elsewhere, talk
// nonsense or drip; one of them is dead all the time. At the end every event of the log must have reached every other endpoint
// that wants it, with the same bytes each time, the books must say so, and none may have waited for the dead one.

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

/** How they answer: as chance has it, or all of them in one of these ways. */
export type Mood = 'as usual' | 'hang' | 'refuse' | 'redirect' | 'garbage' | 'drip';

/** What one post gets. To drip is to say yes, a byte at a time. */
type Reply = 'ok' | 'no' | 'hang' | 'redirect' | 'garbage' | 'drip';
const REPLIES: Readonly<Record<Exclude<Mood, 'as usual'>, Reply>> = {
  hang: 'hang',
  refuse: 'no',
  redirect: 'redirect',
  garbage: 'garbage',
  drip: 'drip',
};

/** How the path of the one that is dead ends. */
const DEAD = '-dead';
/** Where a redirect leads. Nobody may ever come here. */
const ELSEWHERE = '/elsewhere';
/** As long as nobody gives up on it (10 s), and longer than a quick answer takes (2 s). */
const DRIPS = 12;
const DRIP_MS = 250;

export interface Endpoint {
  readonly id: string;
  readonly venueId: string;
  readonly path: string;
  readonly events: readonly string[];
  /** Takes every connection, and never answers. */
  readonly isDead: boolean;
}

interface Got {
  readonly bodies: Set<string>;
  /** When the first one came. */
  readonly at: number;
  posts: number;
  acknowledged: number;
}

export class Receivers {
  mood: Mood = 'as usual';
  posts = 0;
  readonly wrong: string[] = [];
  /** By endpoint and event. */
  readonly #got = new Map<string, Got>();
  readonly #random: SeededRandom;
  readonly #webhooks = new Stripe('sk_test_unused').webhooks;
  #listening: Listening | null = null;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Gives their address. */
  async open(): Promise<string> {
    this.#listening = await startHttpsReceiver((request, response, body) => {
      const path = request.url ?? '';
      if (path === ELSEWHERE) this.wrong.push('a redirect was followed');
      const { reply, got } = this.#take(path, body, String(request.headers['service-signature']));
      if (reply === 'ok') got.acknowledged += 1;
      this.#answer(reply, response, () => {
        got.acknowledged += 1;
      });
    });
    return `https://127.0.0.1:${this.#listening.port}`;
  }

  async close(): Promise<void> {
    await this.#listening?.close();
  }

  /** When an event came to an endpoint for the first time, in milliseconds; null: never. */
  firstAt(path: string, eventId: string): number | null {
    return this.#got.get(`${path} ${eventId}`)?.at ?? null;
  }

  #take(path: string, body: string, signature: string): { readonly reply: Reply; readonly got: Got } {
    this.posts += 1;
    try {
      this.#webhooks.constructEvent(body, signature, SECRET, 120);
    } catch (error) {
      this.wrong.push(`${path}: ${String(error)}`);
    }
    const key = `${path} ${(JSON.parse(body) as { id: string }).id}`;
    const got = this.#got.get(key) ?? { bodies: new Set(), at: Date.now(), posts: 0, acknowledged: 0 };
    this.#got.set(key, got);
    got.bodies.add(body);
    got.posts += 1;
    return { reply: path.endsWith(DEAD) ? 'hang' : this.#draw(got.posts === 1), got };
  }

  #draw(isFirst: boolean): Reply {
    if (this.mood !== 'as usual') return REPLIES[this.mood];
    // A no by chance only at first, so that it ends: what was refused once is taken the next time.
    if (!isFirst) return 'ok';
    return this.#random.weighed([
      [955, 'ok'],
      [30, 'no'],
      [3, 'hang'],
      [4, 'redirect'],
      [4, 'garbage'],
      [4, 'drip'],
    ] as const);
  }

  #answer(reply: Reply, response: ServerResponse, taken: () => void): void {
    switch (reply) {
      case 'hang':
        return;
      case 'garbage':
        response.socket?.end(this.#random.bytes(64));
        return;
      case 'redirect':
        response.writeHead(this.#random.pick([301, 302, 307, 308]), { location: ELSEWHERE });
        break;
      case 'drip':
        response.once('finish', taken);
        void drip(response);
        return;
      default:
        response.statusCode = reply === 'ok' ? 200 : 503;
    }
    response.end();
  }

  /** What of the log did not arrive as it should. */
  async check(db: Db, endpoints: readonly Endpoint[]): Promise<string[]> {
    const faults = [...this.wrong];
    const log = await db.query<{ event_id: string; venue_id: string; type: string }>(
      'select event_id, venue_id, type from events',
    );
    const kept = await db.query<{ key: string; status: string }>(
      `select endpoint_id || ' ' || event_id as key, status from deliveries`,
    );
    const books = new Map(kept.map(({ key, status }) => [key, status]));
    let wanted = 0;
    for (const { event_id, venue_id, type } of log) {
      for (const endpoint of endpoints) {
        if (endpoint.venueId !== venue_id || !endpoint.events.includes(type)) continue;
        wanted += 1;
        this.#checkOne(endpoint, event_id, books.get(`${endpoint.id} ${event_id}`) ?? 'not there', faults);
      }
    }
    if (books.size !== wanted) faults.push(`${books.size} deliveries in the books, ${wanted} were wanted`);
    const dead = endpoints.filter(({ isDead }) => isDead);
    for (const { id, path } of dead) {
      const tried = [...this.#got.keys()].some((key) => key.startsWith(`${path} `));
      if (wanted > 0 && !tried) faults.push(`${id} is dead, and nobody has ever tried it`);
    }
    return faults;
  }

  #checkOne({ id, path, isDead }: Endpoint, eventId: string, status: string, faults: string[]): void {
    const got = this.#got.get(`${path} ${eventId}`);
    if (got !== undefined && got.bodies.size !== 1)
      faults.push(`${eventId} came to ${id} with ${got.bodies.size} bodies`);
    if (isDead) {
      if (status !== 'pending') faults.push(`${eventId} to ${id}, which is dead, is ${status} in the books`);
      return;
    }
    if (got === undefined || got.acknowledged === 0) faults.push(`${eventId} never reached ${id}`);
    if (status !== 'delivered') faults.push(`${eventId} to ${id} is ${status} in the books`);
  }
}

async function drip(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' });
  for (let drops = 0; drops < DRIPS && !response.destroyed; drops++) {
    response.write('.');
    await delay(DRIP_MS);
  }
  response.end();
}

/**
 * Two endpoints for each venue: one wants everything, the other only what it confirms bookings on. With `dead` the first venue
 * has a third, which wants everything and never answers.
 */
export async function openEndpoints(
  db: Db,
  setup: RunSetup,
  venues: readonly BookableVenue[],
  base: string,
  types: readonly string[],
  dead: 'with a dead one' | 'all live' = 'all live',
): Promise<Endpoint[]> {
  const seal = makeSeal(Buffer.from(setup.sharedEnv.ENCRYPTION_KEY ?? '', 'base64'), systemRandom);
  const ids = makeIds(systemClock, systemRandom);
  const endpoints: Endpoint[] = [];
  const open = async (venueId: string, events: readonly string[], isDead: boolean): Promise<void> => {
    const id = ids.prefixed('whe');
    const path = `/${id}${isDead ? DEAD : ''}`;
    await db.transaction(async (tx) => {
      const secret = seal.seal(SECRET, secretRow(venueId, id));
      await insertEndpoint(tx, { venueId, id, mode: 'test', url: `${base}${path}`, events, secret, now: Date.now() });
      await insertQueue(tx, venueId, id);
    });
    endpoints.push({ id, venueId, path, events, isDead });
  };
  for (const [place, { venueId }] of venues.entries()) {
    await open(venueId, types, false);
    await open(venueId, ['checkout.completed'], false);
    if (place === 0 && dead === 'with a dead one') await open(venueId, types, true);
  }
  return endpoints;
}

/** How many events and deliveries are still to go out, but for those to the dead. */
export async function undelivered(db: Db, endpoints: readonly Endpoint[] = []): Promise<number> {
  const rows = await db.query<{ left: number }>(
    `select (select count(*) from undispatched_events)
       + (select count(*) from deliveries where due_at is not null and endpoint_id <> all($1)) as left`,
    [deadIds(endpoints)],
  );
  return rows[0]?.left ?? 0;
}

export function deadIds(endpoints: readonly Endpoint[]): string[] {
  return endpoints.filter(({ isDead }) => isDead).map(({ id }) => id);
}
