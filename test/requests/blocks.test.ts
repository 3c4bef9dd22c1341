// Calls that succeeded are stored in blocks, failed ones as rows. However servers divide calls into batches, what is read is
// the calls, newest first: compared with a list in memory, for random calls, servers, filters and pages.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { leastId, timeOfId } from '../../src/base/ids.ts';
import { makeLog } from '../../src/base/log.ts';
import type { RequestWindow } from '../../src/domain/requests/id-range.ts';
import { ANY_REQUEST, insertRequests, type RequestFilter, type RequestRow } from '../../src/domain/requests/queries.ts';
import { countRequests, findRequest, listRequests } from '../../src/domain/requests/read-lines.ts';
import type { FinishedCall } from '../../src/domain/requests/request-line.ts';
import { RequestLog } from '../../src/domain/requests/request-log.ts';
import { runs } from '../support/random-runs.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { newRow } from './support.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Midnight of a day that is kept. */
const MIDNIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { REQUEST_LOG: 'on' } });
});
afterAll(() => world.close());

interface TestedVenue {
  readonly venueId: string;
  readonly keyIds: readonly string[];
}

async function openVenue(): Promise<TestedVenue> {
  const { venue } = await world.venue();
  const keys = await Promise.all([world.key(venue.id), world.key(venue.id)]);
  return { venueId: venue.id, keyIds: keys.map(({ id }) => id) };
}

const OPERATIONS = [
  { id: 'listBoats', path: '/v1/boats' },
  { id: 'getBoat', path: '/v1/boats/{id}' },
];
/** As it was called, and as the log shows it. */
const PATHS = [
  ['/v1/boats', '/v1/boats'],
  ['/v1/boats?limit=5', '/v1/boats?limit=[masked]'],
  ['/v1/boats/Blue%0A%20anna@harbor.example', '/v1/boats/Blue  [mail address]'],
] as const;

let serial = 0;

function idAt(ms: number): string {
  return `${leastId('req', ms)}${(serial++).toString(16).padStart(16, '0')}`;
}

function openLog(db: Queryable = world.db): RequestLog {
  const log = makeLog('silent', 'test', { write: () => undefined });
  return new RequestLog({ db, seal: world.context.seal, log, onDropped: () => expect.fail('a call was dropped') });
}

/** What tells calls of the tests apart. */
interface RandomCall {
  /** Milliseconds from midnight. */
  readonly at: number;
  readonly server: number;
  readonly key: number;
  readonly operation: number;
  readonly path: number;
  readonly status: number;
  readonly address: number;
  readonly isOfEarlierRelease: boolean;
}

/** Around midnight and the turns of minutes, so that blocks overlap, and are cut by the times of a window. */
const randomTime = fc.tuple(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -30, max: 30 })).map(([minutes, ms]) => {
  return minutes * MINUTE_MS + ms;
});
/** Mostly 0, so that most calls share their block. */
const seldom = fc.constantFrom(0, 0, 0, 0, 1);

