// The request log from the call to the console: which calls are kept, what is kept of them, and how they are read.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leastId } from '../../src/base/ids.ts';
import { slotOf } from '../../src/domain/requests/id-range.ts';
import { callTool, checkoutBody, post, request, SITE } from '../mcp/json-rpc-client.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { countStored, openReader, type Reader } from './support.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { REQUEST_LOG: 'on', TRUSTED_PROXIES: '127.0.0.1' }, servers: 2 });
});
afterAll(() => world.close());

const openVenue = async (): Promise<{ id: string; secret: string; publishable: string; reader: Reader }> => {
  const { venue, secretTest, publishableTest } = await world.venue({ origins: [SITE] });
  return { id: venue.id, secret: secretTest, publishable: publishableTest, reader: await openReader(world, venue.id) };
};
const endingOf = ({ status, code, method, path, operation }: Record<string, unknown>) =>
  `${status} ${code ?? ''} ${method} ${path} ${operation ?? 'none'}`.replaceAll(/chk_\w+/g, 'chk');

describe('a call with a key', () => {
  it('is kept with what was called, how it ended, by which key and from where', async () => {
    const { id, secret, reader } = await openVenue();
    const { key, id: keyId } = await world.key(id, { name: 'Booking server' });
    const headers = { 'user-agent': `agent/1.0 ${'x '.repeat(100)}`, 'x-forwarded-for': '203.0.113.77' };
    const created = await world.call('POST', '/v1/checkouts', { key, body: checkoutBody(), headers });
    await world.call('GET', '/v1/checkouts?limit=2&status=open', {
      key: secret,
      headers: { 'x-forwarded-for': '2001:db8:7:8::9' },
    });
    const [read, line] = await reader.waitForLines(2);
    expect(line).toEqual({
      id: created.headers.get('x-request-id'),
      object: 'request',
      mode: 'test',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      method: 'POST',
      path: '/v1/checkouts',
      route: '/v1/checkouts',
      operation: 'createCheckout',
      tool: null,
      status: 201,
      code: null,
      reason: null,
      field: null,
      problem_count: 0,
      replayed: false,
      duration_ms: expect.any(Number),
      key: { id: keyId, name: 'Booking server', kind: 'secret', hint: expect.stringMatching(/^svc_test_…/) },
      address: '203.0.113.…',
      user_agent: headers['user-agent'].slice(0, 120),
    });
    expect(Math.abs(Date.parse(line.created_at) - Date.now())).toBeLessThan(60_000);
    expect([read.path, read.route, read.address]).toEqual([
      '/v1/checkouts?limit=2&status=open',
      '/v1/checkouts',
      '2001:db8:7:…',
    ]);
    const { status, json } = await reader.read(`/${line.id}`);
    expect([status, json.problems, json.body, json.message]).toEqual([200, [], null, null]);
  });

  it('is kept when it is refused, by any check and by a key that is revoked or has expired', async () => {
    const { id, secret, publishable, reader } = await openVenue();
    const bodyless = { key: secret };
    const revoked = await world.key(id);
    await world.revoke(revoked.id);
    const expired = await world.key(id);
    await world.db.query(`update keys set expires_at = now() - interval '1 second' where key_id = $1`, [expired.id]);
    const elsewhere = await world.key(id, { allowIps: ['198.51.100.0/24'] });
    const used = await world.key(id, { readsPerHour: 1 });
    await world.call('GET', '/v1/offerings', { key: used.key });
    const once = checkoutBody();
    const calls: [method: string, path: string, call: object, expected: string][] = [
      ['GET', '/v1/offerings', { key: revoked.key }, '401 unauthorized GET /v1/offerings listOfferings'],
      ['GET', '/v1/offerings', { key: expired.key }, '401 unauthorized GET /v1/offerings listOfferings'],
      ['GET', '/v1/offerings', { key: elsewhere.key }, '403 ip_not_allowed GET /v1/offerings listOfferings'],
      ['GET', '/v1/offerings', { key: publishable }, '403 wrong_key_kind GET /v1/offerings listOfferings'],
      ['GET', '/v1/offerings', { key: used.key }, '429 rate_limited GET /v1/offerings listOfferings'],
      ['GET', '/v1/checkout', bodyless, '404 not_found GET /v1/checkout none'],
      ['DELETE', '/v1/me', bodyless, '405 method_not_allowed DELETE /v1/me none'],
      ['GET', '/v1/checkouts/chk_1', bodyless, '404 not_found GET /v1/checkouts/chk getCheckout'],
      ['POST', '/v1/checkouts', { ...bodyless, body: '{' }, '400 invalid_json POST /v1/checkouts createCheckout'],
      [
        'POST',
        '/v1/checkouts',
        { ...bodyless, body: 'x'.repeat(70_000) },
        '413 payload_too_large POST /v1/checkouts createCheckout',
      ],
      [
        'POST',
        '/v1/checkouts',
        { ...bodyless, body: 'a=1', headers: { 'content-type': 'text/plain' } },
        '415 unsupported_media_type POST /v1/checkouts createCheckout',
      ],
      [
        'POST',
        '/v1/checkouts',
        { ...bodyless, body: { amount: '1' } },
        '422 invalid_type POST /v1/checkouts createCheckout',
      ],
      ['POST', '/v1/checkouts', { ...bodyless, body: once }, '201  POST /v1/checkouts createCheckout'],
      [
        'POST',
        '/v1/checkouts',
        { ...bodyless, body: { ...once, amount: 999 } },
        '409 conflict POST /v1/checkouts createCheckout',
      ],
    ];
    for (const [method, path, call] of calls) await world.call(method, path, call);
    const lines = await reader.waitForLines(calls.length + 1);
    expect(lines.slice(0, -1).map(endingOf).reverse()).toEqual(calls.map(([, , , expected]) => expected));
    expect(lines.filter(({ reason }) => reason !== null).map(({ reason }) => reason)).toEqual([
      'idempotency_key_reused',
    ]);
  });

  it('is marked when it was answered with the stored response', async () => {
    const { secret, reader } = await openVenue();
    const body = checkoutBody();
    for (const _ of [1, 2]) await world.call('POST', '/v1/checkouts', { key: secret, body });
    expect((await reader.waitForLines(2)).map(({ replayed }) => replayed)).toEqual([true, false]);
  });

  it('at the tool server is kept with its tool, and with the status and problems of the tool', async () => {
    const { secret, reader } = await openVenue();
    await callTool(world, secret, 'describe_venue', {});
    await callTool(world, secret, 'create_checkout', { ...checkoutBody(), amount: '240.00', note: '+14155550123' });
    await post(world, request('tools/list'), { key: secret });
    const [list, failed, described] = await reader.waitForLines(3);
    expect([described.path, described.tool, described.operation, described.status]).toEqual([
      '/mcp',
      'describe_venue',
      'getMe',
      200,
    ]);
    expect([failed.path, failed.tool, failed.operation, failed.status, failed.code, failed.field]).toEqual([
      '/mcp',
      'create_checkout',
      'createCheckout',
      422,
      'invalid_type',
      '/amount',
    ]);
    expect([list.tool, list.operation, list.status]).toEqual([null, 'callTool', 200]);
    const { json } = await reader.read(`/${failed.id}`);
    expect(JSON.parse(json.body)).toMatchObject({ amount: '240.00', note: '[phone]' });
    expect(json.problems.map(({ code, field }: Record<string, string>) => `${code} ${field}`)).toEqual([
      'invalid_type /amount',
      'unknown_field /note',
    ]);
  });

  it('at the tool server that breaks the protocol is kept as refused, with what was wrong', async () => {
    const { secret, reader } = await openVenue();
    await post(world, request('tools/unknown'), { key: secret });
    await callTool(world, secret, 'no_such_tool', {});
    await post(world, { jsonrpc: '1.0' }, { key: secret });
    const lines = await reader.waitForLines(3);
    expect(lines.map(endingOf).reverse()).toEqual([
      '404 not_found POST /mcp callTool',
      '400 malformed_request POST /mcp callTool',
      '400 malformed_request POST /mcp callTool',
    ]);
    const { json } = await reader.read(`/${lines[1].id}`);
    expect([json.reason, json.message]).toEqual(['protocol_error', 'Unknown tool: no_such_tool']);
  });

  it('is not kept for a session of the console, an unknown key, a guest or the operator', async () => {
    const { id, secret, reader } = await openVenue();
    const account = await createAccount(world.context, 'owner@harbor.example', [[id, 'owner']]);
    const { token } = await createSession(world.context, account);
    await callConsole(world, 'GET', '/v1/offerings', { token, venue: id });
    await world.call('GET', '/v1/offerings', { key: `svc_test_${'A'.repeat(32)}` });
    await world.call('POST', '/v1/public/sign_in', { body: { phone: 'x' } });
    await world.call('POST', '/internal/activity', { key: world.operatorToken, body: {} });
    await world.call('GET', '/v1/offerings', { key: secret });
    expect((await reader.waitForLines(1)).map(endingOf)).toEqual(['200  GET /v1/offerings listOfferings']);
    expect(await countStored(world.db, id)).toBe(1);
  });
});

