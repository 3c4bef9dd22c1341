// Whatever is refunded, in whatever parts, before the venue is paid or after: the parts add up, no share gets back more than
// it paid, the ledger is balanced, and the bank's books equal ours to the cent.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimMovement, claimMovements } from '../../src/domain/payments/movement-queries.ts';
import { settleDueMovements, settleMovement } from '../../src/domain/payments/settle-movements.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import { openShop, type Seen, type Shop } from './shop.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
});
afterAll(() => world.close());

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
const refund = (shop: Shop, id: string, body: unknown) => shop.post(`/v1/checkouts/${id}/refund`, body);

interface Transfer {
  readonly status: string;
  readonly amount: number;
}
const transfersOf = (id: string): Promise<Transfer[]> =>
  world.db.query(
    `select status, amount from movements where checkout_id = $1 and kind = 'transfer' order by movement_id`,
    [id],
  );

/** Of one checkout, after everything that was due was done. */
async function expectBooksAgree(shop: Shop, id: string, isPaidOut: boolean): Promise<void> {
  const seen = await shop.read(id);
  const waiting = isPaidOut
    ? 0
    : sum((await transfersOf(id)).filter(({ status }) => status === 'waiting').map(({ amount }) => amount));
  for (const share of seen.shares) {
    expect(share.refunded_amount).toBeLessThanOrEqual(share.amount);
    expect(share.status).toBe(share.refunded_amount === share.amount && share.amount > 0 ? 'refunded' : 'captured');
  }
  expect(sum(seen.shares.map(({ refunded_amount }: Seen) => refunded_amount))).toBe(seen.refunded_amount);
  const [charged, paidOut, balances] = await Promise.all([
    shop.chargedAtBank(id),
    shop.paidOutAtBank(id),
    shop.balances(id),
  ]);
  expect(charged).toBe(seen.amount - seen.refunded_amount);
  expect(sum(Object.values(balances))).toBe(0);
  expect(balances.processor_balance ?? 0).toBe(charged - paidOut);
  expect(balances.venue_payable ?? 0).toBe(0 - waiting);
  expect(balances.guest_funds ?? 0).toBe(0);
}

describe('before the venue is paid', () => {
  it('the money waits, and a refund makes the waiting transfers smaller: nothing is taken back', async () => {
    const shop = await openShop(world);
    await shop.fee(1_000, 0);
    const done = await shop.completed({ amount: 9_000, party_size: 3 });
    expect(await transfersOf(done.id)).toEqual(Array(3).fill({ status: 'waiting', amount: 2_700 }));
    expect(await shop.paidOutAtBank(done.id)).toBe(0);
    await refund(shop, done.id, { amount: 3_000 });
    await world.work();
    expect(await transfersOf(done.id)).toEqual(Array(3).fill({ status: 'waiting', amount: 1_800 }));
    await expectBooksAgree(shop, done.id, false);
    await shop.hurry(done.id);
    expect(await shop.paidOutAtBank(done.id)).toBe(5_400);
    const reversals = await world.db.query(`select 1 from movements where checkout_id = $1 and kind = 'reversal'`, [
      done.id,
    ]);
    expect(reversals).toEqual([]);
    await expectBooksAgree(shop, done.id, true);
  });

  it('a whole refund drops the transfers: the venue is never paid', async () => {
    const shop = await openShop(world);
    await shop.fee(300, 10);
    const done = await shop.completed({ amount: 10_001, party_size: 4 });
    await refund(shop, done.id, {});
    await shop.hurry(done.id);
    expect(await transfersOf(done.id)).toEqual(Array(4).fill({ status: 'dropped', amount: 0 }));
    expect((await shop.stripe.transfers.list({ transfer_group: done.id })).data).toEqual([]);
    expect(await shop.balances(done.id)).toEqual({});
  });

  it('a transfer that the bank is just making is taken back, not shrunk', async () => {
    const shop = await openShop(world);
    const done = await shop.completed({ amount: 9_000, party_size: 2 });
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'transfers.create', kind: 'error_500_after' }] });
    await shop.hurry(done.id);
    expect((await transfersOf(done.id)).map(({ status }) => status)).toEqual(['sending', 'sending']);
    await refund(shop, done.id, { amount: 1_000 });
    world.processor.api.faults.clear();
    await shop.hurry(done.id);
    await shop.hurry(done.id);
    await expectBooksAgree(shop, done.id, true);
    expect(await shop.paidOutAtBank(done.id)).toBe(8_000);
  });
});

