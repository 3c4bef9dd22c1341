// `everyshare refund close`: a failed refund that the operator has paid in another way is closed, audited, and owed no more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { closeRefund } from '../../src/domain/checkouts/refunds/close-refund.ts';
import { commandContext } from '../../src/run/context.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
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

const FAILS = '4000000000005126';
const NOTE = 'bank transfer of 17 November, reference 4711';

/** Two shares of 100.00, all refunded; the first refund fails after it was done. */
async function failedRefund(): Promise<{ checkoutId: string; refundId: string }> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(checkout, [FAILS, CARDS.good]);
  await venue.finishDueWork(checkout.id);
  expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`)).status).toBe(200);
  await world.work();
  return { checkoutId: checkout.id, refundId: await failLater(checkout.id) };
}

/** Lets the processor's refund of this checkout fail, and the worker ask for it. */
async function failLater(checkoutId: string): Promise<string> {
  world.processorClock.aheadMs += 31_000;
  await venue.finishDueWork(checkoutId);
  const listed = await cli.json<Json[]>('refund', 'list');
  const own = listed.filter((one) => one.checkout_id === checkoutId);
  expect(own).toMatchObject([{ amount: 10_000, currency: 'usd', mode: 'test', reason: 'expired_or_canceled_card' }]);
  const [{ id }] = own;
  await cli.json('refund', 'reserve', id);
  return id;
}

async function expectLedgerAddsUp(): Promise<void> {
  expect((await checkLedger(world.db)).problems).toEqual([]);
}

const statusOf = async (id: string): Promise<string | undefined> =>
  (await world.db.query<{ status: string }>('select status from movements where movement_id = $1', [id]))[0]?.status;

describe('a failed refund that is closed', () => {
  it('counts as refunded, is in the ledger as paid elsewhere, and doctor and reconcile are silent about it', async () => {
    const { checkoutId, refundId } = await failedRefund();
    expect((await cli.run('reconcile', '--mode', 'test')).out).toContain(checkoutId);
    expect(await cli.json('refund', 'close', refundId, '--note', NOTE)).toMatchObject({
      id: refundId,
      checkout_id: checkoutId,
      amount: 10_000,
      status: 'closed',
      note: NOTE,
    });
    const checkout = await venue.read(checkoutId);
    expect(checkout).toMatchObject({ refunded_amount: 20_000, failed_refund_amount: 0 });
    expect(checkout.shares.map(({ refunded_amount }: Json) => refunded_amount)).toEqual([10_000, 10_000]);
    expect(await venue.balances(checkoutId)).toEqual({ processor_balance: 10_000, paid_elsewhere: -10_000 });
    await expectLedgerAddsUp();
    expect((await venue.events(checkoutId)).at(-1)).toMatchObject({
      type: 'refund.created',
      data: {
        object: { refunded_amount: 20_000, failed_refund_amount: 0 },
        refund: { amount: 10_000, reason: 'paid_elsewhere' },
      },
    });
    expect(await cli.json('refund', 'list')).toEqual([]);
    expect((await cli.run('doctor')).out).toMatch(/refunds +none has failed/);
    expect(await cli.run('reconcile', '--mode', 'test')).toMatchObject({ exit: 0 });
  });

  it('is never sent again', async () => {
    const { checkoutId, refundId } = await failedRefund();
    await cli.json('refund', 'close', refundId, '--note', NOTE);
    await cli.run('reconcile', '--mode', 'test', '--retry-failed');
    await venue.finishDueWork(checkoutId);
    expect(await statusOf(refundId)).toBe('closed');
    // The processor has the charge of the first card still.
    expect(await venue.chargedAtProcessor(checkoutId)).toBe(10_000);
  });

  it('does not change the statement of the venue', async () => {
    const { checkoutId, refundId } = await failedRefund();
    const statement = async (): Promise<Json> =>
      (await venue.get('/v1/payouts')).json.data.find((one: Json) => one.checkout_id === checkoutId);
    const before = await statement();
    await cli.json('refund', 'close', refundId, '--note', NOTE);
    expect(await statement()).toEqual(before);
  });

  it('is in the audit log with the note, once', async () => {
    const { checkoutId, refundId } = await failedRefund();
    await cli.json('refund', 'close', refundId, '--note', `  ${NOTE} `);
    expect(await cli.line(1, 'refund', 'close', refundId, '--note', NOTE)).toContain(
      `there is no failed refund with the id ${refundId}: "everyshare refund list" shows them.`,
    );
    const rows = await world.db.query<{ actor: string; detail: Json }>(
      "select actor, detail from audit_log where action = 'refund.close' and subject = $1",
      [refundId],
    );
    expect(rows).toEqual([{ actor: 'operator ada', detail: { checkout_id: checkoutId, amount: 10_000, note: NOTE } }]);
  });

  it('by two operators at once is closed once', async () => {
    const { checkoutId, refundId } = await failedRefund();
    const origin = { name: 'operator ada', via: 'cli', address: null, requestId: null } as const;
    const close = () =>
      world.db.transaction((tx) => closeRefund(tx, commandContext(world.context, origin), refundId, NOTE));
    const results = await Promise.allSettled([close(), close(), close()]);
    const closed = results.filter((result) => result.status === 'fulfilled' && result.value !== null);
    expect(closed).toHaveLength(1);
    expect(await venue.read(checkoutId)).toMatchObject({ refunded_amount: 20_000, failed_refund_amount: 0 });
    await expectLedgerAddsUp();
  });

  it('of a booking that never completed leaves no guest’s money over', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [FAILS, CARDS.captureFailsForGood]);
    await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'canceled' });
    const refundId = await failLater(checkout.id);
    expect(await venue.balances(checkout.id)).toEqual({ processor_balance: 10_000, guest_funds: -10_000 });
    await cli.json('refund', 'close', refundId, '--note', NOTE);
    expect(await venue.balances(checkout.id)).toEqual({ processor_balance: 10_000, paid_elsewhere: -10_000 });
    expect(await venue.read(checkout.id)).toMatchObject({ refunded_amount: 10_000, failed_refund_amount: 0 });
    await expectLedgerAddsUp();
  });
});

describe('a refund that an operator has reserved on the command line', () => {
  it('is not sent again by reconcile --retry-failed until it is given back, and is closed by no other operator', async () => {
    const { checkoutId, refundId } = await failedRefund();
    await cli.run('reconcile', '--mode', 'test', '--retry-failed');
    expect(await statusOf(refundId)).toBe('failed');
    const origin = { name: 'operator bea', via: 'cli', address: null, requestId: null } as const;
    const close = world.db.transaction((tx) => closeRefund(tx, commandContext(world.context, origin), refundId, NOTE));
    await expect(close).rejects.toThrow('operator ada has reserved it');
    await cli.json('refund', 'give-back', refundId);
    expect(await cli.line(1, 'refund', 'close', refundId, '--note', NOTE)).toContain('It is not reserved');
    await cli.run('reconcile', '--mode', 'test', '--retry-failed', '--checkout', checkoutId);
    await venue.finishDueWork(checkoutId);
    expect(await statusOf(refundId)).not.toBe('failed');
    await expectLedgerAddsUp();
  });
});

describe('a refund that another operator has reserved', () => {
  it('is given back or taken over on the command line only with --note', async () => {
    const { refundId } = await failedRefund();
    const byBea = (): Promise<unknown> =>
      world.db.query("update movements set by_hand_by = 'operator bea' where movement_id = $1", [refundId]);
    await byBea();
    expect(await cli.line(1, 'refund', 'reserve', refundId)).toContain('operator bea pays it by hand');
    expect(await cli.line(1, 'refund', 'reserve', refundId, '--take-over')).toContain('Say it with --note');
    expect(await cli.line(1, 'refund', 'give-back', refundId)).toContain('Say it with --note');
    await cli.json('refund', 'reserve', refundId, '--take-over', '--note', 'Bea is away, and has not paid it.');
    await byBea();
    await cli.json('refund', 'give-back', refundId, '--note', 'Not paid: asked Bea.');
    const noted = await world.db.query(
      `select action, detail->>'note' as note from audit_log where subject = $1 and detail ? 'note' order by audit_id`,
      [refundId],
    );
    expect(noted).toEqual([
      { action: 'movement.take_over', note: 'Bea is away, and has not paid it.' },
      { action: 'movement.give_back', note: 'Not paid: asked Bea.' },
    ]);
  });
});

describe('the command refund close', () => {
  it('refuses what did not fail, an id that is none, and a missing or empty note', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [CARDS.good, CARDS.good]);
    await venue.finishDueWork(checkout.id);
    await venue.post(`/v1/checkouts/${checkout.id}/refund`);
    await world.work();
    const rows = await world.db.query<{ id: string; kind: string; status: string }>(
      'select movement_id as id, kind, status from movements where checkout_id = $1',
      [checkout.id],
    );
    expect(rows.map(({ kind }) => kind).sort()).toEqual([
      'refund',
      'refund',
      'reversal',
      'reversal',
      'transfer',
      'transfer',
    ]);
    for (const { id, status } of rows) {
      expect(await cli.line(1, 'refund', 'close', id, '--note', NOTE)).toContain(
        'there is no failed refund with the id',
      );
      expect(await statusOf(id)).toBe(status);
    }
    expect(await cli.line(2, 'refund', 'close', 'chk_1', '--note', NOTE)).toContain('"everyshare refund list" shows');
    expect(await cli.line(2, 'refund', 'close', rows[0]?.id ?? '')).toContain('--note is missing');
    expect(await cli.line(2, 'refund', 'close', rows[0]?.id ?? '', '--note', '  ')).toContain(
      '--note has 0 characters: say in 1 to 500 how the guest was paid.',
    );
  });

  it('refuses a failed transfer: only a refund is paid to a guest', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [CARDS.good, CARDS.good]);
    await venue.finishDueWork(checkout.id);
    const [transfer] = await world.db.query<{ id: string }>(
      "select movement_id as id from movements where checkout_id = $1 and kind = 'transfer' limit 1",
      [checkout.id],
    );
    const id = transfer?.id ?? '';
    await world.db.query("update movements set status = 'failed', done_at = null where movement_id = $1", [id]);
    expect(await cli.line(1, 'refund', 'close', id, '--note', NOTE)).toContain('there is no failed refund with the id');
  });
});
