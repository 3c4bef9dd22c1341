// Guests of the fixture: with a session of the hosted pages and with a token, in parties with open and held shares.

import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel, createMember } from '../../src/domain/members/create-member.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { commandContext } from '../../src/run/context.ts';
import { recordSecret } from '../support/record-logs.ts';
import { type AnyJson, type FixtureTarget, newCheckout, type Pools, type SendOk, uniqueName } from './fixture.ts';

export interface Person {
  readonly id: string;
  readonly phone: string;
  readonly token: string;
  /** The session token in the hosted pages' cookie. */
  readonly session: string;
}

export interface Intent {
  readonly clientSecret: string;
  readonly publishableKey: string;
}

export interface Seat {
  readonly checkout: string;
  readonly share: string;
  /** The share of the next person of the party, who has not paid. */
  readonly nextShare: string;
  readonly token: string;
}

interface GuestOptions {
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
  /** Payment intents as a browser gets them. */
  readonly intents: readonly Intent[];
  /** Shares of the organizer, with the organizer's token. */
  readonly seats: readonly Seat[];
  /** Shares of another guest, with that guest's token. */
  readonly guestSeats: readonly Seat[];
  /** Completed checkouts that the organizer has paid for: they have a receipt. */
  readonly paid: readonly string[];
  readonly own: Pools;
}

const GUEST_COUNT = 6;
/** A receipt is mailed three times. */
const PAID_COUNT = 3;

export async function createGuests(gathering: GuestOptions): Promise<Guests> {
  const { where: target, ask: sendOk, key, generation, now } = gathering;
  const people: Person[] = [];
  for (let n = 0; n < GUEST_COUNT; n++) people.push(await createPerson(target, generation, n));
  const [organizer, second, third] = people as [Person, Person, Person];
  const channel = await createChat(target, people.slice(0, 4));
  const members = [{ user_id: organizer.id }, { user_id: second.id }, { phone: third.phone, name: 'Sam' }];
  const { db, ids } = target.context;
  const [openSeat = '', otherSeat = ''] = await db.transaction((tx) => createSeats(tx, { ids, now }, 2));
  const guest = { phone: guestPhone(generation, 900) };
  const parties = await Promise.all(
    [[...members, { user_id: openSeat }], [members[0], { user_id: otherSeat }], [...members, guest], members].map(
      async (party) => {
        const { id } = await sendOk('POST', '/v1/checkouts', key, newCheckout(now, uniqueName('party')));
        return sendOk('POST', `/v1/public/checkouts/${id}/party`, organizer.token, { members: party, split: 'equal' });
      },
    ),
  );
  const shares: AnyJson[] = parties.flatMap((party) => party.shares);
  const own = parties.map((party) => party.checkout.my_share_id as string);
  const holds = await Promise.all(
    own.map((share) => sendOk('POST', `/v1/public/shares/${share}/hold`, organizer.token)),
  );
  const challenge = await requestCode(sendOk, generation);
  const paid = await Promise.all(
    Array.from({ length: PAID_COUNT }, async () => {
      const { id } = await sendOk('POST', '/v1/checkouts', key, newCheckout(now, uniqueName('paid')));
      const party = { members: members.slice(1), split: 'equal' };
      await sendOk('POST', `/v1/public/checkouts/${id}/party`, organizer.token, party);
      await sendOk('POST', `/v1/test_helpers/checkouts/${id}/complete`, key);
      return id as string;
    }),
  );
  return {
    paid,
    people,
    checkouts: parties.map(({ checkout }) => checkout.id),
    shares: [...own, ...shares.map(({ id }) => id as string)],
    invites: shares.flatMap(({ url }) => (typeof url === 'string' ? [url.split('/').at(-1) ?? ''] : [])),
    intents: holds.map((response) => ({
      clientSecret: response.client_secret,
      publishableKey: response.publishable_key,
    })),
    seats: parties.map(({ checkout, shares: [, next] }) => ({
      checkout: checkout.id,
      share: checkout.my_share_id,
      nextShare: next.id,
      token: organizer.token,
    })),
    // The second of these parties has only the organizer and an open seat.
    guestSeats: parties.flatMap(({ checkout, shares: [, , guestShare] }, index) =>
      index === 1
        ? []
        : [{ checkout: checkout.id, share: guestShare.id, nextShare: guestShare.id, token: third.token }],
    ),
    own: {
      tokens: shares.flatMap(({ url }) => (typeof url === 'string' ? [url.split('/').at(-1) ?? ''] : [])),
      channels: [channel],
      members: people.map(({ id }) => id),
      challenges: [challenge.challenge_id],
    },
  };
}

const guestPhone = (generation: number, n: number): string =>
  `+1212${String(2_000_000 + ((generation * 1_000 + n) % 7_000_000)).padStart(7, '0')}`;

/** A reserved phone, whose code is 000000. A phone gets five codes an hour, so several are used in turn. */
const reservedPhone = (number: number): string => `+15550100${String(number % 200).padStart(3, '0')}`;

/** Requests of the fuzzer may have used up a phone's limit, so other phones are tried. */
async function requestCode(sendOk: SendOk, generation: number): Promise<AnyJson> {
  const request = (tries: number) =>
    sendOk('POST', '/v1/public/sign_in', '', { phone: reservedPhone(generation + 67 * tries) });
  for (let tries = 0; tries < 9; tries++) {
    try {
      return await request(tries);
    } catch (error) {
      if (!String(error).includes('got 429')) throw error;
    }
  }
  return request(9);
}

async function createPerson({ context }: FixtureTarget, generation: number, n: number): Promise<Person> {
  const phone = guestPhone(generation, n);
  const command = commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });
  const { id } = await context.db.transaction((tx) =>
    createMember(tx, command, { phone, name: n === 5 ? null : `Guest ${n}` }),
  );
  const token = await context.tokens.sign(id);
  recordSecret('token', token);
  return { id, phone, token, session: await beginSession(context, id) };
}

async function createChat({ context }: FixtureTarget, people: readonly Person[]): Promise<string> {
  const command = commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });
  const options = { name: 'Saturday', memberIds: people.map(({ id }) => id) };
  return context.db.transaction((tx) => createChannel(tx, command, options));
}
