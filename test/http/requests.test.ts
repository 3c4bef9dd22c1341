// Bad requests: each gets the right status, a code, a pointer and a remedy, in the one order of checks.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld();
  const { venue } = await world.venue({ origins: ['https://harbor.example'] });
  key = (await world.key(venue.id, { writesPerHour: 1_000_000, readsPerHour: 1_000_000 })).key;
});
afterAll(() => world.close());

const CHECKOUT = {
  amount: 24000,
  currency: 'usd',
  party_size: 6,
  pay_by: '2099-06-12T09:30:00-04:00',
  description: 'Saturday tee time',
  return_url: 'https://harbor.example/thanks',
  external_booking_id: 'bk-1',
};

let bookings = 1;
/** A body with a new booking id, so that no call is a replay of another. */
const newCheckout = (text: string): string => text.replace('"bk-1"', `"bk-${++bookings}"`);
const post = (body: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', '/v1/checkouts', {
    key,
    body: Buffer.isBuffer(body) ? body : newCheckout(typeof body === 'string' ? body : JSON.stringify(body)),
    headers: { 'content-type': 'application/json', ...headers },
  });

const raw = (bytes: string): Promise<string> => sendRaw(world.urls[0] ?? '', bytes);

describe('routes and methods', () => {
  it('answers 404 not_found to an unknown route before it checks any key', async () => {
    for (const path of [
      '/v1/nowhere',
      '/v2/me',
      '/v1',
      '/v1/me/extra',
      '/v1/offerings/%zz',
      `/v1/offerings/${'x'.repeat(3000)}`,
    ]) {
      const { status, json, headers } = await world.call('GET', path);
      expect([path.slice(0, 30), status, json.error.code]).toEqual([path.slice(0, 30), 404, 'not_found']);
      expect(headers.get('x-ratelimit-limit')).toBe('600');
      expect(headers.get('x-request-id')).toBe(json.error.request_id);
    }
  });

  it('answers 405 with Allow to a method that the route does not have', async () => {
    const table = [
      ['PUT', '/v1/me', 'GET, HEAD'],
      ['DELETE', '/v1/checkouts', 'GET, HEAD, POST'],
      ['OPTIONS', '/v1/checkouts', 'GET, HEAD, POST'],
      ['PATCH', '/v1/offerings/a%2Fb', 'GET, HEAD'],
      ['GET', '/v1/hooks/square/tok', 'HEAD, POST'],
      ['POST', '/schemas/v1/offering.json', 'GET, HEAD'],
      ['DELETE', '/.well-known/jwks.json', 'GET, HEAD'],
    ] as const;
    for (const [method, path, allow] of table) {
      const { status, headers, json } = await world.call(method, path);
      expect([method, path, status, headers.get('allow'), json.error.code]).toEqual([
        method,
        path,
        405,
        allow,
        'method_not_allowed',
      ]);
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-ratelimit-limit')).toBe('600');
    }
    expect(await raw('PROPFIND /v1/me HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 40[45]/);
  });

  it('accepts any legal external id in a path: 128 characters, percent-encoded, with slashes and dots', async () => {
    for (const id of ['a/b/../c', '..%2f..', 'é'.repeat(128), '😀'.repeat(128), '%', 'a?b#c', 'x;y=z']) {
      const body = {
        external_id: id,
        kind: 'class',
        title: 'x',
        tiers: [{ amount: 1, currency: 'usd', unit: 'per_unit' }],
      };
      expect((await world.call('POST', '/v1/offerings', { key, body })).status).toBe(201);
      const { status, json } = await world.call('GET', `/v1/offerings/${encodeURIComponent(id)}`, { key });
      expect([id.slice(0, 10), status, json.data.external_id]).toEqual([id.slice(0, 10), 200, id]);
    }
    expect((await world.call('DELETE', '/v1/webhook_endpoints/a%00b', { key })).status).toBe(404);
    expect(
      (await world.call('DELETE', `/v1/webhook_endpoints/${encodeURIComponent('😀'.repeat(128))}`, { key })).status,
    ).toBe(404);
  });

  it('sends no CORS header on a route for secret keys, with any status', async () => {
    for (const call of [{ key }, {}, { key: 'svc_test_wrong' }]) {
      const { headers } = await world.call('GET', '/v1/me', { ...call, headers: { origin: 'https://harbor.example' } });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('bodies', () => {
  it('answers 400 invalid_json to anything that is not strict JSON', async () => {
    const bodies = [
      '',
      '{',
      '{"amount":1,"amount":2}',
      '{"a":1,}',
      '// x\n{}',
      '\ufeff{}',
      'NaN',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      '['.repeat(60_000),
    ];
    for (const body of [...bodies, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]) {
      const { status, json } = await post(body);
      expect([String(body).slice(0, 20), status, json.error.code]).toEqual([
        String(body).slice(0, 20),
        400,
        'invalid_json',
      ]);
    }
  });

  it('accepts a nesting of 32 levels and refuses 33', async () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect((await post(nested(32))).status).toBe(422);
    expect((await post(nested(33))).status).toBe(400);
  });

  it('answers 413 one byte over 64 KB, and 1 MB for boats, with or without a declared length', async () => {
    const padded = (size: number): string => `{"amount":"${'x'.repeat(size - 13)}"}`;
    expect(padded(65_536)).toHaveLength(65_536);
    expect((await post(padded(65_536))).status).toBe(422);
    const over = await post(padded(65_537));
    expect([over.status, over.json.error.code]).toEqual([413, 'payload_too_large']);
    expect(over.json.error.message).toContain('64 KB');
    expect((await world.call('POST', '/v1/boats', { key, body: padded(1_048_576) })).status).toBe(422);
    expect((await world.call('POST', '/v1/boats', { key, body: padded(1_048_577) })).status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 70; i++) controller.enqueue(Buffer.alloc(1000, 32));
        controller.close();
      },
    });
    const chunked = await fetch(`${world.urls[0]}/v1/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it('answers 415 to another content type, and reads a missing one as JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'garbage',
    ]) {
      const { status, json } = await post(CHECKOUT, { 'content-type': type });
      expect([type, status, json.error.code]).toEqual([type, 415, 'unsupported_media_type']);
    }
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/vnd.api+json',
    ]) {
      expect([type, (await post(CHECKOUT, { 'content-type': type })).status]).toEqual([type, 201]);
    }
    const body = JSON.stringify(CHECKOUT);
    const head = `POST /v1/checkouts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
    expect(await raw(head + body)).toMatch(/^HTTP\/1\.1 201/);
  });

  it('answers with a JSON error to bytes that are not HTTP', async () => {
    const response = await raw('NONSENSE\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('"code":"malformed_request"');
    const large = await raw(`GET /v1/me HTTP/1.1\r\nhost: x\r\nx-big: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1\.1 431 /);
    expect(large).toContain('"code":"headers_too_large"');
  });

  it('accepts no body or an empty object where an operation has no body, and refuses fields in it', async () => {
    const path = '/v1/checkouts/chk_1/cancel';
    for (const body of [undefined, {}, ' {} '])
      expect((await world.call('POST', path, { key, body })).status).toBe(404);
    const extra = await world.call('POST', path, { key, body: { reason: 'x' } });
    expect([extra.status, extra.json.error.code, extra.json.error.field]).toEqual([422, 'unknown_field', '/reason']);
    const list = await world.call('POST', path, { key, body: [] });
    expect([list.status, list.json.error.code, list.json.error.field]).toEqual([422, 'invalid_type', '']);
  });
});

describe('422', () => {
  it('lists every problem in document order, missing fields after the present ones of their object', async () => {
    const { status, json } = await post(
      '{"colour":"red","party_size":1,"currency":"USD","amount":"100","metadata":{"7":7,"a b":"x"}}',
    );
    expect(status).toBe(422);
    expect(json.errors.map(({ code, field }: { code: string; field: string }) => [code, field])).toEqual([
      ['unknown_field', '/colour'],
      ['out_of_range', '/party_size'],
      ['invalid_format', '/currency'],
      ['invalid_type', '/amount'],
      ['invalid_type', '/metadata/7'],
      ['invalid_format', '/metadata/a b'],
      ['missing_field', '/pay_by'],
      ['missing_field', '/description'],
      ['missing_field', '/return_url'],
      ['missing_field', '/external_booking_id'],
    ]);
    expect(json.error).toMatchObject({ code: 'unknown_field', field: '/colour' });
    for (const problem of json.errors) {
      expect(Object.keys(problem).sort()).toEqual(['code', 'doc_url', 'example_fix', 'expected', 'field', 'message']);
    }
  });

  it('has the right code for each rule', async () => {
    const table: [object, string, string][] = [
      [{ amount: 1.5 }, 'invalid_type', '/amount'],
      [{ amount: '100' }, 'invalid_type', '/amount'],
      [{ amount: 99 }, 'out_of_range', '/amount'],
      [{ amount: 2 ** 53 }, 'out_of_range', '/amount'],
      [{ currency: 'eur' }, 'invalid_value', '/currency'],
      [{ currency: 'Usd' }, 'invalid_format', '/currency'],
      [{ pay_by: '2099-06-12T09:30:00' }, 'invalid_format', '/pay_by'],
      [{ pay_by: '2099-06-12T23:59:60Z' }, 'invalid_format', '/pay_by'],
      [{ pay_by: '2099-02-30T09:30:00Z' }, 'invalid_format', '/pay_by'],
      [{ pay_by: '9999-12-31T23:59:59-14:00' }, 'invalid_format', '/pay_by'],
      [{ pay_by: '2001-06-12T09:30:00Z' }, 'out_of_range', '/pay_by'],
      [{ description: 'x'.repeat(201) }, 'too_long', '/description'],
      [{ description: '' }, 'too_short', '/description'],
      [{ description: 'a\u0000b' }, 'invalid_format', '/description'],
      [{ return_url: 'http://harbor.example/x' }, 'invalid_format', '/return_url'],
      [{ return_url: 'https://harbor.example.evil.example/x' }, 'not_allowed', '/return_url'],
      [{ cancel_url: 'https://harbor.example:444/x' }, 'not_allowed', '/cancel_url'],
      [{ external_booking_id: 'a b' }, 'invalid_format', '/external_booking_id'],
      [{ external_booking_id: 'x'.repeat(129) }, 'too_long', '/external_booking_id'],
      [
        { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v'])) },
        'too_many_items',
        '/metadata',
      ],
      [{ metadata: { 'a b': 'x' } }, 'invalid_format', '/metadata/a b'],
      [{ metadata: { a: 'x'.repeat(501) } }, 'too_long', '/metadata/a'],
    ];
    for (const [change, code, field] of table) {
      const { status, json } = await post({ ...CHECKOUT, ...change });
      expect([
        JSON.stringify(change).slice(0, 60),
        status,
        json.errors?.map((e: { code: string; field: string }) => [e.code, e.field]),
      ]).toEqual([JSON.stringify(change).slice(0, 60), 422, [[code, field]]]);
    }
  });

  it('counts strings in Unicode characters, and accepts 1.0 and 1e3 as integers', async () => {
    expect((await post({ ...CHECKOUT, description: '😀'.repeat(200) })).status).toBe(201);
    expect((await post({ ...CHECKOUT, description: '😀'.repeat(201) })).json.error.code).toBe('too_long');
    const text = JSON.stringify(CHECKOUT);
    for (const size of ['4.0', '4e0']) {
      const { status, json } = await post(text.replace(/"party_size":\d+/, `"party_size":${size}`));
      expect([status, json.party_size]).toEqual([201, 4]);
    }
  });

  it('refuses lone surrogates and __proto__ where they would be stored, and accepts constructor as an ordinary name', async () => {
    const text = JSON.stringify(CHECKOUT);
    const surrogate = await post(text.replace('Saturday', '\\ud800'));
    expect([surrogate.status, surrogate.json.error.code, surrogate.json.error.field]).toEqual([
      422,
      'invalid_format',
      '/description',
    ]);
    const proto = await post(`${text.slice(0, -1)},"metadata":{"__proto__":"x"}}`);
    expect([proto.status, proto.json.error.code, proto.json.error.field]).toEqual([
      422,
      'not_allowed',
      '/metadata/__proto__',
    ]);
    expect((await post({ ...CHECKOUT, metadata: { constructor: 'a', prototype: 'b' } })).status).toBe(201);
  });

  it('suggests the field that was probably meant', async () => {
    const { json } = await post({ ...CHECKOUT, partysize: 4, paybye: 'x' });
    expect(json.errors[0].message).toContain('did you mean party_size?');
    expect(json.errors[1].message).toContain('did you mean pay_by?');
    expect(json.errors[0].example_fix).toBeNull();
  });

  it('ends the list at 100 entries', async () => {
    const { json } = await post(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, 1])));
    expect(json.errors).toHaveLength(100);
  });

  it('answers quickly to a megabyte of wrong items', { tags: ['slow'] }, async () => {
    const body = JSON.stringify({ amenities: Array.from({ length: 450_000 }, () => 1) });
    const { status, json } = await world.call('POST', '/v1/boats', { key, body });
    expect(status).toBe(422);
    expect(json.errors[0]).toMatchObject({ code: 'too_many_items', field: '/amenities' });
  });

  it('points into the query, and refuses an unknown or repeated parameter', async () => {
    const table = [
      ['limit=x', 'invalid_type', '/query/limit'],
      ['limit=1.5', 'invalid_type', '/query/limit'],
      ['limit=0', 'out_of_range', '/query/limit'],
      ['limit=101', 'out_of_range', '/query/limit'],
      ['status=lost', 'invalid_value', '/query/status'],
      ['before=yesterday', 'invalid_format', '/query/before'],
      ['before=2027-01-01T00:00:00', 'invalid_format', '/query/before'],
      ['limit=1&limit=2', 'invalid_type', '/query/limit'],
      ['stauts=open', 'unknown_field', '/query/stauts'],
    ] as const;
    for (const [query, code, field] of table) {
      const { status, json } = await world.call('GET', `/v1/checkouts?${query}`, { key });
      expect([query, status, json.error.code, json.error.field]).toEqual([query, 422, code, field]);
    }
    expect(
      (await world.call('GET', '/v1/checkouts?limit=100&status=open&before=2027-01-01T00:00:00%2B02:00', { key }))
        .status,
    ).toBe(200);
  });

  it('chooses Event or the older body before validation, so that errors are about the right one', async () => {
    const legacy = await world.call('POST', '/v1/experiences', { key, body: { title: 'x', price_per_person: 'y' } });
    expect(legacy.json.errors.map((e: { field: string }) => e.field)).toEqual(['/price_per_person', '/starts_at']);
    const event = await world.call('POST', '/v1/experiences', {
      key,
      body: { title: 'x', tiers: [], price_per_person: 5 },
    });
    expect(event.json.errors.map((e: { code: string; field: string }) => `${e.code} ${e.field}`)).toContain(
      'unknown_field /price_per_person',
    );
  });

  it('names the item of a batch', async () => {
    const offering = {
      external_id: 'a',
      kind: 'cabana',
      title: 'Cabana',
      tiers: [{ amount: 5000, currency: 'usd', unit: 'per_group' }],
    };
    const bad = { ...offering, external_id: 'b', tiers: [{ amount: -1, currency: 'usd', unit: 'per_group' }] };
    const { json } = await world.call('POST', '/v1/offerings', { key, body: { offerings: [offering, bad] } });
    expect([json.error.code, json.error.field]).toEqual(['out_of_range', '/offerings/1/tiers/0/amount']);
  });
});

describe('the order of checks', () => {
  it('is 404, 405, 401, 403, 429, 413, 415, 400, 422', async () => {
    const { venue, publishableTest } = await world.venue({ sandbox: true });
    const once = await world.key(venue.id, { writesPerHour: 1 });
    const big = Buffer.alloc(70_000, 'x');
    const wrong = { body: big, headers: { 'content-type': 'text/plain' } };
    expect((await world.call('POST', '/v1/nowhere', wrong)).status).toBe(404);
    expect((await world.call('PUT', '/v1/checkouts', wrong)).status).toBe(405);
    expect((await world.call('POST', '/v1/checkouts', wrong)).status).toBe(401);
    expect((await world.call('POST', '/v1/checkouts', { ...wrong, key: publishableTest })).status).toBe(403);
    expect((await world.call('POST', '/v1/integrations', { ...wrong, key: once.key })).json.error.code).toBe(
      'venue_not_linked',
    );
    expect((await world.call('POST', '/v1/checkouts', { ...wrong, key: once.key })).status).toBe(429);
    expect((await world.call('POST', '/v1/integrations', { ...wrong, key: once.key })).json.error.code).toBe(
      'venue_not_linked',
    );
    expect((await world.call('POST', '/v1/checkouts', { ...wrong, key })).status).toBe(413);
    expect((await post('{', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('{')).status).toBe(400);
    expect((await post('{}')).status).toBe(422);
    expect((await world.call('POST', '/v1/hooks/nobody/tok', { body: {} })).status).toBe(404);
    expect((await world.call('POST', '/v1/hooks/square/tok', { body: big })).status).toBe(401);
  });
});

describe('the operator’s routes', () => {
  it('accept only the operator’s token', async () => {
    const events = [
      {
        id: 'a1',
        type: 'view',
        experience_id: '01970c3e-5f5e-7a3b-8c1d-2e3f4a5b6c7d',
        member_id: 'm',
        at: '2025-01-01T00:00:00Z',
        mode: 'live',
      },
    ];
    expect((await world.call('POST', '/internal/activity', { body: { events } })).status).toBe(401);
    expect((await world.call('POST', '/internal/activity', { key, body: { events } })).status).toBe(401);
    const { status } = await world.call('POST', '/internal/activity', { key: world.operatorToken, body: { events } });
    expect(status).toBe(200);
  });

  it('report that a server is not ready once a newer release dropped a function that it calls', async () => {
    const older = await openTestWorld();
    expect((await older.call('GET', '/readyz')).status).toBe(200);
    await older.db.query('alter function admit rename to admit_newer');
    const { status, json } = await older.call('GET', '/readyz');
    expect([status, json.error.code]).toEqual([503, 'service_unavailable']);
    await older.close();
  });

  it('report health, readiness and metrics', async () => {
    expect((await world.call('GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect((await world.call('GET', '/readyz')).json).toEqual({ status: 'ready' });
    const metrics = await world.call('GET', '/metrics');
    expect(metrics.text).toContain('everyshare_http_requests_total{operation="createCheckout",status="422"}');
  });
});
