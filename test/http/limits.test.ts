// Rate limits of the rolling hour: exact under concurrency and across servers, with headers that say when to retry.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Queryable } from '../../src/base/db.ts';
import { hashOfKey, hashTextOfKey } from '../../src/domain/keys/key.ts';
import { deleteExpiredCalls, deleteIdleWindows } from '../../src/domain/keys/queries.ts';
import { makeAdmission } from '../../src/run/admission.ts';
import { rateLimited } from '../../src/run/rate-limited.ts';
import { ageCalls } from '../support/age-calls.ts';
import { isDistributed } from '../support/distributed.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const count = (responses: readonly HttpResponse[], status: number): number =>
  responses.filter((response) => response.status === status).length;

async function inParallel(calls: number, key: string): Promise<HttpResponse[]> {
  return Promise.all(Array.from({ length: calls }, (_, i) => world.call('GET', '/v1/me', { key, server: i % 2 })));
}

/** Moves every counted call into the past. */
const age = (seconds: number): Promise<void> => ageCalls(world.db, seconds * 1000);

describe('the rolling hour', () => {
  it('admits exactly 60 of 200 parallel reads on two servers that share one database', { tags: ['slow'] }, async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { readsPerHour: 60 });
    const responses = await inParallel(200, key);
    expect(count(responses, 200)).toBe(60);
    expect(count(responses, 429)).toBe(140);
    const remaining = responses
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });

  it.skipIf(isDistributed)(
    'counts a call on one server after a concurrent call that another server is counting',
    async () => {
      const { venue } = await world.venue();
      const { key } = await world.key(venue.id, { readsPerHour: 3 });
      expect((await world.call('GET', '/v1/me', { key, server: 0 })).status).toBe(200);
      const hash = hashOfKey(key);
      let pending: Promise<HttpResponse> | undefined;
      await world.db.transaction(async (tx) => {
        await tx.query(`select * from admit(array[$1::bytea], '{read}', '{2}')`, [hash]);
        pending = world.call('GET', '/v1/me', { key, server: 1 });
        await waitFor('the second server waits for the lock', async () => {
          const waiting = await world.db.priority.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return waiting.length === 1;
        });
      });
      expect((await pending)?.status).toBe(429);
    },
  );

  it('counts reads and writes separately', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { readsPerHour: 1, writesPerHour: 1 });
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(200);
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(429);
    expect((await world.call('DELETE', '/v1/webhook_endpoints/whe_x', { key })).status).toBe(404);
    expect((await world.call('DELETE', '/v1/webhook_endpoints/whe_x', { key })).status).toBe(429);
  });

  it('says in a 429 which limit is used up, when to try again, and how to get more', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { readsPerHour: 1, writesPerHour: 1 });
    const messageOf = async (method: string, path: string) => {
      await world.call(method, path, { key });
      return (await world.call(method, path, { key })).json.error.message;
    };
    const rest =
      /is used up\. Try again in \d+ seconds\. If you need more, .* ask the operator of this service to raise/;
    expect(await messageOf('GET', '/v1/me')).toMatch(/^The limit of 1 reads an hour for this key is used up\./);
    expect(await messageOf('DELETE', '/v1/webhook_endpoints/whe_x')).toMatch(rest);
    const limit = { limit: 600, remaining: 0, reset: 0, retryAfter: 7 };
    const messages = (['address', 'publishable key', 'member', 'integration'] as const).map(
      (of) => rateLimited({ ...limit, of }, 'write').message,
    );
    expect(messages).toEqual([
      expect.stringMatching(
        /600 calls an hour for one address is used up\. Try again in 7 seconds\. .*send a valid key/,
      ),
      expect.stringMatching(/600 calls an hour for this publishable key from one address is used up\. .*fixed/),
      expect.stringMatching(/600 writes an hour for a guest is used up\. .*fixed/),
      expect.stringMatching(/600 deliveries an hour for one integration is used up\. .*fixed/),
    ]);
  });

  it('counts a HEAD as a read', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { readsPerHour: 1 });
    expect((await world.call('HEAD', '/v1/me', { key })).status).toBe(200);
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(429);
  });

  it('counts a call that fails later, and does not count a 429', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id, { writesPerHour: 2 });
    const bad = await world.call('POST', '/v1/webhook_endpoints', { key, body: {} });
    expect([bad.status, bad.headers.get('x-ratelimit-remaining')]).toEqual([422, '1']);
    const broken = await world.call('POST', '/v1/webhook_endpoints', { key, body: '{' });
    expect([broken.status, broken.headers.get('x-ratelimit-remaining')]).toEqual([400, '0']);
    for (let i = 0; i < 3; i++)
      expect((await world.call('POST', '/v1/webhook_endpoints', { key, body: {} })).status).toBe(429);
    const rows = await world.db.query<{ sum: number }>(
      'select sum(calls)::int as sum from limit_calls where subject = $1',
      [`key ${id} write`],
    );
    expect(rows[0]?.sum).toBe(2);
  });

  it('admits a call again when the oldest has left the hour, and not earlier', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { readsPerHour: 2 });
    await inParallel(2, key);
    await age(3590);
    const tooEarly = await world.call('GET', '/v1/me', { key });
    expect(tooEarly.status).toBe(429);
    const wait = Number(tooEarly.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(5);
    expect(wait).toBeLessThanOrEqual(10);
    await age(wait);
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(200);
  });

  it('gives the shortest Retry-After that is sufficient: a second less is too early', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id, { readsPerHour: 1 });
    await world.call('GET', '/v1/me', { key });
    await ageCalls(world.db, 3_589_500, `key ${id} read`);
    const refused = await world.call('GET', '/v1/me', { key });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '11']);
    await age(10);
    expect((await world.call('GET', '/v1/me', { key })).headers.get('retry-after')).toBe('1');
    await age(1);
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(200);
  });

  it('gives a Retry-After at which enough calls have left for a lowered limit', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id, { readsPerHour: 5 });
    for (let i = 0; i < 5; i++) {
      await world.call('GET', '/v1/me', { key });
      await age(60);
    }
    await world.db.query('update keys set reads_per_hour = 2 where key_id = $1', [id]);
    const refused = await world.call('GET', '/v1/me', { key });
    const wait = Number(refused.headers.get('retry-after'));
    // Five calls 300, 240, 180, 120 and 60 s ago: one more fits when the fourth has left, in 3600 - 120 s.
    expect(wait).toBeGreaterThan(3600 - 125);
    expect(wait).toBeLessThanOrEqual(3600 - 119);
  });

  it('gives in X-RateLimit-Reset the second at which the oldest counted call leaves the hour', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id);
    const before = Math.floor(Date.now() / 1000);
    const first = await world.call('GET', '/v1/me', { key });
    const reset = Number(first.headers.get('x-ratelimit-reset'));
    expect(reset).toBeGreaterThanOrEqual(before + 3600);
    expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 3600);
    expect((await world.call('GET', '/v1/me', { key })).headers.get('x-ratelimit-reset')).toBe(String(reset));
  });

  it('counts unknown callers by address, and responds with 429 instead of 401 after 600 calls', async () => {
    await world.db.query(
      "insert into limit_windows values ('address 127.0.0.1', 599, now()) on conflict (subject) do update set total = 599",
    );
    await world.db.query("delete from limit_calls where subject = 'address 127.0.0.1'");
    await world.db.query("insert into limit_calls values ('address 127.0.0.1', now() - interval '1 second', 599, 599)");
    const last = await world.call('GET', '/v1/me');
    expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([401, '0']);
    expect((await world.call('GET', '/v1/me', { key: 'svc_test_wrong' })).status).toBe(429);
    expect((await world.call('GET', '/v1/nowhere')).status).toBe(404);
    const { secretTest } = await world.venue();
    expect((await world.call('GET', '/v1/me', { key: secretTest })).status).toBe(200);
    await world.db.query("delete from limit_calls where subject = 'address 127.0.0.1'");
  });

  it('counts all calls of one key together, from any number of addresses', async () => {
    const proxied = await openTestWorld({ servers: 2, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const { venue } = await proxied.venue();
    const { key } = await proxied.key(venue.id, { readsPerHour: 30 });
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        proxied.call('GET', '/v1/me', { key, server: i % 2, headers: { 'x-forwarded-for': `203.0.113.${i % 50}` } }),
      ),
    );
    expect([count(responses, 200), count(responses, 429)]).toEqual([30, 70]);
    await proxied.close();
  });

  it('counts a publishable key by address, with any invented origins', async () => {
    const { publishableTest: key } = await world.venue({ origins: ['https://shop.example'] });
    const from = (origin: string) => world.call('GET', '/v1/public/checkouts/chk_1', { key, headers: { origin } });
    const remaining = async (origin: string) => Number((await from(origin)).headers.get('x-ratelimit-remaining'));
    expect([
      await remaining('https://a.example'),
      await remaining('https://b.example'),
      await remaining('https://shop.example'),
    ]).toEqual([599, 598, 599]);
    const long = await from(`https://${'x'.repeat(6000)}.com`);
    expect([long.status, long.json.error.code]).toEqual([403, 'origin_not_allowed']);
  });

  it('costs the same for any number of calls in the hour, also before the table is analyzed', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id, { readsPerHour: 1_000_000 });
    await world.call('GET', '/v1/me', { key });
    const subject = `key ${id} read`;
    await world.db.query(
      `insert into limit_calls select $1, now() - interval '2 hours' + i * interval '1 millisecond', 1, i from generate_series(1, 20000) i`,
      [subject],
    );
    await world.db.query('update limit_windows set total = 63, last_at = now() where subject = $1', [subject]);
    const plan = await world.db.query<Record<string, { Plan: Record<string, number> }[]>>(
      `explain (analyze, buffers, format json) select * from count_calls('${subject}', 1000000, 1)`,
    );
    const [{ Plan }] = Object.values(plan[0] ?? {})[0] as [{ Plan: Record<string, number> }];
    expect(Plan['Shared Hit Blocks']).toBeLessThan(2000);
  });

  // PostgreSQL plans the statements of count_calls anew for each of the first five calls, and then once for all.
  it.skipIf(isDistributed).each([0, 1, 5, 20])(
    'reads only a few pages for a subject beside the calls of others, planned beside %i calls of each of 20',
    async (each) => {
      const rows = await world.db.transaction(async (tx) => {
        await tx.query('delete from limit_calls');
        await tx.query(
          `insert into limit_calls select 'address ' || i % 20, now() - interval '50 minutes' + i * interval '1 second', 1, i
           from generate_series(1, 20 * $1::integer) i`,
          [each],
        );
        await tx.query('analyze limit_calls');
        for (let call = 0; call < 8; call++) await tx.query(`select * from count_calls('address new', 600, 1)`);
        await tx.query(
          `insert into limit_calls select 'address ' || i % 20, now() - interval '40 minutes' + i * interval '10 ms', 1, i
           from generate_series(1, 40000) i`,
        );
        return tx.query<Record<string, [{ Plan: Record<string, number> }]>>(
          `explain (analyze, buffers, format json) select * from count_calls('address newest', 600, 1)`,
        );
      });
      const [{ Plan }] = Object.values(rows[0] ?? {})[0] as [{ Plan: Record<string, number> }];
      expect(Plan['Shared Hit Blocks']).toBeLessThan(100);
    },
  );

  it.skipIf(isDistributed)(
    'reads only a few pages for any number of batches of a busy key and any number of keys of its venue',
    async () => {
      const { venue } = await world.venue();
      const { key, id } = await world.key(venue.id, { readsPerHour: 10_000_000 });
      const subject = `key ${id} read`;
      const admit = `select * from admit(array['\\x${hashOfKey(key).toString('hex')}'::bytea], '{read}', '{40}')`;
      const rows = await world.db.transaction(async (tx) => {
        // This batch deletes expired calls, and is planned while the tables are small: PostgreSQL may reuse the plan
        // for long.
        await tx.query('insert into limit_windows values ($1, 64 * 40 - 1, now())', [subject]);
        await tx.query(admit);
        await tx.query(
          `insert into keys (venue_id, key_id, kind, mode, hint, scopes, writes_per_hour, reads_per_hour, created_at)
         select $1, 'key_' || i, 'secret', 'test', '', '{}', 1, 1, now() from generate_series(1, 5000) i`,
          [venue.id],
        );
        await tx.query(
          `insert into limit_calls select $1, now() - interval '30 minutes' + i * interval '1 millisecond', 40, i * 40
         from generate_series(1, 50000) i`,
          [subject],
        );
        // The next batch looks for expired calls as well. There are none, and finding that out must be cheap.
        await tx.query('update limit_windows set total = 64 * 40 * 900 - 1 where subject = $1', [subject]);
        return tx.query<Record<string, [{ Plan: Record<string, number> }]>>(
          `explain (analyze, buffers, format json) ${admit}`,
        );
      });
      const [{ Plan }] = Object.values(rows[0] ?? {})[0] as [{ Plan: Record<string, number> }];
      expect(Plan['Shared Hit Blocks']).toBeLessThan(100);
    },
  );

  it('gives the real wait when the clock has stepped back', { tags: ['slow'] }, async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { readsPerHour: 1 });
    await world.call('GET', '/v1/me', { key });
    await age(-5 * 3600);
    const wait = Number((await world.call('GET', '/v1/me', { key })).headers.get('retry-after'));
    expect(wait).toBeGreaterThan(6 * 3600 - 10);
    await age(5 * 3600);
  });

  async function deleteAllExpired(db: Queryable): Promise<void> {
    while ((await deleteExpiredCalls(db, 10_000)) > 0);
  }

  it('deletes expired calls without changing what is counted', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id, { readsPerHour: 3 });
    await inParallel(2, key);
    await age(2 * 3600);
    await inParallel(2, key);
    await deleteAllExpired(world.db);
    const old = await world.db.query(
      "select 1 from limit_calls where subject = $1 and at < clock_timestamp() - interval '1 hour'",
      [`key ${id} read`],
    );
    expect([old, await rowsOf(id)]).toMatchObject([[], { windows: 1 }]);
    expect((await world.call('GET', '/v1/me', { key })).headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(429);
  });

  it('deletes the window of a key that was not used for an hour, with the last of its calls', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id, { readsPerHour: 3 });
    for (let calls = 0; calls < 3; calls++) await world.call('GET', '/v1/me', { key });
    await age(3_590);
    await deleteAllExpired(world.db);
    expect(await rowsOf(id)).toEqual({ windows: 1, calls: 3 });
    await age(20);
    // In batches of one: the window goes with the last call, whichever batch that is.
    await world.db.query('delete from limit_calls where subject <> $1', [`key ${id} read`]);
    let deleted: number;
    do deleted = await deleteExpiredCalls(world.db, 1);
    while (deleted > 0);
    expect(await rowsOf(id)).toEqual({ windows: 0, calls: 0 });
    expect((await world.call('GET', '/v1/me', { key })).headers.get('x-ratelimit-remaining')).toBe('2');
  });

  const left = async (db: Queryable, keyId: string, calls: number): Promise<number | undefined> => {
    const [row] = await db.query<{ remaining: number }>('select remaining from count_calls($1, 5, $2)', [
      `key ${keyId} read`,
      calls,
    ]);
    return row?.remaining;
  };
  /** Runs `work` while another connection waits for a lock, and returns what that connection got after the commit. */
  async function whileWaiting<T>(wait: () => Promise<T>, work: (tx: Queryable) => Promise<void>): Promise<T> {
    let waiting: Promise<T> | undefined;
    await world.db.transaction(async (tx) => {
      await work(tx);
      waiting = wait();
      await waitFor('the other connection waits for the lock', async () => {
        const found = await world.db.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return found.length === 1;
      });
    });
    return waiting as Promise<T>;
  }

  it.skipIf(isDistributed)('locks the hour of a caller that is not counted yet', async () => {
    const { id } = await world.key((await world.venue()).venue.id);
    const found = await whileWaiting(
      () => left(world.db.priority, id, 0),
      async (tx) => {
        expect(await left(tx, id, 0)).toBe(5);
        expect(await left(tx, id, 2)).toBe(3);
      },
    );
    expect(found).toBe(3);
  });

  it.skipIf(isDistributed)('counts a call whose window the worker is deleting', async () => {
    const { id } = await world.key((await world.venue()).venue.id);
    await left(world.db, id, 2);
    await age(3_601);
    const found = await whileWaiting(
      () => left(world.db.priority, id, 1),
      async (tx) => {
        await deleteAllExpired(tx);
      },
    );
    expect([found, await rowsOf(id)]).toEqual([4, { windows: 1, calls: 1 }]);
  });

  it('keeps a window that is used while the worker looks', async () => {
    const { id } = await world.key((await world.venue()).venue.id);
    await left(world.db, id, 2);
    await age(3_601);
    const db: Queryable = {
      query: async (text, values) => {
        const isOwn = values?.[0] === `key ${id} read`;
        if (isOwn && text.startsWith('delete from limit_windows')) await left(world.db, id, 1);
        return world.db.query(text, values);
      },
    };
    await deleteAllExpired(db);
    expect(await rowsOf(id)).toEqual({ windows: 1, calls: 1 });
    expect(await left(world.db, id, 1)).toBe(3);
  });

  it('deletes the window of a caller that was never counted', async () => {
    const { id } = await world.key((await world.venue()).venue.id);
    expect(await left(world.db, id, 0)).toBe(5);
    expect(await rowsOf(id)).toEqual({ windows: 1, calls: 1 });
    await deleteAllExpired(world.db);
    expect(await rowsOf(id)).toEqual({ windows: 0, calls: 0 });
  });

  it('deletes a window that lost its calls, a day after the last of them', async () => {
    const { id } = await world.key((await world.venue()).venue.id);
    await left(world.db, id, 2);
    await age(23 * 3_600);
    await world.db.query('delete from limit_calls where subject = $1', [`key ${id} read`]);
    await deleteIdleWindows(world.db, 10_000);
    expect(await rowsOf(id)).toEqual({ windows: 1, calls: 0 });
    await age(2 * 3_600);
    expect(await deleteIdleWindows(world.db, 10_000)).toBeGreaterThan(0);
    expect(await rowsOf(id)).toEqual({ windows: 0, calls: 0 });
  });

  async function rowsOf(keyId: string) {
    const subject = `key ${keyId} read`;
    const count = async (table: string) => {
      const rows = await world.db.query<{ count: number }>(
        `select count(*)::int as count from ${table} where subject = $1`,
        [subject],
      );
      return rows[0]?.count;
    };
    return { windows: await count('limit_windows'), calls: await count('limit_calls') };
  }
});

it('a caller whose venue is on a lost node of a distributed database fails alone, not with those that share its look-up', async () => {
  const venues = [(await world.venue()).venue, (await world.venue()).venue];
  const keys = await Promise.all(venues.map(({ id }) => world.key(id)));
  const lost = hashOfKey(keys[0]?.key ?? '');
  const sizes: number[] = [];
  const db: Queryable = {
    query: async (text, values = []) => {
      const hashes = values[0] as Buffer[];
      sizes.push(hashes.length);
      if (hashes.some((hash) => lost.equals(hash)))
        throw new Error(
          'connection to the remote node postgres@10.0.0.5:5432 failed with the following error: refused',
        );
      return world.db.query(text, values);
    },
  };
  const admit = makeAdmission(db, systemClock);
  const results = await Promise.allSettled(
    keys.map(({ key }) => admit({ hash: hashTextOfKey(key), effect: 'read', address: '127.0.0.1', origin: '' })),
  );
  expect(sizes).toEqual([2, 1, 1]);
  expect(results).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: { key: { venue_id: venues[1]?.id }, rateLimit: { retryAfter: null } } },
  ]);
});
