// `expand`: replaces ids in a response with the objects that they name.

import { toAccount } from './accounts.ts';
import { invalidRequest } from './api-error.ts';
import { findBalanceTransaction } from './balance-transactions.ts';
import { toDispute } from './disputes.ts';
import { type StripeObject, toCharge, toCustomer, toPaymentIntent, toPaymentMethod } from './payment-objects.ts';
import { toRefund } from './refunds.ts';
import type { Transaction } from './transaction.ts';
import { toTransfer } from './transfers.ts';

/** The object with this id, found by the prefix of the id; undefined when there is none. */
function findObject(tx: Transaction, id: string): StripeObject | undefined {
  const render = <R>(row: R | undefined, toObject: (tx: Transaction, row: R) => StripeObject) =>
    row && toObject(tx, row);
  if (id.startsWith('ch_')) return render(tx.find('charges', id), toCharge);
  if (id.startsWith('pi_')) return render(tx.find('intents', id), toPaymentIntent);
  if (id.startsWith('cus_')) return render(tx.find('customers', id), toCustomer);
  if (id.startsWith('pm_')) return render(tx.find('methods', id), toPaymentMethod);
  if (id.startsWith('acct_')) return render(tx.find('accounts', id), toAccount);
  if (id.startsWith('re_')) return render(tx.find('refunds', id), toRefund);
  if (id.startsWith('txn_')) return findBalanceTransaction(tx, id);
  if (id.startsWith('du_')) return render(tx.find('disputes', id), toDispute);
  if (id.startsWith('tr_')) {
    return render(tx.find('transfers', id), (_, row) =>
      toTransfer(tx, row, tx.changes.committed.reversals.findByIndex(id)),
    );
  }
  return undefined;
}

/** Changes `object` in place. A path is `latest_charge`, `data.latest_charge` or `payment_intent.customer`. */
export function expand(tx: Transaction, object: StripeObject, paths: readonly string[]): void {
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.length > 4) throw invalidRequest('You cannot expand more than 4 levels of a property.', 'expand');
    expandPath(tx, object, steps, path);
  }
}

function expandPath(
  tx: Transaction,
  object: StripeObject,
  [step = '', ...rest]: readonly string[],
  path: string,
): void {
  if (!Object.hasOwn(object, step)) {
    if (object.object === 'charge' && step === 'refunds') return;
    throw invalidRequest(`This property cannot be expanded (${path}).`, 'expand');
  }
  const value = object[step];
  if (Array.isArray(value)) {
    for (const item of value as StripeObject[]) if (rest.length > 0) expandPath(tx, item, rest, path);
    return;
  }
  let inner = value;
  if (typeof value === 'string') {
    inner = findObject(tx, value);
    // Destination payments are not stored here, so their ids stay.
    if (inner === undefined) return;
    object[step] = inner;
  }
  if (rest.length > 0 && typeof inner === 'object' && inner !== null) expandPath(tx, inner as StripeObject, rest, path);
}
