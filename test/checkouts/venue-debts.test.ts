// A venue whose account was paid out cannot give a transfer back: it owes that amount, and its later transfers are reduced
// by it, each debt once. What the processor has transferred, what the ledger says and what the statement shows agree.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { findDebts } from '../../src/domain/payments/debt-queries.ts';
import { claimMovements } from '../../src/domain/payments/movement-queries.ts';
import { settleMovement } from '../../src/domain/payments/settle-movements.ts';
import { createOperator, deskOf } from '../support/desk-client.ts';
import { disputeTools } from '../support/disputes.ts';
import { commandLine } from '../support/run-command.ts';
import { CARDS, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
});
afterAll(() => world.close());
beforeEach(async () => {
  world.processor.api.faults.clear();
  venue = await openTestVenue(world);
  await venue.setFee(0, 0);
});

const refund = (id: string, amount?: number) =>
  venue.post(`/v1/checkouts/${id}/refund`, amount === undefined ? {} : { amount });

/** A completed checkout of two equal shares; its transfers wait. */
const earn = (amount: number): Promise<Json> => venue.completed({ amount, party_size: 2 });

/** A completed checkout whose transfers are sent. */
async function earnAndSend(amount: number): Promise<Json> {
  const checkout = await earn(amount);
  await venue.finishDueWork(checkout.id);
  return checkout;
}

/** The processor pays out what the venue's account has. */
async function emptyAccount(): Promise<void> {
  const [account] = await world.db.query<{ id: string }>(
    'select account_id as id from payout_accounts where venue_id = $1 and mode = $2',
    [venue.venueId, venue.mode],
  );
  await venue.stripe.rawRequest('POST', '/sandbox/payouts', { account: account?.id });
}

/** The venue owes these amounts: it was paid, its account is empty, and the guests of each checkout get everything back. */
async function oweEach(amounts: readonly number[]): Promise<Json[]> {
  const checkouts: Json[] = [];
  for (const amount of amounts) checkouts.push(await earnAndSend(amount));
  await emptyAccount();
  for (const { id } of checkouts) {
    expect((await refund(id)).status).toBe(200);
    await venue.finishDueWork(id);
  }
  return checkouts;
}

const owe = async (amount: number): Promise<Json> => (await oweEach([amount]))[0];

interface Sums {
  readonly statuses: string;
  readonly amount: number;
  readonly sent: number | null;
  readonly owed: number;
  readonly settled: number;
}

/** The sums of the checkout's movements of this kind, and their statuses. */
async function sumsOf(id: string, kind: string): Promise<Sums> {
  const rows = await world.db.query<Sums>(
    `select string_agg(distinct status, ' ') as statuses, sum(amount)::integer as amount, sum(sent_amount)::integer as sent,
       sum(owed_amount)::integer as owed, sum(settled_amount)::integer as settled
     from movements where checkout_id = $1 and kind = $2 having count(*) > 0`,
    [id, kind],
  );
  if (rows[0] === undefined) throw new Error(`${id} has no ${kind}`);
  return rows[0];
}

const debtsOf = async (): Promise<number> =>
  (await findDebts(world.db, venue.venueId)).reduce((sum, { amount }) => sum + amount, 0);

async function expectBooksAgree(): Promise<void> {
  const { problems } = await checkLedger(world.db);
  expect(problems).toEqual([]);
  const [row] = await world.db.query<{ debts: number }>(
    `select coalesce(sum(case when debit = 'venue_debts' then amount when credit = 'venue_debts' then -amount end), 0)::integer
       as debts from ledger_entries where venue_id = $1`,
    [venue.venueId],
  );
  expect(row?.debts).toBe(await debtsOf());
}

const statement = async (): Promise<{ totals: Json; of: (id: string) => Json }> => {
  const { json } = await venue.get('/v1/payouts');
  return { totals: json.totals, of: (id) => json.data.find((one: Json) => one.checkout_id === id) };
};

