// The processor with the official client: refunds, disputes, transfers, the balance.

import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createHold,
  createPayee,
  createPayment,
  errorOf,
  startTestProcessor,
  type TestProcessor,
} from '../support/test-processor.ts';

let processor: TestProcessor;
let stripe: Stripe;
beforeAll(async () => {
  processor = await startTestProcessor();
  stripe = processor.stripe;
});
afterAll(() => processor.close());

const createAccount = (): Promise<Stripe.V2.Core.Account> => createPayee(stripe);
const availableBalance = async (): Promise<number> => (await stripe.balance.retrieve()).available[0]?.amount ?? 0;
const callTestHelper = (path: string, params: Record<string, unknown> = {}): Promise<Stripe.Dispute> =>
  stripe.rawRequest('POST', `/v1/test_helpers/disputes${path}`, params) as unknown as Promise<Stripe.Dispute>;

describe('refunds', () => {
  it('are possible in parts, and never exceed what was captured', async () => {
    const paid = await createPayment(stripe);
    const first = await stripe.refunds.create({ payment_intent: paid.id, amount: 300, metadata: { why: 'rain' } });
    expect(first).toMatchObject({ object: 'refund', amount: 300, status: 'succeeded', payment_intent: paid.id });
    expect(await stripe.refunds.retrieve(first.id)).toMatchObject({ id: first.id, metadata: { why: 'rain' } });
    expect(await errorOf(stripe.refunds.create({ payment_intent: paid.id, amount: 701 }))).toMatchObject({
      statusCode: 400,
      code: 'amount_too_large',
    });
    const rest = await stripe.refunds.create({ charge: String(paid.latest_charge) });
    expect(rest.amount).toBe(700);
    expect(await errorOf(stripe.refunds.create({ payment_intent: paid.id }))).toMatchObject({
      statusCode: 400,
      code: 'charge_already_refunded',
    });
    expect(await stripe.charges.retrieve(String(paid.latest_charge))).toMatchObject({
      amount_refunded: 1000,
      refunded: true,
    });
    const list = await stripe.refunds.list({ payment_intent: paid.id });
    expect(list.data.map(({ id }) => id)).toEqual([rest.id, first.id]);
  });

  it('are rejected for an uncaptured charge', async () => {
    const held = await createHold(stripe);
    expect(await errorOf(stripe.refunds.create({ payment_intent: held.id }))).toMatchObject({ statusCode: 400 });
    expect(await errorOf(stripe.refunds.create({ charge: String(held.latest_charge) }))).toMatchObject({
      statusCode: 400,
    });
    expect((await stripe.paymentIntents.retrieve(held.id)).status).toBe('requires_capture');
  });

  it('of a partial capture never exceed that part', async () => {
    const { id } = await createHold(stripe);
    await stripe.paymentIntents.capture(id, { amount_to_capture: 600 });
    expect(await errorOf(stripe.refunds.create({ payment_intent: id, amount: 601 }))).toMatchObject({
      code: 'amount_too_large',
    });
    expect((await stripe.refunds.create({ payment_intent: id })).amount).toBe(600);
  });
});

describe('the fee of a charge', () => {
  const withFee = { expand: ['latest_charge.balance_transaction'] };

  it.each([
    [1000, 59],
    [50, 31],
    [500, 45],
    [517, 45],
    [518, 45],
    [12_000, 378],
  ])('of %i is 2.9 %, rounded half up, and 30: %i', async (amount, fee) => {
    const before = await availableBalance();
    const { id } = await createPayment(stripe, amount);
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(id, withFee);
    const { balance_transaction: change } = charge as Stripe.Charge;
    expect(change).toMatchObject({ object: 'balance_transaction', type: 'charge', amount, fee, net: amount - fee });
    expect((change as Stripe.BalanceTransaction).fee_details).toMatchObject([{ amount: fee, type: 'stripe_fee' }]);
    expect(await availableBalance()).toBe(before + amount - fee);
    const refund = await stripe.refunds.create({ payment_intent: id, expand: ['balance_transaction'] });
    expect(refund.balance_transaction).toMatchObject({ type: 'refund', amount: -amount, fee: 0, net: -amount });
    expect(await availableBalance()).toBe(before - fee);
  });

  it('is known only after a minute for one of the cards', async () => {
    const held = await createHold(stripe, 'pm_card_settlesLater');
    const captured = await stripe.paymentIntents.capture(held.id, withFee);
    expect(captured.latest_charge).toMatchObject({ captured: true, balance_transaction: null });
    processor.clock.aheadMs += 60_000;
    const later = await stripe.paymentIntents.retrieve(held.id, withFee);
    expect(later.latest_charge).toMatchObject({ balance_transaction: { fee: 59 } });
  });

  it('is not there before the capture', async () => {
    const held = await createHold(stripe);
    const retrieved = await stripe.paymentIntents.retrieve(held.id, withFee);
    expect(retrieved.latest_charge).toMatchObject({ balance_transaction: null });
    expect(await errorOf(stripe.balanceTransactions.retrieve('txn_none'))).toMatchObject({ statusCode: 404 });
  });
});

