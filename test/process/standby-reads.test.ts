// DATABASE_READ_URL with a real standby: reads go there, no caller reads less than was written before, and a standby that is
// behind or down changes no answer.

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemMonotonicClock } from '../../src/base/clock.ts';
import { ConfigError, readConfig } from '../../src/base/config.ts';
import { type Db, isUnavailable, openDb } from '../../src/base/db.ts';
import { notFound } from '../../src/base/errors.ts';
import { makeLog } from '../../src/base/log.ts';
import { migrate } from '../../src/base/migrate.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { schemaFolders } from '../../src/base/schema-files.ts';
import { type Reads, readFromStandby } from '../../src/base/standby-reads.ts';
import { type Program, runProgram, startProgram } from '../support/run-program.ts';
import { type StandbyPair, startStandbyPair } from '../support/standby-pair.ts';
import { waitFor } from '../support/wait-for.ts';

// Two databases and a server are started.
vi.setConfig({ hookTimeout: 180_000, testTimeout: 120_000 });

let folder: string;
let pair: StandbyPair;
let primary: Db;
let standby: Db;
let reads: Reads;
/** Which of the two the last read used. */
let used: 'primary' | 'standby' | null = null;
const log = makeLog('silent', 'test');

const open = (url: string, acceptsStandby = false): Db =>
  openDb({ url, connections: 6, pooled: false, applicationName: 'test', acceptsStandby });
const countRows = (): Promise<number> =>
  reads.read(async (db) => {
    used = db === standby ? 'standby' : 'primary';
    const [row] = await db.query<{ count: number }>('select count(*)::integer as count from numbers');
    return row?.count ?? -1;
  });
const write = (): Promise<unknown> => primary.query('insert into numbers values (1)');
/** The standby is asked again some time after it was behind or down. */
const untilRead = (from: 'primary' | 'standby'): Promise<unknown> =>
  waitFor(
    `the ${from} is read`,
    async () => {
      await countRows();
      return used === from;
    },
    { timeoutMs: 90_000 },
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'standby-'));
  chmodSync(folder, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  pair = await startStandbyPair(folder, async (url) => {
    await migrate(url, schemaFolders(packageRoot));
    const db = open(url);
    await db.query('create table numbers (id int)');
    await db.close();
  });
  [primary, standby] = [open(pair.primary.url), open(pair.standby.url, true)];
  // A busy machine may need longer than a server waits: here the standby has time.
  reads = readFromStandby({ primary, standby, elapsed: systemMonotonicClock, log, maxWaitMs: 3_000 });
});
afterAll(async () => {
  await Promise.all([primary.close(), standby.close()]);
  await pair.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a standby in the place of the primary', () => {
  it('is refused as an unavailable database, for single statements and transactions', async () => {
    const db = open(pair.standby.url);
    const refused = [db.query('select 1'), db.priority.query('select 1'), db.transaction((tx) => tx.query('select 1'))];
    for (const outcome of await Promise.allSettled(refused)) {
      expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true);
      expect(outcome.status === 'rejected' && String(outcome.reason)).toMatch(/the database server is a standby/);
    }
    await db.close();
  });
});

describe('reads from a standby', () => {
  it('use it, and have everything that was written before each of them', async () => {
    await untilRead('standby');
    let fromStandby = 0;
    for (let written = await countRows(); fromStandby < 10; ) {
      await write();
      written++;
      expect(await countRows()).toBe(written);
      if (used === 'standby') fromStandby++;
    }
  });

  it('use the primary while replay is paused, with what was just written, and the standby again afterwards', async () => {
    await untilRead('standby');
    const before = await countRows();
    await standby.query('select pg_wal_replay_pause()');
    await waitFor('replay is paused', async () => {
      const [row] = await standby.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state');
      return row?.state === 'paused';
    });
    await write();
    expect([await countRows(), used]).toEqual([before + 1, 'primary']);
    const [row] = await standby.query<{ count: number }>('select count(*)::integer as count from numbers');
    expect(row?.count, 'the standby itself is behind').toBe(before);
    await standby.query('select pg_wal_replay_resume()');
    await untilRead('standby');
    expect(await countRows()).toBe(before + 1);
  });

  it('that write after all are run at the primary', async () => {
    await untilRead('standby');
    const before = await countRows();
    const readAndWrite = reads.read(async (db) => {
      await db.query('insert into numbers values (2)');
      return db === primary;
    });
    expect(await readAndWrite).toBe(true);
    expect(await countRows()).toBe(before + 1);
  });

  it('that are refused are not repeated at the primary', async () => {
    await untilRead('standby');
    let runs = 0;
    const refused = reads.read(async () => {
      runs++;
      throw notFound();
    });
    await expect(refused).rejects.toThrow();
    expect(runs).toBe(1);
  });
});

describe('a server with DATABASE_READ_URL', () => {
  let server: Program;
  let key: string;
  const env: Record<string, string> = {};
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as { id: string; data: { id: string }[] } };
  };
  const create = async (): Promise<string> => {
    const { status, json } = await call('POST', '/v1/checkouts', {
      amount: 24_000,
      currency: 'usd',
      party_size: 3,
      pay_by: new Date(Date.now() + 3_600_000).toISOString(),
      description: 'Cabana 3',
      return_url: 'https://harbor.example/b',
      external_booking_id: randomBytes(6).toString('hex'),
    });
    expect(status).toBe(201);
    return json.id;
  };
  const newest = async (): Promise<string | undefined> => (await call('GET', '/v1/checkouts?limit=1')).json.data[0]?.id;
  const listsAtStandby = async (): Promise<boolean> =>
    (
      await standby.query(
        `select 1 from pg_stat_activity where application_name = 'everyshare-reads' and query like '%checkouts%'`,
      )
    ).length > 0;

  beforeAll(async () => {
    Object.assign(env, {
      DATABASE_URL: pair.primary.url,
      DATABASE_READ_URL: pair.standby.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: join(folder, 'data'),
    });
    server = await startProgram(['serve'], env);
    const venue = await runProgram(['venue', 'create', '--name', 'Club', '--sandbox', '--json'], env);
    const { id, keys } = JSON.parse(venue.out) as { id: string; keys: { secret_test: string } };
    key = keys.secret_test;
    await runProgram(['venue', 'origin', 'add', id, 'https://harbor.example'], env);
  });
  afterAll(() => server.stop('SIGTERM'));

  it('lists what was just created, also while the standby is behind, and reads the standby otherwise', async () => {
    const first = await create();
    await waitFor(
      'a list is read from the standby',
      async () => {
        expect(await newest()).toBe(first);
        return listsAtStandby();
      },
      { timeoutMs: 100_000, intervalMs: 500 },
    );
    await standby.query('select pg_wal_replay_pause()');
    for (let index = 0; index < 3; index++) {
      const id = await create();
      expect(await newest()).toBe(id);
    }
    await standby.query('select pg_wal_replay_resume()');
  });

  it('answers from the primary when the standby is down', async () => {
    await pair.standby.stop();
    for (let index = 0; index < 3; index++) {
      const id = await create();
      expect(await newest()).toBe(id);
    }
  });
});

it('DATABASE_READ_URL without DATABASE_URL is refused with the remedy', () => {
  const read = () => readConfig({ DATABASE_READ_URL: 'postgres://standby/everyshare' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/set DATABASE_URL to the primary/);
});
