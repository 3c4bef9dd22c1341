// The world that requests are about, made anew every few hundred requests so that there is always something in every state: a
// venue with test and live keys of every kind, offerings, experiences, boats, checkouts in every state with their shares and
// invites, people who are signed in, webhook endpoints with deliveries, every venue system, activity; the same venue's live
// objects, and another venue's. Made through the API itself wherever there is a way.

import type { AppContext } from '../../src/run/context.ts';
import { createConnections, type Hook, withinEach } from './connections.ts';
import type { Contract } from './contract.ts';
import { createGuests, type Intent, type Person, type Seat } from './guests.ts';
import { issueKeys, type Keys, ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';
import { type Answer, Sender } from './send.ts';

/** Ids by the word of the path that they stand behind: `offerings`, `checkouts`, `shares`. */
export type Pools = Readonly<Record<string, readonly string[]>>;

export interface Fixture {
  readonly base: string;
  readonly venueId: string;
  readonly keys: Keys;
  readonly operatorToken: string;
  readonly processorEventSecrets: Readonly<Record<'test' | 'live', string>>;
  /** Of the venue in test mode, and what is not the test key's to see. */
  readonly own: Pools;
  readonly others: Pools;
  /** Things that stand within others: an endpoint and one of its deliveries. */
  readonly pairs: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  readonly people: readonly Person[];
  readonly invites: readonly string[];
  readonly hooks: readonly Hook[];
  readonly intents: readonly Intent[];
  readonly seats: readonly Seat[];
  /** When it was made, in milliseconds: times in requests are told from here. */
  readonly now: number;
}

export interface FixtureTarget {
  readonly base: string;
  readonly context: AppContext;
  readonly contract: Contract;
  readonly operatorToken: string;
  readonly processorEventSecrets: Readonly<Record<'test' | 'live', string>>;
  /** An https address that takes events. */
  readonly receiver: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
export type AnyJson = any;

/** Asks as a partner would, and insists on success. */
export type SendOk = (
  method: string,
  path: string,
  key: string,
  body?: Json | object,
  more?: Readonly<Record<string, string>>,
) => Promise<AnyJson>;

export function makeSendOk(sender: Sender): SendOk {
  return async (method, path, key, body, more = {}) => {
    const raw = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const headers = {
      authorization: `Bearer ${key}`,
      'x-forwarded-for': `10.254.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`,
      ...(raw === null ? {} : { 'content-type': 'application/json' }),
      ...more,
    };
    const answer: Answer = await sender.send({ number: 0, label: '', method, path, headers, body: raw });
    if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.text);
    throw new Error(
      `the fixture: ${method} ${path} answered ${answer.status} ${answer.trouble ?? answer.text.slice(0, 600)}`,
    );
  };
}

/** Making the world is not what is measured. */
const PATIENCE_MS = 180_000;

export async function createFixture(where: FixtureTarget, generation: number): Promise<Fixture> {
  const sender = new Sender(where.base, PATIENCE_MS);
  const ask = makeSendOk(sender);
  const now = Date.now();
  try {
    const { venueId, keys } = await issueKeys(where.context);
    const stranger = await issueKeys(where.context);
    const { bodies } = new Examples(where.contract);
    const mailbox = await createConnections(ask, keys.test, where.receiver);
    const elsewhere = await createConnections(ask, stranger.keys.test, where.receiver, ['custom', 'square']);
    const own = await createCatalogue(ask, keys.test, bodies, now);
    const live = await createCatalogue(ask, keys.live, bodies, now);
    const foreign = await createCatalogue(ask, stranger.keys.test, bodies, now);
    const guests = await createGuests({ where, ask, key: keys.test, generation, now });
    const drawn = await createCheckouts(ask, keys.test, now);
    const events = await ask('GET', '/v1/events?limit=20', keys.test);
    const experience = await approved(ask, keys.test, own.experiences ?? []);
    await ask('POST', '/internal/activity', where.operatorToken, activity(experience, venueId, now));
    return {
      base: where.base,
      venueId,
      keys,
      operatorToken: where.operatorToken,
      processorEventSecrets: where.processorEventSecrets,
      own: {
        ...merged(own, mailbox.own, guests.own),
        checkouts: [...guests.checkouts, ...drawn.checkouts],
        shares: [...guests.shares, ...drawn.shares],
        events: events.data.map(({ id }: AnyJson) => id),
        venues: [venueId],
      },
      others: { ...merged(live, foreign, elsewhere.own), venues: [stranger.venueId] },
      pairs: await withinEach(ask, keys.test, mailbox.own),
      people: guests.people,
      invites: guests.invites,
      hooks: [...mailbox.hooks, ...elsewhere.hooks],
      intents: guests.intents,
      seats: guests.seats,
      now,
    };
  } finally {
    sender.close();
  }
}

/** The document's own examples of bodies, by operation. */
class Examples {
  readonly bodies: (id: string) => Json[];

  constructor(contract: Contract) {
    this.bodies = (id) => [...(contract.operations.find((one) => one.id === id)?.body?.examples ?? [])];
  }
}

export function merged(...pools: readonly Pools[]): Pools {
  const all: Record<string, string[]> = {};
  for (const pool of pools) for (const [kind, ids] of Object.entries(pool)) all[kind] = [...(all[kind] ?? []), ...ids];
  return all;
}

export const inDays = (now: number, days: number): string => new Date(now + days * 86_400_000).toISOString();

export function booking(now: number, name: string, more: object = {}): object {
  return {
    amount: 24_000,
    currency: 'usd',
    party_size: 4,
    pay_by: inDays(now, 3),
    description: 'Cabana 3',
    return_url: `${ORIGIN}/thanks`,
    external_booking_id: name,
    ...more,
  };
}

let made = 0;
/** A name that nobody used: rows of one database, whatever the seed. */
export const uniqueName = (word: string): string => `${word}-${process.pid}-${made++}`;
/** The name that we gave to something that is sold, and not its id. */
export const isOwnName = (word: string): boolean => word.startsWith('own-');

/** What a venue sells, and one open checkout, with a key of either mode. */
async function createCatalogue(ask: SendOk, key: string, bodies: (id: string) => Json[], now: number): Promise<Pools> {
  const one = (body: Json): object => ({ ...(body as object), external_id: uniqueName('own') });
  const single = (id: string): Json[] => bodies(id).filter((body) => 'external_id' in (body as object));
  const offerings = await Promise.all(
    single('upsertOfferings').map((body) => ask('POST', '/v1/offerings', key, one(body))),
  );
  const boats = await Promise.all(single('upsertBoats').map((body) => ask('POST', '/v1/boats', key, one(body))));
  const experiences = await Promise.all(
    bodies('submitExperience').map((body) => ask('POST', '/v1/experiences', key, named(body))),
  );
  const checkout = await ask('POST', '/v1/checkouts', key, booking(now, uniqueName('bk')));
  return {
    offerings: offerings.flatMap(({ data }) => [data.id, data.external_id]),
    boats: boats.flatMap(({ data }) => [data.id, data.external_id]),
    experiences: experiences.map(({ data }) => data.id),
    checkouts: [checkout.id],
    shares: checkout.shares.map(({ id }: AnyJson) => id),
  };
}

/** Under a name of its own, and of no offering. */
function named(body: Json): object {
  const { offering_external_id: _left, ...rest } = body as { [name: string]: Json };
  return 'external_id' in rest ? { ...rest, external_id: uniqueName('own') } : rest;
}

async function approved(ask: SendOk, key: string, ids: readonly string[]): Promise<string> {
  const [first = ''] = ids;
  await ask('POST', '/v1/test_helpers/review', key, { id: first, status: 'approved' });
  return first;
}

function activity(experience: string, venueId: string, now: number): object {
  const common = { member_id: 'member-77', at: new Date(now - 60_000).toISOString(), mode: 'test' };
  return {
    events: [
      { id: uniqueName('act'), type: 'view', experience_id: experience, ...common },
      { id: uniqueName('act'), type: 'venue_page_view', venue_id: venueId, ...common },
    ],
  };
}

/** Checkouts brought to every state by the test helpers. */
async function createCheckouts(
  ask: SendOk,
  key: string,
  now: number,
): Promise<{ checkouts: string[]; shares: string[] }> {
  const helper = (id: string, word: string, body: object = {}): Promise<AnyJson> =>
    ask('POST', `/v1/test_helpers/checkouts/${id}/${word}`, key, body);
  const begin = async (): Promise<string> =>
    (await ask('POST', '/v1/checkouts', key, booking(now, uniqueName('bk')))).id;
  const ways: readonly ((id: string) => Promise<unknown>)[] = [
    async () => undefined,
    async () => undefined,
    (id) => helper(id, 'collect'),
    (id) => helper(id, 'collect'),
    async (id) => {
      const { shares } = await helper(id, 'collect');
      return helper(id, 'hold', { share_id: shares[0].id });
    },
    (id) => helper(id, 'complete'),
    (id) => helper(id, 'complete'),
    async (id) => {
      await helper(id, 'complete');
      return ask('POST', `/v1/checkouts/${id}/refund`, key, { amount: 12_000 });
    },
    (id) => helper(id, 'expire'),
    (id) => ask('POST', `/v1/checkouts/${id}/cancel`, key),
  ];
  const checkouts = await Promise.all(
    ways.map(async (way) => {
      const id = await begin();
      await way(id);
      return id;
    }),
  );
  const seen = await Promise.all(checkouts.map((id) => ask('GET', `/v1/checkouts/${id}`, key)));
  return { checkouts, shares: seen.flatMap(({ shares }) => shares.map(({ id }: AnyJson) => id)) };
}
