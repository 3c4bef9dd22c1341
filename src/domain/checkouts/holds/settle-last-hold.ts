// Settles the hold that a party waits for last, with the decision to capture in the same transaction: the other holds are
// retrieved while this one is. The partner's event about the completed checkout waits for all of it.

import type { HoldState } from '../../payments/hold.ts';
import { type HoldFacts, type Processor, ProcessorUnavailable } from '../../payments/processor.ts';
import { applySteps } from '../apply-steps.ts';
import { CAPTURE_LEASE_MS, verifyParty } from '../capture/capture.ts';
import { beginOnceFunded, hasBegunCapturing, partyHolds } from '../capture/decide-capture.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import type { Decision, PaymentServices } from '../payment-services.ts';
import type { Step } from '../steps.ts';
import { decideWithLease, isFundedBy } from './record-settlement.ts';

/** This was the last hold, and the captures have begun: the caller has their lease and charges the cards. */
export interface BegunCaptures {
  readonly capturing: LockedCheckout;
}

/** What the capture needs to know, asked while the last hold is; null: it asks for itself, once the checkout is funded. */
export async function verifyOthers(
  services: PaymentServices,
  processor: Processor,
  seen: LockedCheckout,
  hold: HoldState,
): Promise<Map<string, HoldFacts> | null> {
  const others = partyHolds(seen).filter(({ id }) => id !== hold.id);
  try {
    return await verifyParty(services, processor, seen, others);
  } catch (error) {
    // The capture asks again, and says why cards are not charged. The hold itself does not depend on this answer.
    if (error instanceof ProcessorUnavailable) return null;
    throw error;
  }
}

/** Records the last hold and, with the facts of the whole party, the decision to capture: one transaction. */
export async function recordAndBegin(
  services: PaymentServices,
  hold: HoldState,
  decide: (checkout: LockedCheckout, now: number) => readonly Step[],
  facts: ReadonlyMap<string, HoldFacts>,
): Promise<boolean | BegunCaptures> {
  const decideBoth = (checkout: LockedCheckout, now: number): Decision<boolean | BegunCaptures> => {
    const funding = decide(checkout, now);
    // Another settlement may have funded the checkout meanwhile: then its captures are not this caller's.
    if (!isFundedBy(funding)) return { steps: funding, result: false };
    const steps = beginOnceFunded(checkout, funding, facts, now, now + CAPTURE_LEASE_MS);
    const next = applySteps(checkout, steps);
    return { steps, result: hasBegunCapturing(next) ? { capturing: next } : true };
  };
  return (await decideWithLease(services, hold, decideBoth, hold.mode === 'live')) ?? false;
}
