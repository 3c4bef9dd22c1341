// The official clients of both generations in every protocol version: they list and call every tool, read every
// resource and get the prompt, and validate each result against the output schema of its tool.

import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { checkoutBody, MODERN, OLDER, offeringBody, SITE } from './json-rpc-client.ts';

// Calls every tool with each client in each protocol version.
vi.setConfig({ testTimeout: 120_000 });

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

/** Each is fetched once for all clients: calls without a key share the limit of the address. */
const published = new Map<string, unknown>();

async function publishedSchema(file: string): Promise<unknown> {
  if (!published.has(file)) published.set(file, (await world.call('GET', `/schemas/v1/${file}.json`)).json);
  return published.get(file);
}

const INFO = { name: 'test', version: '1' };

/** Clients offer their newest version. This fetch replaces it, and records the versions of later requests. */
function fetchWithVersion(version: string, versions: Set<string | null>): typeof fetch {
  return async (address, init) => {
    const sentVersion = new Headers(init?.headers).get('mcp-protocol-version');
    if (init?.method === 'POST') versions.add(sentVersion);
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    if (body?.method !== 'initialize') return fetch(address, init);
    body.params.protocolVersion = version;
    return fetch(address, { ...init, body: JSON.stringify(body) });
  };
}

/** What the tests use of both generations. */
interface AnyClient {
  // biome-ignore lint/suspicious/noExplicitAny: two generations of types.
  [method: string]: any;
}

async function connectClient(
  generation: string,
  version: string,
  key: string,
  versions: Set<string | null>,
): Promise<AnyClient> {
  const url = new URL(`${world.urls[0]}/mcp`);
  const options = {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: fetchWithVersion(version, versions),
  };
  if (generation === 'old') {
    const client = new OldClient(INFO);
    await client.connect(new OldTransport(url, options) as never);
    return client;
  }
  const isModern = version === MODERN;
  const client = new NewClient(INFO, isModern ? { versionNegotiation: { mode: { pin: MODERN } } } : {});
  await client.connect(new NewTransport(url, options));
  return client;
}

const rows = [
  ...OLDER.flatMap((version) => [
    ['old', version],
    ['new', version],
  ]),
  ['new', MODERN],
] as [string, string][];

describe.each(rows)('the %s client in %s', (generation, version) => {
  let client: AnyClient;
  let key: string;
  const versions = new Set<string | null>();
  beforeAll(async () => {
    key = (await world.venue({ origins: [SITE] })).secretTest;
    client = await connectClient(generation, version, key, versions);
  });
  afterAll(() => client.close());

  it('negotiates that version, and gets the server’s name', async () => {
    await client.listTools();
    expect(versions).toContain(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'everyshare' });
    expect(client.getInstructions()).toContain('describe_venue');
  });

  it('lists the eight tools, and calls each', async () => {
    const { tools } = await client.listTools();
    const calls: Record<string, object> = {
      describe_venue: {},
      validate: { schema: 'offering', object: {} },
      upsert_offerings: { offerings: [offeringBody()] },
      set_price_tiers: { offering_external_id: 'tee-18', tiers: offeringBody().tiers },
      set_availability: { offering_external_id: 'tee-18', availability: { timezone: 'Europe/Berlin' } },
      create_checkout: checkoutBody(),
      list_bookings: {},
    };
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'describe_venue',
      'validate',
      'upsert_offerings',
      'set_price_tiers',
      'set_availability',
      'create_checkout',
      'get_checkout',
      'list_bookings',
    ]);
    for (const [name, args] of Object.entries(calls)) {
      const response = await client.callTool({ name, arguments: args });
      expect(response.isError ?? false, JSON.stringify(response)).toBe(false);
      if (name !== 'create_checkout') continue;
      const { id } = response.structuredContent.checkout;
      const got = await client.callTool({ name: 'get_checkout', arguments: { id } });
      expect(got.structuredContent).toEqual(response.structuredContent.checkout);
    }
  });

  it('gets errors of every tool within its output schema', async () => {
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const response = await client.callTool({ name, arguments: { nonsense: 1 } });
      expect(response.isError, name).toBe(true);
      expect(response.structuredContent.errors.length).toBeGreaterThan(0);
    }
  });

  it('lists and reads every resource and template, and completes names', async () => {
    const { resources } = await client.listResources();
    const { registry, mappings } = world.context;
    expect(resources).toHaveLength(registry.names.length + mappings.size);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0].uri).toBe(uri);
      const file = uri.replace('everyshare://schemas/', '').replace('everyshare://', '');
      expect(JSON.parse(contents[0].text)).toEqual(await publishedSchema(file));
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toHaveLength(2);
    const completion = await client.complete({
      ref: { type: 'ref/resource', uri: 'everyshare://mappings/{provider}' },
      argument: { name: 'provider', value: 'fare' },
    });
    expect(completion.completion.values).toEqual(['fareharbor']);
  });

  it('gets the prompt with the mapping of the system', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(['connect_venue']);
    const ask = (args: object) =>
      client.getPrompt({ name: 'connect_venue', arguments: { venue: 'A marina.', ...args } });
    const plain = await ask({});
    expect(plain.messages).toHaveLength(1);
    for (const tool of ['describe_venue', 'validate', 'upsert_offerings', 'create_checkout', 'A marina.'])
      expect(plain.messages[0].content.text).toContain(tool);
    const mapped = await ask({ system: 'FareHarbor' });
    expect(mapped.messages[1].content.resource.uri).toBe('everyshare://mappings/fareharbor');
    expect((await ask({ system: 'nope' })).messages[0].content.text).toContain('There is no mapping');
  });
});
