// Faults that a review found by attacking the server, now fixed: lost connections, locks, floods of problems, malformed
// requests.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openSharedWorld();
  const { venue } = await world.venue();
  key = (await world.key(venue.id, { writesPerHour: 1_000_000, readsPerHour: 1_000_000 })).key;
});
afterAll(() => world.close());

const raw = (bytes: string): Promise<string> => sendRaw(world.urls[0] ?? '', bytes);

/** Holds the locks of a statement until the returned function is called. */
async function holdLock(sql: string): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let onLocked = (): void => undefined;
  const locked = new Promise<void>((resolve) => {
    onLocked = resolve;
  });
  const done = world.db.transaction(async (tx) => {
    await tx.query(sql);
    onLocked();
    await released;
  });
  await locked;
  return async () => {
    release();
    await done;
  };
}

describe('the database', () => {
  it('may lose its connections during transactions: callers get 503, and the server goes on', {
    tags: ['slow'],
  }, async () => {
    const other = await openSharedWorld();
    const { secretTest } = await other.venue();
    const { venue } = await other.venue();
    const wide = (await other.key(venue.id, { writesPerHour: 100_000 })).key;
    expect((await other.call('GET', '/v1/me', { key: secretTest })).status).toBe(200);
    const statuses = new Set<number>();
    for (let round = 0; round < 5; round++) {
      const calls = Array.from({ length: 24 }, () =>
        other.call('DELETE', '/v1/webhook_endpoints/whe_x', { key: wide }),
      );
      await world.db.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [new URL(other.context.config.databaseUrl ?? '').pathname.slice(1)],
      );
      for (const { status } of await Promise.all(calls)) statuses.add(status);
    }
    expect([...statuses].filter((status) => status !== 404 && status !== 503)).toEqual([]);
    let last = 0;
    for (let i = 0; i < 20 && last !== 200; i++) last = (await other.call('GET', '/v1/me', { key: secretTest })).status;
    expect(last).toBe(200);
    await other.close();
  });

  it('may lock the tables of the lists without delaying other requests', async () => {
    const release = await holdLock('lock table webhook_endpoints');
    const lists = Array.from({ length: 8 }, () => world.call('GET', '/v1/webhook_endpoints', { key }));
    const me = await world.call('GET', '/v1/me', { key });
    expect(me.status).toBe(200);
    await release();
    for (const { status } of await Promise.all(lists)) expect(status).toBe(200);
  });

  it('may be too slow during admission: the answer is 503 with Retry-After, not 500', { tags: ['slow'] }, async () => {
    const { venue } = await world.venue();
    const slow = await world.key(venue.id);
    await world.call('GET', '/v1/me', { key: slow.key });
    const release = await holdLock(`select 1 from limit_windows where subject = 'key ${slow.id} read' for update`);
    const response = await world.call('GET', '/v1/me', { key: slow.key });
    expect([response.status, response.json.error.code, response.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
    await release();
  });
});

describe('a flood of problems', () => {
  const unknown = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1])));

  it('of 40,000 unknown fields ends at 100, in document order', async () => {
    const body = unknown(40_000);
    const { status, json } = await world.call('POST', '/v1/boats', { key, body });
    expect([status, json.errors.length]).toEqual([422, 100]);
    expect(json.errors.map((e: { field: string }) => e.field)).toEqual(Array.from({ length: 100 }, (_, i) => `/x${i}`));
  });

  it('of more than 40,000 members, 50,000 arrays and objects, or 1,000 numbers that no double holds, is 400 before anything is built', async () => {
    const members = await world.call('POST', '/v1/boats', { key, body: unknown(40_001) });
    expect([members.status, members.json.error.message]).toEqual([400, expect.stringContaining('40000 members')]);
    const empty = (count: number) => world.call('POST', '/v1/boats', { key, body: `[${'{},[],'.repeat(count)}1]` });
    expect((await empty(25_000)).json.error.message).toContain('50000 arrays and objects');
    expect((await empty(24_999)).status).toBe(422);
    const overflow = (count: number) => world.call('POST', '/v1/boats', { key, body: `[${'1e999,'.repeat(count)}1]` });
    expect((await overflow(1_001)).json.error.message).toContain('1000 numbers');
    expect((await overflow(1_000)).status).toBe(422);
  });
});

