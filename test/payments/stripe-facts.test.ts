// What the processor's objects mean to us, where the embedded processor has no such object.

import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
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
