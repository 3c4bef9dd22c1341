// The money of one checkout, as sums that add up: what guests paid, our fee, what went back to guests, what the venue
// keeps, and how much of that is paid out, all of one moment. Before the checkout completes there is no money, so every figure is 0.

import type { CheckoutMoney } from '../../../../schemas/types.gen.ts';
import { type Db, readSnapshot } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { payoutStatus, transferStatus } from '../../payments/payout-status.ts';
import {
  type CheckoutMoneyRow,
  moneyOfCheckout,
  moneyOfShares,
  type ShareMoney,
  transfersOfCheckouts,
} from '../../payments/statement-queries.ts';
import { feeParts } from '../capture/decide-capture.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { readCheckout } from '../queries.ts';
import { refundableAmount } from '../refunds/decide-refund.ts';

export async function getCheckoutMoney(
  db: Db,
  caller: Caller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  const { id: venueId } = caller.venue;
  const [checkout, money, shares, transfers] = await readSnapshot(db, (tx) =>
    Promise.all([
      readCheckout(tx, venueId, id),
      moneyOfCheckout(tx, venueId, id),
      moneyOfShares(tx, venueId, id),
      transfersOfCheckouts(tx, venueId, [id]),
    ]),
  );
  if (checkout === null || checkout.mode !== caller.mode) throw notFound();
  const payout: CheckoutMoney['payout'] =
    money === null
      ? null
      : {
          id: money.payoutId,
          status: payoutStatus(transfers),
          created_at: money.createdAt,
          sent_at: money.sentAt,
          transfers: transfers.map(({ share_id, amount, status, at }) => ({
            share_id,
            amount,
            status: transferStatus(status),
            at,
          })),
        };
  const body: CheckoutMoney = {
    object: 'checkout_money',
    checkout_id: id,
    currency: checkout.currency as CheckoutMoney['currency'],
    status: checkout.status,
    ...figuresOf(money),
    left_to_refund: money === null ? 0 : refundableAmount(checkout),
    payout,
    shares: sharesOf(checkout, money !== null, shares),
  };
  return { status: 200, body };
}

function figuresOf(money: CheckoutMoneyRow | null) {
  return {
    paid: money?.paid ?? 0,
    fee: money?.fee ?? 0,
    net: (money?.paid ?? 0) - (money?.fee ?? 0),
    refunded: money?.refunded ?? 0,
    lost_to_disputes: money?.lost ?? 0,
    fee_returned: money?.feeReturned ?? 0,
    kept: money?.kept ?? 0,
    failed_refunds: money?.failedRefunds ?? 0,
    paid_out: money?.paidOut ?? 0,
    to_come: money?.toCome ?? 0,
    settled_debts: money?.settledDebts ?? 0,
    owed: money?.owed ?? 0,
  };
}

function sharesOf(
  checkout: LockedCheckout,
  isCompleted: boolean,
  taken: readonly ShareMoney[],
): CheckoutMoney['shares'] {
  // Without a party, or before it completes, there is no fee to divide.
  const fees = isCompleted ? feeParts(checkout) : new Map<string, number>();
  return checkout.shares.map(({ id, displayName, isOrganizer, status, amount }) => {
    const { refunded = 0, lost = 0, feeReturned = 0 } = taken.find(({ shareId }) => shareId === id) ?? {};
    const fee = fees.get(id) ?? 0;
    return {
      share_id: id,
      display_name: displayName,
      is_organizer: isOrganizer,
      status,
      amount,
      fee,
      fee_returned: feeReturned,
      refunded,
      lost,
      kept: isCompleted ? amount - fee - refunded - lost + feeReturned : 0,
    };
  });
}
