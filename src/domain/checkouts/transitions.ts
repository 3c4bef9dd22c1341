// The states of a checkout and of a share, and the moves between them.

import type { Transitions } from '../../base/transitions.ts';

export type CheckoutStatus = 'open' | 'collecting' | 'funded' | 'completed' | 'expired' | 'canceled';
export type ShareStatus = 'invited' | 'held' | 'captured' | 'released' | 'refunded' | 'failed';

export const CHECKOUT_TRANSITIONS: Transitions<CheckoutStatus> = {
  open: ['collecting', 'expired', 'canceled'],
  collecting: ['funded', 'expired', 'canceled'],
  // Back to collecting when a hold was lost before any capture; canceled when a capture failed for good after another.
  funded: ['collecting', 'completed', 'canceled'],
  completed: [],
  expired: [],
  canceled: [],
};

export const SHARE_TRANSITIONS: Transitions<ShareStatus> = {
  invited: ['held', 'failed'],
  // A declined card can be tried again.
  failed: ['held'],
  // Failed: the hold was lost.
  held: ['captured', 'released', 'failed'],
  captured: ['refunded'],
  released: [],
  refunded: [],
};