describe('a failed call', () => {
  it('shows the limits that our messages name, and masks numbers that they repeat from the caller', async () => {
    const { secret, reader } = await openVenue();
    await world.call('POST', '/v1/checkouts', { key: secret, body: { ...checkoutBody(), amount: 123_456_789_012 } });
    const body = { ...checkoutBody(), '4155550123': 1, currency: '\u0034155550199' };
    await world.call('POST', '/v1/checkouts', { key: secret, body });
    const [phones, large] = await reader.waitForLines(2);
    const { json } = await reader.read(`/${large.id}`);
    expect(json.message).toContain('99999999');
    expect(json.message).not.toContain('[phone]');
    const { text } = await reader.read(`/${phones.id}`);
    expect(text).not.toMatch(/4155550123|4155550199/);
  });

  it('is kept with its problems, what to send instead, and its body, and with no secret of them', async () => {
    const { id, secret, reader } = await openVenue();
    const secrets = ['+14155550123', 'anna@harbor.example', '4242424242424242', secret, 'hunter22'];
    const body = {
      ...checkoutBody(),
      amount: '240.00',
      description: `${secrets[0]} ${secrets[1]}`,
      '+14155550123': 1,
      metadata: { note: secrets[2], password: secrets[4] },
      authorization: secret,
    };
    await world.call('POST', `/v1/checkouts?phone=${encodeURIComponent('+14155550123')}&limit=5`, {
      key: secret,
      body,
    });
    await world.call('GET', `/v1/offerings/${encodeURIComponent('anna@harbor.example')}`, { key: secret });
    const [second, first] = await reader.waitForLines(2);
    const { json, text } = await reader.read(`/${first.id}`);
    expect([json.status, json.code, json.path]).toEqual([
      422,
      'invalid_type',
      '/v1/checkouts?phone=[masked]&limit=[masked]',
    ]);
    expect(second.path).toBe('/v1/offerings/[mail address]');
    expect(json.problem_count).toBe(json.problems.length);
    expect(json.problems[0]).toEqual({
      code: 'invalid_type',
      field: '/amount',
      message: expect.stringContaining('amount'),
      expected: expect.any(String),
      example_fix: expect.any(Number),
      doc_url: expect.stringMatching(/\/docs\/errors\/invalid_type$/),
    });
    expect(JSON.parse(json.body)).toMatchObject({ amount: '240.00', currency: 'usd', authorization: '[masked]' });
    const rows = await world.db.query<{ row: string; failure: Buffer }>(
      'select r::text as row, failure from request_log r where venue_id = $1',
      [id],
    );
    const stored = rows.map(({ row, failure }) => row + failure.toString('latin1')).join('');
    for (const hidden of secrets) {
      expect(text).not.toContain(hidden);
      expect(stored).not.toContain(hidden);
    }
    expect(stored).not.toContain('240.00'); // Sealed.
  });
});

