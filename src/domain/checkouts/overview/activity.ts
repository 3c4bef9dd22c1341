// The latest events of a venue as lines: what happened, what for, and how much. Pure.

import type { Checkout, ConsoleHome } from '../../../../schemas/types.gen.ts';
import type { RecentEvent } from '../../events/queries.ts';

type ActivityLine = ConsoleHome['activity'][number];

export function activityLine({ id, type, at, subject, object, refund }: RecentEvent): ActivityLine {
  const line: ActivityLine = {
    event_id: id,
    type,
    at,
    checkout_id: null,
    title: titleOf(object),
    starts_at: null,
    amount: null,
    currency: null,
    share_id: null,
    display_name: null,
    reason: null,
  };
  if (object.object !== 'checkout') return { ...line, reason: textOf(object.review_note) };
  const checkout = object as unknown as Checkout;
  const { currency, starts_at } = checkout;
  const about = { ...line, checkout_id: subject, currency, starts_at: starts_at ?? null, amount: checkout.amount };
  if (refund !== null) return { ...about, amount: refund.amount, reason: refund.reason };
  if (type === 'checkout.canceled') return { ...about, reason: checkout.cancellation_reason };
  const share = type === 'share.held' ? lastHeld(checkout) : undefined;
  if (share === undefined) return about;
  return { ...about, amount: share.amount, share_id: share.id, display_name: share.display_name };
}

/** The event was recorded when this share turned held, after all others that are. */
function lastHeld({ shares }: Checkout): Checkout['shares'][number] | undefined {
  return shares
    .filter(({ status }) => status === 'held')
    .sort((one, other) => ((one.held_at ?? '') < (other.held_at ?? '') ? 1 : -1))[0];
}

/** A checkout has a description, an offering a title, an endpoint an address. */
function titleOf(object: RecentEvent['object']): string {
  return textOf(object.description) ?? textOf(object.title) ?? textOf(object.url) ?? '';
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
