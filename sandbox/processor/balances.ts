// The balances of the platform and of the connected accounts, each derived from the objects that changed it. What was
// captured or transferred is available at once. The platform's balance can go below zero, by fees and disputes.

import { chargeFee, disputeBalance } from './balance-transactions.ts';
import type { StripeObject } from './payment-objects.ts';
import type { Transaction } from './transaction.ts';

/** Amounts by currency. */
export type Balances = ReadonlyMap<string, number>;

/**
 * The platform's money: captured, less fees, less refunded, less transferred, less open and lost disputes, less what it
 * paid out, and what it paid in. Changes of the present transaction are not in it.
 */
export function platformBalances(tx: Transaction): Balances {
  const sums = new Map<string, number>();
  const add = (currency: string, amount: number) => sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const { charges, transfers, disputes, payouts, refunds, topUps } = tx.changes.committed;
  for (const charge of charges.oldestFirst()) {
    const { captured, amountCaptured: amount } = charge;
    if (captured) add(charge.currency, amount - chargeFee(amount) - charge.refunded);
  }
  for (const transfer of transfers.oldestFirst()) add(transfer.currency, transfer.reversed - transfer.amount);
  for (const dispute of disputes.oldestFirst()) add(dispute.currency, disputeBalance(dispute));
  for (const { currency, amount } of payouts.findByIndex('platform')) add(currency, -amount);
  for (const { currency, amount } of topUps.oldestFirst()) add(currency, amount);
  // A refund that waits for funds counts as refunded, and has not left the balance yet.
  for (const { currency, amount, waitsForFunds } of refunds.oldestFirst()) {
    if (waitsForFunds === true) add(currency, amount);
  }
  return sums;
}

/** A connected account's money: transferred to it, less reversed, less what it paid out. */
export function accountBalances(tx: Transaction, account: string): Balances {
  const sums = new Map<string, number>();
  const add = (currency: string, amount: number) => sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const { transfers, payouts } = tx.changes.committed;
  for (const row of transfers.findByIndex(account)) add(row.currency, row.amount - row.reversed);
  for (const { currency, amount } of payouts.findByIndex(account)) add(currency, -amount);
  return sums;
}

export const platformBalance = (tx: Transaction, currency: string): number => platformBalances(tx).get(currency) ?? 0;

export const accountBalance = (tx: Transaction, account: string, currency: string): number =>
  accountBalances(tx, account).get(currency) ?? 0;

export const balancesOf = (tx: Transaction, account: string | null): Balances =>
  account === null ? platformBalances(tx) : accountBalances(tx, account);

export function retrieveBalance(tx: Transaction, account: string | null): StripeObject {
  const sums = [...balancesOf(tx, account)];
  const available = (sums.length === 0 ? [['usd', 0] as const] : sums).map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const pending = available.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available, livemode: tx.mode === 'live', pending };
}