describe('transfers', () => {
  it('never exceed their source charge, and reversals never exceed their transfer', async () => {
    const account = await createAccount();
    const paid = await createPayment(stripe);
    const charge = String(paid.latest_charge);
    const send = (amount: number) =>
      stripe.transfers.create({ amount, currency: 'usd', destination: account.id, source_transaction: charge });
    const before = await availableBalance();
    const first = await send(600);
    expect(await errorOf(send(401))).toMatchObject({ statusCode: 400 });
    const second = await send(400);
    expect(await availableBalance()).toBe(before - 1000);

    const back = await stripe.transfers.createReversal(first.id, { amount: 250 });
    expect(back).toMatchObject({ object: 'transfer_reversal', amount: 250, transfer: first.id });
    expect(await errorOf(stripe.transfers.createReversal(first.id, { amount: 351 }))).toMatchObject({
      statusCode: 400,
    });
    await stripe.transfers.createReversal(first.id);
    expect(await errorOf(stripe.transfers.createReversal(first.id))).toMatchObject({ statusCode: 400 });
    expect(await stripe.transfers.retrieve(first.id)).toMatchObject({ reversed: true, amount_reversed: 600 });
    const reversals = await stripe.transfers.listReversals(first.id);
    expect(reversals.data.map(({ amount }) => amount)).toEqual([350, 250]);
    expect(await availableBalance()).toBe(before - 400);
    const list = await stripe.transfers.list({ destination: account.id });
    expect(list.data.map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  it('need a captured source charge, or a sufficient balance without one', async () => {
    const account = await createAccount();
    const held = await createHold(stripe);
    const send = (amount: number, source?: string) =>
      stripe.transfers.create({
        amount,
        currency: 'usd',
        destination: account.id,
        ...(source === undefined ? {} : { source_transaction: source }),
      });
    expect(await errorOf(send(100, String(held.latest_charge)))).toMatchObject({ statusCode: 400 });
    const balance = await availableBalance();
    expect(await errorOf(send(balance + 1))).toMatchObject({ code: 'balance_insufficient' });
    await send(balance);
    expect(await availableBalance()).toBe(0);
  });
});

describe('disputes', () => {
  it('are opened by the dispute card, withdraw the amount, and forbid a refund', async () => {
    const before = await availableBalance();
    const { id } = await createHold(stripe, 'pm_card_createDispute');
    await stripe.paymentIntents.capture(id);
    const { data } = await stripe.events.list({ type: 'charge.dispute.created' });
    const dispute = data[0]?.data.object as Stripe.Dispute;
    expect(dispute).toMatchObject({ payment_intent: id, amount: 1000, status: 'needs_response' });
    expect(await availableBalance()).toBe(before - 59 - 1500);
    expect(await errorOf(stripe.refunds.create({ payment_intent: id }))).toMatchObject({ code: 'charge_disputed' });
    await callTestHelper(`/${dispute.id}/won`);
    expect((await stripe.disputes.retrieve(dispute.id)).status).toBe('won');
    expect(await availableBalance()).toBe(before + 1000 - 59 - 1500);
  });

  it('are opened by the test helper for a part, and lost or accepted', async () => {
    const paid = await createPayment(stripe);
    const before = await availableBalance();
    const dispute = await callTestHelper('', { payment_intent: paid.id, amount: 400, reason: 'product_not_received' });
    expect(dispute).toMatchObject({ amount: 400, reason: 'product_not_received' });
    expect(await errorOf(callTestHelper('', { payment_intent: paid.id }))).toMatchObject({ code: 'charge_disputed' });
    expect((await stripe.disputes.close(dispute.id)).status).toBe('lost');
    expect(await errorOf(callTestHelper(`/${dispute.id}/won`))).toMatchObject({ statusCode: 400 });
    expect(await availableBalance()).toBe(before - 400 - 1500);
    const closed = await stripe.events.list({ type: 'charge.dispute.closed', limit: 1 });
    const event = await stripe.events.retrieve(closed.data[0]?.id ?? '');
    expect((event.data.object as Stripe.Dispute).status).toBe('lost');
    // Expanding a response does not change the stored event.
    const expanded = await stripe.events.retrieve(event.id, { expand: ['data.object.charge'] });
    expect(expanded.data.object).toMatchObject({ charge: { object: 'charge' } });
    expect(await stripe.events.retrieve(event.id)).toEqual(event);
  });
});
