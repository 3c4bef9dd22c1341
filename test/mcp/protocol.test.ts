// The protocol of the tool server: invalid requests, valid answers, and how messages count against the rate limit.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';
import {
  checkoutBody,
  initialize,
  MODERN,
  OLDER,
  post,
  type RequestOptions,
  request,
  SITE,
} from './json-rpc-client.ts';

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openSharedWorld();
  key = (await world.venue()).secretTest;
});
afterAll(() => world.close());

const meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
const modern = (method: string, params: object = {}): object => request(method, { ...params, _meta: meta });
const headers = (method: string, name?: string): Record<string, string> => ({
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

describe('an invalid request gets its error', () => {
  const list = request('tools/list');
  const rows: [what: string, body: unknown, sent: RequestOptions, status: number, code: number | string][] = [
    ['not JSON', '{', {}, 400, -32700],
    ['nothing', '', {}, 400, -32700],
    ['the same field twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', {}, 400, -32700],
    ['a number', '5', {}, 400, -32600],
    ['no version of JSON-RPC', { id: 1, method: 'ping' }, {}, 400, -32600],
    ['an id of null', { jsonrpc: '2.0', id: null, method: 'ping' }, {}, 400, -32600],
    ['a broken id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, {}, 400, -32600],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, {}, 400, -32600],
    ['an unknown method', request('tools/nope'), {}, 200, -32601],
    ['an unknown tool', request('tools/call', { name: 'nope' }), {}, 200, -32602],
    ['a tool without a name', request('tools/call'), {}, 200, -32602],
    ['a tool with a list of arguments', request('tools/call', { name: 'validate', arguments: [] }), {}, 200, -32602],
    ['initialize without parameters', request('initialize'), {}, 200, -32602],
    ['an unknown resource', request('resources/read', { uri: 'everyshare://schemas/nope' }), {}, 200, -32002],
    ['an unknown prompt', request('prompts/get', { name: 'nope' }), {}, 200, -32602],
    ['a prompt without its venue', request('prompts/get', { name: 'connect_venue' }), {}, 200, -32602],
    ['an unknown version', list, { version: '1999-01-01' }, 400, -32022],
    ['initialize with an unknown version header', initialize('2025-06-18'), { version: 'x' }, 400, -32022],
    ['a batch in 2025-06-18', [list], { version: '2025-06-18' }, 400, -32600],
    ['a batch in 2025-11-25', [list], { version: '2025-11-25' }, 400, -32600],
    ['a batch in 2026-07-28', [list], { version: MODERN }, 400, -32600],
    ['an empty batch', [], { version: '2025-03-26' }, 400, -32600],
    ['a batch of too many', Array.from({ length: 51 }, () => list), {}, 400, -32600],
    ['another site’s page', list, { headers: { origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ['a page without an origin', list, { headers: { origin: 'null' } }, 403, 'origin_not_allowed'],
    [
      'a content type that is not JSON',
      list,
      { headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    ['more than 64 KB', ' '.repeat(65_537), {}, 413, 'payload_too_large'],
    ['no key', list, { key: '' }, 401, 'unauthorized'],
    ['an unknown key', list, { key: `svc_test_${'x'.repeat(32)}` }, 401, 'unauthorized'],
    ['modern, headers missing', modern('tools/list'), { version: MODERN }, 400, -32020],
    ['modern, without its _meta', list, { version: MODERN, headers: headers('tools/list') }, 400, -32602],
    [
      'modern, another name in the header',
      modern('tools/call', { name: 'validate' }),
      { version: MODERN, headers: headers('tools/call', 'describe_venue') },
      400,
      -32020,
    ],
    ['modern, unknown method', modern('nope'), { version: MODERN, headers: headers('nope') }, 404, -32601],
    ['modern, ping', modern('ping'), { version: MODERN, headers: headers('ping') }, 404, -32601],
    [
      'modern, a stream to listen to',
      modern('subscriptions/listen', { notifications: {} }),
      { version: MODERN, headers: headers('subscriptions/listen') },
      404,
      -32601,
    ],
    [
      'modern, an unknown resource',
      modern('resources/read', { uri: 'everyshare://nope' }),
      { version: MODERN, headers: headers('resources/read', 'everyshare://nope') },
      200,
      -32602,
    ],
  ];
  it.each(rows)('%s', async (_description, body, options, status, code) => {
    const response = await post(world, body, { key, ...options });
    expect([response.status, response.json?.error?.code]).toEqual([status, code]);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    if (typeof code === 'number') expect(response.json).toMatchObject({ jsonrpc: '2.0' });
    if (status === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  const invalidParams: [method: string, params: object, names: string][] = [
    ['tools/list', { cursor: 5 }, 'params.cursor'],
    ['tools/list', { cursor: 'next' }, 'params.cursor'],
    ['resources/list', { cursor: 5 }, 'params.cursor'],
    ['resources/list', { cursor: 'next' }, 'params.cursor'],
    ['resources/templates/list', { cursor: {} }, 'params.cursor'],
    ['prompts/list', { cursor: [] }, 'params.cursor'],
    ['tools/call', {}, 'params.name'],
    ['tools/call', { name: 5 }, 'params.name'],
    ['tools/call', { name: 'validate', arguments: 'x' }, 'params.arguments'],
    ['tools/call', { name: 'x\ny' }, 'Unknown tool: x\\u000ay'],
    ['resources/read', {}, 'params.uri'],
    ['resources/read', { uri: 5 }, 'params.uri'],
    ['prompts/get', {}, 'params.name'],
    ['prompts/get', { name: 'connect_venue', arguments: { venue: 5 } }, 'params.arguments'],
    ['completion/complete', {}, 'params.ref'],
    ['completion/complete', { ref: { type: 'ref/nope' } }, 'params.ref'],
    ['completion/complete', { ref: { type: 'ref/prompt' } }, 'params.ref.name'],
    ['completion/complete', { ref: { type: 'ref/resource' } }, 'params.ref.uri'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: 5 }, 'params.argument'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 'b' }, context: 5 },
      'params.context',
    ],
    ['initialize', { protocolVersion: 5 }, 'protocolVersion'],
  ];
  it.each(invalidParams)(
    '%s with %j is -32602 in every version, with a message of one line',
    async (method, params, names) => {
      for (const version of [...OLDER, MODERN]) {
        const isModern = version === MODERN;
        if (isModern && method === 'initialize') continue;
        const { name, uri } = params as { name?: unknown; uri?: unknown };
        const headerName = isModern ? [name, uri].find((candidate) => typeof candidate === 'string') : undefined;
        if (isModern && String(headerName).includes('\n')) continue;
        const options = { key, version, headers: isModern ? headers(method, headerName as string | undefined) : {} };
        const { json } = await post(world, isModern ? modern(method, params) : request(method, params), options);
        // In the stateless revision a missing name is reported for the header first.
        const isHeader = isModern && json.error.code === -32020;
        expect(isHeader || json.error.code, `${version} ${JSON.stringify(json)}`).toBe(isHeader || -32602);
        if (!isHeader) expect(json.error.message).toContain(names);
        expect(json.error.message).not.toContain('\n');
      }
    },
  );

  it('a trailing slash in the path makes no difference', async () => {
    const response = await world.call('POST', '/mcp/', { key, body: request('ping') });
    expect([response.status, response.json.result]).toEqual([200, {}]);
    const get = await world.call('GET', '/mcp/', { key });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s is 405 with Allow: POST, with and without a key', async (method) => {
    for (const options of [{}, { key }]) {
      const response = await world.call(method, '/mcp', options);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(response.headers.get('x-ratelimit-limit')).not.toBeNull();
    }
  });

  it.each(['oauth-protected-resource', 'oauth-protected-resource/mcp', 'oauth-authorization-server'])(
    '/.well-known/%s is a JSON 404, because there is no OAuth',
    async (path) => {
      const response = await world.call('GET', `/.well-known/${path}`);
      expect([response.status, response.json.error.code]).toEqual([404, 'not_found']);
    },
  );

  it('a publishable key is refused', async () => {
    const { publishableTest } = await world.venue();
    const response = await post(world, request('tools/list'), { key: publishableTest });
    expect([response.status, response.json.error.code]).toEqual([403, 'wrong_key_kind']);
  });

  it('a server on loopback refuses another Host', async () => {
    const { request: requestWithHost } = await import('node:http');
    const status = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const url = new URL(`${world.urls[0]}/mcp`);
        const options = requestWithHost(
          url,
          { method: 'POST', headers: { host, authorization: `Bearer ${key}` } },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        options.on('error', reject);
        options.end(JSON.stringify(request('ping')));
      });
    expect([await status('evil.example'), await status('localhost:1'), await status('127.0.0.1')]).toEqual([
      403, 200, 200,
    ]);
  });
});

describe('a valid request', () => {
  it.each(OLDER)('initialize in %s is answered in that version', async (version) => {
    const { status, json } = await post(world, initialize(version), { key });
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'everyshare' } });
    expect(Object.keys(json.result.capabilities).sort()).toEqual(['completions', 'prompts', 'resources', 'tools']);
  });

  it.each(['2024-11-05', MODERN, 'tomorrow'])(
    'initialize in %s is offered the newest version that has initialize',
    async (version) => {
      expect((await post(world, initialize(version), { key })).json.result.protocolVersion).toBe('2025-11-25');
    },
  );

  it('gets one JSON document for every Accept header', async () => {
    for (const accept of ['application/json', '*/*', 'application/json, text/event-stream', 'text/event-stream']) {
      const response = await post(world, request('ping', {}, 'p'), { key, headers: { accept } });
      expect([response.status, response.json]).toEqual([200, { jsonrpc: '2.0', id: 'p', result: {} }]);
      expect(response.headers.get('mcp-session-id')).toBeNull();
    }
  });

  it('that is a notification or a response gets 202 without a body', async () => {
    const withoutAnswer = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'no' } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'no' } },
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    ];
    for (const body of withoutAnswer) {
      const response = await post(world, body, { key });
      expect([response.status, response.text]).toEqual([202, '']);
    }
  });

  it('in a batch of 2025-03-26 is answered message by message', async () => {
    const batch = [
      request('ping', {}, 'a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('nope', {}, 'b'),
      { id: 'c' },
      initialize('2025-03-26'),
      request('tools/call', { name: 'describe_venue' }, 'd'),
    ];
    for (const options of [{ key }, { key, version: '2025-03-26' }]) {
      const { status, json } = await post(world, batch, options);
      expect(status).toBe(200);
      // biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
      expect(json.map((candidate: any) => [candidate.id, candidate.error?.code ?? 'fine'])).toEqual([
        ['a', 'fine'],
        ['b', -32601],
        ['c', -32600],
        [1, -32600],
        ['d', 'fine'],
      ]);
    }
  });

  it('may have the Origin of the server, with any name of loopback', async () => {
    const { port } = new URL(world.urls[0] ?? '');
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const response = await post(world, request('ping'), { key, headers: { origin: `http://${host}:${port}` } });
      expect(response.status).toBe(200);
    }
    const other = await post(world, request('ping'), { key, headers: { origin: 'http://localhost:1' } });
    expect(other.status).toBe(403);
  });

  it('can be server/discover in the stateless revision', async () => {
    const options = { key, version: MODERN, headers: headers('server/discover') };
    const { status, json } = await post(world, modern('server/discover'), options);
    expect([status, json.result.resultType]).toEqual([200, 'complete']);
    expect(json.result.supportedVersions).toContain(MODERN);
  });
});

