// The console's reads of a large venue against a small one: its first page, the list of checkouts with counts, a search, and
// the request log with a filter that few lines meet. Each is bounded, so that a venue may grow.

import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import { type Db, openDb } from '../src/base/db.ts';
import { leastId } from '../src/base/ids.ts';
import { makeLog } from '../src/base/log.ts';
import type { Input, OperationResult } from '../src/base/operation.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { DEFAULT_RETENTION } from '../src/base/retention.ts';
import type { TeamCaller } from '../src/domain/accounts/account.ts';
import { getConsoleHome } from '../src/domain/checkouts/overview/home.ts';
import { listConsoleCheckouts } from '../src/domain/checkouts/overview/list-checkouts.ts';
import { insertBlocks } from '../src/domain/requests/block-queries.ts';
import { groupCalls, type PlainCall } from '../src/domain/requests/group-calls.ts';
import { listLoggedRequests } from '../src/domain/requests/read-requests.ts';
import { commandContext, makeContext, readSchemas } from '../src/run/context.ts';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';

const YEAR_MS = 365 * 86_400_000;
const DAYS_OF_LOG = 6;
/** Rows of one statement. */
const CHUNK = 5_000;
const DAY_MS = 86_400_000;

const READS = ['home', 'list', 'search', 'requests'] as const;
type Read = (typeof READS)[number];

/** What a read of a large venue may cost is what its bound costs: the floors are of the bounds, measured. */
const FLOORS: Readonly<Record<Read, readonly [floor: number, goal: number]>> = {
  home: [0.05, 0.2],
  list: [0.1, 0.3],
  search: [0.02, 0.1],
  requests: [0.02, 0.1],
};

const NOTES: Readonly<Record<Read, string>> = {
  home: 'GET /console/api/home.',
  list: 'GET /console/api/checkouts: a page and the counts by status.',
  search: 'GET /console/api/checkouts with words that no checkout has.',
  requests: 'GET /console/api/requests with an operation that no line has.',
};

export const consoleGrowth: readonly Bench[] = READS.map((read) => ({
  name: `console-growth-${read}`,
  floor: FLOORS[read][0],
  goal: FLOORS[read][1],
  unit: 'requests/s',
  better: 'more',
  isExtra: true,
  note: `${NOTES[read]} 100,000 checkouts of a year and 1,000,000 request lines against 1,000 and 10,000 (a tenth of each with --quick).`,
  rounds: { full: 7, quick: 2 },
  sides: { ours: 'the large venue', base: 'the small venue' },
  prepare: (fixture) => prepare(fixture, read),
}));

interface Venues {
  readonly large: TeamCaller;
  readonly small: TeamCaller;
  readonly db: Db;
}

const venuesByFixture = new WeakMap<BenchFixture, Promise<Venues>>();

/** Created once for all rows of a run. */
function getVenues(fixture: BenchFixture): Promise<Venues> {
  const venues = venuesByFixture.get(fixture) ?? makeVenues(fixture);
  venuesByFixture.set(fixture, venues);
  return venues;
}

async function makeVenues(fixture: BenchFixture): Promise<Venues> {
  const part = fixture.isQuick ? 0.1 : 1;
  const db = openDb({ url: fixture.url, connections: 8, pooled: false, applicationName: 'everyshare-bench' });
  const make = async (checkouts: number, lines: number): Promise<TeamCaller> => {
    const { id } = await fixture.makeVenue(1);
    await insertYear(fixture.db, id, checkouts * part);
    await insertLines(fixture.db, id, lines * part);
    return callerOf(db, id);
  };
  const small = await make(1_000, 10_000);
  const large = await make(100_000, 1_000_000);
  // Autovacuum does the same for a table that grew over a year. Each partition by itself: a statement has a time limit, and a
  // busy machine needs long for all of them.
  const slots = Array.from({ length: 32 }, (_, slot) => `request_blocks_slot_${String(slot).padStart(2, '0')}`);
  for (const table of ['checkouts', 'shares', ...slots]) await fixture.db.query(`vacuum analyze ${table}`);
  return { large, small, db };
}

/** Ended checkouts, evenly over a year, each with its organizer's share. The rows are valid, so triggers are off. */
async function insertYear(db: Db, venueId: string, rows: number): Promise<void> {
  for (let first = 1; first <= rows; first += CHUNK) await insertPart(db, venueId, rows, first);
}

