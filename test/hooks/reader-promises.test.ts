// What holds for every reader: refused credentials pause the reads at once and are never tried again; a provider that asks
// to wait is left alone for that time; a provider that is down delays the read and loses nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Defaults } from '../../src/domain/hooks/integration.ts';
import {
  CLOUDBEDS_CREDENTIALS,
  CLOUDBEDS_RATE_LIMIT,
  CloudbedsApi,
  cloudbedsPing,
} from '../support/venue-apis/cloudbeds.ts';
import { FOREUP_CREDENTIALS, FOREUP_RATE_LIMIT, ForeUpApi, foreupPing } from '../support/venue-apis/foreup.ts';
import { MEWS_CREDENTIALS, MEWS_RATE_LIMIT, MewsApi } from '../support/venue-apis/mews.ts';
import {
  classSchedule,
  MINDBODY_CREDENTIALS,
  MINDBODY_RATE_LIMIT,
  MindbodyApi,
} from '../support/venue-apis/mindbody.ts';
import { OCTO_CREDENTIALS, OCTO_RATE_LIMIT, OctoApi } from '../support/venue-apis/octo.ts';
import {
  SQUARE_CREDENTIALS,
  SQUARE_RATE_LIMIT,
  SquareApi,
  squareCatalogUpdated,
} from '../support/venue-apis/square.ts';
import type { ApiAnswer } from '../support/venue-apis/venue-api.ts';
import { mewsEvents, peekBooking, ventrataIds } from '../support/venue-bodies.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';

interface ReaderCase {
  readonly provider: string;
  readonly defaults: Defaults;
  readonly credentials: Readonly<Record<string, string>>;
  /** A field of the credentials whose wrong value the provider refuses. */
  readonly secret: string;
  /** Two different messages about one object. */
  readonly pings: readonly [object, object];
  /** What the venue has sent itself before, because the API does not have all of it. */
  readonly offering?: object;
  /** What the provider answers to too many requests. */
  readonly rateLimit: ApiAnswer;
}

const cloudbeds = new CloudbedsApi();
const foreup = new ForeUpApi();
const mews = new MewsApi();
const square = new SquareApi();
const [ventrata, peek] = [new OctoApi('ventrata'), new OctoApi('peek')];
const mindbody = new MindbodyApi();
const CASES: readonly ReaderCase[] = [
  {
    provider: 'mews',
    defaults: { kind: 'cabana' },
    credentials: MEWS_CREDENTIALS,
    secret: 'access_token',
    pings: [mewsEvents('ServiceOrderUpdated'), mewsEvents('ResourceUpdated')],
    rateLimit: MEWS_RATE_LIMIT,
  },
  {
    provider: 'cloudbeds',
    defaults: { kind: 'cabana', timezone: 'Europe/Lisbon' },
    credentials: CLOUDBEDS_CREDENTIALS,
    secret: 'api_key',
    pings: [cloudbedsPing('reservation/created', '1'), cloudbedsPing('reservation/dates_changed', '1')],
    rateLimit: CLOUDBEDS_RATE_LIMIT,
  },
  {
    provider: 'foreup',
    defaults: { kind: 'tee_time', currency: 'usd' },
    credentials: FOREUP_CREDENTIALS,
    secret: 'password',
    pings: [foreupPing('teetime.updated', '1'), foreupPing('teetime.deleted', '1')],
    rateLimit: FOREUP_RATE_LIMIT,
  },
  {
    provider: 'square',
    defaults: { kind: 'spa_treatment' },
    credentials: SQUARE_CREDENTIALS,
    secret: 'access_token',
    pings: [squareCatalogUpdated('e-1', '2027-01-01T00:00:00Z'), squareCatalogUpdated('e-2', '2027-01-02T00:00:00Z')],
    rateLimit: SQUARE_RATE_LIMIT,
  },
  {
    provider: 'ventrata',
    defaults: { kind: 'boat_day' },
    credentials: OCTO_CREDENTIALS,
    secret: 'api_key',
    pings: [ventrataIds, { ...ventrataIds, availabilityIds: ['2027-06-13T18:00:00-04:00'] }],
    rateLimit: OCTO_RATE_LIMIT,
  },
  {
    provider: 'peek',
    defaults: { kind: 'boat_day' },
    credentials: OCTO_CREDENTIALS,
    secret: 'api_key',
    pings: [peekBooking(), peekBooking({ uuid: 'b-2' })],
    rateLimit: OCTO_RATE_LIMIT,
  },
  {
    provider: 'mindbody',
    defaults: { kind: 'class', timezone: 'America/New_York' },
    credentials: MINDBODY_CREDENTIALS,
    secret: 'api_key',
    pings: [classSchedule('m-1'), classSchedule('m-2')],
    offering: {
      external_id: '69',
      kind: 'class',
      title: 'Flow',
      tiers: [{ label: 'Drop-in', amount: 2_500, currency: 'usd', unit: 'per_person' }],
    },
    rateLimit: MINDBODY_RATE_LIMIT,
  },
];

