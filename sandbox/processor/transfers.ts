// Transfers to connected accounts and their reversals. Each transfer is checked against its source charge or the
// platform's balance, each reversal against its transfer and the account's balance.

import { transfersStatusOf } from './accounts.ts';
import { invalidRequest, operationFailed } from './api-error.ts';
import { accountBalance, platformBalance } from './balances.ts';
import type { Params } from './form-params.ts';
import { readCurrency } from './payment-intents.ts';
import { formatAmount, type RenderContext, type StripeObject } from './payment-objects.ts';
import type { ChargeRow, ReversalRow, TransferRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export function createTransfer(tx: Transaction, params: Params): StripeObject {
  const currency = readCurrency(params);
  const amount = params.positive('amount') ?? params.requireInteger('amount');
  const destination = tx.require('accounts', params.requireText('destination'), 'destination');
  const sourceId = params.text('source_transaction');
  const source = sourceId === null ? null : tx.require('charges', sourceId, 'source_transaction');
  if (transfersStatusOf(destination) !== 'active') {
    throw operationFailed(
      'insufficient_capabilities_for_transfer',
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
    );
  }
  if (source === null) rejectOverdraft(tx, amount, currency);
  else useSourceCharge(tx, source, amount, currency);
  const transfer = tx.put('transfers', {
    id: tx.newId('tr'),
    created: tx.now,
    amount,
    currency,
    destination: destination.id,
    source: source?.id ?? null,
    group: params.text('transfer_group') ?? source?.group ?? null,
    description: params.text('description'),
    metadata: params.metadata(),
    reversed: 0,
  });
  const object = toTransfer(tx, transfer, []);
  tx.recordEvent('transfer.created', object);
  return object;
}

function rejectOverdraft(tx: Transaction, amount: number, currency: string): void {
  if (amount <= platformBalance(tx, currency)) return;
  throw operationFailed(
    'balance_insufficient',
    'You have insufficient available funds in your account for this transfer.',
  );
}

function useSourceCharge(tx: Transaction, source: ChargeRow, amount: number, currency: string): void {
  if (!source.captured) {
    throw operationFailed('charge_not_captured', `The charge ${source.id} has not been captured.`, {
      param: 'source_transaction',
    });
  }
  if (source.currency !== currency) {
    throw invalidRequest(
      `The currency of source_transaction's balance transaction (${source.currency}) must be the same as the transfer currency (${currency})`,
      'currency',
    );
  }
  if (source.transferred + amount > source.amountCaptured) {
    const [sourceAmount, used] = [
      formatAmount(source.amountCaptured, currency),
      formatAmount(source.transferred, currency),
    ];
    const message = `Transfers using this transaction as a source must not exceed the source amount of ${sourceAmount}. (There are already transfers using this source, amounting to ${used}.)`;
    throw operationFailed('amount_too_large', message, { param: 'amount' });
  }
  // Stripe's guide says that such a transfer succeeds with any balance. That it fails when the charge's money has
  // left in a payout since is a guess, because harsher is safer.
  const isPaidOut = tx.changes.committed.payouts
    .findByIndex('platform')
    .some(({ created }) => created >= source.created);
  if (isPaidOut) rejectOverdraft(tx, amount, currency);
  tx.put('charges', { ...source, transferred: source.transferred + amount });
}

/**
 * Stripe documents that a reversal needs the balance of the account, and returns an error without it. The code is that of
 * its list of errors for transfers and payouts; that a reversal has the same code, and the text, are guesses.
 */
function rejectUnfunded(tx: Transaction, { destination, currency }: TransferRow, amount: number): void {
  if (amount <= accountBalance(tx, destination, currency)) return;
  throw operationFailed(
    'balance_insufficient',
    `The account ${destination} has insufficient available funds for this reversal.`,
  );
}

export function createReversal(tx: Transaction, id: string, params: Params): StripeObject {
  const transfer = tx.require('transfers', id, 'transfer');
  const requested = params.positive('amount');
  const left = transfer.amount - transfer.reversed;
  const amount = requested ?? left;
  if (left === 0 || amount > left) {
    const [asked, unreversed] = [formatAmount(amount, transfer.currency), formatAmount(left, transfer.currency)];
    const message =
      left === 0
        ? `Transfer ${id} is already fully reversed.`
        : `Reversal amount (${asked}) is greater than unreversed amount on transfer (${unreversed})`;
    throw operationFailed('amount_too_large', message, { param: 'amount' });
  }
  rejectUnfunded(tx, transfer, amount);
  const { currency } = transfer;
  const reversal = tx.put('reversals', {
    id: tx.newId('trr'),
    created: tx.now,
    transfer: id,
    amount,
    currency,
    metadata: params.metadata(),
  });
  // That a reversal does not let another transfer use the source charge is a guess, because harsher is safer.
  const updated = tx.put('transfers', { ...transfer, reversed: transfer.reversed + amount });
  tx.recordEvent(
    'transfer.reversed',
    toTransfer(tx, updated, [reversal, ...tx.changes.committed.reversals.findByIndex(id)]),
  );
  return toTransferReversal(tx, reversal);
}

export function toTransferReversal(_context: RenderContext, row: ReversalRow): StripeObject {
  return {
    id: row.id,
    object: 'transfer_reversal',
    amount: row.amount,
    balance_transaction: `txn_${row.id.slice(4)}`,
    created: row.created,
    currency: row.currency,
    destination_payment_refund: null,
    metadata: row.metadata,
    source_refund: null,
    transfer: row.transfer,
  };
}

/** `reversals`: newest first; the object shows at most ten, as at Stripe. */
export function toTransfer(context: RenderContext, row: TransferRow, reversals: readonly ReversalRow[]): StripeObject {
  return {
    id: row.id,
    object: 'transfer',
    amount: row.amount,
    amount_reversed: row.reversed,
    balance_transaction: `txn_${row.id.slice(3)}`,
    created: row.created,
    currency: row.currency,
    description: row.description,
    destination: row.destination,
    destination_payment: `py_${row.id.slice(3)}`,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    reversals: {
      object: 'list',
      data: reversals.slice(0, 10).map((reversal) => toTransferReversal(context, reversal)),
      has_more: reversals.length > 10,
      url: `/v1/transfers/${row.id}/reversals`,
    },
    reversed: row.reversed === row.amount,
    source_transaction: row.source,
    source_type: 'card',
    transfer_group: row.group,
  };
}
