// Which seats of a party are open is decided by isOpenSeat and shown by the guests' view: over random states both agree.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isOpenSeat } from '../../src/domain/checkouts/party/decide-seat.ts';
import { viewForGuest } from '../../src/domain/checkouts/party/invite-queries.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { andRollBack, NOW, randomCheckout, writeCheckout } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

it('the guests’ view shows exactly the seats as open that isOpenSeat says', { tags: ['slow'] }, async () => {
  let [open, closed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(randomCheckout, async (random) => {
      await andRollBack(world.db, async (tx) => {
        // Collecting more often than not: the other states have no open seats.
        const state = random.status === 'open' ? { ...random, status: 'collecting' as const } : random;
        const { id, seats } = await writeCheckout(tx, venueId, state);
        const checkout = await readCheckout(tx, venueId, id);
        const view = await viewForGuest(tx, venueId, id, null, NOW);
        if (checkout === null || view === null) throw new Error('the checkout was written');
        const expected = checkout.shares.map((share) => [share.id, isOpenSeat(checkout, share, seats)]);
        const shown: { id: string; is_open_seat: boolean }[] = JSON.parse(view.json).shares;
        expect(shown.map((share) => [share.id, share.is_open_seat])).toEqual(expected);
        for (const [, isOpen] of expected) isOpen === true ? open++ : closed++;
      });
    }),
    { numRuns: 100 },
  );
  expect(Math.min(open, closed)).toBeGreaterThan(0);
});
