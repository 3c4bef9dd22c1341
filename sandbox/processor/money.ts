// Money that moves after a capture: refunds to cards, connected accounts, transfers to them and back, and the balance
// that is left. No sum can go below nothing: each is checked against what the books have.

import { namedCharge } from './disputes.ts';
import type { Params } from './form.ts';
import { readCurrency } from './intents.ts';
import { accountWire, refundWire, reversalWire, transferWire } from './money-shapes.ts';
import { cannot, invalid } from './refusal.ts';
import type { AccountRow, ChargeRow } from './rows.ts';
import { chargeWire, type Wire } from './shapes.ts';
import type { Work } from './work.ts';

const dollars = (amount: number, currency: string): string => `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;

export function createRefund(work: Work, params: Params): Wire {
  const charge = namedCharge(work, params);
  const wanted = params.positive('amount');
  const reason = params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']);
  if (charge === null || charge.failure !== null || !charge.captured) {
    const what = charge === null ? 'This PaymentIntent' : `The PaymentIntent ${charge.intent}`;
    throw cannot('charge_not_refundable', `${what} does not have a successful charge to refund.`);
  }
  refuseDisputed(work, charge);
  const left = charge.amountCaptured - charge.refunded;
  if (left === 0) throw cannot('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  const amount = wanted ?? left;
  if (amount > left) {
    const [asked, there] = [dollars(amount, charge.currency), dollars(left, charge.currency)];
    const message = `Refund amount (${asked}) is greater than unrefunded amount on charge (${there})`;
    throw cannot('amount_too_large', message, { param: 'amount' });
  }
  const refund = work.put('refunds', {
    id: work.newId('re'),
    created: work.now,
    charge: charge.id,
    intent: charge.intent,
    amount,
    currency: charge.currency,
    reason,
    metadata: params.metadata(),
  });
  const refunded = work.put('charges', { ...charge, refunded: charge.refunded + amount });
  const wire = refundWire(work, refund);
  work.raise('refund.created', wire);
  work.raise('charge.refunded', chargeWire(work, refunded));
  return wire;
}

function refuseDisputed(work: Work, charge: ChargeRow): void {
  if (charge.dispute === null || work.need('disputes', charge.dispute).status === 'won') return;
  throw cannot('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`);
}

export function createAccount(work: Work, params: Params): Wire {
  const metadata = params.metadata();
  const dashboard = params.group('controller')?.group('stripe_dashboard')?.text('type') ?? null;
  const account = work.put('accounts', {
    id: work.newId('acct'),
    created: work.now,
    type: params.oneOf('type', ['express', 'standard', 'custom']) ?? dashboard ?? 'none',
    country: params.text('country') ?? 'US',
    email: params.text('email'),
    businessName: params.group('business_profile')?.text('name') ?? null,
    metadata,
    onboarded: metadata.onboarded === 'true',
    link: null,
  });
  return accountWire(work, account);
}

export function updateAccount(work: Work, id: string, params: Params): Wire {
  const account = work.need('accounts', id, 'account');
  const metadata = params.metadata(account.metadata);
  const updated = work.put('accounts', {
    ...account,
    metadata,
    email: params.text('email') ?? account.email,
    businessName: params.group('business_profile')?.text('name') ?? account.businessName,
    onboarded: account.onboarded || metadata.onboarded === 'true',
  });
  if (updated.onboarded !== account.onboarded) work.raise('account.updated', accountWire(work, updated));
  return accountWire(work, updated);
}

export function completeOnboarding(work: Work, account: AccountRow): AccountRow {
  const done = work.put('accounts', { ...account, onboarded: true, link: null });
  if (!account.onboarded) work.raise('account.updated', accountWire(work, done));
  return done;
}

const LINK_SECONDS = 300;

function needUrl(params: Params, name: string): string {
  const text = params.needText(name);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw invalid('Not a valid URL', name, 'url_invalid');
  }
  return text;
}

export function createAccountLink(work: Work, params: Params): Wire {
  const account = work.need('accounts', params.needText('account'), 'account');
  if (params.oneOf('type', ['account_onboarding', 'account_update']) === null) params.needText('type');
  needUrl(params, 'refresh_url');
  const token = work.secretWord();
  const until = work.now + LINK_SECONDS;
  work.put('accounts', { ...account, link: { token, returnUrl: needUrl(params, 'return_url'), until } });
  const url = `${work.publicBase}/onboarding/${account.id}?token=${token}`;
  return { object: 'account_link', created: work.now, expires_at: until, url };
}

