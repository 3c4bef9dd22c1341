// The states of a checkout and of a share, and the transitions between them.

import type { Transitions } from '../../base/transitions.ts';

export type CheckoutStatus = 'open' | 'collecting' | 'funded' | 'completed' | 'expired' | 'canceled';
export type ShareStatus = 'invited' | 'held' | 'captured' | 'released' | 'refunded' | 'failed';

export const CHECKOUT_TRANSITIONS: Transitions<CheckoutStatus> = {
  open: ['collecting', 'expired', 'canceled'],
  collecting: ['funded', 'expired', 'canceled'],
  // Collecting: a hold was lost before any capture. Canceled: a capture was refused permanently after another succeeded.
  funded: ['collecting', 'completed', 'canceled'],
  completed: [],
  expired: [],
  canceled: [],
};

export const CHECKOUT_STATUSES: readonly string[] = Object.keys(CHECKOUT_TRANSITIONS);

export const SHARE_TRANSITIONS: Transitions<ShareStatus> = {
  invited: ['held', 'failed'],
  // The guest can try another card after a decline.
  failed: ['held'],
  // Failed: the hold was lost.
  held: ['captured', 'released', 'failed'],
  captured: ['refunded'],
  released: [],
  // A lost dispute had paid the refund, and the guest took the dispute back.
  refunded: ['captured'],
};
