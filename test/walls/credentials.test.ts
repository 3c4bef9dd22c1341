// Authorization of every operation and every tool, for every kind of credential and for every scope that a live key may
// not have. No answer on a route for secret keys carries a CORS header.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SCOPES } from '../../src/domain/keys/key.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { tools } from '../../src/run/operations/tools.ts';
import { operations } from '../../src/run/operations.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { type Credential, makeCredentials } from './credentials.ts';
import { digestDatabase, HIGH_LIMITS, type IsolationFixture, openIsolationFixture, SITE } from './isolation-fixture.ts';
import type { Outcome } from './operation-matrix.ts';
import { pathWith } from './requests.ts';

// Sends every operation as every kind of caller.
vi.setConfig({ testTimeout: 60_000 });

let fixture: IsolationFixture;
let credentials: Credential[];
let digestBefore: Record<string, string>;
beforeAll(async () => {
  fixture = await openIsolationFixture();
  credentials = await makeCredentials(fixture);
  for (const scopes of scopeSets) {
    if (!keys.has(scopes.join())) keys.set(scopes.join(), await liveKey(scopes));
  }
  digestBefore = await digestDatabase(fixture.world.db);
});
afterAll(() => fixture.close());

const scopesExcept = (scopes: readonly string[]): string[] => SCOPES.filter((scope) => !scopes.includes(scope));
/** Each scope alone, and for each operation and tool every scope except its own. */
const scopeSets = [
  ...SCOPES.map((scope) => [scope]),
  ...[...operations, ...tools.map(({ operation }) => operation)].map(({ scopes = [] }) => scopesExcept(scopes)),
];
const keys = new Map<string, string>();

async function liveKey(scopes: readonly string[]): Promise<string> {
  const venueId = fixture.owners[0]?.venueId ?? '';
  return (await fixture.world.key(venueId, { mode: 'live', scopes, ...HIGH_LIMITS })).key;
}

const isMcp = ({ path }: AppOperation): boolean => path === '/mcp';
const byId = (list: readonly AppOperation[]) => list.map((operation) => [operation.id, operation] as const);

/** Names objects that do not exist and sends no valid body, so that an authorized call changes nothing. */
async function call(
  operation: AppOperation,
  credential: Omit<Credential, 'description' | 'expected'>,
  address: string,
): Promise<HttpResponse> {
  const { origin, ...rest } = credential.headers;
  const response = await fixture.world.call(operation.method, pathWith(operation.path, { 'path provider': 'square' }), {
    ...(credential.key === undefined ? {} : { key: credential.key }),
    ...(operation.method === 'POST' ? { body: '' } : {}),
    // The tool server refuses every Origin; the last describe tests that.
    headers: { 'x-forwarded-for': address, ...rest, ...(origin === undefined || isMcp(operation) ? {} : { origin }) },
  });
  if (!operation.path.startsWith('/v1/public/')) expectNoCors(response, operation.id);
  return response;
}

function expectNoCors({ headers, status }: HttpResponse, description: string): void {
  const found = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  expect(found, `${description} ${status}`).toEqual([]);
}

const PASSED = [200, 400, 404, 422];

function expectOutcome({ status, json, text }: HttpResponse, response: Outcome | null, description: string): void {
  if (response === null) expect(PASSED, `${description}: ${text}`).toContain(status);
  else expect([status, json?.error?.code], description).toEqual(response);
}

describe('every operation', () => {
  it.each(byId(operations))('%s authorizes each credential as expected', async (_id, operation) => {
    await Promise.all(
      credentials.map(async (credential, index) => {
        const response = await call(operation, credential, `203.0.113.${index}`);
        expectOutcome(response, credential.expected(operation), credential.description);
        expect(response.headers.get('x-request-id')).toMatch(/^req_/);
        expect(response.headers.has('x-ratelimit-limit')).toBe(operation.auth !== 'operator');
      }),
    );
  });

  it.each(byId(operations.filter(({ scopes }) => scopes !== undefined)))(
    '%s refuses a live key only when it does not have the scope',
    async (_id, operation) => {
      const { scopes = [], testOnly } = operation;
      const key = keys.get(scopesExcept(scopes).join()) ?? '';
      const withoutScope = await call(operation, { key, headers: { origin: SITE } }, '198.51.100.1');
      expectOutcome(
        withoutScope,
        [403, testOnly === true ? 'mode_not_available' : 'insufficient_scope'],
        'a live key without it',
      );
      for (const scope of scopes) {
        const withScope = await call(operation, { key: keys.get(scope) ?? '', headers: {} }, '198.51.100.1');
        expectOutcome(withScope, testOnly === true ? [403, 'mode_not_available'] : null, `a live key with ${scope}`);
      }
    },
  );

  it('has changed nothing in the database', async () => {
    expect(await digestDatabase(fixture.world.db)).toEqual(digestBefore);
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
  const toolErrorCode = ({ json }: HttpResponse): string | undefined => json?.result?.structuredContent?.error?.code;

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s authorizes each credential as its route does',
    async (name, { operation }) => {
      await Promise.all(
        credentials.map(async (credential, index) => {
          const response = await callTool(name, credential, `203.0.113.${index}`);
          expectNoCors(response, name);
          const expected = credential.expected(operation);
          if (expected !== null) return expectOutcome(response, expected, credential.description);
          expect(response.status, `${credential.description}: ${response.text}`).toBe(200);
          expect(['unauthorized', 'insufficient_scope', 'venue_not_linked']).not.toContain(toolErrorCode(response));
        }),
      );
    },
  );

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s returns insufficient_scope only to a live key without its scope',
    async (name, { operation: { scopes = [] } }) => {
      const withoutScope = await callTool(
        name,
        { key: keys.get(scopesExcept(scopes).join()) ?? '', headers: {} },
        '198.51.100.1',
      );
      expect(toolErrorCode(withoutScope) === 'insufficient_scope').toBe(scopes.length > 0);
      for (const scope of scopes) {
        const withScope = await callTool(name, { key: keys.get(scope) ?? '', headers: {} }, '198.51.100.1');
        expect(toolErrorCode(withScope)).not.toBe('insufficient_scope');
      }
    },
  );

  it('has changed nothing in the database', async () => {
    expect(await digestDatabase(fixture.world.db)).toEqual(digestBefore);
  });
});

describe('web pages of other origins', () => {
  const pageHeaders = {
    origin: SITE,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };

  it.each(byId(operations.filter(({ path }) => !path.startsWith('/v1/public/'))))(
    'get no CORS preflight for %s',
    async (id, { path }) => {
      const response = await fixture.world.call('OPTIONS', pathWith(path, { 'path provider': 'square' }), {
        headers: pageHeaders,
      });
      expect(response.status).toBe(405);
      expectNoCors(response, id);
    },
  );

  it('cannot use the tool server with any credential', async () => {
    for (const { description, key, expected: response } of credentials) {
      const operation = operations.find(isMcp) as AppOperation;
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
      const answer = await fixture.world.call('POST', '/mcp', {
        ...(key === undefined ? {} : { key }),
        body,
        headers: pageHeaders,
      });
      expectOutcome(answer, response(operation) ?? [403, 'origin_not_allowed'], description);
      expectNoCors(answer, description);
    }
  });

  it('get no CORS header on errors: no route, wrong method, too large, wrong content type, not JSON, invalid body', async () => {
    const key = fixture.owners[0]?.secret ?? '';
    const headers = { origin: SITE };
    const response = await Promise.all([
      fixture.world.call('GET', '/v1/nowhere', { key, headers }),
      fixture.world.call('OPTIONS', '/v1/nowhere', { headers: pageHeaders }),
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
