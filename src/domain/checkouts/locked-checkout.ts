// A checkout as it stands under its row lock: all that a decision looks at. Decisions are pure functions of this, of what
// is asked, and of the time; they answer with steps (steps.ts) and touch nothing.

import type { Mode } from '../../base/config.ts';
import type { HoldState } from '../payments/hold.ts';
import type { CheckoutStatus, ShareStatus } from './transitions.ts';

export interface ShareState {
  readonly id: string;
  readonly place: number;
  readonly amount: number;
  readonly status: ShareStatus;
  readonly isOrganizer: boolean;
  readonly memberId: string;
  readonly displayName: string | null;
  readonly refundedAmount: number;
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
  /** When pay_by comes on the wall clock, in milliseconds. */
  readonly expiresAt: number;
  readonly payBy: number;
  /** How far a test helper has moved this checkout's own clock ahead, in milliseconds. */
  readonly clockAhead: number;
  readonly description: string;
  readonly offeringExternalId: string | null;
  readonly organizerId: string | null;
  readonly leaseToken: number;
  /** The party as it is now, the organizer first. */
  readonly shares: readonly ShareState[];
  /** Every hold that is not over: neither released, nor returned, nor gone. */
  readonly holds: readonly HoldState[];
}

export function isPayable({ status }: LockedCheckout): boolean {
  return status === 'open' || status === 'collecting';
}

export function isOverdue(checkout: LockedCheckout, now: number): boolean {
  return isPayable(checkout) && checkout.expiresAt <= now;
}

/** The hold that stands for a share; one that only renews it does not yet. */
export function holdOf(checkout: LockedCheckout, shareId: string): HoldState | undefined {
  return checkout.holds.find((hold) => hold.shareId === shareId && hold.renews === null && hold.status !== 'releasing');
}

export function shareOf(checkout: LockedCheckout, shareId: string): ShareState | undefined {
  return checkout.shares.find(({ id }) => id === shareId);
}
