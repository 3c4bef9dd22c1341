// Who may call what: every operation and every tool, for everything that somebody may come with, and for every scope that a
// live key may lack; no answer to any of them carries a cross-origin header where a secret key could be used.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/keys/key.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { tools } from '../../src/run/operations/tools.ts';
import { operations } from '../../src/run/operations.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { type Credential, makeCredentials } from './credentials.ts';
import { digestDatabase, HIGH_LIMITS, type IsolationFixture, openIsolationFixture, SITE } from './isolation-fixture.ts';
import type { Outcome } from './operation-matrix.ts';
import { pathWith } from './requests.ts';

let fixture: IsolationFixture;
let all: Credential[];
let before: Record<string, string>;
beforeAll(async () => {
  fixture = await openIsolationFixture();
  all = await makeCredentials(fixture);
  for (const scopes of scopeSets) {
    if (!keys.has(scopes.join())) keys.set(scopes.join(), await liveKey(scopes));
  }
  before = await digestDatabase(fixture.world.db);
});
afterAll(() => fixture.close());

const others = (scopes: readonly string[]): string[] => SCOPES.filter((scope) => !scopes.includes(scope));
/** Each scope alone, and for each operation and tool all but its own. */
const scopeSets = [
  ...SCOPES.map((scope) => [scope]),
  ...[...operations, ...tools.map(({ operation }) => operation)].map(({ scopes = [] }) => others(scopes)),
];
const keys = new Map<string, string>();

async function liveKey(scopes: readonly string[]): Promise<string> {
  const venueId = fixture.owners[0]?.venueId ?? '';
  return (await fixture.world.key(venueId, { mode: 'live', scopes, ...HIGH_LIMITS })).key;
}

const isMcp = ({ path }: AppOperation): boolean => path === '/mcp';
const named = (list: readonly AppOperation[]) => list.map((operation) => [operation.id, operation] as const);

/** About objects that are not there, without a body where one is needed: whoever passes changes nothing. */
async function call(
  operation: AppOperation,
  bearer: Omit<Credential, 'description' | 'expected'>,
  address: string,
): Promise<HttpResponse> {
  const { origin, ...rest } = bearer.headers;
  const response = await fixture.world.call(operation.method, pathWith(operation.path, { 'path provider': 'square' }), {
    ...(bearer.key === undefined ? {} : { key: bearer.key }),
    ...(operation.method === 'POST' ? { body: '' } : {}),
    // The tool server is not for pages at all, and says so: it is asked that by itself.
    headers: { 'x-forwarded-for': address, ...rest, ...(origin === undefined || isMcp(operation) ? {} : { origin }) },
  });
  if (!operation.path.startsWith('/v1/public/')) expectNoCors(response, operation.id);
  return response;
}

function expectNoCors({ headers, status }: HttpResponse, what: string): void {
  const found = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  expect(found, `${what} ${status}`).toEqual([]);
}

const PASSED = [200, 400, 404, 422];

function expectTold({ status, json, text }: HttpResponse, response: Outcome | null, who: string): void {
  if (response === null) expect(PASSED, `${who}: ${text}`).toContain(status);
  else expect([status, json?.error?.code], who).toEqual(response);
}

describe('every operation', () => {
  it.each(named(operations))('%s knows everybody by what they come with', async (_id, operation) => {
    await Promise.all(
      all.map(async (bearer, index) => {
        const response = await call(operation, bearer, `203.0.113.${index}`);
        expectTold(response, bearer.expected(operation), bearer.description);
        expect(response.headers.get('x-request-id')).toMatch(/^req_/);
        expect(response.headers.has('x-ratelimit-limit')).toBe(operation.auth !== 'operator');
      }),
    );
  });

  it.each(named(operations.filter(({ scopes }) => scopes !== undefined)))(
    '%s is refused to a live key without its scope alone',
    async (_id, operation) => {
      const { scopes = [], testOnly } = operation;
      const key = keys.get(others(scopes).join()) ?? '';
      const lacking = await call(operation, { key, headers: { origin: SITE } }, '198.51.100.1');
      expectTold(
        lacking,
        [403, testOnly === true ? 'mode_not_available' : 'insufficient_scope'],
        'a live key without it',
      );
      for (const scope of scopes) {
        const enough = await call(operation, { key: keys.get(scope) ?? '', headers: {} }, '198.51.100.1');
        expectTold(enough, testOnly === true ? [403, 'mode_not_available'] : null, `a live key with ${scope}`);
      }
    },
  );

  it('has not changed anything for any of them', async () => {
    expect(await digestDatabase(fixture.world.db)).toEqual(before);
  });
});

