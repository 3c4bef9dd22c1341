// Payouts: money that leaves the balance of the platform or of a connected account for its bank account, when it is asked
// for or once a day. A payout is paid at once. Only the platform's payouts cause events: those of a connected account
// would go to a Connect endpoint.

import { invalidRequest, notFound, operationFailed } from './api-error.ts';
import { balancesOf } from './balances.ts';
import type { Params } from './form-params.ts';
import { readCurrency } from './payment-intents.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { PayoutInterval, PayoutRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export function createPayout(tx: Transaction, account: string | null, params: Params): StripeObject {
  const currency = readCurrency(params);
  const amount = params.positive('amount') ?? params.requireInteger('amount');
  if (amount > (balancesOf(tx, account).get(currency) ?? 0)) {
    throw operationFailed(
      'balance_insufficient',
      'You have insufficient available funds in your account for this payout.',
    );
  }
  const description = params.text('description');
  return toPayout(
    tx,
    putPayout(tx, { account, amount, currency, automatic: false, description, metadata: params.metadata() }),
  );
}

function putPayout(tx: Transaction, payout: Omit<PayoutRow, 'id' | 'created'>): PayoutRow {
  const row = tx.put('payouts', { id: tx.newId('po'), created: tx.now, ...payout });
  if (row.account === null) {
    const object = toPayout(tx, row);
    tx.recordEvent('payout.created', object);
    tx.recordEvent('payout.paid', object);
  }
  return row;
}

/** Pays out everything that a balance has, in each currency. */
export function emptyBalance(tx: Transaction, account: string | null): PayoutRow[] {
  const amounts = [...balancesOf(tx, account)].filter(([, amount]) => amount > 0);
  return amounts.map(([currency, amount]) =>
    putPayout(tx, { account, amount, currency, automatic: true, description: null, metadata: {} }),
  );
}

/** Makes the automatic payouts of the day, once. */
export function payOutDaily(tx: Transaction): void {
  if (!isPayoutDue(tx.changes.find('payoutSettings', 'day')?.day, tx.nowMs)) return;
  tx.put('payoutSettings', { id: 'day', day: dayOf(tx.nowMs) });
  if (intervalOf(tx, null) === 'daily') emptyBalance(tx, null);
  for (const { id } of tx.changes.committed.accounts.oldestFirst()) {
    if (intervalOf(tx, id) === 'daily') emptyBalance(tx, id);
  }
}

/** `day`: the last day whose payouts were made; undefined: no balance was ever paid out automatically. */
export function isPayoutDue(day: number | undefined, nowMs: number): boolean {
  return day !== undefined && day < dayOf(nowMs);
}

const dayOf = (ms: number): number => Math.floor(ms / 86_400_000);

/** At Stripe the default is `daily`. Here it is `manual`, so that a test does not depend on the time of day. */
function intervalOf(tx: Transaction, account: string | null): PayoutInterval {
  const own = tx.find('payoutSettings', account ?? 'platform')?.interval;
  return own ?? (account === null ? 'manual' : (tx.find('payoutSettings', 'accounts')?.interval ?? 'manual'));
}

/** `subject`: an account, `platform`, or `accounts` for every account that has no setting of its own. */
export function setPayoutInterval(tx: Transaction, subject: string, interval: PayoutInterval): void {
  tx.put('payoutSettings', { id: subject, interval });
  // The first automatic payouts are made at the next midnight (UTC).
  if (tx.find('payoutSettings', 'day') === undefined) tx.put('payoutSettings', { id: 'day', day: dayOf(tx.nowMs) });
}

export function updateBalanceSettings(tx: Transaction, account: string | null, params: Params): StripeObject {
  const payouts = params.group('payments')?.group('payouts');
  payouts?.rejectUnknown(new Set(['schedule']));
  const interval = payouts?.group('schedule')?.oneOf('interval', ['daily', 'manual']);
  if (interval === undefined || interval === null) {
    throw invalidRequest('Missing required param: payments[payouts][schedule][interval].', 'payments');
  }
  setPayoutInterval(tx, account ?? 'platform', interval);
  return toBalanceSettings(tx, account);
}

/** That a platform may ask for its own settings, without `Stripe-Account`, is a guess. */
export function toBalanceSettings(tx: Transaction, account: string | null): StripeObject {
  return {
    object: 'balance_settings',
    payments: {
      debit_negative_balances: false,
      payouts: {
        automatic_transfer_rules_by_currency: null,
        minimum_balance_by_currency: null,
        schedule: { interval: intervalOf(tx, account) },
        statement_descriptor: null,
        status: 'enabled',
      },
      settlement_timing: { delay_days: 0, start_of_day: null },
    },
  };
}

/** An account sees only its own payouts. */
export function requirePayout(tx: Transaction, id: string, account: string | null): PayoutRow {
  const row = tx.require('payouts', id, 'payout');
  if (row.account !== account) throw notFound('payout', id, 'payout');
  return row;
}

export function toPayout(context: RenderContext, row: PayoutRow): StripeObject {
  return {
    id: row.id,
    object: 'payout',
    amount: row.amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: row.created,
    automatic: row.automatic,
    balance_transaction: `txn_${row.id.slice(3)}`,
    created: row.created,
    currency: row.currency,
    description: row.description,
    destination: `ba_${row.id.slice(3)}`,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: row.automatic ? 'completed' : 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: 'paid',
    trace_id: null,
    type: 'bank_account',
  };
}
