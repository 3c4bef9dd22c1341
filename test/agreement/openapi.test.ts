// OpenAPI, types, published schemas, operations, errors and the database agree with one another.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generated } from '../../schemas/generate.ts';
import { rules, rulesWhenNew } from '../../schemas/rules/rules.ts';
import { catalogue } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { candidateFrom } from '../../src/base/schema/contract.ts';
import { PATTERNS } from '../../src/base/schema/describe.ts';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { SCOPES } from '../../src/domain/keys/key.ts';
import { CATEGORIES } from '../../src/domain/venues/venue.ts';
import { operations } from '../../src/run/operations.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const NAMED = [
  'offering',
  'price_tier',
  'availability',
  'policy',
  'event',
  'legacy_experience',
  'submission',
  'boat',
  'checkout_create',
  'checkout',
  'share',
  'webhook_event',
  'webhook_endpoint',
  'integration',
  'party',
  'me',
  'analytics',
  'error',
];

const DOCUMENTS = ['schemas/openapi.gen.json', 'schemas/console-openapi.gen.json'];

/** A validator is used once or twice here: to optimize its code takes longer than to run it. */
const UNOPTIMIZED = { code: { optimize: false } };
const STRICT = { strict: true, strictRequired: false, allowUnionTypes: true, ...UNOPTIMIZED };

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { BASE_URL: 'https://pay.example', SCHEMA_URL: 'https://schemas.example/s' } });
});
afterAll(() => world.close());

