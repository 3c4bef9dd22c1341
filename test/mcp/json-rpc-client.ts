// A JSON-RPC client for tests that posts to /mcp, and bodies of an offering and a checkout.

import type { HttpResponse, TestWorld } from '../support/test-world.ts';

export const MODERN = '2026-07-28';
export const OLDER = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

export interface RequestOptions {
  readonly key?: string;
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const initialize = (protocolVersion: string): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

export const request = (method: string, params: object = {}, id: string | number = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export function post(
  world: TestWorld,
  body: unknown,
  { key, version, headers }: RequestOptions = {},
): Promise<HttpResponse> {
  return world.call('POST', '/mcp', {
    ...(key === undefined ? {} : { key }),
    body,
    headers: { ...(version === undefined ? {} : { 'mcp-protocol-version': version }), ...headers },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
export async function callTool(world: TestWorld, key: string, name: string, args: unknown = {}): Promise<any> {
  const { json } = await post(world, request('tools/call', { name, arguments: args }), { key, version: '2025-11-25' });
  return json.result ?? json;
}

export const offeringBody = (externalId = 'tee-18', overrides: object = {}): Record<string, unknown> => ({
  external_id: externalId,
  kind: 'tee_time',
  title: 'Eighteen holes',
  tiers: [{ amount: 4500, currency: 'usd', unit: 'per_person', external_id: 'day' }],
  ...overrides,
});

export const SITE = 'https://harbor.example';

export const checkoutBody = (bookingId = 'bk-1', overrides: object = {}): Record<string, unknown> => ({
  amount: 24000,
  currency: 'usd',
  party_size: 4,
  pay_by: new Date(Date.now() + 3 * 86_400_000).toISOString(),
  description: 'Cabana 3',
  return_url: `${SITE}/done`,
  external_booking_id: bookingId,
  ...overrides,
});