let reading: ReadingWorld;
beforeAll(async () => {
  reading = await openReadingWorld([cloudbeds, foreup, mews, square, ventrata, peek, mindbody]);
  for (const octo of [ventrata, peek])
    octo.products = [{ id: 'av_123', name: 'Cruise', vacancies: 7, adult: () => 7_500 }];
  square.services = [{ item: 'I1', variation: 'V1', name: 'Massage', version: 1, amount: 9_500 }];
  cloudbeds.types = [{ id: '1', name: 'Room', maxGuests: 2, night: () => ({ rateBase: 90, roomsAvailable: 2 }) }];
  foreup.sheets = [{ id: '12', title: 'Cascade' }];
  foreup.times = () => [{ time: '0800', spots: 4, greenFee: 45 }];
  mews.categories = [{ id: 'c-1', name: 'Cabana', capacity: 4, free: () => 2, price: () => 90 }];
});
afterAll(() => reading.close());
beforeEach(() => reading.reset());

describe.each(CASES)('$provider', ({ provider, defaults, credentials, secret, pings, offering, rateLimit }) => {
  const connected = async (set: ReaderCase['credentials']) => {
    const system = await reading.connect(provider, defaults, set);
    if (offering !== undefined) await reading.world.call('POST', '/v1/offerings', { key: system.key, body: offering });
    return system;
  };

  it('refused credentials pause the reads at once, and nothing is tried again until others are set', async () => {
    const system = await connected({ ...credentials, [secret]: 'wrong' });
    await system.send(pings[0]);
    await reading.applyAndRead();
    expect(reading.apis.requests.length).toBe(1);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'paused', reason: 'credentials_refused' });
    await system.send(pings[1]);
    await reading.makeReadsDue();
    await reading.applyAndRead();
    expect(reading.apis.requests.length).toBe(1);
    await reading.setCredentials(system, credentials);
    await reading.readAll();
    expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
  });

  it('wrong credentials are shown without a delivery: one request, and nothing is tried again', async () => {
    const system = await reading.connect(provider, defaults, null);
    await reading.setCredentials(system, { ...credentials, [secret]: 'wrong' });
    expect(await reading.readsOf(system)).toMatchObject({ status: 'checking', reason: null });
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'paused', reason: 'credentials_refused' });
    await reading.readAll();
    expect(reading.apis.requests.length).toBe(1);
  });

  it('right credentials are tried once: nothing is stored, and nothing is due', async () => {
    const system = await reading.connect(provider, defaults, null);
    await reading.setCredentials(system, credentials);
    await reading.readAll();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', waiting: 0, last_read_at: null });
    expect(reading.apis.requests.length).toBe(provider === 'foreup' ? 2 : 1);
    expect((await reading.world.call('GET', '/v1/offerings', { key: system.key })).json.data).toEqual([]);
  });

  it('a provider that is down, then asks to wait, delays the read and loses nothing', async () => {
    const system = await connected(credentials);
    await system.send(pings[0]);
    await reading.apply();
    reading.apis.faults.push({ status: 503, body: 'down' });
    await reading.makeDue();
    await reading.readOnce();
    expect(await reading.readsOf(system)).toMatchObject({ status: 'waiting', reason: 'provider_unavailable' });
    reading.apis.faults.push(rateLimit);
    await reading.makeDue();
    await reading.makeReadsDue();
    await reading.readOnce();
    const { status, reason, next_attempt_at: next } = await reading.readsOf(system);
    expect([status, reason]).toEqual(['waiting', 'rate_limited']);
    const wait = Number(rateLimit.headers?.['retry-after'] ?? 0) * 1000;
    expect(Date.parse(next)).toBeGreaterThan(Date.now() + wait - 20_000);
    expect(await reading.outcomes(system)).toEqual([['reading', null]]);
    await reading.makeReadsDue();
    await reading.readAll();
    expect(await reading.statuses(system)).toEqual(['applied']);
  });
});
