// The processor's own fee: it is in the ledger and in the statement for every charge, also when the processor names it
// only later, and a refund returns none of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { reconcile } from '../../src/domain/checkouts/accounting/reconcile.ts';
import { CARDS, DAY, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
  await venue.setFee(300, 0);
});
afterAll(() => world.close());

/** Two guests pay 120.00 each. */
async function completed(cards: readonly string[] = [CARDS.good]): Promise<Json> {
  const checkout = await venue.collecting({ party_size: 2, amount: 24_000 });
  await venue.payAll(checkout, cards);
  await venue.finishDueWork(checkout.id);
  const read = await venue.read(checkout.id);
  expect(read.status).toBe('completed');
  return read;
}

const feeEntries = (checkoutId: string): Promise<{ amount: number }[]> =>
  world.db.query(`select amount from ledger_entries where checkout_id = $1 and kind = 'processor_fee'`, [checkoutId]);

async function expectLedgerAddsUp(): Promise<void> {
  expect((await checkLedger(world.db)).problems).toEqual([]);
}

describe('the processor’s fee', () => {
  it('is in the ledger with the capture, for each charge', async () => {
    const { id } = await completed();
    expect(await feeEntries(id)).toEqual([{ amount: 378 }, { amount: 378 }]);
    expect(await venue.allBalances(id)).toEqual({
      processor_balance: 720 - 756,
      processor_fees: 756,
      fee_income: -720,
    });
    await expectLedgerAddsUp();
  });

  it('is not returned by a refund', async () => {
    const { id } = await completed();
    expect((await venue.post(`/v1/checkouts/${id}/refund`)).status).toBe(200);
    await venue.finishDueWork(id);
    expect(await venue.allBalances(id)).toEqual({ processor_balance: -756, processor_fees: 756 });
    await expectLedgerAddsUp();
  });

  it('that is named later is asked for, once, and no capture waits for it', async () => {
    const { id } = await completed([CARDS.settlesLater, CARDS.good]);
    expect(await feeEntries(id)).toEqual([{ amount: 378 }]);
    await expectLedgerAddsUp();
    world.processorClock.aheadMs += 61_000;
    await venue.finishDueWork(id);
    expect(await feeEntries(id)).toEqual([{ amount: 378 }, { amount: 378 }]);
    await venue.finishDueWork(id);
    await reconcile(world.context.services, { mode: 'test', since: 0, apply: null });
    expect(await feeEntries(id)).toHaveLength(2);
    expect(await venue.balances(id)).toEqual({ processor_balance: 720, fee_income: -720 });
  });

  it('that is known is not asked for again, even if the hold became due', async () => {
    const { id } = await completed();
    const dueHolds = () => world.db.query('select 1 from holds where checkout_id = $1 and due_at is not null', [id]);
    await world.db.query(`update holds set due_at = now() - interval '1 second' where checkout_id = $1`, [id]);
    expect(await dueHolds()).toHaveLength(2);
    await venue.finishDueWork(id);
    expect(await dueHolds()).toEqual([]);
    expect(await feeEntries(id)).toHaveLength(2);
  });

  it('of a capture that no share needed is in the ledger too', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 24_000 });
    await venue.runTestHelper(checkout.id, 'hold', { share_id: checkout.shares[0].id });
    for (const { id } of await venue.intents(checkout.id)) await venue.stripe.paymentIntents.capture(id);
    expect((await venue.post(`/v1/checkouts/${checkout.id}/cancel`)).status).toBe(200);
    await venue.finishDueWork(checkout.id);
    await venue.finishDueWork(checkout.id);
    expect(await venue.allBalances(checkout.id)).toEqual({ processor_balance: -378, processor_fees: 378 });
    await expectLedgerAddsUp();
  });

  it('that the processor never names is reported by reconcile after a day', async () => {
    const { id } = await completed([CARDS.settlesLater, CARDS.good]);
    const differences = async (now: number) => {
      const clock = { now: () => now };
      // The processor's own clock does not move, so the fee stays unknown.
      return (await reconcile({ ...world.context.services, clock }, { mode: 'test', since: now, apply: null }))
        .differences;
    };
    expect(await differences(Date.now())).toEqual([]);
    const found = await differences(Date.now() + DAY + 60_000);
    expect(found.map(({ what }) => what)).toEqual([
      'the processor has not named its fee of a charge for more than a day',
    ]);
    expect((await venue.read(id)).status).toBe('completed');
  });

  it('is in the statement, and a wrong entry is found by the ledger check', async () => {
    const { id } = await completed();
    const { json } = await venue.get('/v1/payouts');
    const payout = json.data.find((one: Json) => one.checkout_id === id);
    expect([payout.fee_amount, payout.processor_fee_amount]).toEqual([720, 756]);
    const sum = json.data.reduce((total: number, one: Json) => total + one.processor_fee_amount, 0);
    expect(json.totals.processor_fee_amount).toBe(sum);
    await world.db.query(`update holds set processor_fee = processor_fee + 1 where checkout_id = $1`, [id]);
    const { problems } = await checkLedger(world.db);
    expect(problems.map(({ problem, checkoutId }) => [problem, checkoutId])).toEqual([
      ['entry_differs', id],
      ['entry_differs', id],
    ]);
    await world.db.query(`update holds set processor_fee = processor_fee - 1 where checkout_id = $1`, [id]);
  });
});

describe('the guide’s example', () => {
  it('is right to the cent', async () => {
    const guide = readFileSync(join(packageRoot, 'docs/guides/money-operations.md'), 'utf8');
    const rows = [...guide.matchAll(/\| `(\w+)` +\| `(\w+)` +\| `(\w+)` +\| (\d+) \+ (\d+) +\|$/gm)];
    const printed = rows.map(([, kind, debit, credit, ...amounts]) => [kind, debit, credit, ...amounts.map(Number)]);
    const { id } = await completed();
    expect((await venue.post(`/v1/checkouts/${id}/refund`, { amount: 12_000 })).status).toBe(200);
    await venue.finishDueWork(id);
    const entries = await world.db.query<{ kind: string; debit: string; credit: string; amounts: number[] }>(
      `select kind, debit, credit, array_agg(amount) as amounts from ledger_entries where checkout_id = $1
       group by kind, debit, credit`,
      [id],
    );
    const posted = entries.map(({ kind, debit, credit, amounts }) => [kind, debit, credit, ...amounts]);
    expect(printed.sort()).toEqual(posted.sort());
    const { processor_balance: left = 0, fee_income: fee = 0 } = await venue.allBalances(id);
    const cents = (amount: number): string => (amount / 100).toFixed(2);
    expect(guide).toContain(`the fee of ${cents(-fee)}, less ${cents(756)}`);
    expect(guide).toContain(`${cents(-left)} is missing`);
  });
});