describe('a reversal for which the account has no funds', () => {
  it('is owed by the venue, and the guest is refunded all the same', async () => {
    const { id } = await owe(10_000);
    expect(await venue.chargedAtProcessor(id)).toBe(0);
    expect(await sumsOf(id, 'reversal')).toEqual({
      statuses: 'owed',
      amount: 10_000,
      sent: 0,
      owed: 10_000,
      settled: 0,
    });
    expect(await venue.balances(id)).toEqual({ processor_balance: -10_000, venue_debts: 10_000 });
    expect(await debtsOf()).toBe(10_000);
    const { of, totals } = await statement();
    expect(of(id)).toMatchObject({ amount: 10_000, reversed_amount: 10_000, paid_amount: 10_000, owed_amount: 10_000 });
    expect(totals).toMatchObject({ owed_amount: 10_000, offset_amount: 0 });
    await expectBooksAgree();
  });

  it('is not tried again when the account has money', async () => {
    const { id } = await owe(10_000);
    const other = await openTestVenue(world);
    await other.setFee(0, 0);
    // The money of another venue pays nothing of it.
    const foreign = await other.completed({ amount: 4_000, party_size: 2 });
    await other.finishDueWork(foreign.id);
    expect(await other.paidOutAtProcessor(foreign.id)).toBe(4_000);
    await venue.finishDueWork(id);
    expect(await debtsOf()).toBe(10_000);
    await expectBooksAgree();
  });
});

describe('what a venue owes', () => {
  it('is shown to the operator by venue show, and by the doctor in live mode', async () => {
    const { id } = await owe(10_000);
    const cli = commandLine(world);
    expect(await cli.json('venue', 'show', venue.venueId)).toMatchObject({
      debts: [{ mode: 'test', currency: 'usd', amount: 10_000 }],
    });
    expect((await cli.run('venue', 'show', venue.venueId)).out).toMatch(/owes +10000 usd \(test\)/);
    const debts = async (): Promise<unknown> => {
      const { checks } = JSON.parse((await cli.run('doctor', '--json')).out) as { checks: { name: string }[] };
      return checks.find(({ name }) => name === 'debts');
    };
    expect(await debts()).toMatchObject({ ok: true, detail: 'no venue owes anything in live mode' });
    const set = (mode: string) =>
      world.db.query(`update movements set mode = $2 where checkout_id = $1 and kind = 'reversal'`, [id, mode]);
    await set('live');
    expect(await debts()).toMatchObject({ detail: expect.stringContaining(`${venue.venueId} owes 10000 usd`) });
    await set('test');
  });
});