describe('every tool', () => {
  const callTool = (
    name: string,
    { key, headers }: Omit<Credential, 'description' | 'expected'>,
    address: string,
  ): Promise<HttpResponse> => {
    const { origin, ...rest } = headers;
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
    const from = { 'x-forwarded-for': address, ...rest };
    return fixture.world.call('POST', '/mcp', { ...(key === undefined ? {} : { key }), headers: from, body });
  };
  const toldOfTool = ({ json }: HttpResponse): string | undefined => json?.result?.structuredContent?.error?.code;

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s knows everybody as its route does',
    async (name, { operation }) => {
      await Promise.all(
        all.map(async (bearer, index) => {
          const response = await callTool(name, bearer, `203.0.113.${index}`);
          expectNoCors(response, name);
          const expected = bearer.expected(operation);
          if (expected !== null) return expectTold(response, expected, bearer.description);
          expect(response.status, `${bearer.description}: ${response.text}`).toBe(200);
          expect(['unauthorized', 'insufficient_scope', 'venue_not_linked']).not.toContain(toldOfTool(response));
        }),
      );
    },
  );

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s is refused to a live key without its scope alone, as its result',
    async (name, { operation: { scopes = [] } }) => {
      const lacking = await callTool(name, { key: keys.get(others(scopes).join()) ?? '', headers: {} }, '198.51.100.1');
      expect(toldOfTool(lacking) === 'insufficient_scope').toBe(scopes.length > 0);
      for (const scope of scopes) {
        const enough = await callTool(name, { key: keys.get(scope) ?? '', headers: {} }, '198.51.100.1');
        expect(toldOfTool(enough)).not.toBe('insufficient_scope');
      }
    },
  );

  it('has not changed anything for any of them', async () => {
    expect(await digestDatabase(fixture.world.db)).toEqual(before);
  });
});

describe('pages of others', () => {
  const page = {
    origin: SITE,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };

  it.each(named(operations.filter(({ path }) => !path.startsWith('/v1/public/'))))(
    'get no preflight for %s',
    async (id, { path }) => {
      const response = await fixture.world.call('OPTIONS', pathWith(path, { 'path provider': 'square' }), {
        headers: page,
      });
      expect(response.status).toBe(405);
      expectNoCors(response, id);
    },
  );

  it('may not use the tool server, whatever they come with', async () => {
    for (const { description: who, key, expected: response } of all) {
      const operation = operations.find(isMcp) as AppOperation;
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
      const answer = await fixture.world.call('POST', '/mcp', {
        ...(key === undefined ? {} : { key }),
        body,
        headers: page,
      });
      expectTold(answer, response(operation) ?? [403, 'origin_not_allowed'], who);
      expectNoCors(answer, who);
    }
  });

  it('are told of no error either: no route, not that method, too large, not JSON, a wrong member', async () => {
    const key = fixture.owners[0]?.secret ?? '';
    const headers = { origin: SITE };
    const response = await Promise.all([
      fixture.world.call('GET', '/v1/nowhere', { key, headers }),
      fixture.world.call('OPTIONS', '/v1/nowhere', { headers: page }),
      fixture.world.call('PUT', '/v1/checkouts', { key, headers }),
      fixture.world.call('POST', '/v1/checkouts', { key, headers, body: 'x'.repeat(70_000) }),
      fixture.world.call('POST', '/v1/checkouts', {
        key,
        headers: { ...headers, 'content-type': 'text/plain' },
        body: '{}',
      }),
      fixture.world.call('POST', '/v1/checkouts', { key, headers, body: '{' }),
      fixture.world.call('POST', '/v1/checkouts', { key, headers, body: {} }),
    ]);
    expect(response.map(({ status }) => status)).toEqual([404, 404, 405, 413, 415, 400, 422]);
    for (const answer of response) expectNoCors(answer, String(answer.status));
  });
});
