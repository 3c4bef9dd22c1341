// Money that moves after a capture: refunds to cards, connected accounts, transfers to them and back, and the balance
// that is left. No sum can go below nothing: each is checked against what the books have.

import { invalidRequest, operationFailed } from './api-error.ts';
import { findCharge } from './disputes.ts';
import type { Params } from './form-params.ts';
import { toAccount, toRefund, toTransfer, toTransferReversal } from './other-objects.ts';
import { readCurrency } from './payment-intents.ts';
import { type StripeObject, toCharge } from './payment-objects.ts';
import type { AccountRow, ChargeRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

const formatAmount = (amount: number, currency: string): string =>
  `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;

export function createRefund(tx: Transaction, params: Params): StripeObject {
  const charge = findCharge(tx, params);
  const wanted = params.positive('amount');
  const reason = params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']);
  if (charge === null || charge.failure !== null || !charge.captured) {
    const what = charge === null ? 'This PaymentIntent' : `The PaymentIntent ${charge.intent}`;
    throw operationFailed('charge_not_refundable', `${what} does not have a successful charge to refund.`);
  }
  rejectDisputed(tx, charge);
  const left = charge.amountCaptured - charge.refunded;
  if (left === 0) throw operationFailed('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  const amount = wanted ?? left;
  if (amount > left) {
    const [asked, there] = [formatAmount(amount, charge.currency), formatAmount(left, charge.currency)];
    const message = `Refund amount (${asked}) is greater than unrefunded amount on charge (${there})`;
    throw operationFailed('amount_too_large', message, { param: 'amount' });
  }
  const refund = tx.put('refunds', {
    id: tx.newId('re'),
    created: tx.now,
    charge: charge.id,
    intent: charge.intent,
    amount,
    currency: charge.currency,
    reason,
    metadata: params.metadata(),
  });
  const refunded = tx.put('charges', { ...charge, refunded: charge.refunded + amount });
  const object = toRefund(tx, refund);
  tx.recordEvent('refund.created', object);
  tx.recordEvent('charge.refunded', toCharge(tx, refunded));
  return object;
}

function rejectDisputed(tx: Transaction, charge: ChargeRow): void {
  if (charge.dispute === null || tx.require('disputes', charge.dispute).status === 'won') return;
  throw operationFailed('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`);
}

export function createAccount(tx: Transaction, params: Params): StripeObject {
  const metadata = params.metadata();
  const dashboard = params.group('controller')?.group('stripe_dashboard')?.text('type') ?? null;
  const account = tx.put('accounts', {
    id: tx.newId('acct'),
    created: tx.now,
    type: params.oneOf('type', ['express', 'standard', 'custom']) ?? dashboard ?? 'none',
    country: params.text('country') ?? 'US',
    email: params.text('email'),
    businessName: params.group('business_profile')?.text('name') ?? null,
    metadata,
    onboarded: metadata.onboarded === 'true',
    link: null,
  });
  return toAccount(tx, account);
}

export function updateAccount(tx: Transaction, id: string, params: Params): StripeObject {
  const account = tx.require('accounts', id, 'account');
  const metadata = params.metadata(account.metadata);
  const updated = tx.put('accounts', {
    ...account,
    metadata,
    email: params.text('email') ?? account.email,
    businessName: params.group('business_profile')?.text('name') ?? account.businessName,
    onboarded: account.onboarded || metadata.onboarded === 'true',
  });
  if (updated.onboarded !== account.onboarded) tx.recordEvent('account.updated', toAccount(tx, updated));
  return toAccount(tx, updated);
}

export function completeOnboarding(tx: Transaction, account: AccountRow): AccountRow {
  const done = tx.put('accounts', { ...account, onboarded: true, link: null });
  if (!account.onboarded) tx.recordEvent('account.updated', toAccount(tx, done));
  return done;
}

const ACCOUNT_LINK_SECONDS = 300;

function requireUrl(params: Params, name: string): string {
  const text = params.requireText(name);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw invalidRequest('Not a valid URL', name, 'url_invalid');
  }
  return text;
}

