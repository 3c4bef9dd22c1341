// Writes the events of a checkout, in the transaction of the change that they report.

import type { Queryable } from '../../base/db.ts';
import { withKeptPlans } from '../../base/kept-plans.ts';

export interface CheckoutEvent {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly eventId: string;
  readonly type: string;
  /** The refund that the event carries beside the checkout. */
  readonly refund: { readonly amount: number; readonly reason: string | null } | null;
  readonly now: number;
}

/** `data.object` is the partner's view of the checkout, with the changes of this transaction so far. */
export async function recordCheckoutEvent(tx: Queryable, event: CheckoutEvent): Promise<void> {
  const refundJson = event.refund === null ? null : `"refund":${JSON.stringify(event.refund)}`;
  const values = [event.venueId, event.checkoutId, event.eventId, event.type, refundJson, event.now];
  await withKeptPlans(tx, () =>
    tx.query('select record_checkout_event($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))', values),
  );
}
