// What a 422 proposes is right: every example_fix, put in its place, takes away the problem that it was given for, whatever was
// wrong with the body.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../src/base/json/parse.ts';
import { openWorld, type World } from '../world.ts';
import { mutated } from './mutations.ts';

const RUNS = 300;

let world: World;
beforeAll(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'error' } });
});
afterAll(() => world.close());

describe('a broken body', () => {
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
