// Creates the objects that requests are about, again after some hundred requests so that every state is always present:
// a venue with keys of every kind, offerings, experiences, boats, checkouts in every state with their shares and
// invites, guests with sessions, webhook endpoints with deliveries, every venue system, activity; the same venue's live
// objects, and another venue's. It uses the API wherever possible.

import { ONBOARDING_TOKEN_MS, sealOnboarding } from '../../src/domain/payments/onboarding-token.ts';
import { storePayoutAccount } from '../../src/domain/payments/payout-account-queries.ts';
import type { AppContext } from '../../src/run/context.ts';
import { createConnections, type Hook, newestDeliveries } from './connections.ts';
import { type ConsolePerson, createConsolePerson } from './console.ts';
import type { Contract } from './contract.ts';
import { createDesk, type DeskFixture } from './desk.ts';
import { createGuests, type Intent, type Person, type Seat } from './guests.ts';
import { issueKeys, type Keys, ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';
import { IMAGE_HASH } from './page-requests.ts';
import { type HttpResponse, Sender } from './send.ts';

/** Ids by the path segment before them: `offerings`, `checkouts`, `shares`. */
export type Pools = Readonly<Record<string, readonly string[]>>;

export interface Fixture {
  readonly base: string;
  readonly venueId: string;
  readonly keys: Keys;
  readonly operatorToken: string;
  readonly processorEventSecrets: Readonly<Record<'test' | 'live', string>>;
  /** The venue's test objects; `others` are objects that the test key must not see. */
  readonly own: Pools;
  readonly others: Pools;
  /** Pairs of a parent and a child id, an endpoint and one of its deliveries, or of a kind and an id. */
  readonly pairs: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  readonly people: readonly Person[];
  readonly invites: readonly string[];
  /** Tokens of addresses of a venue's onboarding. */
  readonly onboardings: readonly string[];
  readonly hooks: readonly Hook[];
  /** Tokens of the console's cookie, of an owner of the venue. */
  readonly consoleTokens: readonly string[];
  readonly sessionCalls: ConsolePerson['sessionCalls'];
  /** What an operator can decide, by the id of the operation. */
  readonly deskCalls: DeskFixture['calls'];
  readonly intents: readonly Intent[];
  readonly seats: readonly Seat[];
  readonly paid: readonly string[];
  readonly guestSeats: readonly Seat[];
  /** When it was created, in milliseconds: times in requests are relative to it. */
  readonly now: number;
}

export interface FixtureTarget {
  readonly base: string;
  readonly context: AppContext;
  readonly contract: Contract;
  readonly operatorToken: string;
  readonly processorEventSecrets: Readonly<Record<'test' | 'live', string>>;
  /** An https address that accepts events. */
  readonly receiver: string;
}

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
export type AnyJson = any;

/** Sends a request as a partner would; throws unless it succeeds. */
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
    const response: HttpResponse = await sender.send({ number: 0, label: '', method, path, headers, body: raw });
    if (response.status >= 200 && response.status < 300) return JSON.parse(response.text);
    throw new Error(
      `the fixture: ${method} ${path} got ${response.status} ${response.failure ?? response.text.slice(0, 600)}`,
    );
  };
}

/** Long, because the creation of the fixture is not tested. */
const TIMEOUT_MS = 180_000;