describe('reading', () => {
  let venue: Awaited<ReturnType<typeof openVenue>>;
  const NOW = Date.now();
  beforeAll(async () => {
    venue = await openVenue();
    const other = await world.key(venue.id, { name: '=Second' });
    for (const path of ['/v1/offerings', '/v1/boats', '/v1/offerings'])
      await world.call('GET', path, { key: venue.secret });
    await world.call('POST', '/v1/checkouts', { key: other.key, body: { amount: 24_000 } });
    await world.call('POST', '/v1/checkouts', { key: other.key, body: { amount: 24_000 } });
    await world.call('GET', '/v1/checkouts/none', { key: other.key });
    await world.call('GET', '/v1/offerings', { key: venue.publishable });
    await venue.reader.waitForLines(7);
  });

  const statuses = async (query: string) =>
    (await venue.reader.read(query)).json.data.map(({ status }: { status: number }) => status);

  it('filters by outcome, status, code, method, operation, key, time, id and text', async () => {
    const all = (await venue.reader.read()).json.data;
    expect(all.map(({ status }: { status: number }) => status)).toEqual([403, 404, 422, 422, 200, 200, 200]);
    expect(await statuses('?outcome=succeeded')).toEqual([200, 200, 200]);
    expect(await statuses('?outcome=refused')).toEqual([403, 404, 422, 422]);
    expect(await statuses('?outcome=unsuccessful')).toEqual([403, 404, 422, 422]);
    expect(await statuses('?outcome=failed')).toEqual([]);
    expect(await statuses('?status=404')).toEqual([404]);
    expect(await statuses('?outcome=succeeded&status=404')).toEqual([]);
    expect(await statuses('?code=missing_field')).toEqual([422, 422]);
    expect(await statuses('?method=POST')).toEqual([422, 422]);
    expect(await statuses('?operation=listBoats')).toEqual([200]);
    expect(await statuses(`?key=${all[2].key.id}`)).toEqual([404, 422, 422]);
    expect(await statuses(`?request_id=${all[1].id}`)).toEqual([404]);
    expect(await statuses('?search=CHECKOUTS/')).toEqual([404]);
    expect(await statuses(`?search=${all[0].id.slice(0, 28)}`)).toEqual([403]);
    expect(await statuses(`?search=${encodeURIComponent('%_')}`)).toEqual([]);
    expect((await venue.reader.read('?search=%00')).status).toBe(422);
    expect(await statuses(`?from=${new Date(NOW - 60_000).toISOString()}`)).toHaveLength(7);
    expect(await statuses(`?from=${new Date(NOW + 3_000_000).toISOString()}`)).toEqual([]);
    expect(await statuses(`?to=${new Date(NOW - 60_000).toISOString()}`)).toEqual([]);
    expect(await statuses('?from=1970-01-01T00:00:00Z&to=9998-01-01T00:00:00Z')).toHaveLength(7);
  });

  it('looks through 50,000 calls for a page, says since when, and goes on after them', async () => {
    const other = await openVenue();
    const keyId = (
      await world.db.query<{ id: string }>('select key_id as id from keys where venue_id = $1', [other.id])
    )[0]?.id;
    const now = Date.now() - 60_000;
    await world.db.query(
      `insert into request_log (venue_id, mode, request_id, slot, at, key_id, method, path, route, operation, status,
         problem_count, replayed, duration_ms, address)
       select $1, 'test', $2 || lpad(i::text, 16, '0'), $3, to_timestamp($4 / 1000.0), $5, case i when 1 then 'POST' else 'GET' end,
         '/v1/me', '/v1/me', 'getMe', 200, 0, false, 1, '203.0.113.…'
       from generate_series(1, 50100) i`,
      [other.id, leastId('req', now), slotOf(now), now, keyId],
    );
    const person = other.reader;
    const first = (await person.read('?method=POST')).json;
    expect([first.data, typeof first.searched_since]).toEqual([[], 'string']);
    const next = (await person.read(`?method=POST&before=${first.next_before}`)).json;
    expect([next.data.length, next.next_before, next.searched_since]).toEqual([1, null, null]);
    const { id } = next.data[0];
    expect((await person.read(`?search=${id}`)).json.data, 'an id is found at once').toHaveLength(1);
    expect((await person.read('?limit=3')).json).toMatchObject({ searched_since: null, data: [{}, {}, {}] });
  });

  it('pages without a gap or a repetition', async () => {
    const seen: string[] = [];
    let query = '?limit=2';
    for (let pages = 0; pages < 10; pages++) {
      const { json } = await venue.reader.read(query);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      if (json.next_before === null) break;
      query = `?limit=2&before=${json.next_before}`;
    }
    const { json } = await venue.reader.read();
    expect(seen).toEqual(json.data.map(({ id }: { id: string }) => id));
  });

  it('gives CSV, a page at a time, in which no text is a formula', async () => {
    const { status, headers, text } = await venue.reader.read('?limit=3', { accept: 'text/csv' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('link')).toMatch(/before=req_\w{26}>; rel="next"$/);
    const [head, ...lines] = text.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,created_at,mode,method,path,/);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(",'=Second,");
  });

  it.each([
    ['?before=2027-01-01T00:00:00Z', '/query/before', 'invalid_format'],
    ['?status=99', '/query/status', 'out_of_range'],
    ['?outcome=good', '/query/outcome', 'invalid_value'],
    ['?from=yesterday', '/query/from', 'invalid_format'],
    ['?request_id=1', '/query/request_id', 'invalid_format'],
    ['?search=', '/query/search', 'too_short'],
    ['?wrong=1', '/query/wrong', 'unknown_field'],
    ['/summary?hours=1', '/query/hours', 'unknown_field'],
  ])('refuses %s at its field', async (query, field, code) => {
    const { status, json } = await venue.reader.read(query);
    expect([status, json.error.field, json.error.code]).toEqual([422, field, code]);
  });

  it('counts by outcome, by kind of failure and by key, with what turned a key away', async () => {
    const { status, json } = await venue.reader.read('/summary');
    expect(status).toBe(200);
    expect([json.total, json.succeeded, json.refused, json.failed, json.is_complete]).toEqual([7, 3, 4, 0, true]);
    expect(json.kinds[0]).toMatchObject({ code: 'missing_field', operation: 'createCheckout', status: 422, count: 2 });
    expect(json.kinds.map(({ code, count }: Record<string, unknown>) => `${code} ${count}`).sort()).toEqual([
      'missing_field 2',
      'not_found 1',
      'wrong_key_kind 1',
    ]);
    expect(
      json.keys.map(({ total, refused, turned_away }: Record<string, unknown>) => [total, refused, turned_away]),
    ).toEqual(
      expect.arrayContaining([
        [3, 0, []],
        [3, 3, []],
        [1, 1, [{ code: 'wrong_key_kind', count: 1 }]],
      ]),
    );
    const before = `?to=${new Date(NOW - 60_000).toISOString()}`;
    expect((await venue.reader.read(`/summary${before}`)).json.total).toBe(0);
  });

  it('shows no call of another venue or mode: its id is unknown', async () => {
    const other = await openVenue();
    const [line] = (await venue.reader.read()).json.data;
    for (const response of [
      await other.reader.read(`/${line.id}`),
      await venue.reader.read(`/${line.id}`, { mode: 'live' }),
      await venue.reader.read('/req_01m7jxg750zvvr9etbq94z96f6'),
      await venue.reader.read('/none'),
      await venue.reader.read(`/${'x'.repeat(3_000)}`),
    ])
      expect([response.status, response.json.error.code]).toEqual([404, 'not_found']);
    for (const response of [
      await other.reader.read(),
      await other.reader.read(`?request_id=${line.id}`),
      await other.reader.read(`?search=${line.id}`),
      await venue.reader.read('', { mode: 'live' }),
    ])
      expect(response.json).toEqual({ data: [], next_before: null, searched_since: null });
    expect((await other.reader.read('/summary')).json).toMatchObject({ total: 0, kinds: [], keys: [] });
  });
});