const randomCall: fc.Arbitrary<RandomCall> = fc.record({
  at: randomTime,
  server: fc.nat(2),
  key: seldom,
  operation: seldom,
  path: fc.nat(PATHS.length - 1),
  status: fc.constantFrom(200, 200, 200, 200, 200, 200, 201, 404, 422),
  address: seldom,
  isOfEarlierRelease: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

function callOf({ venueId, keyIds }: TestedVenue, random: RandomCall): FinishedCall {
  const failed = random.status >= 400;
  return {
    requestId: idAt(MIDNIGHT + random.at),
    key: { venueId, mode: 'test', keyId: keyIds[random.key] as string },
    method: random.status === 201 ? 'POST' : 'GET',
    url: (PATHS[random.path] ?? PATHS[0])[0],
    operation: OPERATIONS[random.operation] ?? null,
    tool: null,
    status: random.status,
    durationMs: random.address + 0.5,
    isReplayed: false,
    address: `203.0.${113 + random.address}.7`,
    userAgent: '',
    problem: failed ? new Problem(random.status === 404 ? 'not_found' : 'invalid_type') : null,
    body: null,
  };
}

/** The call as it is read. */
function rowOf(call: FinishedCall): RequestRow {
  if ('hash' in call.key) throw new Error('no key');
  return {
    id: call.requestId,
    mode: 'test',
    key_id: call.key.keyId,
    method: call.method,
    path: PATHS.find(([url]) => url === call.url)?.[1] ?? '',
    route: call.operation?.path ?? null,
    operation: call.operation?.id ?? null,
    tool: null,
    status: call.status,
    code: call.problem?.code ?? null,
    reason: null,
    field: null,
    problem_count: call.problem === null ? 0 : 1,
    replayed: false,
    duration_ms: call.durationMs,
    address: call.address.replace(/7$/, '…'),
    user_agent: null,
  };
}

/** Stores calls as their servers would, in batches of this many. Gives them newest first. */
async function store(venue: TestedVenue, calls: readonly RandomCall[], batch: number): Promise<RequestRow[]> {
  const finished = calls.map((random) => ({ random, call: callOf(venue, random) }));
  for (const server of [0, 1, 2]) {
    const own = finished.filter(({ random }) => random.server === server && !random.isOfEarlierRelease);
    for (let first = 0; first < own.length; first += batch) {
      const log = openLog();
      for (const { call } of own.slice(first, first + batch)) log.record(call);
      await log.close();
    }
  }
  const earlier = finished.filter(({ random }) => random.isOfEarlierRelease).map(({ call }) => rowOf(call));
  await insertRequests(
    world.db,
    earlier.map((row) => newRow(venue.venueId, row)),
  );
  return finished.map(({ call }) => rowOf(call)).sort((a, b) => (a.id < b.id ? 1 : -1));
}

const ANY: RequestFilter = { ...ANY_REQUEST, limit: 50 };

const windowOf = ({ venueId }: TestedVenue, from = MIDNIGHT - DAY_MS, to = MIDNIGHT + DAY_MS): RequestWindow => ({
  venueId,
  mode: 'test',
  from,
  to,
});

function meets(row: RequestRow, filter: RequestFilter): boolean {
  return (
    (filter.before === null || row.id < filter.before) &&
    (filter.requestId === null || row.id === filter.requestId) &&
    (filter.idPrefix === null || row.id.startsWith(filter.idPrefix)) &&
    row.status >= filter.minStatus &&
    row.status <= filter.maxStatus &&
    (filter.code === null || row.code === filter.code) &&
    (filter.method === null || row.method === filter.method) &&
    (filter.operation === null || row.operation === filter.operation) &&
    (filter.keyId === null || row.key_id === filter.keyId) &&
    (filter.search === null || row.path.toLowerCase().includes(filter.search.toLowerCase()))
  );
}

const isIn = ({ id }: RequestRow, { from, to }: RequestWindow): boolean => timeOfId(id) >= from && timeOfId(id) < to;

/** Goes through all pages. `looks` are far below those of the program, so that pages end at their bound too. */
async function readAll(window: RequestWindow, filter: RequestFilter, looks: readonly number[]): Promise<RequestRow[]> {
  const all: RequestRow[] = [];
  for (let before = filter.before, pages = 0; pages < 500; pages++) {
    const { rows, lookedUntil } = await listRequests(world.db, window, { ...filter, before }, looks);
    expect(rows.length).toBeLessThanOrEqual(filter.limit);
    all.push(...rows);
    const next = rows.length === filter.limit ? (rows.at(-1)?.id ?? null) : lookedUntil;
    if (next === null) return all;
    if (before !== null) expect(next < before, 'each page gets further').toBe(true);
    before = next;
  }
  throw new Error('the pages have no end');
}

const asText = (rows: readonly RequestRow[]): string => rows.map((row) => JSON.stringify(sorted(row))).join('\n');
const sorted = (row: object): object => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));

