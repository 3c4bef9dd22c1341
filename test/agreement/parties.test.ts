// Which amounts can be the shares of a party is judged by checkSplit, and again by the database's own constraints: both accept
// and refuse the same splits.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { checkSplit, MIN_CHARGE } from '../../src/domain/checkouts/party/split.ts';
import { insertCheckout, insertShares } from '../../src/domain/checkouts/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { andRollBack, createQuestion, NOW } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

/** Whether the database takes them, judged as it would judge at commit. */
async function isTaken(tx: Queryable, checkoutId: string, amounts: readonly number[]): Promise<boolean> {
  const shares = amounts.map((amount, place) => {
    const person = { isOrganizer: place === 0, memberId: randomUUID(), displayName: null };
    return { id: `shr_${randomUUID()}`, place, amount, ...person };
  });
  await tx.query('savepoint before_them');
  try {
    await insertShares(tx, venueId, checkoutId, shares, NOW);
    await tx.query('set constraints all immediate');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== '23514') throw error;
    return false;
  } finally {
    await tx.query('rollback to savepoint before_them');
  }
}

it('the database takes the splits that checkSplit accepts, and no others', { tags: ['slow'] }, async () => {
  const part = fc.oneof(
    fc.integer({ min: MIN_CHARGE - 2, max: MIN_CHARGE + 2 }),
    fc.constant(0),
    fc.integer({ min: 0, max: 100_000 }),
  );
  const split = fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 6 }).filter((parts) => parts.reduce((a, b) => a + b) > 101),
    off: fc.constantFrom(0, 0, 0, 1, -1),
  });
  let [taken, refused] = [0, 0];
  await andRollBack(world.db, async (tx) => {
    await fc.assert(
      fc.asyncProperty(split, async ({ parts, off }) => {
        const amount = parts.reduce((a, b) => a + b) + off;
        const expected = checkSplit(amount, parts) === null;
        const question = createQuestion(venueId, { amount });
        await insertCheckout(tx, question);
        expect(await isTaken(tx, question.checkoutId, parts)).toBe(expected);
        expected ? taken++ : refused++;
      }),
      { numRuns: 200 },
    );
  });
  expect(Math.min(taken, refused)).toBeGreaterThan(0);
});
