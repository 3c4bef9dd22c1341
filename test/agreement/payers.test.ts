// Who paid a share: the payer of its newest hold that was held, or the share's own member. The guests' view (covered_by),
// payersOf and sharesPaidBy agree on it over random holds.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { sharesPaidBy, viewForGuest } from '../../src/domain/checkouts/guests/guest-queries.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import { payersOf } from '../../src/domain/payments/queries.ts';
import { runs } from '../support/random-runs.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';
import { inRolledBackTransaction, NOW, randomCheckout, writeCheckout } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openSharedWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

const PAID = ['held', 'captured', 'released', 'refunded'];

/** For each hold of the checkout in turn: its payer (null: none was recorded), whether it was held, and its age. */
const randomHolds = fc.array(
  fc.record({ payer: fc.option(fc.nat({ max: 4 })), wasHeld: fc.boolean(), age: fc.nat({ max: 1_000 }) }),
  { minLength: 1, maxLength: 12 },
);

interface Hold {
  readonly shareId: string;
  readonly payerId: string | null;
  readonly wasHeld: boolean;
  readonly age: number;
}

/** Gives the holds of a checkout random payers, ages and whether a card was ever held. */
async function changeHolds(
  tx: Queryable,
  checkoutId: string,
  members: readonly string[],
  random: readonly { readonly payer: number | null; readonly wasHeld: boolean; readonly age: number }[],
): Promise<Hold[]> {
  const rows = await tx.query<{ id: string; shareId: string; canBeUnheld: boolean }>(
    `select hold_id as "id", share_id as "shareId", status in ('asked', 'open', 'releasing', 'released', 'gone') as "canBeUnheld"
     from holds where venue_id = $1 and checkout_id = $2 order by hold_id`,
    [venueId, checkoutId],
  );
  const holds: Hold[] = [];
  for (const [index, { id, shareId, canBeUnheld }] of rows.entries()) {
    const { payer, wasHeld, age } = random[index % random.length] ?? { payer: null, wasHeld: true, age: 0 };
    const hold = {
      shareId,
      payerId: payer === null ? null : (members[payer] ?? null),
      wasHeld: wasHeld || !canBeUnheld,
      // Ages differ: which of two holds of one microsecond is newer is not defined.
      age: age * 100 + index,
    };
    await tx.query(
      `update holds set payer_id = $3, held_at = case when $4 then to_timestamp($5 / 1000.0) end,
         created_at = to_timestamp($5 / 1000.0) - $6 * interval '1 second'
       where venue_id = $1 and hold_id = $2`,
      [venueId, id, hold.payerId, hold.wasHeld, NOW, hold.age],
    );
    holds.push(hold);
  }
  return holds;
}

function payerOf(holds: readonly Hold[], shareId: string): string | null {
  const held = holds.filter((hold) => hold.shareId === shareId && hold.wasHeld);
  return held.sort((a, b) => a.age - b.age)[0]?.payerId ?? null;
}

it('the guests’ view, payersOf and sharesPaidBy name the same payer of every share', { timeout: 60_000 }, async () => {
  let covered = 0;
  await fc.assert(
    fc.asyncProperty(randomCheckout, randomHolds, async (random, randomOfHolds) => {
      await inRolledBackTransaction(world.db, async (tx) => {
        const state = random.status === 'open' ? { ...random, status: 'collecting' as const } : random;
        const { id } = await writeCheckout(tx, venueId, state);
        const checkout = await readCheckout(tx, venueId, id);
        if (checkout === null) throw new Error('the checkout was written');
        await tx.query(
          `update shares set display_name = 'guest ' || share_id where venue_id = $1 and checkout_id = $2`,
          [venueId, id],
        );
        const members = [...checkout.shares.map(({ memberId }) => memberId), randomUUID()];
        const holds = await changeHolds(tx, id, members, randomOfHolds);

        const payers = await payersOf(tx, venueId, id);
        const expected = checkout.shares.map((share) => [share.id, payerOf(holds, share.id)]);
        expect(checkout.shares.map((share) => [share.id, payers.get(share.id) ?? null])).toEqual(expected);

        const isPaid = new Set(checkout.shares.filter(({ status }) => PAID.includes(status)).map((share) => share.id));
        const nameOf = new Map(checkout.shares.map((share) => [share.memberId, `guest ${share.id}`]));
        const view = await viewForGuest(tx, venueId, id, null, NOW);
        const seen: { id: string; covered_by: string | null }[] = JSON.parse(view?.json ?? '{}').shares;
        expect(seen.map((share) => [share.id, share.covered_by])).toEqual(
          checkout.shares.map((share) => {
            const payer = payerOf(holds, share.id);
            const isCovered = isPaid.has(share.id) && payer !== null && payer !== share.memberId;
            if (isCovered) covered++;
            return [share.id, isCovered ? (nameOf.get(payer) ?? null) : null];
          }),
        );

        for (const memberId of members) {
          const paid = await sharesPaidBy(tx, venueId, id, memberId);
          const own = checkout.shares.filter(
            (share) =>
              share.amount > 0 && isPaid.has(share.id) && (payerOf(holds, share.id) ?? share.memberId) === memberId,
          );
          expect(paid.map(({ shareId }) => shareId)).toEqual(own.map((share) => share.id));
        }
      });
    }),
    runs(60, 40),
  );
  expect(covered).toBeGreaterThan(0);
});
