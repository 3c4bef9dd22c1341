// One request does a bounded amount of work and gets a bounded answer, for any body: counted, not timed
// (`npm run bench -- --only worst-request` measures).

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_ITEMS } from '../../schemas/rules/json-walk.ts';
import type { FieldProblem } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { candidateFrom } from '../../src/base/schema/contract.ts';
import { newProblemBudget } from '../../src/base/schema/problem-budget.ts';
import { readRegistry } from '../../src/base/schema/registry.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

const MB = 1024 * 1024;

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openSharedWorld();
  const { venue } = await world.venue();
  key = (await world.key(venue.id, { writesPerHour: 1_000_000, readsPerHour: 1_000_000 })).key;
});
afterAll(() => world.close());

const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const members = (count: number, name: (n: number) => string): object =>
  Object.fromEntries(repeat(count, (n) => [name(n), 1]));

interface FleetItem {
  readonly result: string;
  readonly error: { readonly code: string; readonly message: string; readonly field: string };
  /** Absent for a boat that was written. */
  readonly errors: readonly FieldProblem[];
  readonly more_errors?: number;
}

async function postFleet(boats: readonly object[]) {
  const { status, json, text } = await world.call('POST', '/v1/boats', { key, body: { boats } });
  expect(status).toBe(200);
  expect(Buffer.byteLength(text)).toBeLessThan(MB);
  return { results: json.results as readonly FleetItem[], summary: json.summary };
}

describe('the answer to a fleet', () => {
  it('lists 100 problems in all; each further boat says how many more it has', async () => {
    const { results, summary } = await postFleet(repeat(100, () => members(300, (n) => `x${n}`)));
    expect(summary.errors).toBe(100);
    expect(results.flatMap(({ errors }) => errors)).toHaveLength(100);
    // 300 unknown members and nine that are missing.
    expect([results[0]?.errors.length, results[0]?.more_errors]).toEqual([100, 209]);
    for (const [index, item] of results.slice(1).entries()) {
      expect([item.errors.length, item.more_errors]).toEqual([0, 309]);
      expect(item.error).toMatchObject({ code: 'invalid_request', field: `/boats/${index + 1}` });
      expect(item.error.message).toContain('309 problems');
    }
  });

  it('says nothing of more where everything is listed', async () => {
    const { results } = await postFleet([{ external_id: 1 }, { x: 1 }]);
    for (const { errors, more_errors } of results) expect([errors.length > 0, more_errors]).toEqual([true, undefined]);
  });

  it('counts a repeated external id as a problem, and does not repeat a text that is no id', async () => {
    const boat = {
      external_id: 'same',
      name: 'Second Wind',
      type: 'catamaran',
      length_ft: 42,
      capacity: 12,
      captain: 'included',
      location: { city: 'Miami' },
      pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
      photo_urls: ['https://cdn.fleet.example/1.jpg'],
    };
    const wrong = { ...boat, external_id: 'x'.repeat(500_000) };
    const { results } = await postFleet([members(95, (n) => `x${n}`), wrong, ...repeat(20, () => boat)]);
    expect(results.flatMap(({ errors }) => errors ?? [])).toHaveLength(100);
    expect(results.at(-1)).toMatchObject({ errors: [], more_errors: 1, external_id: 'same' });
    expect(results[1]).toMatchObject({ external_id: null });
  });
});

describe('the work for one answer', () => {
  it('searches a near miss for the first 20 unknown names, in a fleet for all boats together', async () => {
    const near = (errors: readonly FieldProblem[]) => errors.filter(({ message }) => message.includes('did you mean'));
    const { results } = await postFleet(repeat(10, () => members(30, (n) => `capacity${n}`)));
    expect(near(results.flatMap(({ errors }) => errors))).toHaveLength(20);
    const { json } = await world.call('POST', '/v1/checkouts', { key, body: members(99, (n) => `amount${n}`) });
    expect(near(json.errors)).toHaveLength(20);
    expect(json.errors.slice(0, 20).every(({ message }: FieldProblem) => message.includes('did you mean'))).toBe(true);
  });

  it('describes nothing once the budget of an answer is used up, and still counts every problem', () => {
    const budget = newProblemBudget();
    const wrong = candidateFrom(members(250, (n) => `x${n}`) as never);
    const { validator } = world.context;
    expect(validator.problems('boat', wrong, undefined, budget)).toHaveLength(100);
    expect(validator.problems('boat', wrong, undefined, budget)).toHaveLength(0);
    expect([budget.problems, budget.found]).toEqual([0, 2 * 259]);
    expect(budget.nearMisses).toBeLessThanOrEqual(0);
  });

  it('runs no rule over a list that is too long for its schema, and no schema allows a longer one', () => {
    const registry = readRegistry(join(packageRoot, 'schemas', 'v1'));
    const longest = (node: unknown): number => {
      if (typeof node !== 'object' || node === null) return 0;
      const own = (node as { maxItems?: unknown }).maxItems;
      return Math.max(typeof own === 'number' ? own : 0, ...Object.values(node).map(longest));
    };
    for (const name of ['boat', 'offering', 'availability', 'activity', 'event', 'price_tier', 'policy'])
      expect(longest(registry.get(name))).toBeLessThanOrEqual(MAX_ITEMS);
  });
});

describe('an answer to a hostile body stays below 1 MB', () => {
  const long = 'x'.repeat(400_000);
  const bodies: readonly (readonly [string, string])[] = [
    ['texts that cannot be stored, below a long name', `{"${long}":[${repeat(50_000, () => '"\\u0000"').join(',')}]}`],
    ['in a boat of a fleet', `{"boats":[{"${long}":[${repeat(50_000, () => '"\\u0000"').join(',')}]}]}`],
    [
      'metadata with long names and wrong values',
      `{"metadata":{${repeat(19, (n) => `"${n}${'y'.repeat(40_000)}":1`).join(',')}}}`,
    ],
    ['100 unknown members with long names', JSON.stringify(members(100, (n) => `${n}${'z'.repeat(9_000)}`))],
  ];

  it.each(bodies)('%s', async (_name, body) => {
    const { status, text, json } = await world.call('POST', '/v1/boats', { key, body });
    expect([200, 422]).toContain(status);
    expect(Buffer.byteLength(text)).toBeLessThan(MB);
    for (const { field } of json.errors ?? []) expect(field.length).toBeLessThanOrEqual(500);
  });

  it('with the pointer of the nearest container whose pointer is short enough', async () => {
    const body = `{"extra":{"${long}":{"a":"\\u0000"}}}`;
    const { json } = await world.call('POST', '/v1/boats', { key, body });
    expect(json.errors[0].field).toBe('/extra');
  });
});