export function createTransfer(work: Work, params: Params): Wire {
  const currency = readCurrency(params);
  const amount = params.positive('amount') ?? params.needInteger('amount');
  const destination = work.need('accounts', params.needText('destination'), 'destination');
  const sourceId = params.text('source_transaction');
  const source = sourceId === null ? null : work.need('charges', sourceId, 'source_transaction');
  if (!destination.onboarded) {
    throw cannot(
      'insufficient_capabilities_for_transfer',
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
    );
  }
  if (source === null) refuseOverdraft(work, amount, currency);
  else spendSource(work, source, amount, currency);
  const transfer = work.put('transfers', {
    id: work.newId('tr'),
    created: work.now,
    amount,
    currency,
    destination: destination.id,
    source: source?.id ?? null,
    group: params.text('transfer_group') ?? source?.group ?? null,
    description: params.text('description'),
    metadata: params.metadata(),
    reversed: 0,
  });
  const wire = transferWire(work, transfer, []);
  work.raise('transfer.created', wire);
  return wire;
}

function refuseOverdraft(work: Work, amount: number, currency: string): void {
  if (amount <= (balances(work).get(currency) ?? 0)) return;
  throw cannot('balance_insufficient', 'You have insufficient available funds in your account for this transfer.');
}

function spendSource(work: Work, source: ChargeRow, amount: number, currency: string): void {
  if (!source.captured) {
    throw cannot('charge_not_captured', `The charge ${source.id} has not been captured.`, {
      param: 'source_transaction',
    });
  }
  if (source.currency !== currency) {
    throw invalid(
      `The currency of source_transaction's balance transaction (${source.currency}) must be the same as the transfer currency (${currency})`,
      'currency',
    );
  }
  if (source.transferred + amount > source.amountCaptured) {
    const [most, used] = [dollars(source.amountCaptured, currency), dollars(source.transferred, currency)];
    const message = `Transfers using this transaction as a source must not exceed the source amount of ${most}. (There are already transfers using this source, amounting to ${used}.)`;
    throw cannot('amount_too_large', message, { param: 'amount' });
  }
  work.put('charges', { ...source, transferred: source.transferred + amount });
}

export function createReversal(work: Work, id: string, params: Params): Wire {
  const transfer = work.need('transfers', id, 'transfer');
  const wanted = params.positive('amount');
  const left = transfer.amount - transfer.reversed;
  const amount = wanted ?? left;
  if (left === 0 || amount > left) {
    const [asked, there] = [dollars(amount, transfer.currency), dollars(left, transfer.currency)];
    const message =
      left === 0
        ? `Transfer ${id} is already fully reversed.`
        : `Reversal amount (${asked}) is greater than unreversed amount on transfer (${there})`;
    throw cannot('amount_too_large', message, { param: 'amount' });
  }
  const { currency } = transfer;
  const reversal = work.put('reversals', {
    id: work.newId('trr'),
    created: work.now,
    transfer: id,
    amount,
    currency,
    metadata: params.metadata(),
  });
  const after = work.put('transfers', { ...transfer, reversed: transfer.reversed + amount });
  if (transfer.source !== null) {
    const source = work.need('charges', transfer.source);
    work.put('charges', { ...source, transferred: source.transferred - amount });
  }
  work.raise('transfer.reversed', transferWire(work, after, [reversal, ...work.draft.tables.reversals.named(id)]));
  return reversalWire(work, reversal);
}

/** What is ours, by currency: captured, less refunded, less transferred, less what a dispute holds or took. */
function balances(work: Work): Map<string, number> {
  const sums = new Map<string, number>();
  const add = (currency: string, amount: number) => sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const { charges, transfers, disputes } = work.draft.tables;
  for (const charge of charges.oldestFirst()) {
    if (charge.captured) add(charge.currency, charge.amountCaptured - charge.refunded);
  }
  for (const transfer of transfers.oldestFirst()) add(transfer.currency, transfer.reversed - transfer.amount);
  for (const dispute of disputes.oldestFirst()) if (dispute.status !== 'won') add(dispute.currency, -dispute.amount);
  return sums;
}

export function readBalance(work: Work): Wire {
  const sums = [...balances(work)];
  const shown = (sums.length === 0 ? [['usd', 0] as const] : sums).map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const none = shown.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available: shown, livemode: work.mode === 'live', pending: none };
}