describe('two servers', () => {
  it('log the calls of one key, and record its last use at most once a minute', async () => {
    const { id, reader } = await openVenue();
    const { key, id: keyId } = await world.key(id);
    const useOf = async () => {
      const [row] = await world.db.query<{ at: string | null; address: string | null }>(
        'select last_used_at as at, last_used_address as address from keys where key_id = $1',
        [keyId],
      );
      return row;
    };
    for (const server of [0, 1]) await world.call('GET', '/v1/offerings', { key, server });
    await reader.waitForLines(2);
    const first = await expect
      .poll(useOf)
      .toMatchObject({ at: expect.any(String) })
      .then(useOf);
    expect(first?.address).toBe('127.0.0.…');
    for (const server of [0, 1]) await world.call('GET', '/v1/offerings', { key, server });
    await reader.waitForLines(4);
    await expect.poll(useOf).toEqual(first);
  });

  it('do not count a refused call as a use of its key', async () => {
    const { id, reader } = await openVenue();
    const { key, id: keyId } = await world.key(id, { allowIps: ['198.51.100.0/24'] });
    // In a batch of its own: of several calls in one batch only the last is recorded.
    await world.call('GET', '/v1/offerings', { key });
    await reader.waitForLines(1);
    await world.call('GET', '/v1/offerings', { key, headers: { 'x-forwarded-for': '198.51.100.9' } });
    const [used, refused] = await reader.waitForLines(2);
    expect([refused.status, used.status]).toEqual([403, 200]);
    await expect
      .poll(() => world.db.query('select last_used_address as a from keys where key_id = $1', [keyId]))
      .toEqual([{ a: '198.51.100.…' }]);
  });
});
