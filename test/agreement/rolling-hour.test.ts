// A limit is a rolling hour: a statement counts calls under the lock of their subject. This plain model of the rule counts the
// same calls one by one, and both grant the same.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { andRollBack } from './random-checkouts.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Granted {
  readonly calls: number;
  readonly at: number;
}

/** What the rule says to `wanted` calls now, and how long until one more would be granted, if not all were. */
function allowed(before: readonly Granted[], limit: number, wanted: number, now: number) {
  const inHour = before.filter(({ at }) => now - at < HOUR);
  const used = (list: readonly Granted[]): number => list.reduce((sum, { calls }) => sum + calls, 0);
  const left = Math.max(0, limit - used(inHour));
  const granted = Math.min(wanted, left);
  const counted = granted > 0 ? [...inHour, { calls: granted, at: now }] : inHour;
  const leaves = counted.find((_, place) => used(counted.slice(place + 1)) < limit);
  return { granted, remaining: left - granted, waitMs: granted < wanted && leaves ? leaves.at + HOUR - now : null };
}

/** As if this much time had passed. */
async function age(tx: Queryable, subject: string, ms: number): Promise<void> {
  const by = [subject, ms];
  await tx.query("update limit_calls set at = at - $2 * interval '1 millisecond' where subject = $1", by);
  await tx.query("update limit_windows set last_at = last_at - $2 * interval '1 millisecond' where subject = $1", by);
}

it('the database grants what the rule of the rolling hour allows, and says when more is allowed', async () => {
  const event = fc.record({
    passed: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 7 })).map((tens) => tens * 10 * MINUTE),
    limit: fc.integer({ min: 1, max: 12 }),
    wanted: fc.integer({ min: 1, max: 8 }),
  });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (story) => {
      await andRollBack(world.db, async (tx) => {
        const subject = `test ${randomUUID()}`;
        const before: Granted[] = [];
        let now = 0;
        for (const { passed, limit, wanted } of story) {
          if (passed > 0) await age(tx, subject, passed);
          now += passed;
          const expected = allowed(before, limit, wanted, now);
          const [found] = await countSharedCalls(tx, limit, [{ subject, calls: wanted }]);
          if (found === undefined) throw new Error('each subject is answered');
          expect(found).toMatchObject({ granted: expected.granted, remaining: expected.remaining });
          expect(found.retry_at === null).toBe(expected.waitMs === null);
          if (found.retry_at !== null && expected.waitMs !== null) {
            const wait = Date.parse(found.retry_at) - Date.parse(found.asked_at);
            // The test takes real time between two calls, though never as much as ten minutes.
            expect(Math.round(wait / (10 * MINUTE))).toBe(expected.waitMs / (10 * MINUTE));
            refused++;
          }
          if (expected.granted > 0) before.push({ calls: expected.granted, at: now });
        }
      });
    }),
    { numRuns: 60 },
  );
  expect(refused).toBeGreaterThan(0);
});