describe('later transfers of the venue', () => {
  it('are reduced by what it owes, until that is settled', async () => {
    const debt = await owe(10_000);
    const next = await earnAndSend(7_000);
    expect(await sumsOf(next.id, 'transfer')).toMatchObject({ statuses: 'done', amount: 7_000, sent: 0 });
    // A transfer that is used up as a whole makes no call.
    expect((await venue.stripe.transfers.list({ transfer_group: next.id })).data).toEqual([]);
    expect(await sumsOf(debt.id, 'reversal')).toMatchObject({ owed: 10_000, settled: 7_000 });
    await expectBooksAgree();
    const last = await earnAndSend(5_000);
    expect(await venue.paidOutAtProcessor(last.id)).toBe(2_000);
    expect(await debtsOf()).toBe(0);
    expect(await venue.balances(last.id)).toEqual({ processor_balance: 3_000, venue_debts: -3_000 });
    const { of, totals } = await statement();
    expect(of(next.id)).toMatchObject({ amount: 7_000, paid_amount: 0, offset_amount: 7_000, status: 'paid' });
    expect(of(last.id)).toMatchObject({ amount: 5_000, paid_amount: 2_000, offset_amount: 3_000, owed_amount: 0 });
    expect(totals.owed_amount - totals.offset_amount).toBe(0);
    expect(
      totals.amount - totals.reversed_amount - totals.paid_amount - totals.offset_amount + totals.owed_amount,
    ).toBe(0);
    await expectBooksAgree();
    expect(await venue.paidOutAtProcessor((await earnAndSend(1_000)).id)).toBe(1_000);
  });

  it('settle several debts, the oldest first', async () => {
    const debts = await oweEach([1_000, 2_000, 4_000]);
    const next = await earnAndSend(2_500);
    expect(await venue.paidOutAtProcessor(next.id)).toBe(0);
    const settled = await Promise.all(debts.map(async ({ id }) => (await sumsOf(id, 'reversal')).settled));
    expect(settled).toEqual([1_000, 1_500, 0]);
    await expectBooksAgree();
  });

  it('take a debt once when two workers send them at the same time', async () => {
    for (const debt of [3_000, 9_000]) {
      await owe(debt);
      const next = await earn(10_000);
      await world.db.query(
        `update movements set due_at = now() - interval '1 second' where checkout_id = $1 and due_at is not null`,
        [next.id],
      );
      const { services } = world.context;
      const now = services.clock.now() + 1_000;
      const movements = await claimMovements(world.db, venue.venueId, now, now + 60_000, 10);
      expect(movements).toHaveLength(2);
      await Promise.all(movements.map((movement) => settleMovement(services, movement, now + 60_000)));
      expect(await venue.paidOutAtProcessor(next.id)).toBe(10_000 - debt);
      expect(await debtsOf()).toBe(0);
      await expectBooksAgree();
    }
  });

  it('keep their amount in every repetition, although the venue owes more meanwhile', async () => {
    for (const kind of ['rate_limited', 'error_500', 'error_500_rolled_back', 'error_500_after'] as const) {
      const paid = await earnAndSend(2_000);
      await owe(1_000);
      const next = await earn(5_000);
      world.processor.api.faults.set({ rules: [{ id: 'fails', on: 'transfers.create', kind, times: 2 }] });
      await venue.finishDueWork(next.id);
      expect(await sumsOf(next.id, 'transfer')).toMatchObject({ statuses: 'sending', sent: 4_000 });
      await emptyAccount();
      await refund(paid.id);
      await venue.finishDueWork(paid.id);
      expect(await debtsOf()).toBe(2_000);
      await venue.finishDueWork(next.id);
      expect(await venue.paidOutAtProcessor(next.id)).toBe(4_000);
      expect(await debtsOf()).toBe(2_000);
      // Settles what is owed, for the next round.
      expect(await venue.paidOutAtProcessor((await earnAndSend(10_000)).id)).toBe(8_000);
      await expectBooksAgree();
    }
  });

  it.each(['mode', 'currency'])('are not reduced by what it owes in another %s', async (column) => {
    const { id } = await owe(10_000);
    const set = (value: string) =>
      world.db.query(`update movements set ${column} = $2 where checkout_id = $1 and kind = 'reversal'`, [id, value]);
    await set(column === 'mode' ? 'live' : 'eur');
    expect(await venue.paidOutAtProcessor((await earnAndSend(4_000)).id)).toBe(4_000);
    await set(column === 'mode' ? 'test' : 'usd');
    expect(await venue.paidOutAtProcessor((await earnAndSend(4_000)).id)).toBe(0);
  });
});