describe('any sequence of refunds', () => {
  it('adds up, before and after the payout, with any fee, party and amount', async () => {
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ share: fc.integer({ min: 1, max: 1_000 }) }) },
      { weight: 1, arbitrary: fc.constant('pay the venue' as const) },
      { weight: 1, arbitrary: fc.constant('one cent' as const) },
    );
    const story = fc.record({
      amount: fc.integer({ min: 1_000, max: 200_000 }),
      party: fc.integer({ min: 2, max: 6 }),
      bps: fc.constantFrom(0, 1, 290, 5_000, 10_000),
      fixed: fc.constantFrom(0, 30, 999),
      acts: fc.array(command, { minLength: 1, maxLength: 6 }),
      isWhole: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ amount, party, bps, fixed, acts, isWhole }) => {
        const shop = await openShop(world);
        await shop.fee(bps, fixed);
        const done = await shop.completed({ amount, party_size: party });
        let [left, isPaidOut] = [amount, false];
        for (const one of acts) {
          if (one === 'pay the venue') {
            await shop.hurry(done.id);
            isPaidOut = true;
            continue;
          }
          const part = one === 'one cent' ? 1 : Math.max(1, Math.floor((left * one.share) / 1_000));
          if (left === 0) break;
          const told = await refund(shop, done.id, { amount: part });
          expect(told.status, told.text).toBe(200);
          left -= part;
          expect(told.json.refunded_amount).toBe(amount - left);
        }
        if (isWhole && left > 0) expect((await refund(shop, done.id, {})).json.refunded_amount).toBe(amount);
        await world.work();
        await expectBooksAgree(shop, done.id, isPaidOut);
        await shop.hurry(done.id);
        await expectBooksAgree(shop, done.id, true);
        if (isWhole) expect(await shop.balances(done.id)).toEqual({});
      }),
      { numRuns: 10 },
    );
  });
});

describe('a worker that was held up for longer than its lease', () => {
  it('asks the bank for nothing more: whoever has taken over may have done it, and the key may be forgotten', async () => {
    const shop = await openShop(world);
    const done = await shop.completed({ amount: 9_000, party_size: 3 });
    await refund(shop, done.id, { amount: 3_000 });
    const { services: money } = world.context;
    // It takes what is due, and when it comes to send it, two minutes have gone by.
    let looks = 0;
    const held = { now: () => money.clock.now() + (looks++ === 0 ? 0 : 120_000) };
    expect(await settleDueMovements({ ...money, clock: held }, 100)).toBe(3);
    expect(await shop.chargedAtBank(done.id)).toBe(9_000);
    await world.db.query(`update movements set due_at = now() where checkout_id = $1 and kind = 'refund'`, [done.id]);
    await world.work();
    expect(await shop.chargedAtBank(done.id)).toBe(6_000);
  });

  it('puts off nothing that another has taken over since', async () => {
    const shop = await openShop(world);
    const done = await shop.completed({ amount: 9_000, party_size: 3 });
    await refund(shop, done.id, { amount: 3_000 });
    const { services: money } = world.context;
    const now = money.clock.now();
    const [late] = await claimMovements(world.db, shop.venueId, now, now + 60_000, 1);
    if (late === undefined) throw new Error('no refund was due');
    const othersLease = now + 180_000;
    expect((await claimMovement(world.db, shop.venueId, late.id, othersLease))?.leaseToken).toBe(late.leaseToken + 1);
    // It goes on, finds its lease over, and wants to try again in a moment.
    await settleMovement(money, late, now - 1);
    const rows = await world.db.query(
      `select status, trouble, round(extract(epoch from due_at) * 1000)::float8 as due from movements where movement_id = $1`,
      [late.id],
    );
    expect(rows).toEqual([{ status: 'sending', trouble: null, due: othersLease }]);
  });
});
