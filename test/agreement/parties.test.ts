// checkSplit decides which amounts can be the shares of a party, and the constraints of the database repeat this. Both
// accept and refuse the same splits.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { checkSplit, MIN_CHARGE } from '../../src/domain/checkouts/party/split.ts';
import { insertCheckout } from '../../src/domain/checkouts/queries.ts';
import { insertShares } from '../../src/domain/checkouts/share-queries.ts';
import { runs } from '../support/random-runs.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';
import { createRequest, inRolledBackTransaction, NOW } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openSharedWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

/** Whether the database accepts the shares, with the constraints that it checks at commit. */
async function isAccepted(tx: Queryable, checkoutId: string, amounts: readonly number[]): Promise<boolean> {
  const shares = amounts.map((amount, index) => {
    const person = { isOrganizer: index === 0, memberId: randomUUID(), displayName: null };
    return { id: `shr_${randomUUID()}`, position: index, amount, ...person };
  });
  await tx.query('savepoint before_shares');
  try {
    await insertShares(tx, venueId, checkoutId, shares, NOW);
    await tx.query('set constraints all immediate');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== '23514') throw error;
    return false;
  } finally {
    await tx.query('rollback to savepoint before_shares');
  }
}

it('the database accepts exactly the splits that checkSplit accepts', { timeout: 60_000 }, async () => {
  const part = fc.oneof(
    fc.integer({ min: MIN_CHARGE - 2, max: MIN_CHARGE + 2 }),
    fc.constant(0),
    fc.integer({ min: 0, max: 100_000 }),
  );
  const split = fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 6 }).filter((parts) => parts.reduce((a, b) => a + b) > 101),
    off: fc.constantFrom(0, 0, 0, 1, -1),
  });
  let [accepted, refused] = [0, 0];
  await inRolledBackTransaction(world.db, async (tx) => {
    await fc.assert(
      fc.asyncProperty(split, async ({ parts, off: difference }) => {
        const amount = parts.reduce((a, b) => a + b) + difference;
        const expected = checkSplit(amount, parts) === null;
        const request = createRequest(venueId, { amount });
        await insertCheckout(tx, request);
        expect(await isAccepted(tx, request.checkoutId, parts)).toBe(expected);
        expected ? accepted++ : refused++;
      }),
      runs(200),
    );
  });
  expect(Math.min(accepted, refused)).toBeGreaterThan(0);
});
