// The processor with the official client: the balances of the platform and of connected accounts, payouts, what is
// refused without funds, and the fee of a dispute.

import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createHold,
  createPayee,
  createPayment,
  errorOf,
  startTestProcessor,
  type TestProcessor,
} from '../support/test-processor.ts';

const DAY_MS = 86_400_000;

let processor: TestProcessor;
let stripe: Stripe;
beforeEach(async () => {
  processor = await startTestProcessor();
  stripe = processor.stripe;
});
afterEach(() => processor.close());

async function balanceOf(account?: string): Promise<number> {
  const options = account === undefined ? {} : { stripeAccount: account };
  return (await stripe.balance.retrieve({}, options)).available[0]?.amount ?? 0;
}

async function pay(account: string, amount = 1000): Promise<Stripe.Transfer> {
  const { latest_charge: charge } = await createPayment(stripe, amount);
  return stripe.transfers.create({
    amount,
    currency: 'usd',
    destination: account,
    source_transaction: String(charge),
  });
}

const payOut = (account: string) => stripe.rawRequest('POST', '/sandbox/payouts', { account });

describe('the balance of a connected account', () => {
  it('is raised by a transfer and lowered by a reversal, and is its own', async () => {
    const [one, other] = [await createPayee(stripe), await createPayee(stripe)];
    expect(await balanceOf(one.id)).toBe(0);
    const transfer = await pay(one.id);
    await stripe.transfers.createReversal(transfer.id, { amount: 300 });
    expect([await balanceOf(one.id), await balanceOf(other.id)]).toEqual([700, 0]);
  });

  it('is emptied by the sandbox’s address, and a reversal is then refused, again for the same key', async () => {
    const { id } = await createPayee(stripe);
    const transfer = await pay(id);
    await payOut(id);
    expect(await balanceOf(id)).toBe(0);
    const reverse = () => stripe.transfers.createReversal(transfer.id, { amount: 1 }, { idempotencyKey: 'reversal' });
    const refusal = { statusCode: 400, type: 'StripeInvalidRequestError', code: 'balance_insufficient' };
    expect(await errorOf(reverse())).toMatchObject(refusal);
    await pay(id, 500);
    expect(await errorOf(reverse())).toMatchObject(refusal);
    expect(await stripe.transfers.retrieve(transfer.id)).toMatchObject({ amount_reversed: 0 });
    // Another transfer's money pays a reversal as well: the account has one balance.
    await stripe.transfers.createReversal(transfer.id, { amount: 500 });
    expect(await balanceOf(id)).toBe(0);
    expect(await errorOf(stripe.transfers.createReversal(transfer.id))).toMatchObject(refusal);
  });

  it('is emptied by the sandbox’s address together with those of all other accounts', async () => {
    const [one, other] = [await createPayee(stripe), await createPayee(stripe)];
    await pay(one.id);
    await pay(other.id, 500);
    const payouts = await stripe.rawRequest('POST', '/sandbox/payouts', { accounts: 'now' });
    expect(payouts).toMatchObject({ data: [{ amount: 1000 }, { amount: 500 }] });
    expect([await balanceOf(one.id), await balanceOf(other.id)]).toEqual([0, 0]);
    // It is no setting: the next transfer stays.
    await pay(one.id);
    expect(await balanceOf(one.id)).toBe(1000);
  });

  it('is paid out by the account’s own payouts, never below zero, and only the account sees them', async () => {
    const { id } = await createPayee(stripe);
    await pay(id);
    const as = { stripeAccount: id };
    const payout = await stripe.payouts.create({ amount: 400, currency: 'usd' }, as);
    expect(payout).toMatchObject({ object: 'payout', amount: 400, automatic: false, status: 'paid' });
    const tooMuch = stripe.payouts.create({ amount: 601, currency: 'usd' }, as);
    expect(await errorOf(tooMuch)).toMatchObject({ statusCode: 400, code: 'balance_insufficient' });
    expect(await balanceOf(id)).toBe(600);
    expect((await stripe.payouts.list({}, as)).data.map((one) => one.id)).toEqual([payout.id]);
    expect((await stripe.payouts.list()).data).toEqual([]);
    expect(await stripe.payouts.retrieve(payout.id, {}, as)).toEqual(expect.objectContaining({ id: payout.id }));
    expect(await errorOf(stripe.payouts.retrieve(payout.id))).toMatchObject({ statusCode: 404 });
  });

  it('is paid out once a day when accounts are set so, unless the account has its own setting', async () => {
    const [daily, manual] = [await createPayee(stripe), await createPayee(stripe)];
    await stripe.rawRequest('POST', '/sandbox/payouts', { accounts: 'daily' });
    const settings = { payments: { payouts: { schedule: { interval: 'manual' as const } } } };
    await stripe.balanceSettings.update(settings, { stripeAccount: manual.id });
    await pay(daily.id);
    await pay(manual.id);
    expect(await balanceOf(daily.id)).toBe(1000);
    processor.clock.aheadMs += DAY_MS;
    expect([await balanceOf(daily.id), await balanceOf(manual.id)]).toEqual([0, 1000]);
    expect((await stripe.payouts.list({}, { stripeAccount: daily.id })).data).toMatchObject([
      { amount: 1000, automatic: true },
    ]);
    await pay(daily.id);
    expect(await balanceOf(daily.id)).toBe(1000);
  });

  it('cannot be read for an unknown account, and other calls take no account', async () => {
    expect(await errorOf(balanceOf('acct_none'))).toMatchObject({ statusCode: 403, code: 'account_invalid' });
    const { id } = await createPayee(stripe);
    expect(await errorOf(stripe.refunds.list({}, { stripeAccount: id }))).toMatchObject({ statusCode: 400 });
  });
});

