// Those whom the walls are for, while everything falls down around them: a venue that reads another's checkouts, a key of live mode that
// reads a test checkout, and a key that is used after it was taken away. For the first two a checkout is not there, byte for byte;
// for the last the answer is 401 from every server, from the moment at which the revocation was acknowledged.

import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Found } from '../support/violation.ts';
import type { BookableVenue, Booking } from './booking.ts';
import type { Client, ClientResponse } from './client.ts';
import type { Venues } from './load.ts';

const NOBODYS = `chk_${'0'.repeat(25)}1`;
const NO_LIMIT = 1_000_000_000;

export interface Pried {
  readonly checkoutId: string;
  readonly who: string;
  readonly foreign: ClientResponse;
  readonly missing: ClientResponse;
}

export interface Revoked {
  readonly keyId: string;
  readonly before: readonly ClientResponse[];
  readonly after: readonly ClientResponse[];
}

export class Outsiders {
  readonly pried: Pried[] = [];
  readonly revoked: Revoked[] = [];
  /** What no log may show. */
  readonly secrets: string[] = [];
  readonly #api: Client;
  readonly #venues: Venues;
  readonly #random: SeededRandom;

  constructor(api: Client, venues: Venues, random: SeededRandom) {
    this.#api = api;
    this.#venues = venues;
    this.#random = random;
  }

  /** After this they do not try any more. */
  set giveUpAt(at: number) {
    this.#api.giveUpAt = at;
  }

  async pry(bookings: readonly Booking[], closing: () => boolean): Promise<void> {
    while (!closing()) {
      await delay(this.#random.between(300, 900));
      const made = bookings.filter(({ id }) => id !== null);
      if (made.length > 0) await this.pryInto(this.#random.pick(made));
    }
  }

  async pryInto({ id, venue }: Booking): Promise<void> {
    const { unrelated: stranger } = this.#venues;
    const [who, key] = this.#random.often(0.5) ? ['a stranger', stranger.key] : ['live mode', venue.liveKey ?? ''];
    const read = (checkoutId: string): Promise<ClientResponse | null> =>
      this.#api.send({ method: 'GET', path: `/v1/checkouts/${checkoutId}`, key });
    const [foreign, missing] = [await read(id ?? ''), await read(NOBODYS)];
    if (foreign !== null && missing !== null) this.pried.push({ checkoutId: id ?? '', who, foreign, missing });
  }

  async revoke(servers: number, closing: () => boolean): Promise<void> {
    while (!closing()) {
      await delay(this.#random.between(500, 2_500));
      await this.revokeOne(this.#random.pick(this.#venues.bookable), servers);
    }
  }

  async revokeOne({ venueId }: BookableVenue, servers: number): Promise<void> {
    const { keyOperator: keymaster } = this.#venues;
    const { id: keyId, key } = await keymaster.issue(venueId, NO_LIMIT);
    this.secrets.push(key);
    const everywhere = async (): Promise<ClientResponse[]> => {
      const asking = Array.from({ length: servers }, (_, server) =>
        this.#api.send({ method: 'GET', path: '/v1/me', key, server }),
      );
      return (await Promise.all(asking)).filter((response) => response !== null);
    };
    const before = await everywhere();
    await keymaster.revoke(keyId);
    this.revoked.push({ keyId, before, after: await everywhere() });
  }
}

export function checkOutsiders({ pried, revoked }: Pick<Outsiders, 'pried' | 'revoked'>, found: Found): void {
  for (const { checkoutId, who, foreign, missing } of pried) {
    if (foreign.status !== 404) found('walls hold', checkoutId, `to ${who} it was answered ${foreign.status}`);
    else if (plain(foreign, checkoutId) !== plain(missing, NOBODYS)) {
      found('walls hold', checkoutId, `to ${who} it was not answered as if it were missing`);
    }
  }
  for (const { keyId, before, after } of revoked) {
    const refused = before.filter(({ status }) => status !== 200).length;
    const taken = after.filter(({ status }) => status !== 401);
    if (refused > 0) found('a key works from the moment it is issued', keyId, `${refused} servers refused it`);
    for (const { status } of taken) found('a revoked key is nobody’s', keyId, `it was answered ${status} afterwards`);
  }
}

/** Without what names the request or repeats what was asked. */
function plain({ text }: ClientResponse, id: string): string {
  return text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""').replaceAll(id, 'ID');
}
