// GET /console/api/payouts/checkouts: the checkouts behind a statement, each as a line that adds up, with its transfers.

import type { PaidCheckout } from '../../../../schemas/types.gen.ts';
import { csvOf } from '../../../base/csv.ts';
import type { Db } from '../../../base/db.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../../base/page.ts';
import type { Caller } from '../../keys/caller.ts';
import { payoutStatus, transferStatus } from '../../payments/payout-status.ts';
import { paidCheckouts, transfersOfCheckouts } from '../../payments/statement-queries.ts';
import { bookingsOf, shareNames } from './booking-queries.ts';
import { figuresOf, statementScope } from './statements.ts';

export async function listPaidCheckouts(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const { id: venueId } = caller.venue;
  const { limit, before } = pageQueryOf(input.query);
  const scope = await statementScope(db, caller, input);
  const found = await paidCheckouts(db, scope, { before, limit });
  const { rows, nextBefore } = pageOf(found, limit, ({ createdAt }) => createdAt);
  const ids = rows.map(({ checkoutId }) => checkoutId);
  const [bookings, transfers] = await Promise.all([
    bookingsOf(db, venueId, ids),
    transfersOfCheckouts(db, venueId, ids),
  ]);
  const shareIds = transfers.map(({ share_id }) => share_id);
  const names = await shareNames(db, venueId, shareIds);
  const data = rows.map((row): PaidCheckout => {
    const booking = bookings.get(row.checkoutId);
    const own = transfers.filter(({ checkoutId }) => checkoutId === row.checkoutId);
    return {
      object: 'paid_checkout',
      checkout_id: row.checkoutId,
      payout_id: row.payoutId,
      description: booking?.description ?? '',
      external_booking_id: booking?.bookingId ?? '',
      currency: row.currency,
      guests: row.guests,
      ...figuresOf(row),
      status: payoutStatus(own),
      completed_at: row.createdAt,
      sent_at: row.sentAt,
      transfers: own.map(({ share_id, amount, status, at }) => ({
        share_id,
        display_name: names.get(share_id) ?? null,
        amount,
        status: transferStatus(status),
        at,
      })),
    };
  });
  if (input.asCsv === true) return { status: 200, csv: toCsv(data), nextBefore };
  return { status: 200, body: { data, next_before: nextBefore } };
}

const COLUMNS = [
  'checkout_id',
  'external_booking_id',
  'description',
  'completed_at',
  'currency',
  'guests',
  'paid',
  'fee',
  'refunded',
  'lost_to_disputes',
  'kept',
  'paid_out',
  'to_come',
  'settled_debts',
  'owed',
  'status',
  'sent_at',
  'payout_id',
] as const satisfies readonly (keyof PaidCheckout)[];

/** The transfers are in the JSON alone. */
function toCsv(lines: readonly PaidCheckout[]): string {
  return csvOf(
    COLUMNS,
    lines.map((line) => COLUMNS.map((column) => line[column])),
  );
}
