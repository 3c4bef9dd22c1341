// A hold as we record it: one payment intent at the processor, from the decision to create it to its end. Also the
// idempotency keys of processor calls, and the time of a renewal.

import { createHash } from 'node:crypto';
import type { Mode } from '../../base/config.ts';
import type { AccountOwner, HoldMetadata } from './processor.ts';
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
  /** The hold that this one renews; null: it is no renewal, or has replaced that hold. */
  readonly renews: string | null;
  readonly savesCard: boolean;
  readonly intentId: string | null;
  readonly customerId: string | null;
  readonly paymentMethodId: string | null;
  readonly chargeId: string | null;
  /** In milliseconds; null before it is held. */
  readonly heldAt: number | null;
  /** When the hold lapses, in milliseconds; null: the processor gives no time. */
  readonly captureBefore: number | null;
  /** When its renewal was refused, in milliseconds; null: it was not. The hold counts until it lapses, and is not renewed. */
  readonly renewalRefusedAt: number | null;
  /** Which idempotency keys the next calls use: it increases when the processor has stored a failure under the last. */
  readonly keyNumber: number;
  /** Increases with each claim. A worker with a stale lease token must not write. */
  readonly leaseToken: number;
  readonly createdAt: number;
  /** The member who requested the hold and pays; null: the share's member, or a test helper. */
  readonly payerId: string | null;
}

/**
 * Whether the worker makes this hold with the saved card of the one that it renews, without the guest. A renewal that the
 * guest makes with a card has no customer until the processor has created it. Only for a hold without an intent.
 */
export function usesSavedCard({ renews, customerId, intentId }: HoldState): boolean {
  return renews !== null && intentId === null && customerId !== null;
}

export function holdMetadataOf(hold: HoldState): HoldMetadata {
  return { venueId: hold.venueId, checkoutId: hold.checkoutId, shareId: hold.shareId, holdId: hold.id };
}

type Keyed = Pick<HoldState, 'id' | 'keyNumber'>;

/**
 * The idempotency keys of processor calls: different for different calls, and the same for every retry of a call until
 * the processor has stored a failure under it.
 */
export const callKeys = {
  customer: ({ id, keyNumber }: Keyed): string => `customer ${id} ${keyNumber}`,
  open: ({ id, keyNumber }: Keyed): string => `open ${id} ${keyNumber}`,
  testCard: (holdId: string, card: string, leaseToken: number): string => `test-card ${holdId} ${card} ${leaseToken}`,
  /** Every attempt has its own key: an intent that is confirmed already refuses a second one. */
  savedCard: (holdId: string, paymentMethodId: string, leaseToken: number): string =>
    `saved-card ${holdId} ${paymentMethodId} ${leaseToken}`,
  capture: ({ id, keyNumber }: Keyed): string => `capture ${id} ${keyNumber}`,
  release: ({ id, keyNumber }: Keyed): string => `release ${id} ${keyNumber}`,
  movement: ({ id, keyNumber }: Keyed): string => `movement ${id} ${keyNumber}`,
  /**
   * Name and contact are a part of it: the processor refuses a key with other parameters. So is the number of former
   * accounts: the processor would return the one that is replaced.
   */
  account: (mode: Mode, owner: AccountOwner, formerAccounts: number) => {
    const parameters = JSON.stringify([owner.name, owner.email, owner.country]);
    const hash = createHash('sha256').update(parameters).digest('hex').slice(0, 24);
    return `account v2 ${owner.id} ${mode} ${formerAccounts} ${hash}`;
  },
} as const;

const HOUR = 3_600_000;

/**
 * When to renew a hold: a day before it lapses, or halfway through a short life. Null: it outlives the checkout, its
 * card was not saved, or its renewal was refused already.
 */
export function renewalTime(
  hold: Pick<HoldState, 'savesCard' | 'renewalRefusedAt'>,
  heldAt: number,
  captureBefore: number | null,
  expiresAt: number,
): number | null {
  if (!hold.savesCard || hold.renewalRefusedAt !== null) return null;
  if (captureBefore === null || captureBefore > expiresAt) return null;
  return captureBefore - Math.min(24 * HOUR, Math.max(0, (captureBefore - heldAt) / 2));
}