const randomFilter = (venue: TestedVenue, rows: readonly RequestRow[]): fc.Arbitrary<RequestFilter> => {
  const id = fc.constantFrom(...rows.map((row) => row.id));
  const one: fc.Arbitrary<Partial<RequestFilter>>[] = [
    fc.constant({}),
    id.map((before) => ({ before })),
    id.map((requestId) => ({ requestId })),
    fc.tuple(id, fc.constantFrom(6, 12, 14, 30)).map(([text, length]) => ({ idPrefix: text.slice(0, length) })),
    fc.constantFrom(200, 201, 400, 422).map((minStatus) => ({ minStatus })),
    fc.constantFrom(200, 399, 404).map((maxStatus) => ({ maxStatus })),
    fc.constantFrom('not_found', 'none').map((code) => ({ code })),
    fc.constantFrom('GET', 'POST').map((method) => ({ method })),
    fc.constantFrom('getBoat', 'listBoats', 'createBoat').map((operation) => ({ operation })),
    fc.constantFrom(...venue.keyIds).map((keyId) => ({ keyId })),
    fc.constantFrom('LIMIT=', 'boats', '0.5', 'Blue  ', 'req_').map((search) => ({ search })),
  ];
  return fc
    .tuple(fc.oneof(...one), fc.oneof(...one), fc.constantFrom(2, 7, 20, 100))
    .map(([first, second, limit]) => ({ ...ANY, ...first, ...second, limit }));
};

describe('calls of several servers', () => {
  // `npm run test:long` tries 100 logs, a fifth of a second each.
  it('are listed, found and counted as they were made, however they were divided into batches', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomCall, { minLength: 10, maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 25 }),
        fc.gen(),
        async (calls, batch, generate) => {
          const venue = await openVenue();
          const rows = await store(venue, calls, batch);
          for (let reads = 0; reads < 5; reads++) {
            const filter = generate(() => randomFilter(venue, rows));
            const [from = 0, to = 0] = generate(() => fc.tuple(randomTime, randomTime)).sort((a, b) => a - b);
            const window = windowOf(venue, MIDNIGHT + from, MIDNIGHT + to);
            const whole = generate(fc.boolean) ? windowOf(venue) : window;
            const looks = generate(() => fc.constantFrom([2], [1, 9], [7], [5, 1_000]));
            const expected = rows.filter((row) => isIn(row, whole) && meets(row, filter));
            expect(asText(await readAll(whole, filter, looks)), JSON.stringify(filter)).toBe(asText(expected));
            await expectCounts(window, rows);
          }
          for (const row of rows) {
            const found = await findRequest(world.db, windowOf(venue), row.id);
            expect(found === null ? null : asText([withoutFailure(found)])).toBe(asText([row]));
          }
          expect(await findRequest(world.db, windowOf(venue), idAt(MIDNIGHT))).toBeNull();
          const bounded = await countRequests(world.db, windowOf(venue), 5);
          expect(bounded.countedSince).not.toBeNull();
          expect(bounded.counts.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(5);
        },
      ),
      { ...runs(100, 3, 8), endOnFailure: true },
    );
  });

  const withoutFailure = ({ failure: _, ...row }: RequestRow & { readonly failure: Buffer | null }): RequestRow => row;

  async function expectCounts(window: RequestWindow, rows: readonly RequestRow[]): Promise<void> {
    const own = rows.filter((row) => isIn(row, window));
    const tally = (lines: readonly (readonly [string, number])[]): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const [name, count] of lines) counts[name] = (counts[name] ?? 0) + count;
      return counts;
    };
    const { counts, countedSince } = await countRequests(world.db, window, 10_000);
    expect(countedSince).toBeNull();
    expect(
      tally(counts.map(({ key_id, status, code, count }) => [`${key_id} ${Math.max(status, 200)} ${code}`, count])),
    ).toEqual(tally(own.map(({ key_id, status, code }) => [`${key_id} ${status < 400 ? 200 : status} ${code}`, 1])));
    const bounded = await countRequests(world.db, window, 5);
    const since = bounded.countedSince ?? '';
    expect(bounded.counts.reduce((sum, { count }) => sum + count, 0)).toBe(own.filter(({ id }) => id >= since).length);
  }
});

