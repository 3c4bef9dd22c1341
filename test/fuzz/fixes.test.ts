// Every example_fix of a 422 solves its problem, for any mistake in the body. Also repeats odd addresses that the
// fuzzer once found to be answered wrongly.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseStrictJson } from '../../src/base/json/parse.ts';
import { withExample } from '../support/apply-example.ts';
import { repetitions } from '../support/random-runs.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { findFaults } from './check-response.ts';
import { mutatedText } from './mutations.ts';
import { clientAddress, type Draft, setOddPath } from './request-draft.ts';
import { readContract } from './run.ts';
import { Sender } from './send.ts';

// Repeats random requests many times.
vi.setConfig({ testTimeout: 60_000 });

const RUNS = repetitions(100, 600);
const ODD_PATHS_PER_OPERATION = repetitions(4, 12);

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { LOG_LEVEL: 'error', TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => world.close());

describe('a broken body', () => {
  it('gets an example_fix that solves its problem', async () => {
    const examples = ['offering', 'event', 'boat', 'checkout_create', 'availability', 'price_tier'].map(
      (name) => [name, world.context.registry.get(name).examples as never[]] as const,
    );
    for (const [name, bodies] of examples) {
      fc.assert(
        fc.property(mutatedText(bodies), (text) => {
          expectFixesHold(name, text);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    }
  });
});

describe('an odd address', () => {
  /** The faults of the responses. */
  async function faultsAt(requests: readonly (readonly [method: string, path: string])[]): Promise<string[]> {
    const base = world.urls[0] ?? '';
    const contract = await readContract(base);
    const sender = new Sender(base);
    const faults: string[] = [];
    for (const [number, [method, path]] of requests.entries()) {
      const headers = { 'x-forwarded-for': clientAddress(number) };
      const request = { number, label: '', method, path, headers, body: null };
      const found = findFaults({ contract, base, tools: null }, request, await sender.send(request));
      if (found.length > 0) faults.push(`${method} ${path}: ${found.join('; ')}`);
    }
    sender.close();
    return faults;
  }

  it('with an origin or a fragment gets a documented response of its path', async () => {
    const paths = [
      '/v1/events#x?checkout=chk_1',
      '/v1/events?x#y',
      '/v1/openapi.json#x',
      '/v1/x#y',
      '/mcp/#x',
      '/c/x#y',
      '#x',
    ];
    const origins = [
      '',
      'http://evil.example',
      'HTTPS://evil.example:1',
      'http://a:b@evil.example',
      'http://',
      'ftp://evil.example',
    ];
    const addresses = paths.flatMap((path) => origins.map((origin) => `${origin}${path}`));
    expect(
      await faultsAt(addresses.flatMap((path) => ['GET', 'POST'].map((method) => [method, path] as const))),
    ).toEqual([]);
  });

  it('of any kind, at every operation, gets a documented response of its path', async () => {
    const { operations } = await readContract(world.urls[0] ?? '');
    const requests = operations.flatMap(({ method, path }, index) =>
      Array.from({ length: ODD_PATHS_PER_OPERATION }, (_, n) => {
        const draft = { path: path.replaceAll(/\{\w+\}/g, 'chk_1') } as Draft;
        const random = new SeededRandom(1, `address ${index} ${n}`);
        for (let times = random.pick([1, 1, 2]); times > 0; times--) setOddPath({ random }, draft);
        return [method, draft.path] as const;
      }),
    );
    expect(await faultsAt(requests)).toEqual([]);
  });
});

/** Every problem but an unknown field has an example_fix, which solves it. */
function expectFixesHold(schema: string, text: string): void {
  const parsed = parseStrictJson(Buffer.from(text));
  if (!parsed.ok) return;
  for (const problem of world.context.validator.problems(schema, parsed)) {
    expect([problem.example_fix === null, problem.code === 'unknown_field']).toBeOneOf([
      [true, true],
      [false, false],
    ]);
    expect(problem.expected).not.toMatch(/[\^$\\]|any JSON value|another form/);
    // The pointer has such a name in a printable form, which is not the name.
    if (problem.message.startsWith('The name holds')) continue;
    const fixed = parseStrictJson(Buffer.from(JSON.stringify(withExample(parsed.value, problem))));
    if (!fixed.ok) throw new Error(`the fixed body is not JSON: ${fixed.message}`);
    const after = world.context.validator.problems(schema, fixed);
    expect(after.filter(({ field, code }) => field === problem.field && code === problem.code)).toEqual([]);
  }
}
