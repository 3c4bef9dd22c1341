// Decisions about the renewal of a hold that would lapse before its checkout expires. Pure. The worker renews it with the
// saved card; when that is refused, the guest can give another card. A renewal that is held replaces the earlier hold. A
// refused renewal never ends the earlier hold, which is still good until it lapses.

import { type HoldState, renewalTime } from '../../payments/hold.ts';
import type { HoldFacts } from '../../payments/processor.ts';
import { isOverdue, type LockedCheckout, shareOf } from '../locked-checkout.ts';
import { matchesRequest } from '../lose-hold.ts';
import type { Step } from '../steps.ts';
import { acceptHold, afterLapse, postponePoll, release } from './hold-steps.ts';

const MINUTE = 60_000;

/** Its cards wait for the rest of the party, or, once it is funded, until its venue can be paid. */
function isWaiting({ status, isVenuePayable }: LockedCheckout): boolean {
  return status === 'collecting' || (status === 'funded' && !isVenuePayable);
}

/** A hold is about to lapse: adds a renewal on the saved card. Null: it cannot be renewed, or not yet. */
export function decideRenewal(
  checkout: LockedCheckout,
  holdId: string,
  now: number,
  newId: () => string,
): { readonly steps: readonly Step[]; readonly renewalId: string } | null {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold?.status !== 'held' || hold.renews !== null || !isWaiting(checkout)) return null;
  if (!hold.savesCard || hold.customerId === null || hold.paymentMethodId === null || hold.captureBefore === null)
    return null;
  const renewAt = renewalTime(hold, hold.heldAt ?? now, hold.captureBefore, checkout.expiresAt);
  if (renewAt === null || renewAt > now || isOverdue(checkout, now)) return null;
  if (checkout.holds.some(({ renews }) => renews === holdId)) return null;
  const renewalId = newId();
  const renewal = {
    id: renewalId,
    shareId: hold.shareId,
    amount: hold.amount,
    renews: hold.id,
    savesCard: true,
    customerId: hold.customerId,
    payerId: hold.payerId,
  };
  return {
    renewalId,
    steps: [
      { step: 'add hold', hold: renewal, dueAt: now + MINUTE },
      postponePoll(hold.id, afterLapse(hold.captureBefore, now)),
    ],
  };
}

/**
 * When to renew again after the card network failed: each time twice as late as before, because card networks charge for
 * repeated attempts. A hold that is renewed a day before it lapses is tried about ten times.
 */
export function nextRenewalAt(checkout: LockedCheckout, hold: HoldState, now: number): number {
  const { heldAt, captureBefore } = hold;
  const begunAt = renewalTime(hold, heldAt ?? now, captureBefore, checkout.expiresAt) ?? now;
  const nextAt = now + Math.max(MINUTE, now - begunAt);
  return captureBefore === null ? nextAt : Math.min(nextAt, afterLapse(captureBefore, now));
}

/** The processor has returned its facts of a renewal. */
export function decideRenewalFromFacts(
  checkout: LockedCheckout,
  renewal: HoldState,
  facts: HoldFacts,
  now: number,
): readonly Step[] {
  const original = checkout.holds.find(({ id }) => id === renewal.renews);
  const isGood = facts.status === 'held' && matchesRequest(renewal, facts);
  if (isGood && original !== undefined && isReplaceable(checkout, original)) {
    return replaceHold(checkout, original, renewal, facts, now);
  }
  const released = release(renewal, now, { intentId: facts.intentId });
  return !isGood && original?.status === 'held' ? [released, keepUntilLapse(original, now)] : [released];
}

/** While captures are decided or done, and after the checkout has ended, the earlier hold is what counts. */
function isReplaceable(checkout: LockedCheckout, original: HoldState): boolean {
  const share = shareOf(checkout, original.shareId);
  return isWaiting(checkout) && share?.status === 'held' && original.status === 'held';
}

function replaceHold(
  checkout: LockedCheckout,
  original: HoldState,
  renewal: HoldState,
  facts: HoldFacts,
  now: number,
): readonly Step[] {
  return [
    release(original, now),
    acceptHold(checkout, renewal, facts, now),
    { step: 'activate renewal', id: renewal.id },
  ];
}

/** The guest's card is held: it replaces the hold whose renewal was refused. Otherwise only the new hold is released. */
export function decideReplacement(
  checkout: LockedCheckout,
  renewal: HoldState,
  facts: HoldFacts,
  now: number,
): readonly Step[] {
  const original = checkout.holds.find(({ id }) => id === renewal.renews);
  const isGood = original !== undefined && isReplaceable(checkout, original) && matchesRequest(renewal, facts);
  return isGood ? replaceHold(checkout, original, renewal, facts, now) : [release(renewal, now)];
}

/** The renewal of a hold that waits for the processor or for a card. */
export function renewalOf(checkout: LockedCheckout, original: HoldState): HoldState | undefined {
  return checkout.holds.find(({ renews, status }) => renews === original.id && status !== 'releasing');
}

/**
 * A renewal was refused: the hold that it should have renewed still holds the money, so it counts until it lapses. It is
 * not renewed again, and is due just after it lapses.
 */
function keepUntilLapse(original: HoldState, now: number): Step {
  const dueAt = original.captureBefore === null ? null : afterLapse(original.captureBefore, now);
  return { step: 'update hold', id: original.id, update: { renewalRefusedAt: now }, dueAt };
}

/** The saved card could not be held again: only the renewal ends. */
export function renewalRefused(
  checkout: LockedCheckout,
  renewal: HoldState,
  code: string,
  now: number,
): readonly Step[] {
  const original = checkout.holds.find(({ id }) => id === renewal.renews);
  return [
    {
      step: 'transition hold',
      id: renewal.id,
      from: 'requested',
      to: 'voided',
      update: { refusal: code },
      dueAt: null,
    },
    ...(original?.status === 'held' ? [keepUntilLapse(original, now)] : []),
  ];
}