describe('error messages', () => {
  const response = async (path: string, body: unknown) => (await world.call('POST', path, { key, body })).json.errors;

  it('never show a pattern, and always have an example that is valid', async () => {
    const [tiers] = (await response('/v1/offerings', { external_id: 'a', kind: 'class', title: 'x' })) as {
      example_fix: unknown;
    }[];
    expect(Array.isArray(tiers?.example_fix)).toBe(true);
    const tier = {
      amount: 1,
      currency: 'USD',
      unit: 'per_group',
      days: ['mon', 'mon'],
      time_window: { from: '9:00', to: '10:00' },
    };
    const errors = await response('/v1/offerings', { external_id: 'a', kind: 'class', title: 'x', tiers: [tier] });
    expect(errors.map((e: { code: string; field: string; expected: string }) => [e.code, e.field, e.expected])).toEqual(
      [
        ['invalid_format', '/tiers/0/currency', 'three lower-case letters, such as "usd"'],
        ['not_unique', '/tiers/0/days', 'a list of 1 to 7 items'],
        ['invalid_format', '/tiers/0/time_window/from', 'a time of day from 00:00 to 23:59, such as "09:30"'],
      ],
    );
    expect(errors[1].example_fix).not.toBeNull();
  });

  it('say which bound "above" means, and refuse a URL without a host', async () => {
    const boat = (world.context.registry.get('boat').examples as object[])[0];
    const [rate] = await response('/v1/boats', {
      ...boat,
      pricing: [{ duration_hours: 0, amount: 1, currency: 'usd' }],
    });
    expect(rate.expected).toBe('a number above 0, up to 720');
    const [url] = await response('/v1/webhook_endpoints', { url: 'https:///foo', events: ['share.held'] });
    expect([url.code, url.field]).toEqual(['invalid_format', '/url']);
  });

  it('report text that cannot be stored once for its field', async () => {
    const { json } = await world.call('POST', '/v1/checkouts/x/cancel', { key, body: '{"a\\u0000":1}' });
    expect(json.errors.map((e: { code: string; field: string }) => [e.code, e.field])).toEqual([
      ['invalid_format', '/a\ufffd'],
    ]);
    const nul = await response('/v1/webhook_endpoints', '{"url":"https://a.example/\\u0000","events":["share.held"]}');
    expect(nul).toHaveLength(1);
    expect(nul[0].example_fix).toMatch(/^https:/);
  });
});