describe('payouts of the platform', () => {
  it('are manual at first; daily ones empty its balance, with their events', async () => {
    await createPayment(stripe);
    const interval = async () => (await stripe.balanceSettings.retrieve()).payments.payouts?.schedule?.interval;
    expect(await interval()).toBe('manual');
    processor.clock.aheadMs += DAY_MS;
    expect(await balanceOf()).toBe(941);
    await stripe.balanceSettings.update({ payments: { payouts: { schedule: { interval: 'daily' } } } });
    expect(await interval()).toBe('daily');
    processor.clock.aheadMs += DAY_MS;
    expect(await balanceOf()).toBe(0);
    const { data } = await stripe.payouts.list({ expand: ['data.balance_transaction'] });
    expect(data).toMatchObject([{ amount: 941, automatic: true, balance_transaction: { type: 'payout', net: -941 } }]);
    const types = (await stripe.events.list({ limit: 2 })).data.map(({ type }) => type);
    expect(types).toEqual(['payout.paid', 'payout.created']);
  });

  it('take the money of a transfer that is due later: it is refused, with its source charge as well', async () => {
    const { id: destination } = await createPayee(stripe);
    const { latest_charge: charge } = await createPayment(stripe);
    const source = { source_transaction: String(charge) };
    const send = (amount: number, more: object = {}) =>
      stripe.transfers.create({ amount, currency: 'usd', destination, ...more });
    expect(await errorOf(send(1000))).toMatchObject({ code: 'balance_insufficient' });
    await send(100, source);
    await stripe.payouts.create({ amount: 841, currency: 'usd' });
    expect(await errorOf(send(900, source))).toMatchObject({ statusCode: 400, code: 'balance_insufficient' });
    processor.clock.aheadMs += 1000;
    // A charge that came after the payout pays its own transfer.
    await pay(destination, 1000);
  });
});

