// Top-ups: the platform pays money from its bank account into its balance, for transfers that no charge covers. A top-up
// succeeds at once, where Stripe's takes days.

import type { Params } from './form-params.ts';
import { readCurrency } from './payment-intents.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { TopUpRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export function createTopUp(tx: Transaction, params: Params): StripeObject {
  const currency = readCurrency(params);
  const amount = params.positive('amount') ?? params.requireInteger('amount');
  const object = toTopUp(
    tx,
    tx.put('topUps', {
      id: tx.newId('tu'),
      created: tx.now,
      amount,
      currency,
      description: params.text('description'),
      metadata: params.metadata(),
    }),
  );
  tx.recordEvent('topup.created', object);
  tx.recordEvent('topup.succeeded', object);
  return object;
}

function toTopUp(context: RenderContext, row: TopUpRow): StripeObject {
  return {
    id: row.id,
    object: 'topup',
    amount: row.amount,
    balance_transaction: `txn_${row.id.slice(3)}`,
    created: row.created,
    currency: row.currency,
    description: row.description,
    expected_availability_date: row.created,
    failure_code: null,
    failure_message: null,
    initiated_by: null,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    source: null,
    statement_descriptor: null,
    status: 'succeeded',
    transfer_group: null,
  };
}