export async function createFixture(target: FixtureTarget, fixtureNumber: number): Promise<Fixture> {
  const sender = new Sender(target.base, TIMEOUT_MS);
  const sendOk = makeSendOk(sender);
  const now = Date.now();
  try {
    const { venueId, keys } = await issueKeys(target.context);
    const otherVenue = await issueKeys(target.context);
    const { bodies } = new Examples(target.contract);
    const connections = await createConnections(sendOk, keys.test, target.receiver);
    const otherConnections = await createConnections(sendOk, otherVenue.keys.test, target.receiver, [
      'custom',
      'square',
    ]);
    const own = await createCatalogue(sendOk, keys.test, bodies, now);
    const live = await createCatalogue(sendOk, keys.live, bodies, now);
    const foreign = await createCatalogue(sendOk, otherVenue.keys.test, bodies, now);
    const guests = await createGuests({ where: target, ask: sendOk, key: keys.test, generation: fixtureNumber, now });
    const person = await createConsolePerson(target.context, target.base, venueId, now);
    const boat = bodies('upsertBoats').find((body) => 'external_id' in (body as object)) as object;
    const sendBoat = (key: string, external_id: string) => sendOk('POST', '/v1/boats', key, { ...boat, external_id });
    const desk = await createDesk(target.context, sendBoat, now);
    const byHelpers = await createCheckouts(sendOk, keys.test, now);
    const events = await sendOk('GET', '/v1/events?limit=20', keys.test);
    await storeImage(target.context);
    const experience = await approveFirst(sendOk, keys.test, own.experiences ?? []);
    await sendOk('POST', '/internal/activity', target.operatorToken, newActivity(experience, venueId, now));
    return {
      base: target.base,
      venueId,
      keys,
      operatorToken: target.operatorToken,
      processorEventSecrets: target.processorEventSecrets,
      own: {
        ...mergePools(own, connections.own, guests.own, person.own, desk.own),
        checkouts: [...guests.checkouts, ...byHelpers.checkouts],
        shares: [...guests.shares, ...byHelpers.shares],
        events: events.data.map(({ id }: AnyJson) => id),
        venues: [venueId],
      },
      others: { ...mergePools(live, foreign, otherConnections.own), venues: [otherVenue.venueId] },
      pairs: {
        ...(await newestDeliveries(sendOk, keys.test, connections.own)),
        catalogue: [...(own.offerings ?? []).map(ofKind('offering')), ...(own.boats ?? []).map(ofKind('boat'))],
      },
      people: guests.people,
      invites: guests.invites,
      onboardings: [await createOnboarding(target.context, now)],
      consoleTokens: person.tokens,
      sessionCalls: person.sessionCalls,
      deskCalls: desk.calls,
      hooks: [...connections.hooks, ...otherConnections.hooks],
      intents: guests.intents,
      seats: guests.seats,
      paid: guests.paid,
      guestSeats: guests.guestSeats,
      now,
    };
  } finally {
    sender.close();
  }
}

/** Of a venue of its own, with an account that the processor does not know: the pages must cope with that. */
async function createOnboarding(context: AppContext, now: number): Promise<string> {
  const { db, seal } = context;
  const { venueId } = await issueKeys(context);
  const account = { accountId: `acct_${venueId}`, transfersStatus: 'restricted' as const, requirementsDue: ['x'] };
  await storePayoutAccount(
    db,
    venueId,
    'test',
    { ...account, processor: 'sandbox' },
    { now, checkAt: now + 86_400_000 },
  );
  return sealOnboarding(seal, { venueId, mode: 'test', returnUrl: null, expiresAt: now + ONBOARDING_TOKEN_MS });
}

/** The worker would have to fetch a picture from another server: the file is stored directly. */
async function storeImage({ db }: AppContext): Promise<void> {
  await db.query(
    `insert into image_files (file_hash, type, content) values (decode($1, 'hex'), 'image/webp', '\\x00')
     on conflict do nothing`,
    [IMAGE_HASH],
  );
}

/** The document's examples of bodies, by operation. */
class Examples {
  readonly bodies: (id: string) => Json[];

  constructor(contract: Contract) {
    this.bodies = (id) => [...(contract.operations.find((one) => one.id === id)?.body?.examples ?? [])];
  }
}

export function mergePools(...pools: readonly Pools[]): Pools {
  const all: Record<string, string[]> = {};
  for (const pool of pools) for (const [kind, ids] of Object.entries(pool)) all[kind] = [...(all[kind] ?? []), ...ids];
  return all;
}

export const inDays = (now: number, days: number): string => new Date(now + days * 86_400_000).toISOString();

export function newCheckout(now: number, name: string, more: object = {}): object {
  return {
    amount: 24_000,
    currency: 'usd',
    party_size: 4,
    pay_by: inDays(now, 3),
    description: 'Cabana 3',
    starts_at: inDays(now, 5),
    return_url: `${ORIGIN}/thanks`,
    external_booking_id: name,
    ...more,
  };
}

let nextName = 0;
/** A new name, unique in the database for any seed. */
export const uniqueName = (prefix: string): string => `${prefix}-${process.pid}-${nextName++}`;
/** Whether this is an external id that the fixture made, not an id. */
export const isOwnName = (text: string): boolean => text.startsWith('own-');

