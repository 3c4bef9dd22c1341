// The venues of a run, with keys that no load exhausts, and the crowd of stories that is kept going until the time is up.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import type { CommandContext } from '../../src/base/command-context.ts';
import { type Mode, readConfig } from '../../src/base/config.ts';
import type { Db } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { issueKey, type NewKeyRequest } from '../../src/domain/keys/issue-key.ts';
import { SCOPES } from '../../src/domain/keys/key.ts';
import { revokeKey } from '../../src/domain/keys/revoke-key.ts';
import { changeFee } from '../../src/domain/venues/change-venue.ts';
import { createVenue } from '../../src/domain/venues/create-venue.ts';
import { commandContext, makeContext } from '../../src/run/context.ts';
import { Chance } from '../sim/chance.ts';
import type { Booking, Shop } from './booking.ts';
import { Client, Recorder } from './client.ts';
import { Guests } from './guests.ts';
import { Outsiders } from './outsiders.ts';
import type { Town } from './partner.ts';
import { People } from './people.ts';
import type { Stage } from './stage.ts';
import { tellStory } from './stories.ts';

const NO_LIMIT = 1_000_000_000;
/** When they are used up, parties have no open seats any more. */
const SEATS = 5_000;
const FEES = [
  [0, 0],
  [290, 30],
  [1_000, 0],
] as const;

/** Gives keys and takes them away, as the operator does. */
export interface Keymaster {
  issue(venueId: string, readsPerHour: number): Promise<{ readonly id: string; readonly key: string }>;
  /** Once it comes back, the key is nobody's. */
  revoke(keyId: string): Promise<void>;
}

export interface Venues {
  readonly shops: readonly Shop[];
  /** One that has nothing to do with any of them. */
  readonly stranger: Shop;
  readonly keymaster: Keymaster;
  readonly seats: string[];
}

type Acting = () => CommandContext;

function actingIn(db: Db, stage: Stage): Acting {
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'chaos'),
    sealKey: Buffer.from(stage.sharedEnv.ENCRYPTION_KEY ?? '', 'base64'),
    operatorToken: '',
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
  });
  return () => commandContext(context, { actor: 'chaos', via: 'cli', address: null, requestId: null });
}

export async function openShops(db: Db, stage: Stage, command: Acting = actingIn(db, stage)): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (const [bps, fixed] of FEES) shops.push(await openShop(db, command(), `Harbor House ${bps}`, bps, fixed));
  return shops;
}

export async function openVenues(db: Db, stage: Stage): Promise<Venues> {
  const command = actingIn(db, stage);
  const shops = await openShops(db, stage, command);
  const stranger = await openShop(db, command(), 'Next Door', 0, 0);
  const seats = await db.transaction((tx) => createSeats(tx, command(), SEATS));
  const keymaster: Keymaster = {
    issue: (venueId, reads) =>
      untilDone(() => db.transaction((tx) => issueKey(tx, command(), keyOf(venueId, 'test', NO_LIMIT, reads)))),
    revoke: (keyId) => untilDone(async () => void (await db.transaction((tx) => revokeKey(tx, command(), keyId)))),
  };
  return { shops, stranger, keymaster, seats: [...seats] };
}

function openShop(db: Db, command: CommandContext, name: string, bps: number, fixed: number): Promise<Shop> {
  return db.transaction(async (tx) => {
    const { id } = await createVenue(tx, command, { name, origins: ['https://harbor.example'], sandbox: false });
    await changeFee(tx, command, id, bps, fixed);
    const { key } = await issueKey(tx, command, keyOf(id, 'test', NO_LIMIT, NO_LIMIT));
    const { key: liveKey } = await issueKey(tx, command, keyOf(id, 'live', NO_LIMIT, NO_LIMIT));
    return { venueId: id, key, liveKey };
  });
}

function keyOf(venueId: string, mode: Mode, writesPerHour: number, readsPerHour: number): NewKeyRequest {
  const common = { kind: 'secret', expiresAt: null, allowIps: [] } as const;
  return { ...common, venueId, mode, scopes: mode === 'live' ? SCOPES : [], writesPerHour, readsPerHour };
}

/** The operator tries again until it is done, however often the database goes away under it. */
async function untilDone<T>(command: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await command();
    } catch (error) {
      if (tries > 600) throw error;
      await delay(250);
    }
  }
}

export interface Crowd {
  readonly recorder: Recorder;
  readonly bookings: readonly Booking[];
  /** Nothing new is begun; comes back when all stories have ended, or after `patienceMs` without more tries. */
  disperse(patienceMs: number): Promise<void>;
  readonly town: Town;
  readonly outsiders: Outsiders;
}

export function gatherCrowd(stage: Stage, venues: Venues, lanes: number): Crowd {
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
  const browsers = clientFor('guests', stage.apiUrls);
  const guests = new Guests(new People(browsers), browsers, clientFor('bank', [stage.processorUrl]));
  const { shops, seats } = venues;
  const town: Town = { shops, api, guests, seats, recorder, seed: stage.seed, closing: () => closing };
  const outsiders = new Outsiders(clientFor('outsiders', stage.apiUrls), venues, new Chance(stage.seed, 'outsiders'));
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
  running.push(outsiders.pry(bookings, town.closing), outsiders.revoke(stage.apiUrls.length, town.closing));
  return {
    recorder,
    bookings,
    town,
    outsiders,
    async disperse(patienceMs) {
      closing = true;
      for (const client of clients.values()) client.giveUpAt = Date.now() + patienceMs;
      await Promise.all(running);
    },
  };
}
