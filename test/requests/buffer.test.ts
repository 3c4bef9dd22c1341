// The buffer of the request log under stress: without room, without a database, at the stop of the server; and what is
// deleted after its days. No call ever waits for any of it.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDb, type Queryable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { leastId, makeIds } from '../../src/base/ids.ts';
import { makeLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import { recordKeyUses } from '../../src/domain/keys/key-use-queries.ts';
import { truncateOldRequests } from '../../src/domain/requests/queries.ts';
import type { FinishedCall } from '../../src/domain/requests/request-line.ts';
import { RequestLog } from '../../src/domain/requests/request-log.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { countStored, openReader } from './support.ts';

const DAY_MS = 86_400_000;

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { REQUEST_LOG: 'on', REQUEST_LOG_DAYS: '3' } });
});
afterAll(() => world.close());

interface OpenedLog {
  readonly requestLog: RequestLog;
  readonly dropped: () => number;
  readonly lines: readonly string[];
}

function openLog(db: Queryable): OpenedLog {
  let dropped = 0;
  const lines: string[] = [];
  const log = makeLog('info', 'test', { write: (line: string) => lines.push(line) });
  const onDropped = (count: number): void => {
    dropped += count;
  };
  return {
    requestLog: new RequestLog({ db, seal: world.context.seal, log, onDropped }),
    dropped: () => dropped,
    lines,
  };
}

async function callsOf(): Promise<{ venueId: string; call: (more?: Partial<FinishedCall>) => FinishedCall }> {
  const { venue } = await world.venue();
  const { id: keyId } = await world.key(venue.id);
  const call = (more: Partial<FinishedCall> = {}): FinishedCall => ({
    requestId: world.context.ids.prefixed('req'),
    key: { venueId: venue.id, mode: 'test', keyId },
    method: 'GET',
    url: '/v1/offerings',
    operation: { id: 'listOfferings', path: '/v1/offerings' },
    tool: null,
    status: 200,
    durationMs: 1.23,
    isReplayed: false,
    address: '203.0.113.7',
    userAgent: 'test',
    problem: null,
    body: null,
    ...more,
  });
  return { venueId: venue.id, call };
}

const countOf = (venueId: string): Promise<number> => countStored(world.db, venueId);

/** What the driver throws when PostgreSQL is gone. */
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('the buffer', () => {
  it('drops and counts calls for which there is no room, and stores the others', async () => {
    const { venueId, call } = await callsOf();
    let isOpen = false;
    const opened = new Promise<void>((resolve) => {
      void waitFor('the database is opened', () => isOpen).then(() => resolve());
    });
    const db: Queryable = { query: (text, values) => opened.then(() => world.db.query(text, values)) };
    const { requestLog, dropped } = openLog(db);
    for (let calls = 0; calls < 10_250; calls++) requestLog.record(call());
    expect(dropped()).toBe(250);
    isOpen = true;
    await waitFor('all are stored', async () => (await countOf(venueId)) === 10_000);
    requestLog.record(call());
    await requestLog.close();
    expect([await countOf(venueId), dropped()]).toEqual([10_001, 250]);
  });

  it('is bounded in bytes too', async () => {
    const { call } = await callsOf();
    const { requestLog, dropped } = openLog({ query: () => new Promise(() => undefined) });
    const body = Buffer.from(JSON.stringify('word '.repeat(1_600)));
    const failed = call({ status: 422, problem: new Problem('invalid_type', { field: '/amount' }), body });
    for (let calls = 0; calls < 2_000; calls++) requestLog.record(failed);
    expect(dropped()).toBeGreaterThan(500);
    expect(dropped()).toBeLessThan(1_900);
  });

  it('keeps room for known keys when many calls have unknown ones', async () => {
    const { venueId, call } = await callsOf();
    const { requestLog, dropped } = openLog(world.db);
    for (let calls = 0; calls < 700; calls++)
      requestLog.record(call({ key: { hash: `unknown ${calls}` }, status: 401 }));
    requestLog.record(call());
    await requestLog.close();
    expect([await countOf(venueId), dropped()]).toEqual([1, 200]);
  });

  it('keeps calls while the database is gone, and stores each once when it is back', async () => {
    const { venueId, call } = await callsOf();
    let failures = 0;
    let isDown = true;
    const db: Queryable = {
      query: async (text, values) => {
        if (isDown && ++failures > 0) throw refused();
        const rows = await world.db.query(text, values);
        // The answer of the first statement is lost: the same lines are sent again.
        if (failures++ === 2) throw refused();
        return rows as never;
      },
    };
    const { requestLog, dropped, lines } = openLog(db);
    for (let calls = 0; calls < 3; calls++) requestLog.record(call());
    await waitFor('two batches failed', () => failures >= 2);
    expect(await countOf(venueId)).toBe(0);
    isDown = false;
    await waitFor('the calls are stored', async () => (await countOf(venueId)) === 3);
    await requestLog.close();
    expect([await countOf(venueId), dropped()]).toEqual([3, 0]);
    expect(lines.filter((line) => line.includes('cannot be written'))).toHaveLength(1);
  });

  it('drops and counts a batch that the database refuses, and goes on with the next', async () => {
    const { venueId, call } = await callsOf();
    const { requestLog, dropped, lines } = openLog(world.db);
    requestLog.record(call({ method: 'GET\0' }));
    await waitFor('the batch is dropped', () => dropped() === 1);
    expect(lines.join('')).toContain('dropped lines it cannot write');
    requestLog.record(call());
    await requestLog.close();
    expect([await countOf(venueId), dropped()]).toEqual([1, 1]);
  });

  it('writes what is left when the server stops, and drops and counts it when the database hangs', async () => {
    const { venueId, call } = await callsOf();
    const orderly = openLog(world.db);
    for (let calls = 0; calls < 1_200; calls++) orderly.requestLog.record(call());
    await orderly.requestLog.close();
    expect([await countOf(venueId), orderly.dropped()]).toEqual([1_200, 0]);
    orderly.requestLog.record(call());
    expect(orderly.dropped()).toBe(1);
    const hanging = openLog({ query: () => new Promise(() => undefined) });
    hanging.requestLog.record(call());
    await hanging.requestLog.close();
    expect(hanging.dropped()).toBe(1);
    expect(hanging.lines.join('')).toContain('drops lines of the request log');
  });

  it('never makes a call wait: calls are answered while the table is locked, and stored afterwards', async () => {
    const { venue, secretTest } = await world.venue();
    const reader = await openReader(world, venue.id);
    await world.db.transaction(async (tx) => {
      await tx.query('lock table request_log, request_blocks in access exclusive mode');
      for (let calls = 0; calls < 3; calls++)
        expect((await world.call('GET', '/v1/offerings', { key: secretTest })).status).toBe(200);
    });
    expect(await reader.waitForLines(3)).toHaveLength(3);
  });

  it('counts what it drops in the metrics', async () => {
    const { text } = await world.call('GET', '/metrics');
    expect(text).toMatch(/^everyshare_request_log_dropped_total 0$/m);
  });

  it('is not there where REQUEST_LOG is off', async () => {
    const silent = await openTestWorld({ env: { REQUEST_LOG: 'off' } });
    try {
      const { secretTest } = await silent.venue();
      await silent.call('GET', '/v1/offerings', { key: secretTest });
    } finally {
      await silent.close();
    }
    expect(silent.statements.filter((text) => /request_(log|blocks)/.test(text))).toEqual([]);
  });
});

