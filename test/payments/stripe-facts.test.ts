// What the processor's objects mean to us, where the embedded processor has no such object.

import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { disputeFactsOf } from '../../src/domain/payments/stripe-disputes.ts';
import { factsOf } from '../../src/domain/payments/stripe-facts.ts';

/** A captured intent of 100.00 USD whose charge has this balance transaction. */
function captured(change: Partial<Stripe.BalanceTransaction> | null): Stripe.PaymentIntent {
  const charge = { id: 'ch_1', created: 1, currency: 'usd', amount: 10_000, balance_transaction: change };
  return {
    id: 'pi_1',
    status: 'succeeded',
    amount: 10_000,
    amount_capturable: 0,
    amount_received: 10_000,
    currency: 'usd',
    metadata: {},
    last_payment_error: null,
    latest_charge: charge,
  } as unknown as Stripe.PaymentIntent;
}

describe('the processor’s fee', () => {
  it('is in the currency of the charge', () => {
    expect(factsOf(captured({ currency: 'usd', fee: 320, exchange_rate: null })).processorFee).toBe(320);
  });

  it('is converted back when the balance of the account is in another currency', () => {
    // 100.00 USD at 0.81 are 81.00 EUR; Stripe takes 2.60 EUR of them.
    expect(factsOf(captured({ currency: 'eur', fee: 260, exchange_rate: 0.81 })).processorFee).toBe(321);
  });

  it('is unknown until the processor has settled the charge', () => {
    expect(factsOf(captured(null)).processorFee).toBe(null);
  });
});

describe('a dispute', () => {
  const usd = { currency: 'usd', exchange_rate: null };
  const factsWith = (...changes: Partial<Stripe.BalanceTransaction>[]) =>
    disputeFactsOf({
      id: 'du_1',
      payment_intent: 'pi_1',
      amount: 10_000,
      currency: 'usd',
      status: 'lost',
      reason: 'fraudulent',
      balance_transactions: changes,
    } as unknown as Stripe.Dispute);

  it('has what was withdrawn, given back and charged from its balance transactions', () => {
    expect(factsWith()).toMatchObject({ withdrawn: 0, reinstated: 0, processorFee: 0, processorFeeReturned: 0 });
    const withdrawal = { ...usd, amount: -10_000, fee: 1_500 };
    expect(factsWith(withdrawal)).toMatchObject({ withdrawn: 10_000, reinstated: 0, processorFee: 1_500 });
    expect(factsWith(withdrawal, { ...usd, amount: 2_000, fee: 0 })).toMatchObject({ reinstated: 2_000 });
    expect(factsWith(withdrawal, { ...usd, amount: 10_000, fee: -1_500 })).toMatchObject({
      reinstated: 10_000,
      processorFee: 1_500,
      processorFeeReturned: 1_500,
    });
  });

  it('has the time until which an answer is taken, if there is one', () => {
    const withDetails = (evidence_details: object | undefined) =>
      disputeFactsOf({ id: 'du_1', balance_transactions: [], evidence_details } as unknown as Stripe.Dispute);
    expect(withDetails({ due_by: 1_800_000_000 }).evidenceDueAt).toBe(1_800_000_000_000);
    expect(withDetails({ due_by: null }).evidenceDueAt).toBeNull();
    expect(withDetails(undefined).evidenceDueAt).toBeNull();
  });

  it('is converted when the balance of the account is in another currency', () => {
    const eur = { currency: 'eur', exchange_rate: 0.9 };
    const withdrawal = { ...eur, amount: -9_000, fee: 1_350 };
    expect(factsWith(withdrawal, { ...eur, amount: 1_800, fee: 0 })).toMatchObject({
      withdrawn: 10_000,
      reinstated: 2_000,
      processorFee: 1_500,
    });
    expect(factsWith({ ...withdrawal, exchange_rate: null })).toMatchObject({ withdrawn: 10_000, processorFee: 0 });
  });
});