describe('the rate limit of a message', () => {
  const remaining = async (own: string): Promise<number[]> => {
    const reads = await world.call('GET', '/v1/me', { key: own });
    const writes = await world.call('POST', '/v1/offerings', { key: own, body: {} });
    return [reads, writes].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  };
  const rows: [what: string, body: unknown, reads: number, writes: number][] = [
    ['initialize', initialize('2025-11-25'), 0, 0],
    ['ping', request('ping'), 0, 0],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 0, 0],
    ['tools/list', request('tools/list'), 1, 0],
    ['resources/read', request('resources/read', { uri: 'everyshare://schemas/offering' }), 1, 0],
    ['prompts/get', request('prompts/get', { name: 'connect_venue', arguments: { venue: 'x' } }), 1, 0],
    ['an unknown method', request('nope'), 1, 0],
    ['invalid JSON', '{', 1, 0],
    ['describe_venue', request('tools/call', { name: 'describe_venue' }), 1, 0],
    ['validate', request('tools/call', { name: 'validate' }), 1, 0],
    ['get_checkout', request('tools/call', { name: 'get_checkout' }), 1, 0],
    ['list_bookings', request('tools/call', { name: 'list_bookings' }), 1, 0],
    ['upsert_offerings', request('tools/call', { name: 'upsert_offerings' }), 0, 1],
    ['set_price_tiers', request('tools/call', { name: 'set_price_tiers' }), 0, 1],
    ['set_availability', request('tools/call', { name: 'set_availability' }), 0, 1],
    ['create_checkout', request('tools/call', { name: 'create_checkout' }), 0, 1],
    ['a batch of two', [request('tools/list'), request('tools/call', { name: 'create_checkout' })], 1, 1],
  ];
  it.each(rows)('%s', async (_description, body, reads, writes) => {
    const { secretTest: own } = await world.venue();
    const before = await remaining(own);
    await post(world, body, { key: own });
    const after = await remaining(own);
    // Reading the limits itself counts one of each.
    expect([(before[0] ?? 0) - (after[0] ?? 0) - 1, (before[1] ?? 0) - (after[1] ?? 0) - 1]).toEqual([reads, writes]);
  });

  it('counts ping and notifications for the address when there is no valid key', async () => {
    const send = async (body: unknown, key?: string): Promise<[number, number]> => {
      const { status, headers } = await post(world, body, key === undefined ? {} : { key });
      return [status, Number(headers.get('x-ratelimit-remaining'))];
    };
    const [, before] = await send(request('ping'));
    const guesses = [
      request('ping'),
      initialize('2025-11-25'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ];
    for (const [n, body] of guesses.entries())
      expect(await send(body, `svc_test_${'x'.repeat(32)}`)).toEqual([401, before - n - 1]);
  });

  it('makes a tool fail as a tool and a list answer 429, while ping works', async () => {
    const { venue } = await world.venue();
    const own = (await world.key(venue.id, { readsPerHour: 1, writesPerHour: 1 })).key;
    for (const name of ['describe_venue', 'upsert_offerings']) {
      await post(world, request('tools/call', { name }), { key: own });
      const response = await post(world, request('tools/call', { name }), { key: own });
      expect([response.status, response.json.result.isError]).toEqual([200, true]);
      expect(response.json.result.structuredContent.error.code).toBe('rate_limited');
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const list = await post(world, request('tools/list'), { key: own });
    expect([list.status, list.json.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(list.headers.get('retry-after'))).toBeGreaterThan(0);
    const free = await post(world, request('ping'), { key: own });
    expect([free.status, free.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
  });

  it('is in the headers as it is after the last message of a batch', async () => {
    const { venue } = await world.venue();
    const own = (await world.key(venue.id, { readsPerHour: 5, writesPerHour: 1 })).key;
    const response = await post(world, [request('ping'), request('tools/list'), request('tools/list')], { key: own });
    expect(response.headers.get('x-ratelimit-remaining')).toBe('3');
  });

  it('refuses messages of a batch one by one, in any order', async () => {
    const { venue } = await world.venue({ origins: [SITE] });
    const own = (await world.key(venue.id, { readsPerHour: 1 })).key;
    await post(world, request('tools/list'), { key: own });
    const list = request('tools/list', {}, 'list');
    for (const [id, index] of [['made-1', 0] as const, ['made-2', 1] as const]) {
      const make = request('tools/call', { name: 'create_checkout', arguments: checkoutBody(id) }, id);
      const { status, json } = await post(world, index === 0 ? [list, make] : [make, list], { key: own });
      const [refused, created] = index === 0 ? json : [json[1], json[0]];
      expect([status, refused.error.code, refused.error.data.error.code]).toEqual([200, -32000, 'rate_limited']);
      expect(created.result.structuredContent.replayed).toBe(false);
    }
    const unknown = await post(world, [list], { key: `svc_test_${'x'.repeat(32)}` });
    expect(unknown.status).toBe(401);
  });
});
