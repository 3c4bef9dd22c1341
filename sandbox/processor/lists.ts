// Lists, newest first, a page at a time, and the objects that `expand` puts in the place of their ids.

import type { Table } from './books.ts';
import type { Params } from './form.ts';
import { accountWire, disputeWire, refundWire, transferWire } from './money-shapes.ts';
import { invalid, missing } from './refusal.ts';
import { chargeWire, customerWire, intentWire, methodWire, type Wire } from './shapes.ts';
import type { Work } from './work.ts';

interface Listed {
  readonly id: string;
  readonly created: number;
}

export interface ListRequest<R extends Listed> {
  readonly url: string;
  readonly table: Table<R>;
  /** Only rows under this name of the table's index, when given. */
  readonly named?: string | null;
  readonly where?: (row: R) => boolean;
  readonly wire: (row: R) => Wire;
}

export const listParams = ['limit', 'starting_after', 'created', 'expand'];

export function listRows<R extends Listed>(params: Params, request: ListRequest<R>): Wire {
  const limit = params.integer('limit') ?? 10;
  if (limit < 1 || limit > 100) throw invalid('Invalid limit: must be between 1 and 100.', 'limit');
  const { earliest, latest } = createdWithin(params);
  const data: Wire[] = [];
  let more = false;
  for (const row of candidates(params, request)) {
    // Rows come newest first, so nothing further down can be late enough.
    if (row.created < earliest) break;
    if (row.created > latest || request.where?.(row) === false) continue;
    if (data.length === limit) {
      more = true;
      break;
    }
    data.push(request.wire(row));
  }
  return { object: 'list', data, has_more: more, url: request.url };
}

function candidates<R extends Listed>(params: Params, { table, named }: ListRequest<R>): Iterable<R> {
  const after = params.text('starting_after');
  if (after !== null && table.get(after) === undefined) throw missing('object', after, 'starting_after');
  if (named === undefined || named === null) return table.newestFirst(after ?? undefined);
  const rows = table.named(named);
  return after === null ? rows : rows.slice(rows.findIndex(({ id }) => id === after) + 1);
}

function createdWithin(params: Params): { earliest: number; latest: number } {
  let range: Params | null;
  try {
    range = params.group('created');
  } catch {
    const exact = params.needInteger('created');
    return { earliest: exact, latest: exact };
  }
  const at = (name: string, otherwise: number): number => range?.integer(name) ?? otherwise;
  return {
    earliest: Math.max(at('gte', -Infinity), at('gt', -Infinity) + 1),
    latest: Math.min(at('lte', Infinity), at('lt', Infinity) - 1),
  };
}

/** The object of this id, whatever it is; undefined when there is none. */
function objectOf(work: Work, id: string): Wire | undefined {
  const shown = <R>(row: R | undefined, wire: (work: Work, row: R) => Wire) => row && wire(work, row);
  if (id.startsWith('ch_')) return shown(work.find('charges', id), chargeWire);
  if (id.startsWith('pi_')) return shown(work.find('intents', id), intentWire);
  if (id.startsWith('cus_')) return shown(work.find('customers', id), customerWire);
  if (id.startsWith('pm_')) return shown(work.find('methods', id), methodWire);
  if (id.startsWith('acct_')) return shown(work.find('accounts', id), accountWire);
  if (id.startsWith('re_')) return shown(work.find('refunds', id), refundWire);
  if (id.startsWith('du_')) return shown(work.find('disputes', id), disputeWire);
  if (id.startsWith('tr_')) {
    return shown(work.find('transfers', id), (_, row) =>
      transferWire(work, row, work.draft.tables.reversals.named(id)),
    );
  }
  return undefined;
}

/** Puts objects in the place of their ids: `latest_charge`, `data.latest_charge`, `payment_intent.customer`. */
export function expand(work: Work, wire: Wire, paths: readonly string[]): void {
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.length > 4) throw invalid('You cannot expand more than 4 levels of a property.', 'expand');
    expandPath(work, wire, steps, path);
  }
}

function expandPath(work: Work, wire: Wire, [step = '', ...rest]: readonly string[], path: string): void {
  if (!Object.hasOwn(wire, step)) {
    if (wire.object === 'charge' && step === 'refunds') return;
    throw invalid(`This property cannot be expanded (${path}).`, 'expand');
  }
  const value = wire[step];
  if (Array.isArray(value)) {
    for (const item of value as Wire[]) if (rest.length > 0) expandPath(work, item, rest, path);
    return;
  }
  let inner = value;
  if (typeof value === 'string') {
    inner = objectOf(work, value);
    // A balance transaction or a destination payment exists in name only here: its id stays.
    if (inner === undefined) return;
    wire[step] = inner;
  }
  if (rest.length > 0 && typeof inner === 'object' && inner !== null) expandPath(work, inner as Wire, rest, path);
}
