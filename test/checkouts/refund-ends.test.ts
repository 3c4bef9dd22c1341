// A refund after it was sent: it may be pending, and it may fail after it was done. Then the guest is owed the money: the
// ledger, the checkout and the event log say so, and an operator can pay it again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { CARDS, expectConflict, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let cli: CommandLine;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
  venue = await openTestVenue(world);
  await venue.setFee(1_000, 0);
});
afterAll(() => world.close());

const PENDING = '4000000000007726';
const FAILS = '4000000000005126';

/** Two shares of 100.00, paid with this card and a good one, and refunded completely. */
async function refunded(card: string): Promise<string> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(checkout, [card, CARDS.good]);
  await venue.finishDueWork(checkout.id);
  const response = await venue.post(`/v1/checkouts/${checkout.id}/refund`);
  expect(response.status, response.text).toBe(200);
  await world.work();
  return checkout.id;
}

const refundsOf = (id: string): Promise<{ status: string; error: string | null }[]> =>
  world.db.query(
    `select status, last_error as error from movements where checkout_id = $1 and kind in ('refund', 'return')
     order by status, last_error`,
    [id],
  );

/** Posts the processor's events of a type about this checkout, the newest first, each twice. */
async function deliver(id: string, type: string): Promise<void> {
  const intents = new Set((await venue.intents(id)).map((intent) => intent.id));
  const { data } = await venue.stripe.events.list({ type, limit: 100 });
  const bodies = data
    .filter((event) => intents.has((event.data.object as Json).payment_intent))
    .map((one) => JSON.stringify(one));
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of [...bodies, ...bodies]) {
    const headers = { 'stripe-signature': world.processor.api.webhooks.sign({ mode: 'test', body }, Date.now()) };
    expect((await world.call('POST', '/processor/notices/test', { body, headers })).status).toBe(200);
  }
  await world.work();
}

async function expectLedgerAddsUp(): Promise<void> {
  expect((await checkLedger(world.db)).problems).toEqual([]);
}

describe('a pending refund', () => {
  it('is no money that has moved until the processor has paid it, and is asked for', async () => {
    const id = await refunded(PENDING);
    expect(await refundsOf(id)).toEqual([
      { status: 'done', error: null },
      { status: 'pending', error: 'processing' },
    ]);
    expect((await venue.balances(id)).venue_payable).toBe(-9_000);
    await expectLedgerAddsUp();
    world.processorClock.aheadMs += 31_000;
    await venue.finishDueWork(id);
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await venue.balances(id)).toEqual({});
    expect((await venue.read(id)).failed_refund_amount).toBe(0);
    await expectLedgerAddsUp();
  });

  it('is done when the processor’s event arrives', async () => {
    const id = await refunded(PENDING);
    world.processorClock.aheadMs += 31_000;
    await deliver(id, 'charge.refund.updated');
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['done', 'done']);
  });
});

