// A rate limit covers a rolling hour: a statement counts calls under the lock of their subject. A simple model counts
// the same calls one by one, and both grant the same.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { ageCalls } from '../support/age-calls.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { inRolledBackTransaction } from './random-checkouts.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface GrantedCalls {
  readonly calls: number;
  readonly at: number;
}

/** How many of the requested calls the rule grants now, and the time until one more is granted unless all were. */
function expectedGrant(earlier: readonly GrantedCalls[], limit: number, requested: number, now: number) {
  const inHour = earlier.filter(({ at }) => now - at < HOUR);
  const used = (list: readonly GrantedCalls[]): number => list.reduce((sum, { calls }) => sum + calls, 0);
  const remaining = Math.max(0, limit - used(inHour));
  const granted = Math.min(requested, remaining);
  const counted = granted > 0 ? [...inHour, { calls: granted, at: now }] : inHour;
  const oldest = counted.find((_, index) => used(counted.slice(index + 1)) < limit);
  return {
    granted,
    remaining: remaining - granted,
    waitMs: granted < requested && oldest ? oldest.at + HOUR - now : null,
  };
}

it('the database grants what the model of the rolling hour grants, with the same waiting time', {
  timeout: 60_000,
}, async () => {
  const event = fc.record({
    passed: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 7 })).map((tens) => tens * 10 * MINUTE),
    limit: fc.integer({ min: 1, max: 12 }),
    wanted: fc.integer({ min: 1, max: 8 }),
  });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (scenario) => {
      await inRolledBackTransaction(world.db, async (tx) => {
        const subject = `test ${randomUUID()}`;
        const earlier: GrantedCalls[] = [];
        let now = 0;
        for (const { passed: elapsedMs, limit, wanted: requested } of scenario) {
          if (elapsedMs > 0) await ageCalls(tx, elapsedMs, subject);
          now += elapsedMs;
          const expected = expectedGrant(earlier, limit, requested, now);
          const [found] = await countSharedCalls(tx, limit, [{ subject, calls: requested }]);
          if (found === undefined) throw new Error('the subject has no result');
          expect(found).toMatchObject({ granted: expected.granted, remaining: expected.remaining });
          expect(found.retry_at === null).toBe(expected.waitMs === null);
          if (found.retry_at !== null && expected.waitMs !== null) {
            const wait = Date.parse(found.retry_at) - Date.parse(found.counted_at);
            // Real time passes between two calls of the test, but never ten minutes.
            expect(Math.round(wait / (10 * MINUTE))).toBe(expected.waitMs / (10 * MINUTE));
            refused++;
          }
          if (expected.granted > 0) earlier.push({ calls: expected.granted, at: now });
        }
      });
    }),
    { numRuns: 60 },
  );
  expect(refused).toBeGreaterThan(0);
});