describe('malformed requests', () => {
  it('a query parameter named __proto__ is unknown; parameters are reported in their order', async () => {
    expect((await world.call('GET', '/v1/me?__proto__=1', { key })).json.error).toMatchObject({
      code: 'unknown_field',
      field: '/query/__proto__',
    });
    const { json } = await world.call('GET', '/v1/checkouts?limit=abc&status=zzz', { key });
    expect(json.errors.map((e: { field: string }) => e.field)).toEqual(['/query/limit', '/query/status']);
    expect(json.errors[0].message).toBe('limit must be an integer from 1 to 100.');
  });

  it('percent-encoded paths and published documents answer 405; a path without its name answers 404', async () => {
    expect((await world.call('POST', '/v1/%6de')).status).toBe(405);
    expect((await world.call('POST', '/v1/openapi.json')).headers.get('allow')).toBe('GET, HEAD');
    expect((await world.call('GET', '/v1/offerings/', { key })).status).toBe(404);
  });

  it('a request target with an origin is routed by its path: routes, 405, pages, the link to a next page', async () => {
    const ask = (method: string, url: string, overrides = ''): Promise<string> =>
      raw(
        `${method} ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 0\r\n${overrides}Connection: close\r\n\r\n`,
      );
    expect(await ask('GET', 'http://evil.example/v1/me')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('GET', 'HTTPS://evil.example:99/v1/me?x=1')).toContain('"code":"unknown_field"');
    expect(await ask('POST', 'http://evil.example/v1/me')).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nallow: GET, HEAD\r\n/);
    expect(await ask('GET', 'http://evil.example/s/nobody')).toMatch(/^HTTP\/1\.1 404 [\s\S]*<\/html>/);
    expect(await ask('GET', 'http://evil.example')).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);
    // Text after a # is read as a query, with an origin and without one.
    for (const origin of ['', 'http://evil.example']) {
      expect(await ask('GET', `${origin}/v1/me#x?y=1`)).toContain('"code":"unknown_field"');
      expect(await ask('POST', `${origin}/v1/me#x`)).toMatch(/^HTTP\/1\.1 405 /);
    }
    expect(await ask('GET', 'http://evil.example#/v1/me')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('QUERY is answered as any unsupported method, with a content type or without one', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      for (const path of ['/v1/me', '/schemas/v1/index.json'])
        expect((await world.call('QUERY', path, { headers })).status, path).toBe(405);
      expect((await world.call('QUERY', '/nothing', { headers })).status).toBe(404);
    }
  });

  it('a path with broken percent-encoding is answered with a request id, as a page too', async () => {
    for (const path of ['/v1/boats/%E0%A4%A', '/c/%E0%A4%A', '/s/%zz', `/c/${'x'.repeat(3_000)}`]) {
      const { status, headers } = await world.call('GET', path);
      expect([status, headers.get('x-content-type-options')]).toEqual([404, 'nosniff']);
      expect(headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('an invalid HEAD request gets no body', async () => {
    const head = await raw('HEAD %2fv1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 [\s\S]*content-length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/);
    const get = await raw('GET %2fv1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(get).toMatch(/"code":"malformed_request"/);
  });

  it('an unknown Expect and a broken Content-Type are answered as JSON errors in the order of checks', async () => {
    const auth = `authorization: Bearer ${key}\r\nconnection: close`;
    expect(await raw(`GET /v1/me HTTP/1.1\r\nhost: x\r\nexpect: foo\r\n${auth}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200/);
    const big = await world.call('POST', '/v1/checkouts', {
      key,
      body: Buffer.alloc(70_000, 'x'),
      headers: { 'content-type': 'json' },
    });
    expect(big.status).toBe(413);
    expect(
      await raw(`POST /v1/checkouts HTTP/1.1\r\nhost: x\r\ncontent-type: \r\ncontent-length: 2\r\n${auth}\r\n\r\n{}`),
    ).toMatch(/^HTTP\/1\.1 422/);
  });

  it('a body whose fields are all optional may be omitted', async () => {
    expect((await world.call('POST', '/v1/test_helpers/checkouts/x/hold', { key })).status).toBe(404);
    expect((await world.call('POST', '/v1/checkouts/x/refund', { key })).status).toBe(404);
    expect((await world.call('POST', '/v1/checkouts', { key })).json.error.message).toBe(
      'The body is empty: send a JSON object.',
    );
  });

  it('401 names the matching remedy: a hook’s address, the operator’s token', async () => {
    const hook = await world.call('POST', '/v1/hooks/square/tok', { body: {} });
    expect([hook.status, hook.headers.get('www-authenticate'), hook.json.error.message]).toEqual([
      401,
      null,
      expect.stringContaining('hook address'),
    ]);
    expect((await world.call('POST', '/internal/activity', { body: {} })).json.error.message).toContain(
      'operator token',
    );
  });

  it('paths outside /v1 have no rate limit headers', async () => {
    for (const path of ['/docs/errors/nope', '/schemas/v1/nope.json']) {
      const response = await world.call('GET', path);
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([404, null]);
    }
  });
});
