// Load of creates for the benches that create checkouts: new bodies and requests each time, load on one server, the
// same SQL without a server, and the check that every create stored its rows.

import { createHash } from 'node:crypto';
import { systemClock } from '../src/base/clock.ts';
import { makeIds } from '../src/base/ids.ts';
import { systemRandom } from '../src/base/random.ts';
import { hashOfKey } from '../src/domain/keys/key.ts';
import type { BenchFixture } from './fixture.ts';
import { postRequest } from './load.ts';
import { BOOKING_PLACEHOLDER, findPgbench, type PgbenchResult, runCreates } from './pgbench.ts';
import { callsCounted } from './read-load.ts';
import { ORIGIN } from './seed.ts';
import type { SqlJob, Unit } from './sql.ts';

export const CHECKOUTS_PATH = '/v1/checkouts';
const CONNECTIONS = 48;
/** As many as our server has to the database. */
const PGBENCH_CONNECTIONS = 12;
/** Each venue has one key: with so many, no request waits for a row of the rate limit. */
const VENUES = 96;
const MIN_COUNT = 96;
const DAY_MS = 86_400_000;
const PAY_BY = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS).toISOString();

export interface VenueKey {
  readonly venueId: string;
  readonly key: string;
}

const venueKeysByFixture = new WeakMap<BenchFixture, Promise<VenueKey[]>>();

/** Venues with one key each, created once for all benches of a run. */
export function getVenueKeys(fixture: BenchFixture): Promise<VenueKey[]> {
  const existing = venueKeysByFixture.get(fixture);
  if (existing !== undefined) return existing;
  const venueKeys = createVenueKeys(fixture);
  venueKeysByFixture.set(fixture, venueKeys);
  return venueKeys;
}

async function createVenueKeys(fixture: BenchFixture): Promise<VenueKey[]> {
  const venues = await Promise.all(Array.from({ length: VENUES }, () => fixture.makeVenue(1)));
  return venues.map(({ id, keys }) => ({ venueId: id, key: keys[0] ?? '' }));
}

/** Bodies made so far; numbers the bookings. */
let bodies = 0;

export function newBody(partySize = 6, booking?: string): string {
  bodies++;
  return JSON.stringify({
    amount: 48_000,
    currency: 'usd',
    party_size: partySize,
    pay_by: PAY_BY,
    description: 'Cabana 3, Saturday 12 June',
    return_url: `${ORIGIN}/bookings/done`,
    external_booking_id: booking ?? `booking-${String(bodies).padStart(9, '0')}`,
    metadata: { table: '12', source: 'website' },
  });
}

/** A complete new request; `isIdempotent` adds a new Idempotency-Key. */
export function newRequest({ key }: VenueKey, isIdempotent = false): string {
  const body = newBody();
  return postRequest(CHECKOUTS_PATH, key, body, isIdempotent ? `attempt-${bodies}` : null);
}

export interface RoundRunner {
  /** Runs one round; returns requests a second. */
  round(): Promise<number>;
}

/** The requests of a round, and the rows that they must add. */
export interface CreateLoad {
  readonly port: number;
  readonly venueKeys: readonly VenueKey[];
  readonly requests: (count: number) => string[];
  /** Checkouts and events that each request adds; null for a server without a database. */
  readonly rowsPerRequest: 0 | 1 | null;
  /** 48 by default. */
  readonly connections?: number;
}

/** Load of POST /v1/checkouts. */
export async function makeCreateRunner(fixture: BenchFixture, load: CreateLoad): Promise<RoundRunner> {
  const send = (count: number): Promise<number> =>
    fixture.load.send({
      port: load.port,
      requests: load.requests(count),
      connections: load.connections ?? CONNECTIONS,
      count,
      status: 201,
      bodyBytes: null,
    });
  const sendAndCheck = async (count: number): Promise<number> => {
    if (load.rowsPerRequest === null) return send(count);
    const before = await countRows(fixture, load.venueKeys);
    const rate = await send(count);
    const after = await countRows(fixture, load.venueKeys);
    expectCount('calls counted', after.calls - before.calls, count);
    expectCount('checkouts added', after.checkouts - before.checkouts, count * load.rowsPerRequest);
    expectCount('events added', after.events - before.events, count * load.rowsPerRequest);
    return rate;
  };
  const count = await calibrate(
    fixture,
    sendAndCheck,
    load.rowsPerRequest === null ? fixture.seconds.warmAlone : warmSeconds(fixture),
  );
  return { round: () => sendAndCheck(count) };
}

/**
 * The two statements of a create without a server: through pgbench, or through the program's own driver if pgbench is
 * missing.
 */
