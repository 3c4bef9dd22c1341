// Bad input gets a clear error, never a 500, a hang or a stored half: valid bodies from the schemas, broken in every way,
// against the running server.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../src/base/json/parse.ts';
import { operations } from '../../src/run/operations.ts';
import { openWorld, type Told, type World } from '../world.ts';
import { mutated } from './mutations.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

let world: World;
let key: string;
beforeAll(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'error' } });
  const { venue } = await world.venue({ origins: ['https://harbor.example'] });
  key = (await world.key(venue.id, { writesPerHour: 100_000_000, readsPerHour: 100_000_000 })).key;
});
afterAll(() => world.close());

const withBody = operations.filter(
  ({ body, auth }) => body !== undefined && ['secret', 'operator', 'open'].includes(auth),
);
const path = (template: string): string => template.replaceAll(/\{[a-z_]+\}/g, 'x');

function expectGoodAnswer(told: Told): void {
  if (told.status < 400) return;
  // The one allowed 5xx: everything was right with the request, and the operation comes in a later release.
  if (told.status === 501) expect(told.json.error.code).toBe('not_implemented');
  else expect([400, 404, 409, 413, 415, 422]).toContain(told.status);
  expect(world.house.validator.problems('error', { value: told.json, text: told.text, badStrings: [] })).toEqual([]);
  if (told.status === 422)
    expect(told.json.errors[0]).toMatchObject({ code: told.json.error.code, field: told.json.error.field });
}

describe('a broken body', () => {
  it.each(withBody.map((operation) => [operation.id, operation] as const))(
    'never costs %s a 5xx',
    async (_id, operation) => {
      const examples = (operation.body ?? []).flatMap(
        ({ schema }) => world.house.registry.get(schema).examples as never[],
      );
      const bearer = operation.auth === 'operator' ? world.operatorToken : key;
      await fc.assert(
        fc.asyncProperty(mutated(examples), async (text) => {
          expectGoodAnswer(
            await world.call(operation.method, path(operation.path), { key: bearer, body: Buffer.from(text) }),
          );
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
  );

  it('is told with an example_fix that mends it', async () => {
    const examples = ['offering', 'event', 'boat', 'checkout_create', 'availability', 'price_tier'].map(
      (name) => [name, world.house.registry.get(name).examples as never[]] as const,
    );
    for (const [name, bodies] of examples) {
      fc.assert(
        fc.property(mutated(bodies), (text) => {
          expectFixesHold(name, text);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    }
  });
});

describe('a broken query or header', () => {
  it('never costs a 5xx', async () => {
    const lists = operations.filter(({ query, auth }) => query !== undefined && auth === 'secret');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...lists),
        fc.constantFrom(
          'limit',
          'before',
          'status',
          'from',
          'to',
          'party_size',
          'experience_id',
          'x',
          '__proto__',
          'constructor',
        ),
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('%00', '%ff', '', '1e9', '-1', '2027-01-01T00:00:00Z', '%E0%A4%A'),
        ),
        async (operation, name, value) => {
          const raw = value.startsWith('%') ? value : encodeURIComponent(value);
          expectGoodAnswer(await world.call('GET', `${path(operation.path)}?${name}=${raw}`, { key }));
        },
      ),
      { numRuns: RUNS * 3, endOnFailure: true },
    );
  });

  it('in an Authorization, Idempotency-Key or Origin header is a clean 4xx at the most', async () => {
    const text = fc
      .string({ minLength: 0, maxLength: 300 })
      .map((value) => value.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '~').trim());
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('authorization', 'idempotency-key', 'origin', 'content-type', 'x-forwarded-for'),
        text,
        async (name, value) => {
          const body = { url: 'https://harbor.example/hooks', events: [] };
          const { status } = await world.call('POST', '/v1/webhook_endpoints', {
            key,
            body,
            headers: { [name]: value },
          });
          expect([401, 415, 422, 429]).toContain(status);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

/** Every example_fix, put in its place, takes away the problem that it was given for. */
function expectFixesHold(schema: string, text: string): void {
  const parsed = parseStrictJson(Buffer.from(text));
  // Not JSON, or text that cannot be stored: there is nothing to mend by field, or it is told elsewhere.
  if (!parsed.ok || parsed.badStrings.length > 0) return;
  const candidate = parsed;
  const { value } = parsed;
  for (const problem of world.house.validator.problems(schema, candidate)) {
    if (problem.example_fix === null) {
      // Only what has to be left out has no value that would pass.
      expect(problem.code === 'unknown_field' || /a valid name/.test(problem.message), JSON.stringify(problem)).toBe(
        true,
      );
      continue;
    }
    expect(problem.expected).not.toMatch(/[\^$\\]|any JSON value|another form/);
    const mended = replaced(
      value,
      problem.field
        .split('/')
        .slice(1)
        .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')),
      problem.example_fix,
    );
    const after = world.house.validator.problems(schema, {
      value: mended as never,
      text: JSON.stringify(mended),
      badStrings: [],
    });
    expect(after.filter(({ field, code }) => field === problem.field && code === problem.code)).toEqual([]);
  }
}

function replaced(value: unknown, tokens: readonly string[], instead: unknown): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return instead;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === token ? replaced(item, rest, instead) : item));
  const copy = { ...(value as object) } as Record<string, unknown>;
  copy[token] = replaced(copy[token], rest, instead);
  return copy;
}
