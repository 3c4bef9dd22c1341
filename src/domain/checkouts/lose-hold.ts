// What a capture and a poll share about a hold: whether the processor's facts match our request, and the steps that
// follow when the hold was lost. Pure.

import { type HoldState, usesSavedCard } from '../payments/hold.ts';
import type { HoldFacts } from '../payments/processor.ts';
import { type LockedCheckout, shareOf } from './locked-checkout.ts';
import type { Step } from './steps.ts';

/**
 * A hold was lost: the share fails, its guest must pay again, and no guest is charged. Never called once captures have
 * begun. A renewal on the saved card is released too: it could still hold that card beside the card that the guest pays
 * with next. A hold that the guest was about to replace it with becomes the share's own: its confirmation still counts.
 */
export function loseHold(
  checkout: LockedCheckout,
  hold: HoldState,
  to: 'voided' | 'releasing',
  now: number,
): readonly Step[] {
  const steps: Step[] = [
    { step: 'transition hold', id: hold.id, from: 'held', to, dueAt: to === 'voided' ? null : now },
  ];
  for (const renewal of checkout.holds.filter(({ renews }) => renews === hold.id)) {
    const { id, status } = renewal;
    if (status !== 'requested' && status !== 'open') continue;
    steps.push(
      usesSavedCard(renewal)
        ? { step: 'transition hold', id, from: status, to: 'releasing', dueAt: now }
        : { step: 'activate renewal', id },
    );
  }
  const share = shareOf(checkout, hold.shareId);
  if (share?.status !== 'held' || hold.renews !== null) return steps;
  steps.push({ step: 'transition shares', ids: [share.id], from: 'held', to: 'failed' });
  if (checkout.status === 'funded') steps.push({ step: 'transition checkout', from: 'funded', to: 'collecting' });
  if (checkout.status === 'funded' || checkout.status === 'collecting') {
    steps.push({ step: 'record event', type: 'checkout.collecting' });
  }
  return steps;
}

/** Whether amount, currency, mode and metadata are as we requested them. A partial authorization does not match. */
export function matchesRequest(hold: HoldState, facts: HoldFacts): boolean {
  const { metadata } = facts;
  return (
    facts.amount === hold.amount &&
    facts.capturable === hold.amount &&
    facts.currency === hold.currency &&
    facts.mode === hold.mode &&
    facts.intentId === (hold.intentId ?? facts.intentId) &&
    metadata.holdId === hold.id &&
    metadata.shareId === hold.shareId &&
    metadata.checkoutId === hold.checkoutId &&
    metadata.venueId === hold.venueId
  );
}