describe('the fee of a dispute', () => {
  const dispute = async (): Promise<Stripe.Dispute> => {
    const { id } = await createHold(stripe, 'pm_card_createDispute');
    await stripe.paymentIntents.capture(id);
    const { data } = await stripe.disputes.list({ payment_intent: id });
    if (data[0] === undefined) throw new Error('no dispute');
    return data[0];
  };
  const win = (id: string, params: object = {}) =>
    stripe.rawRequest('POST', `/v1/test_helpers/disputes/${id}/won`, { ...params });
  const withdrawal = { type: 'adjustment', reporting_category: 'dispute', amount: -1000, fee: 1500, net: -2500 };

  it('is withdrawn with the amount, and stays withdrawn when the dispute is won', async () => {
    const { id, balance_transactions: changes } = await dispute();
    expect(changes).toMatchObject([withdrawal]);
    expect(await stripe.balanceTransactions.retrieve(changes[0]?.id ?? '')).toMatchObject(withdrawal);
    expect(await balanceOf()).toBe(1000 - 59 - 2500);
    await win(id);
    const reversal = { type: 'adjustment', reporting_category: 'dispute_reversal', amount: 1000, fee: 0, net: 1000 };
    expect((await stripe.disputes.retrieve(id)).balance_transactions).toMatchObject([withdrawal, reversal]);
    expect(await balanceOf()).toBe(1000 - 59 - 1500);
  });

  it('is given back with a won dispute when the test asks for it', async () => {
    const { id } = await dispute();
    await win(id, { return_fee: true });
    const { balance_transactions: changes } = await stripe.disputes.retrieve(id);
    expect(changes).toMatchObject([withdrawal, { amount: 1000, fee: -1500, net: 2500 }]);
    expect(await balanceOf()).toBe(1000 - 59);
  });

  it('is not given back with a lost one', async () => {
    const { id } = await dispute();
    expect((await stripe.disputes.close(id)).balance_transactions).toMatchObject([withdrawal]);
    expect(await balanceOf()).toBe(1000 - 59 - 2500);
  });
});

describe('a refund that the platform’s balance does not cover', () => {
  const refundsOf = (what: 'wait' | 'from_bank') => stripe.rawRequest('POST', '/sandbox/payouts', { refunds: what });
  const emptyPlatform = async (): Promise<void> => {
    const amount = await balanceOf();
    if (amount > 0) await stripe.payouts.create({ amount, currency: 'usd' });
  };

  it('waits for funds, leaves the balance as it is, and is paid when a charge brings them', async () => {
    await refundsOf('wait');
    const { id: intent } = await createPayment(stripe);
    await emptyPlatform();
    const before = await balanceOf();
    const refund = await stripe.refunds.create({ payment_intent: intent });
    const waiting = { status: 'pending', pending_reason: 'insufficient_funds', balance_transaction: null };
    expect(refund).toMatchObject(waiting);
    expect(await balanceOf()).toBe(before);
    await createPayment(stripe, 500);
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject(waiting);
    await createPayment(stripe, 2000 - before);
    const paid = await stripe.refunds.retrieve(refund.id);
    expect(paid.status).toBe('succeeded');
    expect(paid.pending_reason).toBeUndefined();
    const types = (await stripe.events.list({ limit: 2 })).data.map(({ type }) => type);
    expect(types.sort()).toEqual(['charge.refund.updated', 'refund.updated']);
  });

  it('fails after 30 days without funds, and the charge can be refunded again', async () => {
    await refundsOf('wait');
    const { id: intent } = await createPayment(stripe);
    await emptyPlatform();
    const { id } = await stripe.refunds.create({ payment_intent: intent });
    processor.clock.aheadMs += 31 * DAY_MS;
    const failed = await stripe.refunds.retrieve(id);
    expect(failed).toMatchObject({ status: 'failed', failure_reason: 'insufficient_funds' });
    await refundsOf('from_bank');
    expect(await stripe.refunds.create({ payment_intent: intent })).toMatchObject({ status: 'succeeded' });
  });

  it('is debited from the bank account where that is allowed, also when it has waited', async () => {
    await refundsOf('wait');
    const { id: intent } = await createPayment(stripe);
    await emptyPlatform();
    const { id } = await stripe.refunds.create({ payment_intent: intent });
    await refundsOf('from_bank');
    expect(await stripe.refunds.retrieve(id)).toMatchObject({ status: 'succeeded' });
  });
});
