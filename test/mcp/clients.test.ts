// The official clients, both generations, in every protocol version: they list and call every tool, read every resource and get
// the prompt, and hold each answer against the output schema of its tool.

import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { checkoutBody, MODERN, OLDER, offeringBody, SITE } from './json-rpc-client.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const INFO = { name: 'test', version: '1' };

/** Clients offer their newest version: this one has them offer another, and notes the versions of what follows. */
function asking(version: string, seen: Set<string | null>): typeof fetch {
  return async (address, init) => {
    const asked = new Headers(init?.headers).get('mcp-protocol-version');
    if (init?.method === 'POST') seen.add(asked);
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    if (body?.method !== 'initialize') return fetch(address, init);
    body.params.protocolVersion = version;
    return fetch(address, { ...init, body: JSON.stringify(body) });
  };
}

/** What both generations have in common, as far as it is used here. */
interface AnyClient {
  // biome-ignore lint/suspicious/noExplicitAny: two generations of types.
  [method: string]: any;
}

async function connected(
  generation: string,
  version: string,
  key: string,
  seen: Set<string | null>,
): Promise<AnyClient> {
  const url = new URL(`${world.urls[0]}/mcp`);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } }, fetch: asking(version, seen) };
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
  const seen = new Set<string | null>();
  beforeAll(async () => {
    key = (await world.venue({ origins: [SITE] })).secretTest;
    client = await connected(generation, version, key, seen);
  });
  afterAll(() => client.close());

  it('speaks that version, and learns who we are', async () => {
    await client.listTools();
    expect(seen).toContain(version);
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
    for (const [name, given] of Object.entries(calls)) {
      const answer = await client.callTool({ name, arguments: given });
      expect(answer.isError ?? false, JSON.stringify(answer)).toBe(false);
      if (name !== 'create_checkout') continue;
      const { id } = answer.structuredContent.checkout;
      const got = await client.callTool({ name: 'get_checkout', arguments: { id } });
      expect(got.structuredContent).toEqual(answer.structuredContent.checkout);
    }
  });

  it('is told what is wrong by every tool, within its output schema', async () => {
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const answer = await client.callTool({ name, arguments: { nonsense: 1 } });
      expect(answer.isError, name).toBe(true);
      expect(answer.structuredContent.errors.length).toBeGreaterThan(0);
    }
  });

  it('lists and reads every resource, the templates, and finishes names', async () => {
    const { resources } = await client.listResources();
    const { registry, mappings } = world.context;
    expect(resources).toHaveLength(registry.names.length + mappings.size);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0].uri).toBe(uri);
      const file = uri.replace('everyshare://schemas/', '').replace('everyshare://', '');
      const published = await world.call('GET', `/schemas/v1/${file}.json`);
      expect(JSON.parse(contents[0].text)).toEqual(published.json);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toHaveLength(2);
    const finished = await client.complete({
      ref: { type: 'ref/resource', uri: 'everyshare://mappings/{provider}' },
      argument: { name: 'provider', value: 'fare' },
    });
    expect(finished.completion.values).toEqual(['fareharbor']);
  });

  it('gets the prompt, with the mapping of the system', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(['connect_venue']);
    const ask = (given: object) =>
      client.getPrompt({ name: 'connect_venue', arguments: { venue: 'A marina.', ...given } });
    const plain = await ask({});
    expect(plain.messages).toHaveLength(1);
    for (const tool of ['describe_venue', 'validate', 'upsert_offerings', 'create_checkout', 'A marina.'])
      expect(plain.messages[0].content.text).toContain(tool);
    const mapped = await ask({ system: 'FareHarbor' });
    expect(mapped.messages[1].content.resource.uri).toBe('everyshare://mappings/fareharbor');
    expect((await ask({ system: 'nope' })).messages[0].content.text).toContain('There is no mapping');
  });
});
