// Lists, newest first, a page at a time, and the objects that `expand` puts in the place of their ids.

import { invalidRequest, notFound } from './api-error.ts';
import type { Params } from './form-params.ts';
import { toAccount, toDispute, toRefund, toTransfer } from './other-objects.ts';
import { type StripeObject, toCharge, toCustomer, toPaymentIntent, toPaymentMethod } from './payment-objects.ts';
import type { Table } from './store.ts';
import type { Transaction } from './transaction.ts';

interface ListedRow {
  readonly id: string;
  readonly created: number;
}

export interface ListOptions<R extends ListedRow> {
  readonly url: string;
  readonly table: Table<R>;
  /** Only rows under this name of the table's index, when given. */
  readonly indexKey?: string | null;
  readonly where?: (row: R) => boolean;
  readonly toObject: (row: R) => StripeObject;
}

export const LIST_PARAMS = ['limit', 'starting_after', 'created', 'expand'];

export function listRows<R extends ListedRow>(params: Params, request: ListOptions<R>): StripeObject {
  const limit = params.integer('limit') ?? 10;
  if (limit < 1 || limit > 100) throw invalidRequest('Invalid limit: must be between 1 and 100.', 'limit');
  const { earliest, latest } = readCreatedRange(params);
  const data: StripeObject[] = [];
  let more = false;
  for (const row of rowsToList(params, request)) {
    // Rows come newest first, so nothing further down can be late enough.
    if (row.created < earliest) break;
    if (row.created > latest || request.where?.(row) === false) continue;
    if (data.length === limit) {
      more = true;
      break;
    }
    data.push(request.toObject(row));
  }
  return { object: 'list', data, has_more: more, url: request.url };
}

function rowsToList<R extends ListedRow>(params: Params, { table, indexKey: named }: ListOptions<R>): Iterable<R> {
  const after = params.text('starting_after');
  if (after !== null && table.get(after) === undefined) throw notFound('object', after, 'starting_after');
  if (named === undefined || named === null) return table.newestFirst(after ?? undefined);
  const rows = table.findByIndex(named);
  return after === null ? rows : rows.slice(rows.findIndex(({ id }) => id === after) + 1);
}

function readCreatedRange(params: Params): { earliest: number; latest: number } {
  let range: Params | null;
  try {
    range = params.group('created');
  } catch {
    const exact = params.requireInteger('created');
    return { earliest: exact, latest: exact };
  }
  const at = (name: string, otherwise: number): number => range?.integer(name) ?? otherwise;
  return {
    earliest: Math.max(at('gte', -Infinity), at('gt', -Infinity) + 1),
    latest: Math.min(at('lte', Infinity), at('lt', Infinity) - 1),
  };
}

/** The object of this id, whatever it is; undefined when there is none. */
function findObject(tx: Transaction, id: string): StripeObject | undefined {
  const shown = <R>(row: R | undefined, object: (tx: Transaction, row: R) => StripeObject) => row && object(tx, row);
  if (id.startsWith('ch_')) return shown(tx.find('charges', id), toCharge);
  if (id.startsWith('pi_')) return shown(tx.find('intents', id), toPaymentIntent);
  if (id.startsWith('cus_')) return shown(tx.find('customers', id), toCustomer);
  if (id.startsWith('pm_')) return shown(tx.find('methods', id), toPaymentMethod);
  if (id.startsWith('acct_')) return shown(tx.find('accounts', id), toAccount);
  if (id.startsWith('re_')) return shown(tx.find('refunds', id), toRefund);
  if (id.startsWith('du_')) return shown(tx.find('disputes', id), toDispute);
  if (id.startsWith('tr_')) {
    return shown(tx.find('transfers', id), (_, row) =>
      toTransfer(tx, row, tx.changes.tables.reversals.findByIndex(id)),
    );
  }
  return undefined;
}

/** Puts objects in the place of their ids: `latest_charge`, `data.latest_charge`, `payment_intent.customer`. */
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
    // A balance transaction or a destination payment exists in name only here: its id stays.
    if (inner === undefined) return;
    object[step] = inner;
  }
  if (rest.length > 0 && typeof inner === 'object' && inner !== null) expandPath(tx, inner as StripeObject, rest, path);
}
