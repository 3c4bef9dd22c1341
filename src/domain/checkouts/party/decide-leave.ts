// A person leaves the party: a guest says no or gives up a held place, or the organizer removes a guest. Pure, and made
// under the checkout's row lock. The share is dropped as a change of the party drops one, its holds are released, and an
// open seat with the same amount takes its place, so that the shares still add up. Never once the checkout is funded.

import { applySteps } from '../apply-steps.ts';
import { isOverdue, type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import type { DropReason, Step } from '../steps.ts';
import { dropShares, holdFreeShares } from './decide-party.ts';

export type LeaveRefusal =
  | 'not_found'
  | 'own_share'
  | 'checkout_past_pay_by'
  | 'checkout_not_collecting'
  | 'open_seat'
  | 'share_already_held'
  | 'party_changed';

/** Whether leaving releases a card. */
export type LeaveState = 'held' | 'unpaid';

export interface LeaveRequest {
  readonly shareId: string;
  readonly reason: DropReason;
  /** The share's member stands for an open seat. */
  readonly isSeat: boolean;
  /** False: the caller has only the link of the invite, which is not enough to release a card, or one that its guest is giving. */
  readonly mayReleaseHold: boolean;
  /** What the person was asked about. If it has changed since, they are asked again. Null: either. */
  readonly seen: LeaveState | null;
}

/** The open seat that takes the place of the share. */
export interface NewSeat {
  readonly shareId: string;
  readonly memberId: string;
}

export function decideLeave(
  checkout: LockedCheckout,
  request: LeaveRequest,
  now: number,
  seat: NewSeat,
): { readonly refusal: LeaveRefusal } | { readonly steps: readonly Step[] } {
  const share = shareOf(checkout, request.shareId);
  if (share === undefined) return { refusal: 'not_found' };
  // The party adds up by the organizer's share, and only the organizer can change it.
  if (share.isOrganizer) return { refusal: 'own_share' };
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };
  const state = leaveState(share);
  if (request.isSeat && state === 'unpaid') return { refusal: 'open_seat' };
  const hasCard = checkout.holds.some((hold) => hold.shareId === share.id && hold.status !== 'releasing');
  if ((state === 'held' || hasCard) && !request.mayReleaseHold) return { refusal: 'share_already_held' };
  if (request.seen !== null && request.seen !== state) return { refusal: 'party_changed' };
  const { position, amount } = share;
  const { shareId: id, memberId } = seat;
  const opened = { id, memberId, position, amount, isOrganizer: false, displayName: null };
  const steps: readonly Step[] = [
    ...dropShares(checkout, [share], now, request.reason),
    { step: 'add shares', shares: [opened] },
    { step: 'record event', type: 'checkout.collecting' },
  ];
  return { steps: [...steps, ...holdFreeShares(applySteps(checkout, steps), now)] };
}

/** A share of 0 is held without a card: nothing is released. */
export function leaveState({ status, amount }: Pick<ShareState, 'status' | 'amount'>): LeaveState {
  return amount > 0 && status === 'held' ? 'held' : 'unpaid';
}
