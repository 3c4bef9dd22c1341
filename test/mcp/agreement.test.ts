// A tool agrees with its route: the same input gives the same result, the same error and the same rate limit count.
// Also what only tools have: partial updates, a small list of tools, and their scopes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';
import { callTool, checkoutBody, offeringBody, post, request, SITE } from './json-rpc-client.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openSharedWorld();
});
afterAll(() => world.close());

const venue = () => world.venue({ origins: [SITE] });

/** The value without what differs from call to call. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) =>
      /^(id|request_id|created_at|updated_at|hint|url|pay_by|expires_at|key)$/.test(name) ? null : part,
    ).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time'),
  );

type Body = Record<string, unknown>;
interface ToolAndRoute {
  readonly tool: string;
  readonly route: (args: Body) => { method: string; path: string; body?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
  readonly shape?: (response: any) => unknown;
}

const TOOLS_AND_ROUTES: Readonly<Record<string, ToolAndRoute>> = {
  upsert_offerings: {
    tool: 'upsert_offerings',
    route: (body) => ({ method: 'POST', path: '/v1/offerings', body }),
  },
  create_checkout: {
    tool: 'create_checkout',
    route: (body) => ({ method: 'POST', path: '/v1/checkouts', body }),
    shape: (response) => ({ checkout: response, url: response.url, replayed: false }),
  },
  get_checkout: {
    tool: 'get_checkout',
    route: ({ id }) => ({ method: 'GET', path: `/v1/checkouts/${encodeURIComponent(String(id))}` }),
  },
  list_bookings: {
    tool: 'list_bookings',
    route: (query) => ({
      method: 'GET',
      path: `/v1/checkouts?${new URLSearchParams(query as Record<string, string>)}`,
    }),
  },
};

describe('tool and route agree', () => {
  const deep = { ...offeringBody(), metadata: { k: '\u0000', constructor: 'x' } };
  const rows: [twin: string, what: string, given: Body][] = [
    ['upsert_offerings', 'a valid one', { offerings: [offeringBody()] }],
    ['upsert_offerings', 'two valid ones', { offerings: [offeringBody('a'), offeringBody('b', { category: 'golf' })] }],
    ['upsert_offerings', 'none', { offerings: [] }],
    ['upsert_offerings', '26', { offerings: Array.from({ length: 26 }, (_, i) => offeringBody(`o${i}`)) }],
    ['upsert_offerings', 'the same twice', { offerings: [offeringBody(), offeringBody()] }],
    [
      'upsert_offerings',
      'a valid and an invalid one',
      { offerings: [offeringBody('a'), offeringBody('b', { title: '' })] },
    ],
    [
      'upsert_offerings',
      'wrong in five ways',
      { offerings: [{ kind: 'x', titel: 1, tiers: [{ amount: '5' }] }], x: 1 },
    ],
    ['upsert_offerings', 'text that cannot be stored', { offerings: [deep] }],
    ['upsert_offerings', 'a field whose name has a line break', { offerings: [offeringBody()], 'x\ny': 1 }],
    [
      'upsert_offerings',
      'a rule that never ends',
      {
        offerings: [
          offeringBody('r', {
            availability: { timezone: 'Mars/One', recurring: [{ rrule: 'FREQ=SECONDLY', starts_at: 'x' }] },
          }),
        ],
      },
    ],
    ['create_checkout', 'a valid one', checkoutBody()],
    ['create_checkout', 'nothing', {}],
    [
      'create_checkout',
      'wrong in many ways',
      { ...checkoutBody(), amount: 5, currency: 'eur', return_url: 'https://x.example', y: 1 },
    ],
    ['create_checkout', 'a time that has passed', checkoutBody('bk-2', { pay_by: '2020-01-01T00:00:00Z' })],
    ['create_checkout', 'an unknown offering', checkoutBody('bk-3', { offering_external_id: 'nope' })],
    ['get_checkout', 'an unknown one', { id: 'chk_nope' }],
    ['get_checkout', 'a malformed id', { id: 'a/../b\u00e9' }],
    ['list_bookings', 'none yet', {}],
    ['list_bookings', 'by status', { status: 'open', limit: 5 }],
    ['list_bookings', 'a wrong status', { status: 'nope' }],
    ['list_bookings', 'out of range', { limit: 101 }],
    ['list_bookings', 'an invalid time', { before: 'yesterday' }],
    ['list_bookings', 'an unknown field', { offset: 5 }],
  ];
  it.each(rows)('%s: %s', async (name, _description, args) => {
    const pair = TOOLS_AND_ROUTES[name] as ToolAndRoute;
    const [one, other] = [await venue(), await venue()];
    const { method, path, body } = pair.route(args);
    const direct = await world.call(method, path, { key: one.secretTest, ...(body === undefined ? {} : { body }) });
    const response = await post(world, request('tools/call', { name: pair.tool, arguments: args }), {
      key: other.secretTest,
    });
    const { isError = false, structuredContent, content } = response.json.result;
    expect(isError).toBe(direct.status >= 400);
    const expected = isError || pair.shape === undefined ? direct.json : pair.shape(direct.json);
    // A pointer of the route leads into its query, where the tool has arguments.
    const text = JSON.stringify(comparable(expected)).replaceAll('"/query/', '"/');
    expect(comparable(structuredContent)).toEqual(JSON.parse(text));
    expect(content[0].text).not.toContain('\n');
    expect(JSON.parse(content[1].text)).toEqual(structuredContent);
    for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining'])
      expect(response.headers.get(header)).toBe(direct.headers.get(header));
  });

  const auditRows = async (id: string): Promise<unknown[]> =>
    world.db
      .query('select action, detail from audit_log where venue_id = $1 order by audit_id', [id])
      .then(comparable) as Promise<unknown[]>;

  it('catalogue and checkout writes have no audit row at either entry point, and the log names the entry point', async () => {
    const { secretTest: key, venue: ownVenue } = await venue();
    const before = await auditRows(ownVenue.id);
    await callTool(world, key, 'upsert_offerings', { offerings: [offeringBody()] });
    await world.call('POST', '/v1/offerings', { key, body: offeringBody('other') });
    await callTool(world, key, 'create_checkout', checkoutBody('bk-tool'));
    await world.call('POST', '/v1/checkouts', { key, body: checkoutBody('bk-route') });
    expect(await auditRows(ownVenue.id)).toEqual(before);
    // The log has the entry point that an audit row would have.
    const lines = world.logs.map((line) => JSON.parse(line)).filter(({ venue: id }) => id === ownVenue.id);
    expect(lines.map(({ operation, via }) => [operation, via])).toEqual([
      ['callTool upsert_offerings', 'mcp'],
      ['upsertOfferings', 'http'],
      ['callTool create_checkout', 'mcp'],
      ['createCheckout', 'http'],
    ]);
  });

  it('a booking created by the route is replayed by the tool, and the reverse', async () => {
    const { secretTest: key } = await venue();
    const [first, second] = [checkoutBody('bk-a'), checkoutBody('bk-b')];
    const direct = await world.call('POST', '/v1/checkouts', { key, body: first });
    const replay = await callTool(world, key, 'create_checkout', first);
    expect(replay.structuredContent).toEqual({ checkout: direct.json, url: direct.json.url, replayed: true });
    const created = await callTool(world, key, 'create_checkout', second);
    const repeated = await world.call('POST', '/v1/checkouts', { key, body: second });
    expect([repeated.headers.get('idempotent-replayed'), repeated.json]).toEqual([
      'true',
      created.structuredContent.checkout,
    ]);
    const other = await callTool(world, key, 'create_checkout', { ...second, amount: 999_00 });
    expect(other.structuredContent.error).toMatchObject({ code: 'conflict', reason: 'idempotency_key_reused' });
  });

  it('a live key needs the scope of the tool, and a test key needs none', async () => {
    const { venue: ownVenue } = await venue();
    const requiredScopes: Record<string, string[]> = {
      upsert_offerings: ['offerings:write'],
      set_price_tiers: ['offerings:write'],
      set_availability: ['offerings:write'],
      create_checkout: ['checkouts:write'],
      get_checkout: ['checkouts:read'],
      list_bookings: ['checkouts:read', 'bookings:read'],
      describe_venue: [],
      validate: [],
    };
    const withoutScope = (await world.key(ownVenue.id, { mode: 'live', scopes: ['boats:read'] })).key;
    const test = (await world.key(ownVenue.id)).key;
    for (const [tool, scopes] of Object.entries(requiredScopes)) {
      const code = async (key: string): Promise<string> =>
        (await callTool(world, key, tool)).structuredContent.error?.code ?? 'fine';
      expect((await code(withoutScope)) === 'insufficient_scope', tool).toBe(scopes.length > 0);
      expect(await code(test)).not.toBe('insufficient_scope');
      for (const scope of scopes) {
        const { key } = await world.key(ownVenue.id, { mode: 'live', scopes: [scope] });
        expect(await code(key), `${tool} ${scope}`).not.toBe('insufficient_scope');
      }
    }
  });
});

describe('validate', () => {
  it('accepts every schema of the contract, and reports what the route would', async () => {
    const { secretTest: key } = await venue();
    const { registry } = world.context;
    const { enum: names } = (registry.get('validate').properties as { schema: { enum: string[] } }).schema;
    expect(names).toHaveLength(18);
    for (const schema of names) {
      const response = await callTool(world, key, 'validate', { schema, object: { nonsense: 1 } });
      expect(response.isError, schema).toBeUndefined();
      expect(response.structuredContent).toMatchObject({ valid: false });
    }
    const object = { ...offeringBody(), title: '', tiers: [{ amount: -1, currency: 'xxx', unit: 'per_person' }] };
    const validated = await callTool(world, key, 'validate', { schema: 'offering', object });
    const route = await world.call('POST', '/v1/offerings', { key, body: object });
    expect(validated.structuredContent.errors).toEqual(route.json.errors);
    const valid = await callTool(world, key, 'validate', { schema: 'offering', object: offeringBody() });
    expect(valid.structuredContent).toEqual({ valid: true, errors: [] });
  });

  it('reports an unknown offering, text that cannot be stored, and a value that is no object', async () => {
    const { secretTest: key } = await venue();
    const errorsOf = async (schema: string, object: unknown): Promise<[string, string][]> =>
      (await callTool(world, key, 'validate', { schema, object })).structuredContent.errors.map(
        ({ code, field }: { code: string; field: string }) => [code, field],
      );
    const unknown = checkoutBody('b', { offering_external_id: 'nope' });
    expect(await errorsOf('checkout_create', unknown)).toEqual([['invalid_value', '/offering_external_id']]);
    expect(await errorsOf('offering', offeringBody('a', { title: 'a\u0000' }))).toEqual([['invalid_format', '/title']]);
    expect(await errorsOf('offering', [])).toEqual([['invalid_type', '']]);
    const none = await callTool(world, key, 'validate', { schema: 'nope' });
    expect(none.isError).toBe(true);
    expect(none.structuredContent.errors.map(({ field }: { field: string }) => field)).toEqual(['/schema', '/object']);
  });

  it('refuses what the tool or the route would refuse: rules that never start, addresses that are not public', async () => {
    const { secretTest: key } = await venue();
    await world.call('POST', '/v1/offerings', { key, body: offeringBody() });
    const rrule = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30';
    const availability = { timezone: 'Europe/Berlin', recurring: [{ rrule, starts_at: '2027-01-01T10:00:00Z' }] };
    const validated = await callTool(world, key, 'validate', { schema: 'availability', object: availability });
    const updated = await callTool(world, key, 'set_availability', { offering_external_id: 'tee-18', availability });
    const inPart = updated.structuredContent.errors.map((one: { field: string }) => ({
      ...one,
      field: one.field.replace('/availability', ''),
    }));
    expect(validated.structuredContent).toEqual({ valid: false, errors: inPart });
    const object = { url: 'https://127.0.0.1/x', events: ['checkout.completed'] };
    const endpoint = await callTool(world, key, 'validate', { schema: 'webhook_endpoint', object });
    const route = await world.call('POST', '/v1/webhook_endpoints', { key, body: object });
    expect(endpoint.structuredContent).toEqual({ valid: false, errors: route.json.errors });
  });
});

describe('a partial update', () => {
  const availabilityAt = (start: string, overrides: object = {}): object => ({
    timezone: 'America/New_York',
    slots: [{ starts_at: start, capacity: 4, ...overrides }],
  });
  const stored = async (key: string, id = 'tee-18') =>
    (await world.call('GET', `/v1/offerings/${id}`, { key })).json.data;

  it('changes its part, and keeps the rest of the offering', async () => {
    const { secretTest: key } = await venue();
    await world.call('POST', '/v1/offerings', { key, body: offeringBody('tee-18', { metadata: { a: 'b' } }) });
    const availability = availabilityAt('2027-06-12T09:30:00-04:00', { tier_overrides: [{ tier: 'day', amount: 1 }] });
    const updated = await callTool(world, key, 'set_availability', { offering_external_id: 'tee-18', availability });
    expect(updated.structuredContent).toMatchObject({
      duplicate: false,
      updated: true,
      data: { external_id: 'tee-18' },
    });
    const now = await stored(key);
    expect(now).toEqual(updated.structuredContent.data);
    expect(now).toMatchObject({
      metadata: { a: 'b' },
      availability: { slots: [{ starts_at: '2027-06-12T13:30:00Z' }] },
    });
    const repeated = await callTool(world, key, 'set_availability', { offering_external_id: 'tee-18', availability });
    expect(repeated.structuredContent).toEqual({ data: now, duplicate: true, updated: false });
  });

  it('that would make the offering invalid is refused at the field that was sent', async () => {
    const { secretTest: key } = await venue();
    const availability = availabilityAt('2027-06-12T09:30:00Z', { tier_overrides: [{ tier: 'day', amount: 1 }] });
    await world.call('POST', '/v1/offerings', { key, body: offeringBody('tee-18', { availability }) });
    const before = await stored(key);
    const tier = { amount: 100, currency: 'usd', unit: 'per_person' };
    const errorsOf = async (tool: string, args: object): Promise<[string, string][]> =>
      (await callTool(world, key, tool, { offering_external_id: 'tee-18', ...args })).structuredContent.errors.map(
        ({ code, field }: { code: string; field: string }) => [code, field],
      );
    expect(await errorsOf('set_price_tiers', { tiers: [tier] })).toEqual([['invalid_value', '/tiers']]);
    const wrong = [
      { ...tier, amount: -1 },
      { ...tier, currency: 'eur' },
    ];
    expect(await errorsOf('set_price_tiers', { tiers: wrong })).toEqual([
      ['out_of_range', '/tiers/0/amount'],
      ['not_allowed', '/tiers/1/currency'],
    ]);
    const unknownTier = availabilityAt('2027-06-12T09:30:00Z', { tier_overrides: [{ tier: 'night', amount: 1 }] });
    const at = '/availability/slots/0/tier_overrides/0/tier';
    expect(await errorsOf('set_availability', { availability: unknownTier })).toEqual([['invalid_value', at]]);
    expect(await errorsOf('set_price_tiers', { offering_external_id: 'x', tiers: [tier] })).toEqual([
      ['invalid_value', '/offering_external_id'],
    ]);
    expect(await stored(key)).toEqual(before);
  });

  it('never undoes a concurrent update', async () => {
    const { venue: ownVenue } = await venue();
    const { key } = await world.key(ownVenue.id, { writesPerHour: 1000 });
    await world.call('POST', '/v1/offerings', { key, body: offeringBody() });
    for (let round = 1; round <= 8; round++) {
      const tiers = [{ amount: 1000 + round, currency: 'usd', unit: 'per_person' }];
      const availability = availabilityAt(`2027-06-${10 + round}T09:30:00Z`);
      const both = await Promise.all([
        callTool(world, key, 'set_price_tiers', { offering_external_id: 'tee-18', tiers }),
        callTool(world, key, 'set_availability', { offering_external_id: 'tee-18', availability }),
      ]);
      for (const { structuredContent } of both) expect(structuredContent.updated).toBe(true);
      const { slots } = (await stored(key)).availability;
      expect([(await stored(key)).tiers, slots[0].starts_at]).toEqual([tiers, `2027-06-${10 + round}T09:30:00Z`]);
    }
  });
});

describe('for an agent', () => {
  it('the list of tools stays under 32 KB, each with its title, schemas and all four hints', async () => {
    const { secretTest: key } = await venue();
    const { text, json } = await post(world, request('tools/list'), { key });
    expect(Buffer.byteLength(text)).toBeLessThan(32 * 1024);
    expect(json.result.tools).toHaveLength(8);
    for (const tool of json.result.tools) {
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema.type).toBe('object');
      expect(tool.title.length * tool.description.length).toBeGreaterThan(0);
      const { title, ...hints } = tool.annotations;
      expect(Object.keys(hints).sort()).toEqual(['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint']);
      // Later responses may have more fields, and clients cache the list.
      expect(JSON.stringify(tool.outputSchema), tool.name).not.toContain('"additionalProperties":false');
    }
    const { object } = json.result.tools.find(({ name }: { name: string }) => name === 'validate').inputSchema
      .properties;
    expect(object.type).toBe('object');
  });

  it('an invalid batch stores nothing, and no key is in any log line', async () => {
    const { secretTest: key } = await venue();
    const bad = { offerings: [offeringBody('good'), offeringBody('bad', { tiers: [] })] };
    expect((await callTool(world, key, 'upsert_offerings', bad)).isError).toBe(true);
    expect((await world.call('GET', '/v1/offerings', { key })).json.data).toEqual([]);
    expect(world.logs.filter((line) => line.includes(key))).toEqual([]);
    expect(world.logs.some((line) => line.includes('callTool upsert_offerings'))).toBe(true);
  });
});
