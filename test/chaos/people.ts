// The people of a run: each with a phone, an address and a name of their own. They sign in as people do in the sandbox: a code is
// asked for, read in the outbox, and typed in. Somebody comes to a few parties and is then not seen again, so that nobody's
// hour is used up by this.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Client, ClientResponse } from './client.ts';

/** Parties that one person comes to. */
const PARTIES = 6;
/** So many are about at a time. */
const REGULARS = 20;
/** Calls that somebody makes before they are not seen again: half of a member's hour, should much be asked twice. */
const CALLS = 60;
/** A token is good for an hour. */
const TOKEN_MS = 50 * 60_000;
const ROUNDS = 3;
/** So many codes are sent to a phone in an hour. */
const CODES = 5;

export interface Pass {
  readonly memberId: string;
  readonly token: string;
}

export class Person {
  readonly phone: string;
  readonly address: string;
  readonly name: string;
  parties = 0;
  /** Codes that were asked for, and writes that were sent, each as often as it was. */
  codes = 0;
  sent = 0;
  /** How often a card of theirs may have been declined. */
  declines = 0;
  pass: Promise<Pass | null> | null = null;
  askedAt = 0;

  constructor(number: number) {
    this.phone = `+1555${2_000_000 + number}`;
    this.address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    this.name = `Guest ${number}`;
  }
}

export class People {
  /** Refusals that nobody who does it right should get. */
  readonly wrong: string[] = [];
  /** What no log may show: their phones and tokens. */
  readonly secrets: string[] = [];
  signedIn = 0;
  readonly #api: Client;
  #regulars: Person[] = [];
  #count = 0;

  constructor(api: Client) {
    this.#api = api;
  }

  /** All different. */
  draw(count: number, random: SeededRandom): Person[] {
    const drawn = new Set<Person>();
    while (drawn.size < count) {
      while (this.#regulars.length < REGULARS) this.#regulars.push(this.#newcomer());
      const person = random.pick(this.#regulars);
      if (drawn.has(person)) continue;
      drawn.add(person);
      person.parties += 1;
    }
    this.#regulars = this.#regulars.filter(
      ({ parties, declines, sent, codes }) => parties < PARTIES && declines < 2 && sent < CALLS && codes < CODES,
    );
    return [...drawn];
  }

  #newcomer(): Person {
    const person = new Person(++this.#count);
    this.secrets.push(person.phone);
    return person;
  }

  /** Null: it was given up. Whoever comes while they are signing in waits for that. */
  signIn(person: Person): Promise<Pass | null> {
    if (person.pass !== null && Date.now() - person.askedAt < TOKEN_MS) return person.pass;
    const pass = this.#signIn(person).then((made) => {
      if (made === null) person.pass = null;
      return made;
    });
    person.pass = pass;
    person.askedAt = Date.now();
    return pass;
  }

  async #signIn(person: Person): Promise<Pass | null> {
    for (let round = 0; round < ROUNDS; round++) {
      const asked = await this.#post(person, '/v1/public/sign_in', { phone: person.phone });
      person.codes += asked?.tries ?? 1;
      if (asked?.status === 429 && person.codes > CODES) return null;
      if (asked?.status !== 200) return this.#refused('sign_in', asked);
      const code = await this.#readCode(person);
      // Among very many messages it is soon no longer to be seen.
      if (code === null) continue;
      const typed = { challenge_id: asked.json.challenge_id, code, name: person.name };
      const response = await this.#post(person, '/v1/public/sign_in/verify', typed);
      if (response?.status === 200) return this.#welcome(response);
      // What was sent twice may have been heard the first time: then there are two codes, or this one is spent.
      const isTwice = (asked.tries ?? 1) > 1 || (response?.tries ?? 1) > 1 || round > 0;
      if (response?.status !== 422 || !isTwice) return this.#refused('sign_in/verify', response);
    }
    return null;
  }

  #welcome(response: ClientResponse): Pass {
    const { token, member } = response.json as { token: string; member: { id: string } };
    this.secrets.push(token);
    this.signedIn += 1;
    return { memberId: member.id, token };
  }

  async #readCode({ phone }: Person): Promise<string | null> {
    const response = await this.#api.send({ method: 'GET', path: '/sandbox/outbox', accept: 'application/json' });
    if (response?.status !== 200) return this.#refused('the outbox', response);
    const { data } = response.json as { data: { to: string; kind: string; text: string }[] };
    const message = data.find(({ to, kind }) => to === phone && kind === 'code');
    return /#(\d{6})\b/.exec(message?.text ?? '')?.[1] ?? null;
  }

  #post({ address }: Person, path: string, body: unknown): Promise<ClientResponse | null> {
    return this.#api.send({ method: 'POST', path, body: JSON.stringify(body), address });
  }

  #refused(what: string, response: ClientResponse | null): null {
    if (response !== null) this.wrong.push(`${what} was answered ${response.status}: ${response.text.slice(0, 300)}`);
    return null;
  }
}