export function createAccountLink(tx: Transaction, params: Params): StripeObject {
  const account = tx.require('accounts', params.requireText('account'), 'account');
  if (params.oneOf('type', ['account_onboarding', 'account_update']) === null) params.requireText('type');
  requireUrl(params, 'refresh_url');
  const token = tx.newToken();
  const until = tx.now + ACCOUNT_LINK_SECONDS;
  tx.put('accounts', { ...account, link: { token, returnUrl: requireUrl(params, 'return_url'), until } });
  const url = `${tx.publicBase}/onboarding/${account.id}?token=${token}`;
  return { object: 'account_link', created: tx.now, expires_at: until, url };
}

export function createTransfer(tx: Transaction, params: Params): StripeObject {
  const currency = readCurrency(params);
  const amount = params.positive('amount') ?? params.requireInteger('amount');
  const destination = tx.require('accounts', params.requireText('destination'), 'destination');
  const sourceId = params.text('source_transaction');
  const source = sourceId === null ? null : tx.require('charges', sourceId, 'source_transaction');
  if (!destination.onboarded) {
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
  if (amount <= (availableBalances(tx).get(currency) ?? 0)) return;
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
    const [most, used] = [formatAmount(source.amountCaptured, currency), formatAmount(source.transferred, currency)];
    const message = `Transfers using this transaction as a source must not exceed the source amount of ${most}. (There are already transfers using this source, amounting to ${used}.)`;
    throw operationFailed('amount_too_large', message, { param: 'amount' });
  }
  tx.put('charges', { ...source, transferred: source.transferred + amount });
}

export function createReversal(tx: Transaction, id: string, params: Params): StripeObject {
  const transfer = tx.require('transfers', id, 'transfer');
  const wanted = params.positive('amount');
  const left = transfer.amount - transfer.reversed;
  const amount = wanted ?? left;
  if (left === 0 || amount > left) {
    const [asked, there] = [formatAmount(amount, transfer.currency), formatAmount(left, transfer.currency)];
    const message =
      left === 0
        ? `Transfer ${id} is already fully reversed.`
        : `Reversal amount (${asked}) is greater than unreversed amount on transfer (${there})`;
    throw operationFailed('amount_too_large', message, { param: 'amount' });
  }
  const { currency } = transfer;
  const reversal = tx.put('reversals', {
    id: tx.newId('trr'),
    created: tx.now,
    transfer: id,
    amount,
    currency,
    metadata: params.metadata(),
  });
  const after = tx.put('transfers', { ...transfer, reversed: transfer.reversed + amount });
  if (transfer.source !== null) {
    const source = tx.require('charges', transfer.source);
    tx.put('charges', { ...source, transferred: source.transferred - amount });
  }
  tx.recordEvent(
    'transfer.reversed',
    toTransfer(tx, after, [reversal, ...tx.changes.tables.reversals.findByIndex(id)]),
  );
  return toTransferReversal(tx, reversal);
}

/** What is ours, by currency: captured, less refunded, less transferred, less what a dispute holds or took. */
function availableBalances(tx: Transaction): Map<string, number> {
  const sums = new Map<string, number>();
  const add = (currency: string, amount: number) => sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const { charges, transfers, disputes } = tx.changes.tables;
  for (const charge of charges.oldestFirst()) {
    if (charge.captured) add(charge.currency, charge.amountCaptured - charge.refunded);
  }
  for (const transfer of transfers.oldestFirst()) add(transfer.currency, transfer.reversed - transfer.amount);
  for (const dispute of disputes.oldestFirst()) if (dispute.status !== 'won') add(dispute.currency, -dispute.amount);
  return sums;
}

export function retrieveBalance(tx: Transaction): StripeObject {
  const sums = [...availableBalances(tx)];
  const shown = (sums.length === 0 ? [['usd', 0] as const] : sums).map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const none = shown.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available: shown, livemode: tx.mode === 'live', pending: none };
}
