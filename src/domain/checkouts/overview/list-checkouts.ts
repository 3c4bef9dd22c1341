// GET /console/api/checkouts: the venue's checkouts with filters and search, newest first or by what is due next, with counts
// by status. A row is made of the partner's own view. Overdue checkouts are expired first, as in the partner's list.

import type { Checkout, CheckoutRow } from '../../../../schemas/types.gen.ts';
import { csvOf } from '../../../base/csv.ts';
import type { Db } from '../../../base/db.ts';
import { type FieldProblem, invalid } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { isTime } from '../../../base/schema/formats.ts';
import { utc } from '../../../base/schema/normalize.ts';
import { showActors } from '../../accounts/actors.ts';
import type { Caller } from '../../keys/caller.ts';
import { checkoutOfPayout } from '../../payments/payout-queries.ts';
import { expireBatch, expireOne } from '../expire.ts';
import { hasOverdue } from '../expire-queries.ts';
import type { CheckoutStatus } from '../transitions.ts';
import { checkoutRow, keyOf } from './checkout-row.ts';
import {
  type CheckoutFilter,
  checkoutOfShare,
  countByStatus,
  isNarrow,
  type ListedCheckout,
  type ListPart,
  type ListPlace,
  listRows,
  searchedSince,
} from './list-queries.ts';

interface ListRequest {
  readonly filter: CheckoutFilter;
  readonly order: 'due' | 'newest';
  readonly after: { readonly part: ListPart; readonly place: ListPlace } | null;
  readonly limit: number;
}

type Found = ListedCheckout & { readonly part: ListPart };

export async function listConsoleCheckouts(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const request = await withCheckoutId(db, requestOf(caller, input));
  const { filter, limit } = request;
  if (await hasOverdue(db, caller.venue.id, caller.now)) await expireBatch(db, caller, caller.venue.id);
  let found = await readPage(db, caller, request);
  // There may be more overdue checkouts than one sweep expires; those on this page are expired one by one.
  const overdue = found.filter(({ isOverdue }) => isOverdue);
  for (const { id } of overdue) await expireOne(db, caller, caller.venue.id, id);
  if (overdue.length > 0) found = await readPage(db, caller, request);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const searched_since = isNarrow(filter) ? await searchedPart(db, request) : null;
  // A page that found less than it may goes on after the checkouts that it looked through.
  const nextBefore = last === undefined ? searched_since : placeText(last);
  const data = await rowsOf(db, caller, page);
  if (input.asCsv === true) return { status: 200, csv: toCsv(data), nextBefore };
  const counts = await countByStatus(db, filter, caller.now);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { status: 200, body: { data, next_before: nextBefore, counts: { all, ...counts }, searched_since } };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A search for the id of a share or a payout is one for its checkout. */
async function withCheckoutId(db: Db, request: ListRequest): Promise<ListRequest> {
  const { search, venueId } = request.filter;
  const checkoutId = search === null ? null : await checkoutNamedBy(db, venueId, search);
  return checkoutId === null ? request : { ...request, filter: { ...request.filter, search: checkoutId } };
}

async function checkoutNamedBy(db: Db, venueId: string, search: string): Promise<string | null> {
  if (search.startsWith('shr_')) return checkoutOfShare(db, venueId, search);
  return UUID.test(search) ? checkoutOfPayout(db, venueId, search) : null;
}

/** Up to `limit` + 1 rows. By what is due next: the part to be paid, then the rest. */
async function readPage(db: Db, caller: Caller, { filter, order, after, limit }: ListRequest): Promise<Found[]> {
  const read = async (part: ListPart, most: number): Promise<Found[]> => {
    const place = after?.part === part ? after.place : null;
    const rows = await listRows(db, filter, part, place, most, caller.now);
    return rows.map((row) => ({ ...row, part }));
  };
  if (order === 'newest') return read('all', limit + 1);
  const due = after?.part === 'rest' ? [] : await read('due', limit + 1);
  return due.length > limit ? due : [...due, ...(await read('rest', limit + 1 - due.length))];
}

/** Of what is to be paid all are looked through before the rest. */
function searchedPart(db: Db, { filter, order, after }: ListRequest): Promise<string | null> {
  const part = order === 'due' ? 'rest' : 'all';
  return searchedSince(db, filter, part, after?.part === part ? after.place : null);
}

async function rowsOf(db: Db, { venue, seal }: Caller, page: readonly ListedCheckout[]): Promise<CheckoutRow[]> {
  const named = page.flatMap(({ createdBy }) => (createdBy === null ? [] : [{ actor: createdBy }]));
  const actors = await showActors(db, seal, venue.id, named);
  return page.map(({ json, createdBy }) => checkoutRow(JSON.parse(json) as Checkout, keyOf(actors, createdBy)));
}

/** A place among what is due begins with `due`, and names the checkout too. */
function placeText({ part, at, id }: Found): string {
  return part === 'due' ? `due ${at} ${id}` : at;
}

function requestOf({ venue, mode }: Caller, { query }: Input): ListRequest {
  const text = (name: string): string | null => (typeof query[name] === 'string' ? query[name] : null);
  const number = (name: string): number | null => (typeof query[name] === 'number' ? query[name] : null);
  const time = (name: string): string | null => (text(name) === null ? null : utc(text(name) ?? ''));
  const order = query.sort === 'due' ? 'due' : 'newest';
  return {
    filter: {
      venueId: venue.id,
      mode,
      status: text('status') as CheckoutStatus | null,
      search: text('q')?.trim() || null,
      from: time('from'),
      to: time('to'),
      minAmount: number('min_amount'),
      maxAmount: number('max_amount'),
      offering: text('offering'),
      key: text('key'),
    },
    order,
    after: text('before') === null ? null : placeOf(text('before') ?? '', order),
    limit: number('limit') ?? 50,
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

function placeOf(before: string, order: 'due' | 'newest'): ListRequest['after'] {
  const [first = '', at = '', id = ''] = before.split(' ');
  const isDue = order === 'due' && first === 'due';
  const time = isDue ? at : before;
  if (!TIME.test(time) || !isTime(time)) throw invalid([unknownPlace()]);
  if (isDue) return { part: 'due', place: { at, id } };
  return { part: order === 'due' ? 'rest' : 'all', place: { at: time, id: '' } };
}

function unknownPlace(): FieldProblem {
  return {
    code: 'invalid_value',
    field: '/query/before',
    message: 'before must be the next_before of a page with the same sort. Leave it out for the first page.',
    expected: 'the next_before of a page',
    example_fix: '2027-06-12T13:30:00.000000Z',
  };
}

/** One line for each checkout. */
function toCsv(rows: readonly CheckoutRow[]): string {
  const columns = [
    'id',
    'status',
    'external_booking_id',
    'description',
    'starts_at',
    'organizer',
    'party_size',
    'held',
    'failed',
    'amount',
    'held_amount',
    'refunded_amount',
    'currency',
    'pay_by',
    'key',
    'created_at',
    'completed_at',
  ];
  return csvOf(
    columns,
    rows.map((row) => [
      row.id,
      row.status,
      row.external_booking_id,
      row.description,
      row.starts_at,
      row.organizer,
      row.party.size,
      row.party.held + row.party.captured,
      row.party.failed,
      row.amount,
      row.held_amount,
      row.refunded_amount,
      row.currency,
      row.pay_by,
      row.key?.name ?? row.key?.id ?? null,
      row.created_at,
      row.completed_at,
    ]),
  );
}
