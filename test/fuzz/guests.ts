// People of the fixture: signed in on the hosted pages and by token, in parties whose shares are open, asked for and held.

import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel, createMember } from '../../src/domain/members/create-member.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { commandContext } from '../../src/run/context.ts';
import { recordSecret } from '../support/record-logs.ts';
import { type AnyJson, booking, type FixtureTarget, type Pools, type SendOk, uniqueName } from './fixture.ts';

export interface Person {
  readonly id: string;
  readonly phone: string;
  readonly token: string;
  /** Of the hosted pages' cookie. */
  readonly session: string;
}

export interface Intent {
  readonly clientSecret: string;
  readonly publishableKey: string;
}

export interface Seat {
  readonly checkout: string;
  readonly share: string;
  readonly token: string;
}

interface Gathering {
  readonly where: FixtureTarget;
  readonly ask: SendOk;
  readonly key: string;
  readonly generation: number;
  readonly now: number;
}

export interface Guests {
  readonly people: readonly Person[];
  readonly checkouts: readonly string[];
  readonly shares: readonly string[];
  readonly invites: readonly string[];
  /** Payment intents as a browser knows them. */
  readonly intents: readonly Intent[];
  /** Whose share is whose. */
  readonly seats: readonly Seat[];
  readonly own: Pools;
}

const PEOPLE = 6;

export async function createGuests(gathering: Gathering): Promise<Guests> {
  const { where, ask, key, generation, now } = gathering;
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await person(where, generation, n));
  const [organizer, second, third] = people as [Person, Person, Person];
  const channel = await chat(where, people.slice(0, 4));
  const members = [{ user_id: organizer.id }, { user_id: second.id }, { phone: third.phone, name: 'Sam' }];
  const { db, ids } = where.context;
  const [free = '', other = ''] = await db.transaction((tx) => createSeats(tx, { ids, now }, 2));
  const guest = { phone: phoneOf(generation, 900) };
  const parties = await Promise.all(
    [[...members, { user_id: free }], [members[0], { user_id: other }], [...members, guest], members].map(
      async (party) => {
        const { id } = await ask('POST', '/v1/checkouts', key, booking(now, uniqueName('party')));
        return ask('POST', `/v1/public/checkouts/${id}/party`, organizer.token, { members: party, split: 'equal' });
      },
    ),
  );
  const shares: AnyJson[] = parties.flatMap((party) => party.shares);
  const own = parties.map((party) => party.checkout.my_share_id as string);
  const holds = await Promise.all(own.map((share) => ask('POST', `/v1/public/shares/${share}/hold`, organizer.token)));
  const challenge = await codeAskedFor(ask, generation);
  return {
    people,
    checkouts: parties.map(({ checkout }) => checkout.id),
    shares: [...own, ...shares.map(({ id }) => id as string)],
    invites: shares.flatMap(({ url }) => (typeof url === 'string' ? [url.split('/').at(-1) ?? ''] : [])),
    intents: holds.map((response) => ({
      clientSecret: response.client_secret,
      publishableKey: response.publishable_key,
    })),
    seats: parties.map(({ checkout }) => ({
      checkout: checkout.id,
      share: checkout.my_share_id,
      token: organizer.token,
    })),
    own: {
      channels: [channel],
      members: people.map(({ id }) => id),
      challenges: [challenge.challenge_id],
    },
  };
}

const phoneOf = (generation: number, n: number): string =>
  `+1555${String(2_000_000 + ((generation * 1_000 + n) % 7_000_000)).padStart(7, '0')}`;

/** Takes 000000 as its code; a phone gets five codes an hour, so they take turns. */
const reserved = (turn: number): string => `+15550100${String(turn % 200).padStart(3, '0')}`;

/** Whatever is in the requests may have used up a phone: then it is another's turn. */
async function codeAskedFor(ask: SendOk, generation: number): Promise<AnyJson> {
  const request = (tries: number) =>
    ask('POST', '/v1/public/sign_in', '', { phone: reserved(generation + 67 * tries) });
  for (let tries = 0; tries < 9; tries++) {
    try {
      return await request(tries);
    } catch (error) {
      if (!String(error).includes('answered 429')) throw error;
    }
  }
  return request(9);
}

async function person({ context }: FixtureTarget, generation: number, n: number): Promise<Person> {
  const phone = phoneOf(generation, n);
  const command = commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });
  const { id } = await context.db.transaction((tx) =>
    createMember(tx, command, { phone, name: n === 5 ? null : `Guest ${n}` }),
  );
  const token = await context.tokens.sign(id);
  recordSecret('token', token);
  return { id, phone, token, session: await beginSession(context, id) };
}

async function chat({ context }: FixtureTarget, people: readonly Person[]): Promise<string> {
  const command = commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });
  const options = { name: 'Saturday', memberIds: people.map(({ id }) => id) };
  return context.db.transaction((tx) => createChannel(tx, command, options));
}
