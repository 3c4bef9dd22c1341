// The mapping files agree with their schema, with the code that applies them, and with the published ones.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { bodyLimitOf, isSigned, PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { SIGNATURE_HEADERS } from '../../src/domain/hooks/signatures.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openSharedWorld();
});
afterAll(() => world.close());

interface Properties {
  readonly properties: Readonly<Record<string, { readonly items?: Properties }>>;
}

function schema(name: string): Properties {
  return JSON.parse(readFileSync(join(packageRoot, 'schemas', 'v1', `${name}.json`), 'utf8'));
}

function fieldsOf({ properties }: Properties, prefix = ''): string[] {
  return Object.keys(properties).map((name) => `${prefix}${name}`);
}

const availability = schema('availability');
const slot = availability.properties.slots?.items ?? { properties: {} };

/** Every field of an offering, as a mapping names them. */
const STATED = [
  ...fieldsOf(schema('offering')).filter((name) => !['tiers', 'availability'].includes(name)),
  ...fieldsOf(availability).filter((name) => name !== 'slots'),
  ...fieldsOf(schema('price_tier'), 'tier.').map((name) => (name === 'tier.currency' ? 'currency' : name)),
  ...fieldsOf(slot, 'slot.'),
];
const mappings = () => [...world.context.mappings.values()];

describe('the mapping files', () => {
  it('are exactly one for each provider', () => {
    const files = readdirSync(join(packageRoot, 'schemas', 'v1', 'mappings'));
    expect(files.sort()).toEqual(PROVIDERS.map((provider) => `${provider}.json`).sort());
    expect(mappings().map(({ provider }) => provider)).toEqual(PROVIDERS);
  });

  it('are valid against their schema', () => {
    for (const mapping of mappings()) {
      const candidate = { value: mapping as never, text: JSON.stringify(mapping), badTexts: [] };
      expect([mapping.provider, world.context.validator.problems('mapping', candidate)]).toEqual([
        mapping.provider,
        [],
      ]);
    }
  });

  it('state the limits and signatures of the code', () => {
    for (const { provider, transport, signature } of mappings()) {
      expect([provider, transport.body_limit]).toEqual([provider, bodyLimitOf(provider)]);
      expect([provider, signature.scheme !== 'none']).toEqual([provider, isSigned(provider)]);
      const header = (SIGNATURE_HEADERS as Partial<Record<string, string>>)[provider];
      expect(signature.header?.toLowerCase()).toBe(header);
    }
  });

  it('name only objects that they define, and state for every object the source of each field of an offering', () => {
    expect(STATED).toEqual(expect.arrayContaining(['media', 'cutoff_minutes', 'tier.fees', 'slot.tier_overrides']));
    for (const { provider, events, objects } of mappings()) {
      for (const { name, object, action } of events) {
        const exists = objects.some((candidate) => candidate.name === object);
        expect([provider, name, exists || action === 'ignore']).toEqual([provider, name, true]);
      }
      for (const { name, fields, whole } of objects) {
        const isOffering = whole === undefined || whole === 'offering';
        const stated = isOffering ? STATED : ['external_id'];
        expect([provider, name, stated.filter((field) => !(field in fields))]).toEqual([provider, name, []]);
      }
      for (const { fields } of objects)
        for (const [name, field] of Object.entries(fields))
          expect([provider, name, field.source !== 'webhook' || field.path !== undefined]).toEqual([
            provider,
            name,
            true,
          ]);
    }
  });

  it('deduplicate pings with only ids within seconds, and never by their bytes within a day', () => {
    for (const { provider, events, event } of mappings())
      for (const { name, action, id_only } of events)
        if (action === 'refresh' && event.id.length === 0)
          expect([provider, name, id_only]).toEqual([provider, name, true]);
  });

  it('are published, each under its provider, with an index', async () => {
    const { json: index } = await world.call('GET', '/schemas/v1/mappings/index.json');
    expect(index.mappings.map(({ provider }: { provider: string }) => provider)).toEqual(PROVIDERS);
    for (const { url, provider, documentation } of index.mappings) {
      const { json, headers } = await world.call('GET', new URL(url).pathname);
      expect(json).toMatchObject({ provider, $schema: index.schema, documentation });
      const page = await world.call('GET', new URL(documentation).pathname);
      expect([provider, page.status]).toEqual([provider, 200]);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await world.call('GET', new URL(index.schema).pathname)).json.title).toBe('Mapping');
    expect((await world.call('GET', '/schemas/v1/mappings/nobody.json')).status).toBe(404);
  });
});
