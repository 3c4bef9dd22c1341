// The guests of a run, each with a phone, an address and a name. They sign in as guests of the sandbox do: they request
// a code, read it in the outbox, and send it. A guest takes part in a few parties and is then replaced, so that no
// guest reaches an hourly limit.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Client, ClientResponse } from './client.ts';

/** A guest is replaced after this many parties. */
const MAX_PARTIES_PER_GUEST = 6;
/** Guests in the pool at a time. */
const POOL_SIZE = 20;
/** A guest is replaced after this many writes: half of the hourly limit, because requests may be repeated. */
const MAX_WRITES_PER_GUEST = 60;
/** Shorter than a token's validity of one hour. */
const TOKEN_MS = 50 * 60_000;
const MAX_SIGN_IN_ATTEMPTS = 3;
/** The server's limit for one phone. */
const MAX_CODES_PER_HOUR = 5;

export interface GuestSession {
  readonly memberId: string;
  readonly token: string;
}

export class Guest {
  readonly phone: string;
  readonly address: string;
  readonly name: string;
  parties = 0;
  /** Requested codes and sent writes, repeated requests included. */
  codesRequested = 0;
  writes = 0;
  /** The highest possible number of declined cards. */
  declines = 0;
  session: Promise<GuestSession | null> | null = null;
  sessionStartedAt = 0;

  constructor(number: number) {
    this.phone = `+1212${2_000_000 + number}`;
    this.address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    this.name = `Guest ${number}`;
  }
}

export class GuestPool {
  /** Refusals that a correct guest must not get. */
  readonly unexpected: string[] = [];
  /** Phones and tokens, which no log may contain. */
  readonly secrets: string[] = [];
  signedIn = 0;
  readonly #api: Client;
  #pool: Guest[] = [];
  #count = 0;

  constructor(api: Client) {
    this.#api = api;
  }

  /** Draws `count` different guests. */
  draw(count: number, random: SeededRandom): Guest[] {
    const drawn = new Set<Guest>();
    while (drawn.size < count) {
      while (this.#pool.length < POOL_SIZE) this.#pool.push(this.#newGuest());
      const guest = random.pick(this.#pool);
      if (drawn.has(guest)) continue;
      drawn.add(guest);
      guest.parties += 1;
    }
    this.#pool = this.#pool.filter(
      ({ parties, declines, writes: sent, codesRequested: codes }) =>
        parties < MAX_PARTIES_PER_GUEST && declines < 2 && sent < MAX_WRITES_PER_GUEST && codes < MAX_CODES_PER_HOUR,
    );
    return [...drawn];
  }

  #newGuest(): Guest {
    const guest = new Guest(++this.#count);
    this.secrets.push(guest.phone);
    return guest;
  }

  /** The guest's session; null if the sign-in gave up. Concurrent calls share one sign-in. */
  signIn(guest: Guest): Promise<GuestSession | null> {
    if (guest.session !== null && Date.now() - guest.sessionStartedAt < TOKEN_MS) return guest.session;
    const pass = this.#signIn(guest).then((made) => {
      if (made === null) guest.session = null;
      return made;
    });
    guest.session = pass;
    guest.sessionStartedAt = Date.now();
    return pass;
  }

  async #signIn(guest: Guest): Promise<GuestSession | null> {
    for (let round = 0; round < MAX_SIGN_IN_ATTEMPTS; round++) {
      const challenge = await this.#post(guest, '/v1/public/sign_in', { phone: guest.phone });
      guest.codesRequested += challenge?.tries ?? 1;
      if (challenge?.status === 429 && guest.codesRequested > MAX_CODES_PER_HOUR) return null;
      if (challenge?.status !== 200) return this.#refused('sign_in', challenge);
      const code = await this.#readCode(guest);
      // The outbox shows only the newest messages, so the code may no longer be there.
      if (code === null) continue;
      const verification = { challenge_id: challenge.json.challenge_id, code, name: guest.name };
      const response = await this.#post(guest, '/v1/public/sign_in/verify', verification);
      if (response?.status === 200) return this.#startSession(response);
      // A repeated request may have succeeded the first time: then there are two codes, or this one is used.
      const isRepeated = (challenge.tries ?? 1) > 1 || (response?.tries ?? 1) > 1 || round > 0;
      if (response?.status !== 422 || !isRepeated) return this.#refused('sign_in/verify', response);
    }
    return null;
  }

  #startSession(response: ClientResponse): GuestSession {
    const { token, member } = response.json as { token: string; member: { id: string } };
    this.secrets.push(token);
    this.signedIn += 1;
    return { memberId: member.id, token };
  }

  async #readCode({ phone }: Guest): Promise<string | null> {
    const response = await this.#api.send({ method: 'GET', path: '/sandbox/outbox', accept: 'application/json' });
    if (response?.status !== 200) return this.#refused('the outbox', response);
    const { data } = response.json as { data: { to: string; kind: string; text: string }[] };
    const message = data.find(({ to, kind }) => to === phone && kind === 'code');
    return /#(\d{6})\b/.exec(message?.text ?? '')?.[1] ?? null;
  }

  #post({ address }: Guest, path: string, body: unknown): Promise<ClientResponse | null> {
    return this.#api.send({ method: 'POST', path, body: JSON.stringify(body), address });
  }

  #refused(what: string, response: ClientResponse | null): null {
    if (response !== null) this.unexpected.push(`${what} got ${response.status}: ${response.text.slice(0, 300)}`);
    return null;
  }
}
