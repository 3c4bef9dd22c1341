// The operations on balances, of the platform or of the connected account that the request names: the balance itself, its
// transactions, payouts, and the settings of payouts.

import { retrieveBalanceTransaction } from './balance-transactions.ts';
import { retrieveBalance } from './balances.ts';
import type { Params } from './form-params.ts';
import { LIST_PARAMS, listRows } from './lists.ts';
import type { StripeObject } from './payment-objects.ts';
import { createPayout, requirePayout, toBalanceSettings, toPayout, updateBalanceSettings } from './payouts.ts';
import { createTopUp } from './top-ups.ts';
import type { Transaction } from './transaction.ts';

interface BalanceCall {
  readonly tx: Transaction;
  readonly id: string;
  readonly params: Params;
  readonly account: string | null;
}

interface BalanceOperation {
  readonly name: string;
  readonly route: string;
  readonly params: readonly string[];
  run(call: BalanceCall): StripeObject;
}

export const BALANCE_OPERATIONS: readonly BalanceOperation[] = [
  {
    name: 'balance.retrieve',
    route: 'GET balance',
    params: [],
    run: ({ tx, account }) => retrieveBalance(tx, account),
  },
  {
    name: 'balance_transactions.retrieve',
    route: 'GET balance_transactions/:',
    params: [],
    run: ({ tx, id }) => retrieveBalanceTransaction(tx, id),
  },
  {
    name: 'balance_settings.retrieve',
    route: 'GET balance_settings',
    params: [],
    run: ({ tx, account }) => toBalanceSettings(tx, account),
  },
  {
    name: 'balance_settings.update',
    route: 'POST balance_settings',
    params: ['payments'],
    run: ({ tx, params, account }) => updateBalanceSettings(tx, account, params),
  },
  {
    name: 'topups.create',
    route: 'POST topups',
    params: ['amount', 'currency', 'description', 'metadata', 'source', 'statement_descriptor', 'transfer_group'],
    run: ({ tx, params }) => createTopUp(tx, params),
  },
  {
    name: 'payouts.create',
    route: 'POST payouts',
    params: ['amount', 'currency', 'description', 'metadata', 'method', 'source_type', 'statement_descriptor'],
    run: ({ tx, params, account }) => createPayout(tx, account, params),
  },
  {
    name: 'payouts.retrieve',
    route: 'GET payouts/:',
    params: [],
    run: ({ tx, id, account }) => toPayout(tx, requirePayout(tx, id, account)),
  },
  {
    name: 'payouts.list',
    route: 'GET payouts',
    params: LIST_PARAMS,
    run: ({ tx, params, account }) =>
      listRows(params, {
        url: '/v1/payouts',
        table: tx.changes.committed.payouts,
        indexKey: account ?? 'platform',
        toObject: (row) => toPayout(tx, row),
      }),
  },
];