describe('two servers', () => {
  it('record the use of the same keys at once without waiting for each other', async () => {
    const { venue } = await world.venue();
    const keys = await Promise.all(Array.from({ length: 20 }, () => world.key(venue.id)));
    const uses = keys.map(({ id: keyId }) => ({ venueId: venue.id, keyId, at: Date.now(), address: '203.0.113.…' }));
    const url = world.context.config.databaseUrl ?? '';
    const others = Array.from({ length: 4 }, () =>
      openDb({ url, connections: 2, pooled: false, applicationName: 'test' }),
    );
    await world.db.transaction(async (tx) => {
      await tx.query('select from keys where key_id = $1 for update', [keys[7]?.id]);
      await Promise.all(others.map((db, index) => recordKeyUses(db, index % 2 === 0 ? uses : [...uses].reverse())));
    });
    const rows = await world.db.query<{ id: string }>(
      'select key_id as id from keys where venue_id = $1 and last_used_at is not null',
      [venue.id],
    );
    expect(rows).toHaveLength(19);
    expect(rows.map(({ id }) => id)).not.toContain(keys[7]?.id);
    await Promise.all(others.map((db) => db.close()));
  });
});

describe('after its days', () => {
  it('a call is not shown, and its whole day is deleted; newer days stay', async () => {
    const { venueId, call } = await callsOf();
    const reader = await openReader(world, venueId);
    const now = Date.now();
    // The fourth is too old, and made on the oldest day that is kept, at any time of day.
    const sinceMidnight = (now % DAY_MS) / DAY_MS;
    const ages = [0, 1, 2.9, 3 + sinceMidnight / 2, 4 + sinceMidnight / 2, 20];
    const { requestLog } = openLog(world.db);
    for (const age of ages) {
      const ids = makeIds({ now: () => now - age * DAY_MS }, systemRandom);
      requestLog.record(call({ requestId: ids.prefixed('req') }));
    }
    await requestLog.close();
    const { json } = await reader.read();
    expect(json.data).toHaveLength(3);
    expect(json.data.at(-1).id.startsWith(leastId('req', now - 2.9 * DAY_MS).slice(0, 10))).toBe(true);
    expect(await truncateOldRequests(world.db, now, 3)).toBe(2);
    expect(await countOf(venueId)).toBe(4);
    expect(await truncateOldRequests(world.db, now + 3 * DAY_MS, 3)).toBeGreaterThanOrEqual(2);
    expect(await truncateOldRequests(world.db, now + 5 * DAY_MS, 3)).toBeGreaterThanOrEqual(1);
    expect(await countOf(venueId)).toBe(0);
  });
});

vi.setConfig({ testTimeout: 30_000 });
