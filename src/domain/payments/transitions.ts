// The states of a hold and of a movement of money, and the moves between them. `asked`, `capturing`, `releasing` and
// `sending` are decisions that are committed before the processor is called: whether it was done is found out by calling
// again with the same key.

import type { Transitions } from '../../base/transitions.ts';

export type HoldStatus =
  | 'asked'
  | 'open'
  | 'held'
  | 'capturing'
  | 'captured'
  | 'releasing'
  | 'released'
  | 'returned'
  | 'gone';

/** Holds that are over: nothing of a guest's is held or charged by them, or it is on its way back. */
export const ENDED_HOLD_STATUSES: readonly HoldStatus[] = ['released', 'returned', 'gone'];
export type MovementStatus = 'waiting' | 'sending' | 'done' | 'failed' | 'dropped';

export const HOLD_TRANSITIONS: Transitions<HoldStatus> = {
  asked: ['open', 'held', 'releasing', 'gone'],
  open: ['held', 'releasing', 'gone'],
  held: ['capturing', 'releasing', 'gone'],
  capturing: ['captured', 'releasing'],
  captured: [],
  // Captured: the call of an earlier turn had gone through after all. Returned: nobody wanted that, and it goes back.
  releasing: ['released', 'captured', 'returned'],
  released: [],
  returned: [],
  gone: [],
};

export const MOVEMENT_TRANSITIONS: Transitions<MovementStatus> = {
  waiting: ['sending', 'dropped'],
  sending: ['done', 'failed'],
  done: [],
  // An operator may ask for it again; what a refund makes needless is dropped.
  failed: ['waiting', 'dropped'],
  dropped: [],
};