describe('a reversal of a reduced transfer', () => {
  it('takes back at most what was sent, and the rest is owed at once', async () => {
    await owe(3_000);
    const next = await earnAndSend(10_000);
    expect(await venue.paidOutAtProcessor(next.id)).toBe(7_000);
    await refund(next.id);
    await venue.finishDueWork(next.id);
    expect(await venue.paidOutAtProcessor(next.id)).toBe(0);
    expect(await sumsOf(next.id, 'reversal')).toEqual({
      statuses: 'done',
      amount: 10_000,
      sent: 7_000,
      owed: 3_000,
      settled: 0,
    });
    expect(await debtsOf()).toBe(3_000);
    await expectBooksAgree();
  });

  it('is decided one after the other for several refunds, also when nothing is left to take back', async () => {
    await owe(6_000);
    const next = await earnAndSend(10_000);
    for (const amount of [3_000, 3_000, 4_000]) await refund(next.id, amount);
    await venue.finishDueWork(next.id);
    expect(await sumsOf(next.id, 'reversal')).toMatchObject({ amount: 10_000, sent: 4_000, owed: 6_000 });
    expect(await venue.paidOutAtProcessor(next.id)).toBe(0);
    expect(await debtsOf()).toBe(6_000);
    await expectBooksAgree();
  });

  it('is owed as a whole when the account is empty: the part that was sent, and the part that was not', async () => {
    await owe(3_000);
    const next = await earnAndSend(10_000);
    await emptyAccount();
    await refund(next.id);
    await venue.finishDueWork(next.id);
    expect(await sumsOf(next.id, 'reversal')).toEqual({
      statuses: 'owed',
      amount: 10_000,
      sent: 0,
      owed: 10_000,
      settled: 0,
    });
    expect(await debtsOf()).toBe(10_000);
    await expectBooksAgree();
  });
});

describe('a refund of a transfer that was reduced and not sent', () => {
  it.each([
    ['a part', 8_000],
    ['the whole', 10_000],
  ])('of %s: what it was to settle is owed again', async (_, amount) => {
    await owe(4_000);
    const next = await earn(10_000);
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'transfers.create', kind: 'error_500_rolled_back' }] });
    await venue.finishDueWork(next.id);
    expect(await sumsOf(next.id, 'transfer')).toMatchObject({ statuses: 'sending', sent: 6_000 });
    // The processor refused it for good.
    await world.db.query(
      `update movements set status = 'failed', due_at = null where checkout_id = $1 and kind = 'transfer'`,
      [next.id],
    );
    world.processor.api.faults.clear();
    expect((await refund(next.id, amount)).status).toBe(200);
    expect(await debtsOf()).toBe(4_000);
    await venue.finishDueWork(next.id);
    await expectBooksAgree();
    await earnAndSend(5_000);
    expect(await debtsOf()).toBe(0);
    await expectBooksAgree();
  });
});

describe('a transfer whose decision was lost after it was sent, as in a failover without synchronous replication', () => {
  /** 1,000 are owed, and two transfers of 2,500 are decided. The processor has made the first, and its answer was lost. */
  async function loseDecision(): Promise<{ readonly debt: Json; readonly next: Json }> {
    const debt = await owe(1_000);
    const next = await earn(5_000);
    world.processor.api.faults.set({
      rules: [{ id: 'lost', on: 'transfers.create', kind: 'error_500_after', times: 2 }],
    });
    await venue.finishDueWork(next.id);
    world.processor.api.faults.clear();
    expect(await venue.paidOutAtProcessor(next.id)).toBe(4_000);
    expect(await sumsOf(next.id, 'transfer')).toMatchObject({ statuses: 'sending', sent: 4_000 });
    // The new primary has decided without the debt, which it did not know.
    await world.db.query('delete from debt_offsets where venue_id = $1', [venue.venueId]);
    await world.db.query(`update movements set settled_amount = 0 where checkout_id = $1 and kind = 'reversal'`, [
      debt.id,
    ]);
    await world.db.query(`update movements set sent_amount = amount where checkout_id = $1 and kind = 'transfer'`, [
      next.id,
    ]);
    return { debt, next };
  }

  it('is decided again as the processor has it', async () => {
    const { next } = await loseDecision();
    await venue.finishDueWork(next.id);
    expect(await sumsOf(next.id, 'transfer')).toMatchObject({ statuses: 'done', sent: 4_000 });
    expect(await venue.paidOutAtProcessor(next.id)).toBe(4_000);
    expect(await debtsOf()).toBe(0);
    await expectBooksAgree();
  });

  it('is reported by reconcile while no debt explains its amount, and everything else is settled', async () => {
    const { debt, next } = await loseDecision();
    const setSettled = (value: string): Promise<unknown> =>
      world.db.query(`update movements set settled_amount = ${value} where checkout_id = $1 and kind = 'reversal'`, [
        debt.id,
      ]);
    await setSettled('owed_amount');
    const other = await earn(3_000);
    const rolledBack = { id: 'down', on: 'transfers.create', kind: 'error_500_rolled_back' } as const;
    world.processor.api.faults.set({ rules: [rolledBack] });
    await venue.finishDueWork(other.id);
    world.processor.api.faults.clear();
    expect(await sumsOf(other.id, 'transfer')).toMatchObject({ statuses: 'sending' });
    const { exit, out } = await commandLine(world).run('reconcile', '--mode', 'test', '--json');
    const { differences } = JSON.parse(out) as {
      readonly differences: { readonly subject: string; readonly what: string }[];
    };
    expect(exit).toBe(1);
    expect(differences.filter(({ subject }) => subject === next.id)).toEqual([
      expect.objectContaining({
        what: expect.stringMatching(
          /^it could not be settled: the processor has made the transfer \S+ of 1500, and our records say 2500/,
        ),
      }),
    ]);
    expect(await sumsOf(other.id, 'transfer')).toMatchObject({ statuses: 'done' });
    // The debt is known again.
    await setSettled('0');
    await venue.finishDueWork(next.id);
    expect(await sumsOf(next.id, 'transfer')).toMatchObject({ statuses: 'done', sent: 4_000 });
    await expectBooksAgree();
  });
});

