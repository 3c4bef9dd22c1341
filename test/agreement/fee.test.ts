// The fee has one rule, feeOf. The statement that creates a checkout repeats it, so that a create is one round trip.
// Over random amounts and rates both give the same fee, and the views and the payout give the rest of the amount to the
// venue.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { feeOf } from '../../src/base/money.ts';
import { insertCheckout } from '../../src/domain/checkouts/queries.ts';
import { openPayout } from '../../src/domain/payments/movement-queries.ts';
import { listPayoutRows } from '../../src/domain/payments/payout-queries.ts';
import { setFee } from '../../src/domain/venues/queries.ts';
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

/** Amounts near the smallest, near the largest, and any other. */
const amount = fc.oneof(
  fc.integer({ min: 100, max: 300 }),
  fc.integer({ min: 99_999_900, max: 99_999_999 }),
  fc.integer({ min: 100, max: 99_999_999 }),
);
const rate = fc.record({
  bps: fc.oneof(fc.constantFrom(0, 1, 250, 5_000, 9_999, 10_000), fc.integer({ min: 0, max: 10_000 })),
  fixed: fc.oneof(fc.constantFrom(0, 30), fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 99_999_999 })),
});

it('a created checkout has the fee of feeOf, and the venue gets the rest of the amount', {
  timeout: 60_000,
}, async () => {
  await inRolledBackTransaction(world.db, async (tx) => {
    await fc.assert(
      fc.asyncProperty(amount, rate, async (whole, { bps, fixed }) => {
        const fee = feeOf(whole, { bps, fixed });
        await setFee(tx, venueId, bps, fixed);
        const request = createRequest(venueId, { amount: whole });
        const { outcome, response: created } = await insertCheckout(tx, request);
        expect(outcome).toBe('created');
        expect(JSON.parse(created ?? '')).toMatchObject({ fee_amount: fee, net_amount: whole - fee });
        const { checkoutId, mode } = request;
        await openPayout(tx, { venueId, checkoutId, mode, currency: 'usd', now: NOW }, randomUUID());
        const [payout] = await listPayoutRows(tx, { venueId, mode, from: null, to: null }, null, 1);
        expect(payout).toMatchObject({ checkoutId, amount: whole - fee, feeAmount: fee });
      }),
      runs(300),
    );
  });
});
