// Records what the settlement of a hold has led to, under the row locks of the checkout and the hold. A worker with a
// stale lease token writes nothing.

import type { HoldState } from '../../payments/hold.ts';
import { lockPayoutAccount } from '../../payments/payout-account-queries.ts';
import { lockLease } from '../../payments/queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import type { Decision, PaymentServices } from '../payment-services.ts';
import { lockCheckout } from '../queries.ts';
import type { Step } from '../steps.ts';
import { writeSteps } from '../write-steps.ts';

/** Rolls the transaction back. A commit would wait for the disk, and others meanwhile for the row locks. */
class StaleLease extends Error {}

/** Writes the decided steps, unless the lease token is stale. Returns whether they have funded the checkout. */
export async function recordSteps(
  services: PaymentServices,
  hold: HoldState,
  decide: (checkout: LockedCheckout, now: number) => readonly Step[],
): Promise<boolean> {
  const decideFunded = (checkout: LockedCheckout, now: number): Decision<boolean> => {
    const steps = checkout.holds.some(({ id }) => id === hold.id) ? decide(checkout, now) : [];
    return { steps, result: isFundedBy(steps) };
  };
  return (await decideWithLease(services, hold, decideFunded)) === true;
}

export function isFundedBy(steps: readonly Step[]): boolean {
  return steps.some((step) => step.step === 'transition checkout' && step.to === 'funded');
}

/**
 * Decides and writes under the row locks of checkout and hold. Null: another worker has claimed the hold since.
 * `locksAccount`: no card is charged once it is known that the venue cannot be paid.
 */
export async function decideWithLease<T>(
  services: PaymentServices,
  hold: HoldState,
  decide: (checkout: LockedCheckout, now: number) => Decision<T>,
  locksAccount = false,
): Promise<T | null> {
  const { venueId, checkoutId } = hold;
  const decided = services.db.transaction(async (tx) => {
    if (locksAccount) await lockPayoutAccount(tx, venueId, hold.mode);
    const [checkout, leaseToken] = await Promise.all([
      lockCheckout(tx, venueId, checkoutId),
      lockLease(tx, venueId, hold.id),
    ]);
    if (checkout === null || leaseToken !== hold.leaseToken) throw new StaleLease();
    const now = services.clock.now();
    const { steps, result } = decide(checkout, now);
    await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
    return result;
  });
  return decided.catch((error: unknown) => {
    if (error instanceof StaleLease) return null;
    throw error;
  });
}