/** Creates the venue's catalogue and one open checkout, with a key of either mode. */
async function createCatalogue(
  sendOk: SendOk,
  key: string,
  bodies: (id: string) => Json[],
  now: number,
): Promise<Pools> {
  const renamed = (body: Json): object => ({ ...(body as object), external_id: uniqueName('own') });
  const single = (id: string): Json[] => bodies(id).filter((body) => 'external_id' in (body as object));
  const offerings = await Promise.all(
    single('upsertOfferings').map((body) => sendOk('POST', '/v1/offerings', key, renamed(body))),
  );
  const boats = await Promise.all(single('upsertBoats').map((body) => sendOk('POST', '/v1/boats', key, renamed(body))));
  const experiences = await Promise.all(
    bodies('submitExperience').map((body) => sendOk('POST', '/v1/experiences', key, withNewName(body))),
  );
  const checkout = await sendOk('POST', '/v1/checkouts', key, newCheckout(now, uniqueName('bk')));
  return {
    offerings: offerings.flatMap(({ data }) => [data.id, data.external_id]),
    boats: boats.flatMap(({ data }) => [data.id, data.external_id]),
    experiences: experiences.map(({ data }) => data.id),
    checkouts: [checkout.id],
    shares: checkout.shares.map(({ id }: AnyJson) => id),
  };
}

/** With a new name, and without an offering. */
function withNewName(body: Json): object {
  const { offering_external_id: _left, ...rest } = body as { [name: string]: Json };
  return 'external_id' in rest ? { ...rest, external_id: uniqueName('own') } : rest;
}

async function approveFirst(sendOk: SendOk, key: string, ids: readonly string[]): Promise<string> {
  const [first = ''] = ids;
  await sendOk('POST', '/v1/test_helpers/review', key, { id: first, status: 'approved' });
  return first;
}

function newActivity(experience: string, venueId: string, now: number): object {
  const common = { member_id: 'member-77', at: new Date(now - 60_000).toISOString(), mode: 'test' };
  return {
    events: [
      { id: uniqueName('act'), type: 'view', experience_id: experience, ...common },
      { id: uniqueName('act'), type: 'venue_page_view', venue_id: venueId, ...common },
    ],
  };
}

/** Creates checkouts in every state with the test helpers. */
async function createCheckouts(
  sendOk: SendOk,
  key: string,
  now: number,
): Promise<{ checkouts: string[]; shares: string[] }> {
  const helper = (id: string, command: string, body: object = {}): Promise<AnyJson> =>
    sendOk('POST', `/v1/test_helpers/checkouts/${id}/${command}`, key, body);
  const create = async (): Promise<string> =>
    (await sendOk('POST', '/v1/checkouts', key, newCheckout(now, uniqueName('bk')))).id;
  const ways: readonly ((id: string) => Promise<unknown>)[] = [
    // Several stay open: other requests cancel, complete and expire some before the helpers that need an open one.
    ...Array.from({ length: 6 }, () => async () => undefined),
    (id) => helper(id, 'collect'),
    (id) => helper(id, 'collect'),
    async (id) => {
      const { shares } = await helper(id, 'collect');
      return helper(id, 'hold', { share_id: shares[0].id });
    },
    // A refund that gives everything back leaves nothing for the next.
    ...Array.from({ length: 8 }, () => (id: string) => helper(id, 'complete')),
    async (id) => {
      await helper(id, 'complete');
      return sendOk('POST', `/v1/checkouts/${id}/refund`, key, { amount: 12_000 });
    },
    (id) => helper(id, 'expire'),
    (id) => sendOk('POST', `/v1/checkouts/${id}/cancel`, key),
  ];
  const checkouts = await Promise.all(
    ways.map(async (way) => {
      const id = await create();
      await way(id);
      return id;
    }),
  );
  const seen = await Promise.all(checkouts.map((id) => sendOk('GET', `/v1/checkouts/${id}`, key)));
  return { checkouts, shares: seen.flatMap(({ shares }) => shares.map(({ id }: AnyJson) => id)) };
}

const ofKind =
  (kind: string) =>
  (id: string): readonly [string, string] => [kind, id];
