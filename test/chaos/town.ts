// The venues of a run, with keys that no load exhausts, and the crowd of stories that is kept going until the time is up.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config.ts';
import type { Db } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { issueKey } from '../../src/domain/keys/issue-key.ts';
import { changeFee } from '../../src/domain/venues/change-venue.ts';
import { createVenue } from '../../src/domain/venues/create-venue.ts';
import { actIn, makeHouse } from '../../src/run/house.ts';
import { Chance } from '../sim/chance.ts';
import type { Booking, Shop } from './booking.ts';
import { Client, Recorder } from './client.ts';
import { Guests } from './guests.ts';
import type { Stage } from './stage.ts';
import { type Town, tellStory } from './stories.ts';

const NO_LIMIT = 1_000_000_000;
const FEES = [
  [0, 0],
  [290, 30],
  [1_000, 0],
] as const;

export async function openShops(db: Db, stage: Stage): Promise<Shop[]> {
  const sealKey = Buffer.from(stage.sharedEnv.ENCRYPTION_KEY ?? '', 'base64');
  const house = makeHouse({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'chaos'),
    sealKey,
    operatorToken: '',
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
  });
  const act = actIn(house, { actor: 'chaos', via: 'cli', address: null, requestId: null });
  const limits = { writesPerHour: NO_LIMIT, readsPerHour: NO_LIMIT };
  const shops: Shop[] = [];
  for (const [bps, fixed] of FEES) {
    const shop = await db.transaction(async (tx) => {
      const wish = { name: `Harbor House ${bps}`, origins: ['https://harbor.example'], sandbox: false };
      const { id } = await createVenue(tx, act, wish);
      await changeFee(tx, act, id, bps, fixed);
      const common = { venueId: id, kind: 'secret', mode: 'test', scopes: [], expiresAt: null, allowIps: [] } as const;
      return { venueId: id, key: (await issueKey(tx, act, { ...common, ...limits })).key };
    });
    shops.push(shop);
  }
  return shops;
}

export interface Crowd {
  readonly recorder: Recorder;
  readonly bookings: readonly Booking[];
  /** Nothing new is begun; comes back when all stories have ended, or after `patienceMs` without more tries. */
  disperse(patienceMs: number): Promise<void>;
  readonly town: Town;
}

export function gatherCrowd(stage: Stage, shops: readonly Shop[], lanes: number): Crowd {
  const recorder = new Recorder();
  const bookings: Booking[] = [];
  let closing = false;
  const clients = new Map<string, Client>();
  const clientFor = (name: string, urls: readonly string[]): Client => {
    const client = new Client(urls, recorder, new Chance(stage.seed, name));
    clients.set(name, client);
    return client;
  };
  const api = clientFor('api', stage.apiUrls);
  const guests = new Guests(clientFor('door', [stage.guestUrl]), api, clientFor('bank', [stage.processorUrl]));
  const town: Town = { shops, api, guests, recorder, seed: stage.seed, closing: () => closing };
  let number = 0;
  const lane = async (): Promise<void> => {
    while (!closing) {
      const own = ++number;
      const chance = new Chance(stage.seed, `story ${own}`);
      await tellStory(town, own, chance, bookings);
      if (!closing) await delay(chance.between(20, 200));
    }
  };
  const running = Array.from({ length: lanes }, lane);
  return {
    recorder,
    bookings,
    town,
    async disperse(patienceMs) {
      closing = true;
      for (const client of clients.values()) client.giveUpAt = Date.now() + patienceMs;
      await Promise.all(running);
    },
  };
}