describe('blocks', () => {
  const MANY: RandomCall = {
    at: 0,
    server: 0,
    key: 0,
    operation: 0,
    path: 0,
    status: 200,
    address: 0,
    isOfEarlierRelease: false,
  };
  const blocksOf = ({ venueId }: TestedVenue) =>
    world.db.query<{ count: number; slot: number; seconds: number }>(
      'select line_count as count, slot from request_blocks where venue_id = $1 order by last_id',
      [venueId],
    );

  it('have the calls of one minute that have all but id, time and path in common', async () => {
    const venue = await openVenue();
    const times = [-MINUTE_MS, -2, -1, 0, 1, MINUTE_MS - 1, MINUTE_MS];
    const calls = times.map((at, path) => ({ ...MANY, at, path: path % 2 }));
    await store(venue, calls, 100);
    expect((await blocksOf(venue)).map(({ count }) => count)).toEqual([3, 3, 1]);
    expect(new Set((await blocksOf(venue)).map(({ slot }) => slot)).size).toBe(2);
    const other = await openVenue();
    await store(other, [MANY, { ...MANY, address: 1 }, { ...MANY, key: 1 }, { ...MANY, operation: 1 }, MANY], 100);
    expect((await blocksOf(other)).map(({ count }) => count).sort()).toEqual([1, 1, 1, 2]);
  });

  it('never have a failed call, also one without a problem', async () => {
    const venue = await openVenue();
    const log = openLog();
    for (const status of [200, 404, 500]) log.record({ ...callOf(venue, MANY), status });
    await log.close();
    expect((await blocksOf(venue)).map(({ count }) => count)).toEqual([1]);
    const { rows } = await listRequests(world.db, windowOf(venue), { ...ANY, minStatus: 400 });
    expect(rows.map(({ status }) => status)).toEqual([500, 404]);
  });

  it('are stored once when the outcome of a batch is not known and more calls wait at its repetition', async () => {
    const venue = await openVenue();
    let answers = 0;
    const log = openLog({
      query: async (text, values) => {
        const rows = await world.db.query(text, values);
        // The first answers are lost: PostgreSQL has stored the blocks, then the rows too.
        if (text.includes('insert into') && ++answers <= 3)
          throw Object.assign(new Error('connect ECONNRESET'), { code: 'ECONNRESET' });
        return rows as never;
      },
    });
    const statuses = [200, 404, 200, 201];
    const calls = statuses.map((status, at) => callOf(venue, { ...MANY, status, at }));
    for (const call of calls) log.record(call);
    await expect.poll(() => answers, { timeout: 10_000 }).toBeGreaterThan(0);
    const later = [5, 6].map((at) => callOf(venue, { ...MANY, at }));
    for (const call of later) log.record(call);
    await expect.poll(() => answers, { timeout: 10_000 }).toBeGreaterThan(4);
    await log.close();
    const { rows } = await listRequests(world.db, windowOf(venue), ANY);
    expect(rows.map(({ id }) => id)).toEqual([...calls, ...later].map(({ requestId }) => requestId).reverse());
    expect((await blocksOf(venue)).map(({ count }) => count)).toEqual([2, 1, 2]);
  });

  it('are looked through up to the bound, which counts their calls, and a page goes on after them', async () => {
    const venue = await openVenue();
    const calls = Array.from({ length: 40 }, (_, at) => ({ ...MANY, at, operation: at === 0 ? 1 : 0 }));
    const rows = await store(venue, calls, 4);
    const filter = { ...ANY, operation: 'getBoat' };
    const first = await listRequests(world.db, windowOf(venue), filter, [4, 20]);
    // The fifth block is the first with which 20 calls are reached; of it only the newest is looked through.
    expect(first).toEqual({ rows: [], lookedUntil: rows[16]?.id });
    expect(asText(await readAll(windowOf(venue), filter, [4, 20]))).toBe(asText(rows.slice(-1)));
  });
});