describe('generated files', () => {
  it('are current: run npm run generate when this fails', () => {
    for (const [name, text] of Object.entries(generated())) {
      expect(readFileSync(join(packageRoot, 'schemas', name), 'utf8') === text, name).toBe(true);
    }
  });

  it('lint without an error or a warning', { tags: ['slow'] }, () => {
    const bin = join(packageRoot, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const args = [bin, 'lint', ...DOCUMENTS, '--format=json', '--config=redocly.yaml'];
    const out = execFileSync(process.execPath, args, {
      cwd: packageRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    // One JSON object for each document.
    const totals = [...out.matchAll(/"totals": (\{[^}]*\})/g)].map(([, text = '']) => JSON.parse(text));
    expect(totals).toEqual(DOCUMENTS.map(() => ({ errors: 0, warnings: 0, ignored: 0 })));
  });
});

describe('the published contract', () => {
  it('lists every schema, the 18 of the specification among them', async () => {
    const { json } = await world.call('GET', '/schemas/v1/index.json');
    const names = json.schemas.map(({ name }: { name: string }) => name);
    for (const name of NAMED) expect(names).toContain(name);
    expect(json.schemas[0].url).toBe(`https://schemas.example/s/v1/${names[0]}.json`);
  });

  it('compiles, each schema alone in a new Ajv 2020, and its own examples validate', { tags: ['slow'] }, async () => {
    for (const name of world.context.registry.names) {
      const { json, headers } = await world.call('GET', `/schemas/v1/${name}.json`);
      expect(headers.get('content-type')).toContain('application/schema+json');
      expect(json.$id).toBe(`https://schemas.example/s/v1/${name}.json`);
      const ajv = new Ajv2020({ ...STRICT, allErrors: true });
      addFormats.default(ajv);
      const validate = ajv.compile(json);
      for (const example of json.examples ?? [])
        expect(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });

  it('compiles all together in one Ajv 2020', { tags: ['slow'] }, async () => {
    const ajv = new Ajv2020(STRICT);
    addFormats.default(ajv);
    for (const name of world.context.registry.names)
      ajv.addSchema((await world.call('GET', `/schemas/v1/${name}.json`)).json);
    for (const name of world.context.registry.names) ajv.getSchema(`https://schemas.example/s/v1/${name}.json`);
  });

  it('serves the OpenAPI document with this server’s address and the limit’s headers', async () => {
    const { json, headers, status } = await world.call('GET', '/v1/openapi.json');
    expect([status, json.openapi, json.servers[0].url]).toEqual([200, '3.1.0', 'https://pay.example']);
    expect(headers.get('x-ratelimit-limit')).toBe('600');
    const { servers, ...rest } = json;
    const { servers: _own, ...generated } = JSON.parse(
      readFileSync(join(packageRoot, 'schemas/openapi.gen.json'), 'utf8'),
    );
    expect(rest).toEqual(generated);
  });
});

describe('the document of the console', () => {
  it('is served as it was generated, with this server’s address', async () => {
    const { json } = await world.call('GET', '/console/openapi.json');
    const written = JSON.parse(readFileSync(join(packageRoot, 'schemas/console-openapi.gen.json'), 'utf8'));
    expect(json).toEqual({ ...written, servers: [{ ...written.servers[0], url: 'https://pay.example' }] });
  });
});

describe('the OpenAPI document', () => {
  it('announces no operation as future work', async () => {
    const { json } = await world.call('GET', '/v1/openapi.json');
    for (const methods of Object.values(json.paths) as Record<string, never>[]) {
      for (const { operationId, description, responses } of Object.values(methods)) {
        expect(description, operationId).not.toContain('Not in this release');
        expect(responses, operationId).not.toHaveProperty('501');
      }
    }
  });

  it('has every response of the tool server: one message, several, none, and protocol errors', async () => {
    const { json } = await world.call('GET', '/v1/openapi.json');
    const { responses } = json.paths['/mcp'].post;
    const ajv = new Ajv2020({ strict: false, validateSchema: false, ...UNOPTIMIZED });
    addFormats.default(ajv);
    ajv.addSchema(json, 'openapi');
    const fits = (status: number, body: unknown): boolean =>
      ajv.validate({ $ref: `openapi#/paths/~1mcp/post/responses/${status}/content/application~1json/schema` }, body);
    const failure = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };
    expect([fits(200, { jsonrpc: '2.0', id: 1, result: {} }), fits(200, [failure]), fits(200, 'x')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([fits(400, failure), fits(404, failure), fits(400, { jsonrpc: '2.0' })]).toEqual([true, true, false]);
    expect(responses[202]).not.toHaveProperty('content');
  });
});

describe('the list of operations', () => {
  it('has each id, and each method with its path, once', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length);
  });

  it('names only schemas, scopes and errors that exist', () => {
    for (const operation of operations) {
      for (const { schema } of operation.body ?? []) expect(world.context.registry.names).toContain(schema);
      for (const scope of operation.scopes ?? []) expect(SCOPES).toContain(scope);
      for (const code of operation.errors ?? []) expect(Object.keys(catalogue)).toContain(code);
      // Every call of the tool server is a POST; the tool decides whether it counts as a read. A preview takes the body of
      // the call that it previews.
      if (operation.path === '/mcp' || operation.id === 'previewRefund') continue;
      expect(operation.effect === 'read').toBe(operation.method === 'GET');
    }
  });

  it('has every endpoint of the specification', () => {
    const paths = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const specified = [
      'GET /v1/me',
      'POST /v1/experiences',
      'GET /v1/experiences',
      'GET /v1/experiences/{id}',
      'POST /v1/offerings',
      'GET /v1/offerings',
      'GET /v1/offerings/{id}',
      'POST /v1/boats',
      'GET /v1/boats',
      'GET /v1/boats/{id}',
      'POST /v1/boats/{id}/deactivate',
      'GET /v1/analytics',
      'POST /v1/integrations',
      'GET /v1/integrations',
      'POST /v1/integrations/{id}/revoke',
      'POST /v1/hooks/{provider}/{token}',
      'POST /v1/checkouts',
      'GET /v1/checkouts',
      'GET /v1/checkouts/{id}',
      'POST /v1/checkouts/{id}/cancel',
      'POST /v1/webhook_endpoints',
      'GET /v1/webhook_endpoints',
      'DELETE /v1/webhook_endpoints/{id}',
      'GET /v1/public/checkouts/{id}',
      'POST /v1/public/checkouts/{id}/party',
      'POST /v1/public/shares/{share_id}/hold',
    ];
    expect(specified.filter((path) => !paths.has(path))).toEqual([]);
  });
});

describe('examples', () => {
  it('of request bodies keep the rules between fields', () => {
    const facts = {
      now: new Date('2026-12-01T00:00:00Z'),
      categories: CATEGORIES,
      origins: ['https://harbor.example'],
    };
    for (const schema of new Set([...Object.keys(rules), ...Object.keys(rulesWhenNew)])) {
      for (const example of world.context.registry.get(schema).examples as never[]) {
        const own = new URL((example as { return_url?: string }).return_url ?? 'https://harbor.example').origin;
        const { whenNew } = world.context.contract.validate(schema, candidateFrom(example), {
          ...facts,
          origins: [own],
        });
        expect(whenNew, schema).toEqual([]);
      }
    }
  });
});

describe('lists that exist twice', () => {
  it('every pattern of the schemas has an error message', () => {
    const texts = world.context.registry.names.map((name) => JSON.stringify(world.context.registry.get(name)));
    const patterns = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map((m) => JSON.parse(m[1] ?? '""') as string),
      ),
    );
    const withoutText = [...patterns].filter(
      (pattern) => PATTERNS[pattern] === undefined && !/^\^[a-z]+_\[0-9A-Za-z\]/.test(pattern),
    );
    expect(withoutText).toEqual([]);
  });

  it('rules belong to schemas that exist', () => {
    for (const name of [...Object.keys(rules), ...Object.keys(rulesWhenNew)])
      expect(world.context.registry.names).toContain(name);
  });

  it('providers are those of the integration schema', () => {
    const { provider } = world.context.registry.get('integration').properties as { provider: Record<string, unknown> };
    expect([...PROVIDERS].sort()).toEqual([...(world.context.registry.resolve(provider).enum as string[])].sort());
  });

  it('every error code has its page, and every page its code', () => {
    const pages = readdirSync(join(packageRoot, 'docs/errors')).map((file) => file.replace(/\.md$/, ''));
    expect(pages.sort()).toEqual(Object.keys(catalogue).sort());
  });

  it('doc_url leads to a page that exists', async () => {
    const { secretTest: key } = await world.venue();
    const { json } = await world.call('POST', '/v1/webhook_endpoints', { key, body: { url: 5, x: 1 } });
    for (const { doc_url } of json.errors) {
      expect(doc_url).toMatch(/^https:\/\/pay\.example\/docs\/errors\/[a-z_]+$/);
      expect((await world.call('GET', new URL(doc_url).pathname)).status).toBe(200);
    }
  });
});
