// The partners' own servers, that take our events and write them down: each verified by the signature, with the body it came
// with and whether it was acknowledged. The nemesis can make them hang or refuse. At the end every event of the log must have
// reached every endpoint that wants it, with the same bytes each time, and the books must say so.

import Stripe from 'stripe';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db.ts';
import { makeIds } from '../../src/base/ids.ts';
import { systemRandom } from '../../src/base/random.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { openLane } from '../../src/domain/webhooks/deliveries/queries.ts';
import { secretRow } from '../../src/domain/webhooks/deliveries/signature.ts';
import { insertEndpoint } from '../../src/domain/webhooks/queries.ts';
import { type Listening, startReceiver } from '../outbound/receiver.ts';
import type { Chance } from '../sim/chance.ts';
import type { Shop } from './booking.ts';
import type { Stage } from './stage.ts';

const SECRET = 'whsec_chaoschaoschaoschaoschaoschaos';

/** How they answer: as chance has it, or all of them not at all, or all with a no. */
export type Mood = 'as usual' | 'hang' | 'refuse';

export interface Endpoint {
  readonly id: string;
  readonly venueId: string;
  readonly path: string;
  readonly events: readonly string[];
}

interface Got {
  readonly bodies: Set<string>;
  posts: number;
  acknowledged: number;
}

export class Receivers {
  mood: Mood = 'as usual';
  posts = 0;
  readonly wrong: string[] = [];
  /** By endpoint and event. */
  readonly #got = new Map<string, Got>();
  readonly #chance: Chance;
  readonly #webhooks = new Stripe('sk_test_unused').webhooks;
  #listening: Listening | null = null;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Gives their address. */
  async open(): Promise<string> {
    this.#listening = await startReceiver((request, response, body) => {
      const answer = this.#take(request.url ?? '', body, String(request.headers['service-signature']));
      if (answer === 'hang') return;
      response.statusCode = answer === 'ok' ? 200 : 503;
      response.end();
    });
    return `https://127.0.0.1:${this.#listening.port}`;
  }

  async close(): Promise<void> {
    await this.#listening?.close();
  }

  #take(path: string, body: string, signature: string): 'ok' | 'no' | 'hang' {
    this.posts += 1;
    try {
      this.#webhooks.constructEvent(body, signature, SECRET, 120);
    } catch (error) {
      this.wrong.push(`${path}: ${String(error)}`);
    }
    const key = `${path} ${(JSON.parse(body) as { id: string }).id}`;
    const got = this.#got.get(key) ?? { bodies: new Set(), posts: 0, acknowledged: 0 };
    this.#got.set(key, got);
    got.bodies.add(body);
    got.posts += 1;
    const answer = this.#answer(got.posts === 1);
    if (answer === 'ok') got.acknowledged += 1;
    return answer;
  }

  #answer(isFirst: boolean): 'ok' | 'no' | 'hang' {
    if (this.mood === 'hang') return 'hang';
    if (this.mood === 'refuse') return 'no';
    // A no by chance only at first, so that it ends: what was refused once is taken the next time.
    if (!isFirst) return 'ok';
    return this.#chance.weighed([[960, 'ok'] as const, [35, 'no'] as const, [5, 'hang'] as const]);
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
      for (const { id, path, venueId, events } of endpoints) {
        if (venueId !== venue_id || !events.includes(type)) continue;
        wanted += 1;
        const got = this.#got.get(`${path} ${event_id}`);
        if (got === undefined || got.acknowledged === 0) faults.push(`${event_id} never reached ${id}`);
        else if (got.bodies.size !== 1) faults.push(`${event_id} came to ${id} with ${got.bodies.size} bodies`);
        const status = books.get(`${id} ${event_id}`) ?? 'not there';
        if (status !== 'delivered') faults.push(`${event_id} to ${id} is ${status} in the books`);
      }
    }
    if (books.size !== wanted) faults.push(`${books.size} deliveries in the books, ${wanted} were wanted`);
    return faults;
  }
}

/** Two endpoints for each shop: one wants everything, the other only what it confirms bookings on. */
export async function openEndpoints(
  db: Db,
  stage: Stage,
  shops: readonly Shop[],
  base: string,
  types: readonly string[],
): Promise<Endpoint[]> {
  const seal = makeSeal(Buffer.from(stage.sharedEnv.ENCRYPTION_KEY ?? '', 'base64'), systemRandom);
  const ids = makeIds(systemClock, systemRandom);
  const endpoints: Endpoint[] = [];
  for (const { venueId } of shops) {
    for (const events of [types, ['checkout.completed']]) {
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

/** How many events and deliveries are still to go out. */
export async function undelivered(db: Db): Promise<number> {
  const rows = await db.query<{ left: number }>(
    'select (select count(*) from undispatched_events) + (select count(*) from deliveries where due_at is not null) as left',
  );
  return rows[0]?.left ?? 0;
}
