// The states of a hold and of a movement of money, and the transitions between them. `requested`, `capturing`, `releasing`
// and `sending` are committed before the processor is called. If the outcome of that call is unknown, the same call
// with the same key reveals it; after a failure that the processor stores, a search does.

import type { Transitions } from '../../base/transitions.ts';

export type HoldStatus =
  | 'requested'
  | 'open'
  | 'held'
  | 'capturing'
  | 'captured'
  | 'releasing'
  | 'released'
  | 'returned'
  | 'voided';

/** Holds that have ended: they hold and charge no guest's money, or its return has begun. */
export const ENDED_HOLD_STATUSES: readonly HoldStatus[] = ['released', 'returned', 'voided'];
/** The guest was charged, so the processor has charged us its fee. */
export const isCharged = (status: HoldStatus): boolean => status === 'captured' || status === 'returned';

export type MovementStatus =
  | 'waiting'
  | 'sending'
  | 'pending'
  | 'frozen'
  | 'done'
  | 'owed'
  | 'failed'
  | 'dropped'
  | 'closed';

export const HOLD_TRANSITIONS: Transitions<HoldStatus> = {
  requested: ['open', 'held', 'releasing', 'voided'],
  open: ['held', 'releasing', 'voided'],
  held: ['capturing', 'releasing', 'voided'],
  capturing: ['captured', 'releasing'],
  captured: [],
  // Captured: an earlier capture call had succeeded after all. Returned: so it had, but no share needs it: it is paid back.
  releasing: ['released', 'captured', 'returned'],
  released: [],
  returned: [],
  voided: [],
};

export const MOVEMENT_TRANSITIONS: Transitions<MovementStatus> = {
  waiting: ['sending', 'dropped'],
  sending: ['pending', 'frozen', 'done', 'owed', 'failed'],
  // A refund that the processor has accepted and not paid yet.
  pending: ['done', 'failed'],
  // A transfer or refund whose charge is disputed. Waiting: the dispute has ended. Dropped: it was lost, or a refund took
  // the rest of the transfer.
  frozen: ['waiting', 'dropped'],
  // Failed: the processor has reported later that a refund did not reach the guest.
  done: ['failed'],
  // A reversal for which the venue's account has no funds. It is never sent again: later transfers settle it.
  owed: [],
  // Waiting: an operator retries it. Dropped: a refund has reduced the transfer to 0, or a lost dispute has given the guest
  // the money of the refund. Closed: an operator has paid the refund or transfer in another way. Owed: an operator gives up
  // a reversal, and the venue owes it.
  failed: ['waiting', 'dropped', 'closed', 'owed'],
  dropped: [],
  closed: [],
};
