// What holds for every reader: refused credentials pause the reads at once and are never tried again; a provider that asks
// to wait is left alone for that time; a provider that is down delays the read and loses nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Defaults } from '../../src/domain/hooks/integration.ts';
import { MEWS_CREDENTIALS, MEWS_RATE_LIMIT, MewsApi } from '../support/venue-apis/mews.ts';
import type { ApiAnswer } from '../support/venue-apis/venue-api.ts';
import { mewsEvents } from '../support/venue-bodies.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';

interface ReaderCase {
  readonly provider: string;
  readonly defaults: Defaults;
  readonly credentials: Readonly<Record<string, string>>;
  /** A field of the credentials whose wrong value the provider refuses. */
  readonly secret: string;
  /** Two different messages about one object. */
  readonly pings: readonly [object, object];
  /** What the provider answers to too many requests. */
  readonly rateLimit: ApiAnswer;
}

const mews = new MewsApi();
const CASES: readonly ReaderCase[] = [
  {
    provider: 'mews',
    defaults: { kind: 'cabana' },
    credentials: MEWS_CREDENTIALS,
    secret: 'access_token',
    pings: [mewsEvents('ServiceOrderUpdated'), mewsEvents('ResourceUpdated')],
    rateLimit: MEWS_RATE_LIMIT,
  },
];

let reading: ReadingWorld;
beforeAll(async () => {
  reading = await openReadingWorld([mews]);
  mews.categories = [{ id: 'c-1', name: 'Cabana', capacity: 4, free: () => 2, price: () => 90 }];
});
afterAll(() => reading.close());
beforeEach(() => reading.reset());

describe.each(CASES)('$provider', ({ provider, defaults, credentials, secret, pings, rateLimit }) => {
  it('refused credentials pause the reads at once, and nothing is tried again until others are set', async () => {
    const system = await reading.connect(provider, defaults, { ...credentials, [secret]: 'wrong' });
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

  it('a provider that is down, then asks to wait, delays the read and loses nothing', async () => {
    const system = await reading.connect(provider, defaults, credentials);
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
