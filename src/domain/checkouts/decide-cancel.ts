// Cancels a checkout that is not funded yet. Pure.

import { endUnfunded } from './end-unfunded.ts';
import { isOverdue, type LockedCheckout } from './locked-checkout.ts';
import type { Step } from './steps.ts';

/** Cancels an open or collecting checkout and releases every hold. A canceled one needs no steps. */
export function decideCancel(
  checkout: LockedCheckout,
  now: number,
): { readonly refusal: 'checkout_not_cancelable' } | { readonly steps: readonly Step[] } {
  if (checkout.status === 'canceled') return { steps: [] };
  if ((checkout.status !== 'open' && checkout.status !== 'collecting') || isOverdue(checkout, now)) {
    return { refusal: 'checkout_not_cancelable' };
  }
  return { steps: endUnfunded(checkout, 'canceled', now) };
}
