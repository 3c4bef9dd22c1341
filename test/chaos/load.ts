// The venues of a run, with keys whose limits no load reaches, and the clients that run scenarios until the load is
// stopped.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import type { CommandContext } from '../../src/base/command-context.ts';
import { type Mode, readConfig } from '../../src/base/config.ts';
import type { Db } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { makeLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { issueKey, type NewKeyRequest } from '../../src/domain/keys/issue-key.ts';
import { SCOPES } from '../../src/domain/keys/key.ts';
import { revokeKey } from '../../src/domain/keys/revoke-key.ts';
import { changeFee } from '../../src/domain/venues/change-venue.ts';
import { createVenue } from '../../src/domain/venues/create-venue.ts';
import { commandContext, makeContext, readSchemas } from '../../src/run/context.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import type { BookableVenue, Booking } from './booking.ts';
import { Client, Recorder } from './client.ts';
import { GuestClient } from './guest-client.ts';
import { GuestPool } from './guest-pool.ts';
import { Outsiders } from './outsiders.ts';
import type { LoadContext } from './partner.ts';
import type { RunSetup } from './run-setup.ts';
import { runScenario } from './scenarios.ts';

const UNREACHABLE_LIMIT = 1_000_000_000;
/** When all are used, new parties have no open seats. */
const OPEN_SEATS = 5_000;
const FEES = [
  [0, 0],
  [290, 30],
  [1_000, 0],
] as const;

/** Issues and revokes keys, as the operator does. */
export interface KeyOperator {
  issue(venueId: string, readsPerHour: number): Promise<{ readonly id: string; readonly key: string }>;
  /** When it resolves, the key is revoked. False: there is no such key, although it was issued. */
  revoke(keyId: string): Promise<boolean>;
}

export interface Venues {
  readonly bookable: readonly BookableVenue[];
  /** A venue without bookings, for callers without access. */
  readonly unrelated: BookableVenue;
  readonly keyOperator: KeyOperator;
  readonly seats: string[];
}

type MakeCommandContext = () => CommandContext;

function commandContextFor(db: Db, setup: RunSetup): MakeCommandContext {
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'chaos'),
    sealKeys: [Buffer.from(setup.sharedEnv.ENCRYPTION_KEY ?? '', 'base64')],
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
  return () => commandContext(context, { name: 'chaos', via: 'cli', address: null, requestId: null });
}

export async function createBookableVenues(
  db: Db,
  setup: RunSetup,
  command: MakeCommandContext = commandContextFor(db, setup),
): Promise<BookableVenue[]> {
  const bookable: BookableVenue[] = [];
  for (const [bps, fixed] of FEES)
    bookable.push(await createBookableVenue(db, command(), `Harbor Club ${bps}`, bps, fixed));
  return bookable;
}

export async function createVenues(db: Db, setup: RunSetup): Promise<Venues> {
  const command = commandContextFor(db, setup);
  const bookable = await createBookableVenues(db, setup, command);
  const unrelated = await createBookableVenue(db, command(), 'Unrelated venue', 0, 0);
  const seats = await db.transaction((tx) => createSeats(tx, command(), OPEN_SEATS));
  const keyOperator: KeyOperator = {
    issue: (venueId, reads) =>
      retryCommand(() =>
        db.transaction((tx) => issueKey(tx, command(), newKey(venueId, 'test', UNREACHABLE_LIMIT, reads))),
      ),
    revoke: (keyId) =>
      retryCommand(() => db.transaction((tx) => revokeKey(tx, command(), keyId))).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem && error.code === 'not_found') return false;
          throw error;
        },
      ),
  };
  return { bookable, unrelated, keyOperator, seats: [...seats] };
}

function createBookableVenue(
  db: Db,
  command: CommandContext,
  name: string,
  bps: number,
  fixed: number,
): Promise<BookableVenue> {
  return db.transaction(async (tx) => {
    const { id } = await createVenue(tx, command, { name, origins: ['https://harbor.example'], sandbox: false });
    await changeFee(tx, command, id, bps, fixed);
    const { key } = await issueKey(tx, command, newKey(id, 'test', UNREACHABLE_LIMIT, UNREACHABLE_LIMIT));
    const { key: liveKey } = await issueKey(tx, command, newKey(id, 'live', UNREACHABLE_LIMIT, UNREACHABLE_LIMIT));
    return { venueId: id, key, liveKey };
  });
}

function newKey(venueId: string, mode: Mode, writesPerHour: number, readsPerHour: number): NewKeyRequest {
  const common = { kind: 'secret', expiresAt: null, allowIps: [] } as const;
  return { ...common, venueId, mode, scopes: mode === 'live' ? SCOPES : [], writesPerHour, readsPerHour };
}

/** Longer than any wait for a failover: a cluster that does not heal is to be reported as that. */
const MAX_COMMAND_MS = 15 * 60_000;

/** Retries until the command is answered, because the database may be down. A refusal is an answer. */
async function retryCommand<T>(command: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + MAX_COMMAND_MS; Date.now() < until; ) {
    try {
      return await command();
    } catch (error) {
      if (error instanceof Problem) throw error;
      await delay(250);
    }
  }
  return command();
}

export interface ClientLoad {
  readonly recorder: Recorder;
  readonly bookings: readonly Booking[];
  /** Starts no new scenario; resolves when all scenarios have ended. No request is repeated after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
  readonly context: LoadContext;
  readonly outsiders: Outsiders;
}

export function startLoad(setup: RunSetup, venues: Venues, concurrency: number): ClientLoad {
  const recorder = new Recorder();
  const bookings: Booking[] = [];
  let isStopping = false;
  const clients = new Map<string, Client>();
  const clientFor = (name: string, urls: readonly string[]): Client => {
    const client = new Client(urls, recorder, new SeededRandom(setup.seed, name));
    clients.set(name, client);
    return client;
  };
  const api = clientFor('api', setup.apiUrls);
  const browsers = clientFor('guests', setup.apiUrls);
  const guests = new GuestClient(new GuestPool(browsers), browsers, clientFor('processor', [setup.processorUrl]));
  const { bookable, seats } = venues;
  const context: LoadContext = {
    venues: bookable,
    api,
    guests,
    seats,
    refundable: [],
    recorder,
    seed: setup.seed,
    isStopping: () => isStopping,
  };
  const outsiders = new Outsiders(
    clientFor('outsiders', setup.apiUrls),
    venues,
    new SeededRandom(setup.seed, 'outsiders'),
  );
  let number = 0;
  const runScenarios = async (): Promise<void> => {
    while (!isStopping) {
      const current = ++number;
      const random = new SeededRandom(setup.seed, `story ${current}`);
      await runScenario(context, current, random, bookings);
      if (!isStopping) await delay(random.between(20, 200));
    }
  };
  const running = Array.from({ length: concurrency }, runScenarios);
  running.push(
    outsiders.readForeignUntil(bookings, context.isStopping),
    outsiders.revokeKeysUntil(setup.apiUrls.length, context.isStopping),
  );
  return {
    recorder,
    bookings,
    context,
    outsiders,
    async stop(timeoutMs) {
      isStopping = true;
      for (const client of clients.values()) client.giveUpAt = Date.now() + timeoutMs;
      await Promise.all(running);
    },
  };
}