async function insertPart(db: Db, venueId: string, rows: number, first: number): Promise<void> {
  const last = Math.min(first + CHUNK - 1, rows);
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by, expires_at,
         description, external_booking_id, url, return_url, metadata, fingerprint, created_at, completed_at, organizer_id)
       select $1::uuid, 'chk_' || lpad(i::text, 26, '0'), 'test', case when i % 5 = 0 then 'expired' else 'completed' end, 48000, 'usd',
         1200, 6, at, at, 'Cabana 3', 'booking-' || i, 'http://127.0.0.1/c/' || i, 'https://harbor-club.example/', '{}', '\\x00', at,
         case when i % 5 = 0 then null else at end, case when i % 5 = 0 then null else gen_random_uuid() end
       from generate_series($4::integer, $5::integer) i
       cross join lateral (select now() - i * ($3::float8 / $2::integer) * interval '1 millisecond' as at) times`,
      [venueId, rows, YEAR_MS, first, last],
    );
    await tx.query(
      `insert into shares (venue_id, share_id, checkout_id, position, amount, status, is_organizer, member_id, display_name, invited_at, held_at)
       select venue_id, 'shr_' || substr(checkout_id, 5), checkout_id, 0, 48000, 'captured', true, organizer_id, 'Anna', created_at,
         created_at
       from checkouts where venue_id = $1 and organizer_id is not null
         and checkout_id between 'chk_' || lpad($2::text, 26, '0') and 'chk_' || lpad($3::text, 26, '0')`,
      [venueId, String(first), String(last)],
    );
  });
}

/** Reads that succeeded, evenly over the days that are kept, in blocks as a server writes them. */
async function insertLines(db: Db, venueId: string, rows: number): Promise<void> {
  const [key] = await db.query<{ id: string }>('select key_id as id from keys where venue_id = $1', [venueId]);
  const now = Date.now() - 60_000;
  const operation = { id: 'getMe', path: '/v1/me' };
  const callAt = (place: number): PlainCall => ({
    requestId:
      leastId('req', now - Math.floor((place * DAYS_OF_LOG * DAY_MS) / rows)) + String(place).padStart(16, '0'),
    key: { venueId, mode: 'test', keyId: key?.id ?? '' },
    method: 'GET',
    url: operation.path,
    operation,
    tool: null,
    status: 200,
    durationMs: 1,
    isReplayed: false,
    address: '203.0.113.7',
    userAgent: 'everyshare-node/1.0.0',
    problem: null,
    body: null,
  });
  for (let first = 0; first < rows; first += CHUNK) {
    const calls = Array.from({ length: Math.min(CHUNK, rows - first) }, (_, place) => callAt(first + place));
    const blocks = groupCalls(calls, (_call, error) => {
      throw error;
    });
    await insertBlocks(db, blocks, false);
  }
}

async function callerOf(db: Db, venueId: string): Promise<TeamCaller> {
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'bench'),
    sealKeys: [Buffer.alloc(32, 7)],
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
  const command = commandContext(context, { name: 'bench', via: 'http', address: null, requestId: null });
  const venue = { id: venueId, name: 'Harbor Club', linked: false, origins: [] };
  return { ...command, venue, mode: 'test', key: null, role: 'viewer' } as unknown as TeamCaller;
}

async function prepare(fixture: BenchFixture, read: Read): Promise<PreparedBench> {
  const { large, small, db } = await getVenues(fixture);
  const input = (query: object): Input => ({ params: {}, query, body: undefined }) as unknown as Input;
  const run = (caller: TeamCaller): Promise<OperationResult> => {
    const now = { ...caller, now: Date.now() };
    if (read === 'home') return getConsoleHome(db, now);
    if (read === 'list') return listConsoleCheckouts(db, now, input({ limit: 50 }));
    if (read === 'search') return listConsoleCheckouts(db, now, input({ limit: 50, q: 'whale watching' }));
    const services = { db, seal: now.seal, retention: DEFAULT_RETENTION };
    return listLoggedRequests(services, now, input({ limit: 50, operation: 'createBoat' }));
  };
  const round = async (caller: TeamCaller): Promise<number> => {
    const endsAt = performance.now() + fixture.seconds.round * 1_000;
    const began = performance.now();
    let reads = 0;
    do {
      const { status } = await run(caller);
      if (status !== 200) throw new Error(`${read} answered ${status}`);
      reads++;
    } while (performance.now() < endsAt);
    return (reads * 1_000) / (performance.now() - began);
  };
  await run(small);
  await run(large);
  return { ours: () => round(large), base: () => round(small), close: async () => undefined };
}
