// A hold as our own books have it: one payment intent at the processor, from the decision to make it to its end.

import type { Mode } from '../../base/config.ts';
import type { HoldMetadata } from './processor.ts';
import type { HoldStatus } from './transitions.ts';

export interface HoldState {
  readonly id: string;
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly mode: Mode;
  readonly status: HoldStatus;
  readonly amount: number;
  readonly currency: string;
  /** The hold whose place it takes before that one lapses. */
  readonly renews: string | null;
  readonly keepsCard: boolean;
  readonly intentId: string | null;
  readonly customerId: string | null;
  readonly paymentMethodId: string | null;
  readonly chargeId: string | null;
  /** In milliseconds; null before it is held. */
  readonly heldAt: number | null;
  /** In milliseconds; null: the processor does not say. */
  readonly captureBefore: number | null;
  /** How often the processor answered "not now" to a capture. */
  readonly captureTries: number;
  /** Counts up each time somebody begins to look at it: whoever began an earlier turn is late and writes nothing. */
  readonly leaseToken: number;
  readonly createdAt: number;
  /** The member who asked for it, and so pays it; null: the share's own person, or a test helper. */
  readonly payerId: string | null;
}

export function holdMetadataOf(hold: HoldState): HoldMetadata {
  return { venueId: hold.venueId, checkoutId: hold.checkoutId, shareId: hold.shareId, holdId: hold.id };
}

/** The keys under which the processor is called: the same for every try, never the same for two things. */
export const callKeys = {
  customer: (holdId: string): string => `customer ${holdId}`,
  open: (holdId: string): string => `open ${holdId}`,
  testCard: (holdId: string, card: string, leaseToken: number): string => `test-card ${holdId} ${card} ${leaseToken}`,
  capture: (hold: Pick<HoldState, 'id' | 'captureTries'>): string => `capture ${hold.id} ${hold.captureTries}`,
  release: (holdId: string): string => `release ${holdId}`,
  movement: (movement: { readonly id: string; readonly refusals: number }): string =>
    `movement ${movement.id} ${movement.refusals}`,
  account: (venueId: string, mode: Mode): string => `account ${venueId} ${mode}`,
} as const;

const HOUR = 3_600_000;

/**
 * When a hold is renewed: a day before it lapses, or half-way through a short life; null when it outlives the checkout's
 * time, or when its card was not kept.
 */
export function renewalTime(
  hold: { readonly keepsCard: boolean },
  heldAt: number,
  captureBefore: number | null,
  expiresAt: number,
): number | null {
  if (!hold.keepsCard || captureBefore === null || captureBefore > expiresAt) return null;
  return captureBefore - Math.min(24 * HOUR, Math.max(0, (captureBefore - heldAt) / 2));
}
