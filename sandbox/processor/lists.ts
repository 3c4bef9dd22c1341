// List operations: rows newest first, one page at a time, filtered by index, creation time and a predicate.

import { invalidRequest, notFound } from './api-error.ts';
import type { Params } from './form-params.ts';
import type { StripeObject } from './payment-objects.ts';
import type { Table } from './store.ts';

interface ListedRow {
  readonly id: string;
  readonly created: number;
}

export interface ListOptions<R extends ListedRow> {
  readonly url: string;
  readonly table: Table<R>;
  /** Lists only the rows under this key of the table's index. */
  readonly indexKey?: string | null;
  readonly where?: (row: R) => boolean;
  readonly toObject: (row: R) => StripeObject;
}

export const LIST_PARAMS = ['limit', 'starting_after', 'created', 'expand'];

export function listRows<R extends ListedRow>(params: Params, options: ListOptions<R>): StripeObject {
  const limit = params.integer('limit') ?? 10;
  if (limit < 1 || limit > 100) throw invalidRequest('Invalid limit: must be between 1 and 100.', 'limit');
  const { earliest, latest } = readCreatedRange(params);
  const data: StripeObject[] = [];
  let hasMore = false;
  for (const row of rowsToList(params, options)) {
    // Rows come newest first, so every later row is older still.
    if (row.created < earliest) break;
    if (row.created > latest || options.where?.(row) === false) continue;
    if (data.length === limit) {
      hasMore = true;
      break;
    }
    data.push(options.toObject(row));
  }
  return { object: 'list', data, has_more: hasMore, url: options.url };
}

function rowsToList<R extends ListedRow>(params: Params, { table, indexKey }: ListOptions<R>): Iterable<R> {
  const after = params.text('starting_after');
  if (after !== null && table.get(after) === undefined) throw notFound('object', after, 'starting_after');
  if (indexKey === undefined || indexKey === null) return table.newestFirst(after ?? undefined);
  const rows = table.findByIndex(indexKey);
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
  const bound = (name: string, unbounded: number): number => range?.integer(name) ?? unbounded;
  return {
    earliest: Math.max(bound('gte', -Infinity), bound('gt', -Infinity) + 1),
    latest: Math.min(bound('lte', Infinity), bound('lt', Infinity) - 1),
  };
}
