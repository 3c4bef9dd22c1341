// How long an Idempotency-Key is remembered stands in stored-response queries and again in the statement that creates a
// checkout: both forget a key at the same moment.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertCheckout } from '../../src/domain/checkouts/queries.ts';
import { findStoredResponse } from '../../src/domain/idempotency/stored-responses.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { andRollBack, createQuestion, NOW } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

const MONTH_MS = 30 * 24 * 3_600_000;

it('a create is replayed as long as its key is found, and not a millisecond longer', async () => {
  const elapsed = fc.oneof(
    fc.integer({ min: MONTH_MS - 3, max: MONTH_MS + 3 }),
    fc.integer({ min: 0, max: 2 * MONTH_MS }),
  );
  const outcomes = new Set<string>();
  await andRollBack(world.db, async (tx) => {
    await fc.assert(
      fc.asyncProperty(elapsed, async (ms) => {
        const key = randomUUID();
        const question = createQuestion(venueId, { amount: 10_000, key });
        expect((await insertCheckout(tx, question)).outcome).toBe('created');
        const under = { venueId, mode: 'test', key, now: NOW + ms } as const;
        const isKept = (await findStoredResponse(tx, world.context.seal, under)) !== null;
        const { outcome } = await insertCheckout(tx, { ...question, now: NOW + ms });
        expect(outcome).toBe(isKept ? 'replayed' : 'booking_in_progress');
        outcomes.add(outcome);
      }),
      { numRuns: 100, examples: [[MONTH_MS - 1], [MONTH_MS]] },
    );
  });
  expect(outcomes.size).toBe(2);
});
