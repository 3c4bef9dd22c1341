// The checkout after its steps are written, with its holds and what is known of each: a later decision needs them, and
// the database is not read in between. Pure.

import { applySteps } from '../checkouts/apply-steps.ts';
import type { LockedCheckout } from '../checkouts/locked-checkout.ts';
import type { Step } from '../checkouts/steps.ts';
import type { HoldState } from '../payments/hold.ts';
import type { HoldUpdate } from '../payments/queries.ts';

export function withHolds(checkout: LockedCheckout, steps: readonly Step[], now: number): LockedCheckout {
  return steps.reduce((current, step) => applySteps(withHold(current, step, now), [step]), checkout);
}

function withHold(checkout: LockedCheckout, step: Step, now: number): LockedCheckout {
  switch (step.step) {
    case 'add hold': {
      const { venueId, id: checkoutId, mode, currency } = checkout;
      const hold: HoldState = {
        ...step.hold,
        venueId,
        checkoutId,
        mode,
        currency,
        status: 'requested',
        intentId: null,
        paymentMethodId: null,
        chargeId: null,
        heldAt: null,
        captureBefore: null,
        renewalRefusedAt: null,
        keyNumber: 0,
        leaseToken: 1,
        createdAt: now,
      };
      return { ...checkout, holds: [...checkout.holds, hold] };
    }
    case 'transition hold':
    case 'update hold': {
      const { id, update } = step;
      return update === undefined
        ? checkout
        : { ...checkout, holds: checkout.holds.map((hold) => updated(hold, id, update)) };
    }
    default:
      return checkout;
  }
}

/** Absent or null members keep their value, as in the database. */
function updated(hold: HoldState, id: string, update: HoldUpdate): HoldState {
  if (hold.id !== id) return hold;
  return {
    ...hold,
    intentId: update.intentId ?? hold.intentId,
    customerId: update.customerId ?? hold.customerId,
    paymentMethodId: update.paymentMethodId ?? hold.paymentMethodId,
    chargeId: update.chargeId ?? hold.chargeId,
    heldAt: update.heldAt ?? hold.heldAt,
    captureBefore: update.captureBefore ?? hold.captureBefore,
  };
}
