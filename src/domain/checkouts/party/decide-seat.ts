// Who gets an open seat. Pure, under the checkout's row lock, so that two who come at once never get the same one. Whoever has
// a share in the party already is answered with that one: a second tap takes nothing.

import { isOverdue, type LockedCheckout, type ShareState } from '../locked-checkout.ts';
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
  /** Null: whichever is free. */
  readonly shareId: string | null;
  /** Which members are only seats. */
  readonly seats: ReadonlySet<string>;
}

/** A card form that was opened so long ago, and no card came: whoever comes to sit may sit. */
const ABANDONED_MS = 15 * 60_000;

export function decideSeat(
  checkout: LockedCheckout,
  wish: SeatRequest,
  now: number,
): { readonly refusal: SeatRefusal } | { readonly shareId: string; readonly steps: readonly Step[] } {
  const own = checkout.shares.find(({ memberId }) => memberId === wish.memberId);
  if (own !== undefined) return { shareId: own.id, steps: [] };
  const wanted = checkout.shares.filter(({ id }) => wish.shareId === null || id === wish.shareId);
  if (wish.shareId !== null && wanted.length === 0) return { refusal: 'not_found' };
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };
  const free = wanted.find((share) => isOpenSeat(checkout, share, wish.seats) && isFree(checkout, share, now));
  if (free === undefined) return { refusal: wish.shareId === null ? 'no_free_seat' : 'seat_taken' };
  const { memberId, displayName } = wish;
  return {
    shareId: free.id,
    steps: [
      ...abandoned(checkout, free, now),
      { step: 'take seat', shareId: free.id, seatId: free.memberId, memberId, displayName },
    ],
  };
}

/** Whether guests see a seat as open: no member has it and no card is held for it. The guests' view repeats this in SQL. */
export function isOpenSeat(checkout: LockedCheckout, share: ShareState, seats: ReadonlySet<string>): boolean {
  if (checkout.status !== 'collecting' || !seats.has(share.memberId)) return false;
  return share.amount === 0 || share.status === 'invited' || share.status === 'failed';
}

/** Nobody is paying for it: the organizer may be covering an open seat, and then it is theirs. */
function isFree(checkout: LockedCheckout, share: ShareState, now: number): boolean {
  const live = checkout.holds.filter(({ shareId, status }) => shareId === share.id && status !== 'releasing');
  return live.every(({ status, createdAt }) => status === 'open' && now - createdAt > ABANDONED_MS);
}

function abandoned(checkout: LockedCheckout, share: ShareState, now: number): readonly Step[] {
  const open = checkout.holds.filter(({ shareId, status }) => shareId === share.id && status === 'open');
  return open.map(({ id }): Step => ({ step: 'move hold', id, from: 'open', to: 'releasing', dueAt: now }));
}
