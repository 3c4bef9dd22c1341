// GET /v1/payouts: the venue's statement, with one payout for each completed checkout. `from` and `to` choose a period,
// the totals cover the whole period, and a page is JSON or, for a spreadsheet, CSV.

import type { Payout, PayoutTotals } from '../../../../schemas/types.gen.ts';
import { csvOf } from '../../../base/csv.ts';
import type { Queryable } from '../../../base/db.ts';
import { type FieldProblem, invalid } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../../base/page.ts';
import { utc } from '../../../base/schema/normalize.ts';
import type { Caller } from '../../keys/caller.ts';
import { listPayoutRows, type PayoutPeriod, type PayoutRow, payoutTotals } from '../../payments/payout-queries.ts';
import { payoutStatus, transferStatus } from '../../payments/payout-status.ts';
import { bookingIds } from '../queries.ts';

export async function listPayouts(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const page = pageQueryOf(input.query);
  const period = periodOf(caller, input.query);
  const asCsv = input.asCsv === true;
  const [found, sums] = await Promise.all([
    listPayoutRows(db, period, page.before, page.limit),
    asCsv ? null : payoutTotals(db, period),
  ]);
  const { rows, nextBefore } = pageOf(found, page.limit, ({ createdAt }) => createdAt);
  const checkouts = rows.map(({ checkoutId }) => checkoutId);
  const bookings = rows.length === 0 ? null : await bookingIds(db, period.venueId, checkouts);
  const data = rows.map((row) => toPayout(row, bookings?.get(row.checkoutId) ?? ''));
  if (sums === null) return { status: 200, csv: toCsv(data), nextBefore };
  const totals: PayoutTotals = {
    count: sums.count,
    amount: sums.amount,
    fee_amount: sums.feeAmount,
    processor_fee_amount: sums.processorFeeAmount,
    reversed_amount: sums.reversedAmount,
    paid_amount: sums.paidAmount,
    offset_amount: sums.offsetAmount,
    owed_amount: sums.owedAmount,
  };
  return { status: 200, body: { data, next_before: nextBefore, totals } };
}

function periodOf(caller: Caller, query: Readonly<Record<string, unknown>>): PayoutPeriod {
  const from = typeof query.from === 'string' ? utc(query.from) : null;
  const to = typeof query.to === 'string' ? utc(query.to) : null;
  if (from !== null && to !== null && !isBefore(from, to)) throw invalid([periodReversed(from)]);
  return { venueId: caller.venue.id, mode: caller.mode, from, to };
}

/** Compares two UTC times to the microsecond. Their fractions have no trailing zeros and may be missing. */
function isBefore(one: string, other: string): boolean {
  const padded = (text: string): string => text.slice(0, -1).padEnd(20, '.').padEnd(26, '0');
  return padded(one) < padded(other);
}

function periodReversed(from: string): FieldProblem {
  const later = new Date(Math.min(Date.parse(from) + 31 * 86_400_000, Date.UTC(9998, 11, 31)));
  return {
    code: 'not_allowed',
    field: '/query/to',
    message: 'to must be after from.',
    expected: 'a time after from',
    example_fix: later.toISOString(),
  };
}

function toPayout(row: PayoutRow, bookingId: string): Payout {
  const status = payoutStatus(row.transfers);
  return {
    id: row.id,
    object: 'payout',
    mode: row.mode,
    checkout_id: row.checkoutId,
    external_booking_id: bookingId,
    amount: row.amount,
    reversed_amount: row.reversedAmount,
    paid_amount: row.paidAmount,
    offset_amount: row.offsetAmount,
    owed_amount: row.owedAmount,
    fee_amount: row.feeAmount,
    processor_fee_amount: row.processorFeeAmount,
    currency: row.currency as Payout['currency'],
    status,
    transfers: row.transfers.map((transfer) => ({ ...transfer, status: transferStatus(transfer.status) })),
    created_at: row.createdAt,
    paid_at: status === 'paid' ? row.sentAt : null,
  };
}

const COLUMNS = [
  'id',
  'mode',
  'checkout_id',
  'external_booking_id',
  'amount',
  'reversed_amount',
  'paid_amount',
  'offset_amount',
  'owed_amount',
  'fee_amount',
  'processor_fee_amount',
  'currency',
  'status',
  'created_at',
  'paid_at',
] as const satisfies readonly (keyof Payout)[];

/** One line for each payout. The transfers are in the JSON alone. */
function toCsv(payouts: readonly Payout[]): string {
  return csvOf(
    COLUMNS,
    payouts.map((payout) => COLUMNS.map((column) => payout[column])),
  );
}
