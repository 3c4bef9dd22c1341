// GET /console/api/disputes: the charges that guests disputed, newest first, with the booking and what the venue lost.

import type { ListedDispute } from '../../../../schemas/types.gen.ts';
import { csvOf } from '../../../base/csv.ts';
import type { Db } from '../../../base/db.ts';
import { type FieldProblem, invalid } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { isTime } from '../../../base/schema/formats.ts';
import type { Caller } from '../../keys/caller.ts';
import { countDisputes, type DisputeOutcome, listDisputeRows } from '../../payments/dispute-list-queries.ts';
import { bookingsOf, shareNames } from './booking-queries.ts';

export async function listDisputes(db: Db, { venue, mode }: Caller, input: Input): Promise<OperationResult> {
  const { query } = input;
  const limit = typeof query.limit === 'number' ? query.limit : 50;
  const outcome = typeof query.status === 'string' ? (query.status as DisputeOutcome) : null;
  const after = typeof query.before === 'string' ? placeOf(query.before) : null;
  const found = await listDisputeRows(db, venue.id, mode, { outcome, after, limit });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const nextBefore = last === undefined ? null : `${last.openedAt} ${last.id}`;
  const [bookings, names] = await Promise.all([
    bookingsOf(
      db,
      venue.id,
      rows.map(({ checkoutId }) => checkoutId),
    ),
    shareNames(
      db,
      venue.id,
      rows.map(({ shareId }) => shareId),
    ),
  ]);
  const data = rows.map(
    (row): ListedDispute => ({
      object: 'dispute',
      id: row.id,
      checkout_id: row.checkoutId,
      share_id: row.shareId,
      display_name: names.get(row.shareId) ?? null,
      description: bookings.get(row.checkoutId)?.description ?? '',
      external_booking_id: bookings.get(row.checkoutId)?.bookingId ?? '',
      amount: row.amount,
      currency: row.currency,
      status: row.status,
      outcome: row.outcome,
      reason: row.reason,
      opened_at: row.openedAt,
      changed_at: row.changedAt,
      venue_part: row.venuePart,
      fee_part: row.feePart,
    }),
  );
  if (input.asCsv === true) return { status: 200, csv: toCsv(data), nextBefore };
  const counts = await countDisputes(db, venue.id, mode);
  return { status: 200, body: { data, next_before: nextBefore, counts } };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

/** Several disputes can be opened at one time, so a place names the dispute too. */
function placeOf(before: string): { readonly at: string; readonly id: string } {
  const [at = '', id = ''] = before.split(' ');
  if (!TIME.test(at) || !isTime(at)) throw invalid([unknownPlace()]);
  return { at, id };
}

function unknownPlace(): FieldProblem {
  return {
    code: 'invalid_value',
    field: '/query/before',
    message: 'before must be the next_before of the previous page. Leave it out for the first page.',
    expected: 'the next_before of a page',
    example_fix: '2027-06-20T08:00:00.000000Z dp_1PgafTB7WZ01zgkW',
  };
}

const COLUMNS = [
  'id',
  'checkout_id',
  'external_booking_id',
  'description',
  'display_name',
  'amount',
  'currency',
  'status',
  'outcome',
  'reason',
  'opened_at',
  'changed_at',
  'venue_part',
  'fee_part',
] as const satisfies readonly (keyof ListedDispute)[];

function toCsv(disputes: readonly ListedDispute[]): string {
  return csvOf(
    COLUMNS,
    disputes.map((dispute) => COLUMNS.map((column) => dispute[column])),
  );
}