describe('a refund that fails after it was done', () => {
  it.each(['refund.failed', 'refund.updated', 'charge.refund.updated'])(
    'is owed again after %s, once',
    async (type) => {
      const id = await refunded(FAILS);
      expect(await venue.read(id)).toMatchObject({ refunded_amount: 20_000, failed_refund_amount: 0 });
      world.processorClock.aheadMs += 31_000;
      await deliver(id, type);
      expect(await refundsOf(id)).toEqual([
        { status: 'done', error: null },
        { status: 'failed', error: 'expired_or_canceled_card' },
      ]);
      const checkout = await venue.read(id);
      expect(checkout).toMatchObject({ refunded_amount: 10_000, failed_refund_amount: 10_000 });
      expect(checkout.shares.map(({ refunded_amount }: Json) => refunded_amount)).toEqual([0, 10_000]);
      expect(await venue.balances(id)).toEqual({
        processor_balance: 10_000,
        venue_payable: -9_000,
        fee_income: -1_000,
      });
      const events = await venue.events(id);
      expect(events.map((event) => event.type).slice(-2)).toEqual(['refund.created', 'refund.failed']);
      expect(events.at(-1)?.data).toMatchObject({
        object: { failed_refund_amount: 10_000 },
        refund: { amount: 10_000, reason: 'expired_or_canceled_card' },
      });
      await expectLedgerAddsUp();
    },
  );

  it('is found without an event', async () => {
    const id = await refunded(FAILS);
    world.processorClock.aheadMs += 31_000;
    const [{ waiting } = { waiting: 0 }] = await world.db.query<{ waiting: number }>(
      `select count(*)::integer as waiting from movements where checkout_id = $1 and kind = 'refund' and due_at > now() + interval '4 days'`,
      [id],
    );
    expect(waiting).toBe(2);
    await venue.finishDueWork(id);
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['done', 'failed']);
    // What failed is decided and owed: another refund cannot take it from the venue once more.
    expectConflict(await venue.post(`/v1/checkouts/${id}/refund`), 'nothing_to_refund');
  });

  it('is found by reconcile although its events are lost, and recorded once', async () => {
    const id = await refunded(FAILS);
    world.processorClock.aheadMs += 31_000;
    const found = '10000 of the refunds has failed at the processor';
    expect((await cli.run('reconcile', '--mode', 'test')).out).toMatch(new RegExp(`${found} +recorded`));
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['done', 'failed']);
    expect(await venue.read(id)).toMatchObject({ refunded_amount: 10_000, failed_refund_amount: 10_000 });
    expect((await venue.events(id)).filter(({ type }) => type === 'refund.failed')).toHaveLength(1);
    await expectLedgerAddsUp();
    await deliver(id, 'refund.failed');
    expect((await cli.run('reconcile', '--mode', 'test')).out).not.toContain(found);
    expect((await venue.events(id)).filter(({ type }) => type === 'refund.failed')).toHaveLength(1);
    await expectLedgerAddsUp();
  });

  it('is shown by doctor and reconcile, and paid again by reconcile --retry-failed', async () => {
    const id = await refunded(FAILS);
    world.processorClock.aheadMs += 31_000;
    await deliver(id, 'refund.failed');
    const shown = async () => (await cli.run('doctor')).out;
    expect(await shown()).toMatch(/notice +refunds +\d+ refunds? of \d+ checkouts? did not reach the guest \(test\)/);
    // With real money it is a problem.
    await world.db.query("update movements set mode = 'live' where status = 'failed'");
    expect(await shown()).toMatch(/PROBLEM +refunds +\d+ refunds? of \d+ checkouts? did not reach the guest \(live\)/);
    await world.db.query("update movements set mode = 'test' where status = 'failed'");
    const reported = await cli.run('reconcile', '--mode', 'test');
    expect(reported.out).toContain('a refund of 10000 was refused by the processor (expired_or_canceled_card)');
    // It waits for a person, and both records agree about it: the alert that the books differ stays silent.
    const checks = `select differences from checks where name = 'reconcile' and mode = 'test'`;
    expect(await world.db.query(checks)).toEqual([{ differences: 0 }]);
    expect(await cli.line(2, 'reconcile', '--checkout', id)).toContain('--checkout goes with --retry-failed');
    const other = ['--checkout', 'chk_00000000000000000000000000'];
    await cli.run('reconcile', '--mode', 'test', '--retry-failed', ...other);
    expect(await venue.read(id)).toMatchObject({ refunded_amount: 10_000, failed_refund_amount: 10_000 });
    await cli.run('reconcile', '--mode', 'test', '--retry-failed', '--checkout', id);
    expect(await venue.read(id)).toMatchObject({ refunded_amount: 20_000, failed_refund_amount: 0 });
    expect((await venue.events(id)).at(-1)).toMatchObject({
      type: 'refund.created',
      data: { object: { refunded_amount: 20_000 }, refund: { amount: 10_000, reason: 'retried' } },
    });
    await world.work();
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await venue.balances(id)).toEqual({});
    expect(await venue.chargedAtProcessor(id)).toBe(0);
    await expectLedgerAddsUp();
    // The second refund of this card fails as well: the entries of both are in the books.
    world.processorClock.aheadMs += 31_000;
    await deliver(id, 'refund.failed');
    expect(await venue.balances(id)).toMatchObject({ processor_balance: 10_000 });
    expect(await venue.chargedAtProcessor(id)).toBe(10_000);
    await expectLedgerAddsUp();
  });

  it('of a checkout that never completed is owed to the guest', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [FAILS, CARDS.captureFailsForGood]);
    await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'canceled', refunded_amount: 10_000 });
    world.processorClock.aheadMs += 31_000;
    await deliver(checkout.id, 'refund.failed');
    expect(await venue.read(checkout.id)).toMatchObject({ refunded_amount: 0, failed_refund_amount: 10_000 });
    expect(await venue.balances(checkout.id)).toEqual({ processor_balance: 10_000, guest_funds: -10_000 });
    await expectLedgerAddsUp();
  });
});
