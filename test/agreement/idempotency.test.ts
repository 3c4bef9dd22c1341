// The lifetime of an Idempotency-Key is compared in the queries of stored responses and again in the statement that
// creates a checkout. A key expires for both at the same moment.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertCheckout } from '../../src/domain/checkouts/queries.ts';
import { findStoredResponse } from '../../src/domain/idempotency/stored-responses.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { createRequest, inRolledBackTransaction, NOW } from './random-checkouts.ts';

/** Not the default, so that both are seen to use what they are given. */
const RETENTION_MS = 45 * 86_400_000;

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

it('a create is replayed exactly as long as its key is found', async () => {
  const elapsed = fc.oneof(
    fc.integer({ min: RETENTION_MS - 3, max: RETENTION_MS + 3 }),
    fc.integer({ min: 0, max: 2 * RETENTION_MS }),
  );
  const outcomes = new Set<string>();
  await inRolledBackTransaction(world.db, async (tx) => {
    await fc.assert(
      fc.asyncProperty(elapsed, async (ms) => {
        const key = randomUUID();
        const request = createRequest(venueId, { amount: 10_000, key });
        expect((await insertCheckout(tx, request, RETENTION_MS)).outcome).toBe('created');
        const keyedRequest = { venueId, mode: 'test', key, now: NOW + ms } as const;
        const isStored = (await findStoredResponse(tx, world.context.seal, keyedRequest, RETENTION_MS)) !== null;
        const { outcome } = await insertCheckout(tx, { ...request, now: NOW + ms }, RETENTION_MS);
        expect(outcome).toBe(isStored ? 'replayed' : 'booking_in_progress');
        outcomes.add(outcome);
      }),
      { numRuns: 100, examples: [[RETENTION_MS - 1], [RETENTION_MS]] },
    );
  });
  expect(outcomes.size).toBe(2);
});
