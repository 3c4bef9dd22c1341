// Callers without access, during the faults of a run: a venue that reads another's checkouts, a live key that reads a
// test checkout, and a key that is used after its revocation. The first two must get the response for an unknown id,
// byte for byte; a revoked key must get 401 from every server as soon as the revocation is acknowledged.

import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Found } from '../support/violation.ts';
import type { BookableVenue, Booking } from './booking.ts';
import type { Client, ClientResponse } from './client.ts';
import type { Venues } from './load.ts';

const UNKNOWN_CHECKOUT_ID = `chk_${'0'.repeat(25)}1`;
const UNREACHABLE_LIMIT = 1_000_000_000;

export interface ForeignRead {
  readonly checkoutId: string;
  readonly who: string;
  readonly foreign: ClientResponse;
  readonly missing: ClientResponse;
}

export interface RevokedKey {
  readonly keyId: string;
  readonly before: readonly ClientResponse[];
  readonly after: readonly ClientResponse[];
  /** The key was issued, and was not there when it was to be revoked. */
  readonly isLost: boolean;
}

export class Outsiders {
  readonly foreignReads: ForeignRead[] = [];
  readonly revokedKeys: RevokedKey[] = [];
  /** Keys that no log may contain. */
  readonly secrets: string[] = [];
  readonly #api: Client;
  readonly #venues: Venues;
  readonly #random: SeededRandom;

  constructor(api: Client, venues: Venues, random: SeededRandom) {
    this.#api = api;
    this.#venues = venues;
    this.#random = random;
  }

  /** No request is repeated after this time. */
  set giveUpAt(at: number) {
    this.#api.giveUpAt = at;
  }

  async readForeignUntil(bookings: readonly Booking[], isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      await delay(this.#random.between(300, 900));
      const created = bookings.filter(({ id }) => id !== null);
      if (created.length > 0) await this.readForeign(this.#random.pick(created));
    }
  }

  async readForeign({ id, venue }: Booking): Promise<void> {
    const { unrelated } = this.#venues;
    const [who, key] = this.#random.often(0.5)
      ? ['another venue', unrelated.key]
      : ['the live key', venue.liveKey ?? ''];
    const read = (checkoutId: string): Promise<ClientResponse | null> =>
      this.#api.send({ method: 'GET', path: `/v1/checkouts/${checkoutId}`, key });
    const [foreign, missing] = [await read(id ?? ''), await read(UNKNOWN_CHECKOUT_ID)];
    if (foreign !== null && missing !== null) this.foreignReads.push({ checkoutId: id ?? '', who, foreign, missing });
  }

  async revokeKeysUntil(servers: number, isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      await delay(this.#random.between(500, 2_500));
      await this.revokeKey(this.#random.pick(this.#venues.bookable), servers);
    }
  }

  async revokeKey({ venueId }: BookableVenue, servers: number): Promise<void> {
    const { keyOperator } = this.#venues;
    const { id: keyId, key } = await keyOperator.issue(venueId, UNREACHABLE_LIMIT);
    this.secrets.push(key);
    const callEveryServer = async (): Promise<ClientResponse[]> => {
      const calls = Array.from({ length: servers }, (_, server) =>
        this.#api.send({ method: 'GET', path: '/v1/me', key, server }),
      );
      return (await Promise.all(calls)).filter((response) => response !== null);
    };
    const before = await callEveryServer();
    const isLost = !(await keyOperator.revoke(keyId));
    this.revokedKeys.push({ keyId, before, after: await callEveryServer(), isLost });
  }
}

export function checkOutsiders(
  { foreignReads: pried, revokedKeys: revoked }: Pick<Outsiders, 'foreignReads' | 'revokedKeys'>,
  found: Found,
): void {
  for (const { checkoutId, who, foreign, missing } of pried) {
    if (foreign.status !== 404) found('a foreign checkout looks missing', checkoutId, `${who} got ${foreign.status}`);
    else if (withoutIds(foreign, checkoutId) !== withoutIds(missing, UNKNOWN_CHECKOUT_ID)) {
      found('a foreign checkout looks missing', checkoutId, `${who} got another response than for an unknown id`);
    }
  }
  for (const { keyId, before, after, isLost } of revoked) {
    if (isLost) found('an issued key is stored', keyId, 'there was no such key when it was to be revoked');
    const refused = before.filter(({ status }) => status !== 200).length;
    const accepted = after.filter(({ status }) => status !== 401);
    if (refused > 0) found('a key works from the moment it is issued', keyId, `${refused} servers refused it`);
    for (const { status } of accepted)
      found('a revoked key is refused', keyId, `a call after the revocation got ${status}`);
  }
}

/** The response without its request id and the requested id. */
function withoutIds({ text }: ClientResponse, id: string): string {
  return text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""').replaceAll(id, 'ID');
}