export async function makeSqlCreateRunner(fixture: BenchFixture, venueKeys: readonly VenueKey[]): Promise<RoundRunner> {
  const pgbench = findPgbench();
  const send =
    pgbench === null ? await makeDriverSender(fixture, venueKeys) : makePgbenchSender(fixture, venueKeys, pgbench);
  const round = async (): Promise<number> => {
    const before = await countRows(fixture, venueKeys);
    const { rate, created } = await send();
    const after = await countRows(fixture, venueKeys);
    expectCount('calls counted', after.calls - before.calls, created);
    expectCount('checkouts added', after.checkouts - before.checkouts, created);
    expectCount('events added', after.events - before.events, created);
    return rate;
  };
  return { round };
}

type SendCreates = () => Promise<PgbenchResult>;

function makePgbenchSender(
  { url, isQuick }: BenchFixture,
  venueKeys: readonly VenueKey[],
  pgbench: string,
): SendCreates {
  const creates = venueKeys.map((venueKey) => ({ ...venueKey, body: newBody(6, BOOKING_PLACEHOLDER) }));
  return () => runCreates(pgbench, url, creates, { each: isQuick ? 40 : 300, clients: PGBENCH_CONNECTIONS });
}

/** Runs as many creates at the same time as the load has connections to the server. */
async function makeDriverSender(fixture: BenchFixture, venueKeys: readonly VenueKey[]): Promise<SendCreates> {
  const ids = makeIds(systemClock, systemRandom);
  const sql = fixture.sql();
  const send = async (count: number): Promise<number> => {
    const { seconds, lastRows } = await sql.run(makeSqlCreates(venueKeys, count, ids));
    const created = lastRows.filter(([row]) => (row as { outcome?: string }).outcome === 'created');
    expectCount('creates run', created.length, count);
    return count / seconds;
  };
  const count = await calibrate(fixture, send, warmSeconds(fixture));
  return async () => ({ rate: await send(count), created: count });
}

function makeSqlCreates(venueKeys: readonly VenueKey[], count: number, ids: ReturnType<typeof makeIds>): SqlJob {
  const texts = [
    'select * from admit($1, $2, $3)',
    `select * from create_checkout($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0), $10, interval '30 days')`,
  ];
  const now = Date.now();
  const chains = Array.from({ length: count }, (_, index): Unit[] => {
    const { venueId, key } = venueKeys[index % venueKeys.length] as VenueKey;
    const content = newBody();
    const id = ids.prefixed('chk');
    const fingerprint = createHash('sha256').update(content).digest();
    // Each create of a venue has its own millisecond, as creates of one venue nearly always have in production.
    const createdAt = now + Math.floor(index / venueKeys.length);
    const url = `http://127.0.0.1/c/${id}`;
    const create = [venueId, 'test', id, ids.prefixed('evt'), null, fingerprint, content, url, createdAt, true];
    return [
      { kind: 'priority', groups: [[{ text: 0, values: [[hashOfKey(key)], ['write'], [1]] }]] },
      { kind: 'single', groups: [[{ text: 1, values: create }]] },
    ];
  });
  return { texts, chains, concurrency: CONNECTIONS };
}

/**
 * A create takes longer to warm up than a read, because every connection of the server first loads the SQL functions.
 */
const warmSeconds = ({ seconds }: BenchFixture): number => 2 * seconds.warm;

async function calibrate(
  fixture: BenchFixture,
  sendAndCheck: (count: number) => Promise<number>,
  seconds: number,
): Promise<number> {
  const until = Date.now() + seconds * 1000;
  let rate = await sendAndCheck(MIN_COUNT);
  while (Date.now() < until) rate = await sendAndCheck(Math.max(MIN_COUNT, Math.round(rate * 0.25)));
  return Math.max(MIN_COUNT, Math.round(rate * fixture.seconds.round));
}

interface RowCounts {
  readonly checkouts: number;
  readonly events: number;
  readonly calls: number;
}

async function countRows({ db }: BenchFixture, venueKeys: readonly VenueKey[]): Promise<RowCounts> {
  const venues = venueKeys.map(({ venueId }) => venueId);
  const rows = await db.query<{ checkouts: number; events: number }>(
    `select (select count(*) from checkouts where venue_id = any($1)) as checkouts,
       (select count(*) from events where venue_id = any($1) and type = 'checkout.created' and sequence = 1) as events`,
    [venues],
  );
  const { checkouts = 0, events = 0 } = rows[0] ?? {};
  return { checkouts, events, calls: await callsCounted(db) };
}

export function expectCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found}, not ${expected}`);
}

/** Sends one create and returns its response. */
export async function createOnce(
  port: number,
  key: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly text: string; readonly id: string; readonly replayed: boolean }> {
  const response = await fetch(`http://127.0.0.1:${port}${CHECKOUTS_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  if (response.status !== 201)
    throw new Error(`POST ${CHECKOUTS_PATH} answered ${response.status}: ${text.slice(0, 300)}`);
  const { id } = JSON.parse(text) as { id: string };
  return { text, id, replayed: response.headers.get('idempotent-replayed') === 'true' };
}
