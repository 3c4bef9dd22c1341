// isOpenSeat decides which seats of a party are open, and the guests' view repeats it. Over random states both agree.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { viewForGuest } from '../../src/domain/checkouts/guests/guest-queries.ts';
import { isOpenSeat } from '../../src/domain/checkouts/locked-checkout.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import { runs } from '../support/random-runs.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { inRolledBackTransaction, NOW, randomCheckout, writeCheckout } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

it('the guests’ view shows exactly the seats of isOpenSeat as open', { timeout: 60_000 }, async () => {
  let [open, closed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(randomCheckout, async (random) => {
      await inRolledBackTransaction(world.db, async (tx) => {
        // Mostly collecting, because other states have no open seats.
        const state = random.status === 'open' ? { ...random, status: 'collecting' as const } : random;
        const { id, seats } = await writeCheckout(tx, venueId, state);
        const checkout = await readCheckout(tx, venueId, id);
        const view = await viewForGuest(tx, venueId, id, null, NOW);
        if (checkout === null || view === null) throw new Error('the checkout was written');
        const expected = checkout.shares.map((share) => [share.id, isOpenSeat(checkout, share, seats)]);
        const openSeats: { id: string; is_open_seat: boolean }[] = JSON.parse(view.json).shares;
        expect(openSeats.map((share) => [share.id, share.is_open_seat])).toEqual(expected);
        for (const [, isOpen] of expected) isOpen === true ? open++ : closed++;
      });
    }),
    runs(100, 50, 60),
  );
  expect(Math.min(open, closed)).toBeGreaterThan(0);
});