describe('a lost dispute after the account was paid out', () => {
  async function lost(): Promise<{ readonly checkout: Json; readonly takeBack: () => Promise<void> }> {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const [secret] = await venue.payAll(checkout, [CARDS.good]);
    await world.work();
    await venue.finishDueWork(checkout.id);
    await emptyAccount();
    const disputes = disputeTools(world, venue);
    const intent = secret === undefined ? '' : intentIdOf(secret);
    const id = await disputes.open(intent, 10_000);
    const settle = async (): Promise<void> => {
      await disputes.deliverEvents(intent);
      await venue.finishDueWork(checkout.id);
    };
    await disputes.close(id, 'lost');
    await settle();
    expect(await sumsOf(checkout.id, 'reversal')).toMatchObject({ statuses: 'owed', owed: 10_000 });
    const takeBack = async (): Promise<void> => {
      await disputes.call(`${id}/take_back`);
      await settle();
    };
    return { checkout, takeBack };
  }

  it('is owed by the venue', async () => {
    await lost();
    expect(await venue.paidOutAtProcessor((await earnAndSend(12_000)).id)).toBe(2_000);
    await expectBooksAgree();
  });

  it('is no longer owed when the guest takes it back: the transfer settles it', async () => {
    const { checkout, takeBack } = await lost();
    await takeBack();
    expect(await venue.paidOutAtProcessor(checkout.id)).toBe(20_000);
    expect(await venue.paidOutAtProcessor((await earnAndSend(12_000)).id)).toBe(12_000);
    await expectBooksAgree();
  });

  it('and was written off, pays the venue nothing twice when the guest takes it back: our loss ends', async () => {
    const { checkout, takeBack } = await lost();
    const desk = deskOf(world, await createOperator(world.context, 'finance'));
    const [reversal] = await world.db.query<{ id: string }>(
      `select movement_id as id from movements where checkout_id = $1 and kind = 'reversal'`,
      [checkout.id],
    );
    const path = `/money/venues/${venue.venueId}/movements/${reversal?.id}/write_off`;
    expect((await desk('POST', path, { amount: 10_000, note: 'Closed.' })).status).toBe(200);
    expect((await venue.balances(checkout.id)).written_off).toBe(10_000);
    await takeBack();
    expect(await venue.paidOutAtProcessor(checkout.id)).toBe(20_000);
    expect(await venue.balances(checkout.id)).toEqual({});
    await expectBooksAgree();
  });
});
