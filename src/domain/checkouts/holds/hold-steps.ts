// The steps that decisions about a hold share: accept it, release it, and when to look at it again. Pure.

import { type HoldState, renewalTime } from '../../payments/hold.ts';
import type { HoldFacts } from '../../payments/processor.ts';
import type { HoldUpdate } from '../../payments/queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import type { Step } from '../steps.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const RENEWAL_CHECK_MS = 10 * MINUTE;

export function release(hold: HoldState, now: number, update?: HoldUpdate): Step {
  const step = { step: 'transition hold', id: hold.id, from: hold.status, to: 'releasing', dueAt: now } as const;
  return update === undefined ? step : { ...step, update };
}

export function acceptHold(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): Step {
  return {
    step: 'transition hold',
    id: hold.id,
    from: hold.status,
    to: 'held',
    update: updateFrom(facts),
    dueAt: nextCheckOfHeld(checkout, hold, facts, now),
  };
}

/**
 * A held hold is due again when it must be renewed, or just after it lapses; null: it outlives the checkout. While the
 * checkout is funded, it is not renewed unless the venue cannot be paid: that can change at any time.
 */
export function nextCheckOfHeld(
  checkout: LockedCheckout,
  hold: HoldState,
  facts: Pick<HoldFacts, 'heldAt' | 'captureBefore'>,
  now: number,
): number | null {
  const heldAt = facts.heldAt ?? now;
  const renewAt = renewalTime(hold, heldAt, facts.captureBefore, checkout.expiresAt);
  if (renewAt !== null && renewAt > now) return renewAt;
  const { captureBefore } = facts;
  if (renewAt !== null && checkout.status === 'funded' && captureBefore !== null)
    return Math.min(now + RENEWAL_CHECK_MS, afterLapse(captureBefore, now));
  return captureBefore !== null && captureBefore <= checkout.expiresAt ? afterLapse(captureBefore, now) : null;
}

/** Just after a hold lapses, but not at once if it has. */
export function afterLapse(captureBefore: number, now: number): number {
  return Math.max(captureBefore + SECOND, now + MINUTE);
}

function updateFrom(facts: HoldFacts): HoldUpdate {
  const { intentId, heldAt, captureBefore, chargeId, customerId, paymentMethodId, card } = facts;
  return { intentId, heldAt, captureBefore, chargeId, customerId, paymentMethodId, card, refusal: null };
}

/** So long before its checkout expires an open hold is polled: a card that is held counts, although its event was lost. */
const POLLS_BEFORE_EXPIRY = [30 * SECOND, 2 * SECOND];

/** When to poll an open hold next, in case no processor event arrives: the older the hold, the longer the wait. */
export function nextPollAt(hold: Pick<HoldState, 'createdAt'>, now: number, expiresAt: number): number {
  const age = Math.max(0, now - hold.createdAt);
  const usual = now + Math.min(Math.max(20 * SECOND, age / 2), 30 * MINUTE);
  const beforeExpiry = POLLS_BEFORE_EXPIRY.map((before) => expiresAt - before).find((at) => at > now);
  return beforeExpiry === undefined ? usual : Math.min(usual, beforeExpiry);
}

export function postponePoll(id: string, dueAt: number | null): Step {
  return { step: 'update hold', id, update: {}, dueAt };
}
