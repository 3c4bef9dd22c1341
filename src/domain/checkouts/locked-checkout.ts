// A checkout as it is under its row lock: everything that a decision reads. A decision is a pure function of the locked
// checkout, the request or the processor's facts, and the time. It returns steps (steps.ts) and has no effect itself.

import type { Mode } from '../../base/config.ts';
import type { HoldState } from '../payments/hold.ts';
import type { CheckoutStatus, ShareStatus } from './transitions.ts';

export interface ShareState {
  readonly id: string;
  readonly position: number;
  readonly amount: number;
  readonly status: ShareStatus;
  readonly isOrganizer: boolean;
  readonly memberId: string;
  readonly displayName: string | null;
  readonly refundedAmount: number;
  /** Lost to disputes: it cannot be refunded any more. */
  readonly lostAmount: number;
}

export interface LockedCheckout {
  readonly venueId: string;
  readonly id: string;
  readonly mode: Mode;
  readonly status: CheckoutStatus;
  readonly amount: number;
  readonly currency: string;
  readonly feeAmount: number;
  readonly refundedAmount: number;
  readonly partySize: number;
  /** pay_by on the wall clock: pay_by less clockAhead, in milliseconds. */
  readonly expiresAt: number;
  readonly payBy: number;
  /** How far a test helper has moved this checkout's own clock ahead of the wall clock, in milliseconds. */
  readonly clockAhead: number;
  readonly description: string;
  /** When the booking itself starts; null: the partner did not say. */
  readonly startsAt: number | null;
  readonly offeringExternalId: string | null;
  readonly organizerId: string | null;
  readonly leaseToken: number;
  /** Live: the processor can pay the venue, as far as is stored. Without that no guest is charged. Test: always true. */
  readonly isVenuePayable: boolean;
  /** The shares of the current party, the organizer's first. */
  readonly shares: readonly ShareState[];
  /** Every hold that has not ended (released, returned or voided). */
  readonly holds: readonly HoldState[];
}

export function isPayable({ status }: LockedCheckout): boolean {
  return status === 'open' || status === 'collecting';
}

export function isOverdue(checkout: LockedCheckout, now: number): boolean {
  return isPayable(checkout) && checkout.expiresAt <= now;
}

/** Whether a guest still has to pay the share. A share of 0 needs no card. */
export function isUnpaid({ status, amount }: Pick<ShareState, 'status' | 'amount'>): boolean {
  return amount > 0 && (status === 'invited' || status === 'failed');
}

/** Whether guests see a seat as open: no member has it and no card is held for it. The guests' view repeats this in SQL. */
export function isOpenSeat(checkout: LockedCheckout, share: ShareState, seats: ReadonlySet<string>): boolean {
  if (checkout.status !== 'collecting' || !seats.has(share.memberId)) return false;
  return share.amount === 0 || isUnpaid(share);
}

/** Whether the share's amount is part of the checkout's funded amount. A released share is not. */
export function countsAsFunded({ status }: Pick<ShareState, 'status'>): boolean {
  return status === 'held' || status === 'captured' || status === 'refunded';
}

/** What the guests have paid so far. The partner's and the guests' view repeat this in SQL. */
export function fundedAmount({ shares }: Pick<LockedCheckout, 'shares'>): number {
  return shares.filter(countsAsFunded).reduce((sum, { amount }) => sum + amount, 0);
}

/** The share's current hold. A renewal is not, until it is activated; neither is a hold that is being released. */
export function holdOf(checkout: LockedCheckout, shareId: string): HoldState | undefined {
  return checkout.holds.find((hold) => hold.shareId === shareId && hold.renews === null && hold.status !== 'releasing');
}

/**
 * The share's hold, if its renewal was refused: it still counts, and the guest can replace it with another card before
 * it lapses. A hold that is being captured needs no other card.
 */
export function holdToReplace(checkout: LockedCheckout, shareId: string): HoldState | undefined {
  const hold = holdOf(checkout, shareId);
  const isNeeded = checkout.status === 'collecting' && hold?.status === 'held' && hold.renewalRefusedAt !== null;
  return isNeeded ? hold : undefined;
}

export function shareOf(checkout: LockedCheckout, shareId: string): ShareState | undefined {
  return checkout.shares.find(({ id }) => id === shareId);
}
