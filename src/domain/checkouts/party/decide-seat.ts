// Decides which open seat a member gets. Pure, and made under the checkout's row lock, so that two members never get
// the same seat. A member who already has a share in the party gets that one: a second tap claims nothing.

import { isOpenSeat, isOverdue, type LockedCheckout, type ShareState } from '../locked-checkout.ts';
import type { Step } from '../steps.ts';

export type SeatRefusal =
  | 'not_found'
  | 'checkout_past_pay_by'
  | 'checkout_not_collecting'
  | 'seat_taken'
  | 'no_free_seat';

export interface SeatRequest {
  readonly memberId: string;
  readonly displayName: string | null;
  /** Null: any free seat. */
  readonly shareId: string | null;
  /** The ids of members that stand for an open seat. */
  readonly seats: ReadonlySet<string>;
}

/** A payer who opened the card form this long ago without giving a card no longer blocks the seat. */
const ABANDONED_MS = 15 * 60_000;

export function decideSeat(
  checkout: LockedCheckout,
  request: SeatRequest,
  now: number,
): { readonly refusal: SeatRefusal } | { readonly shareId: string; readonly steps: readonly Step[] } {
  const own = checkout.shares.find(({ memberId }) => memberId === request.memberId);
  if (own !== undefined) return { shareId: own.id, steps: [] };
  const candidates = checkout.shares.filter(({ id }) => request.shareId === null || id === request.shareId);
  if (request.shareId !== null && candidates.length === 0) return { refusal: 'not_found' };
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };
  const free = candidates.find((share) => isOpenSeat(checkout, share, request.seats) && isFree(checkout, share, now));
  if (free === undefined) return { refusal: request.shareId === null ? 'no_free_seat' : 'seat_taken' };
  const { memberId, displayName } = request;
  return {
    shareId: free.id,
    steps: [
      ...releaseAbandoned(checkout, free, now),
      { step: 'claim seat', shareId: free.id, seatId: free.memberId, memberId, displayName },
    ],
  };
}

/** Whether no payer has the seat: the organizer may be covering an open seat, which then is not free. */
function isFree(checkout: LockedCheckout, share: ShareState, now: number): boolean {
  const live = checkout.holds.filter(({ shareId, status }) => shareId === share.id && status !== 'releasing');
  return live.every(({ status, createdAt }) => status === 'open' && now - createdAt > ABANDONED_MS);
}

function releaseAbandoned(checkout: LockedCheckout, share: ShareState, now: number): readonly Step[] {
  const open = checkout.holds.filter(({ shareId, status }) => shareId === share.id && status === 'open');
  return open.map(({ id }): Step => ({ step: 'transition hold', id, from: 'open', to: 'releasing', dueAt: now }));
}
