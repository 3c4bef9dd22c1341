// A checkout as a line of the console: the partner's view of it, counted and summed. What the view does not have, the key
// that created it, comes beside it. Pure.

import type { Checkout, CheckoutRow } from '../../../../schemas/types.gen.ts';
import type { ShownActor } from '../../accounts/actors.ts';
import { isOpenDispute } from '../../payments/dispute-queries.ts';

type Key = CheckoutRow['key'];

/** The key that created a checkout; null: a person did, or it is not known. */
export function keyOf(actors: ReadonlyMap<string, ShownActor>, createdBy: string | null): Key {
  const actor = createdBy === null ? undefined : actors.get(createdBy);
  return actor?.type === 'key' && actor.id !== null ? { id: actor.id, name: actor.name } : null;
}

export function checkoutRow(view: Checkout, key: Key): CheckoutRow {
  const count = (status: string): number => view.shares.filter((share) => share.status === status).length;
  const held = view.shares.filter(({ status }) => status === 'held');
  return {
    object: 'checkout_row',
    id: view.id,
    mode: view.mode,
    status: view.status,
    description: view.description,
    starts_at: view.starts_at,
    external_booking_id: view.external_booking_id,
    offering_external_id: view.offering_external_id,
    organizer: view.shares.find(({ is_organizer }) => is_organizer)?.display_name ?? null,
    amount: view.amount,
    currency: view.currency,
    held_amount: held.reduce((sum, { amount }) => sum + amount, 0),
    refunded_amount: view.refunded_amount,
    pay_by: view.pay_by,
    party: {
      size: view.party_size,
      is_chosen: view.shares.length > 0,
      invited: count('invited'),
      held: held.length,
      failed: count('failed'),
      captured: count('captured'),
      released: count('released'),
      refunded: count('refunded'),
    },
    open_disputes: view.disputes.filter(({ status }) => isOpenDispute(status)).length,
    cancellation_reason: view.cancellation_reason,
    key,
    created_at: view.created_at,
    completed_at: view.completed_at,
  };
}
