// The steps that a decision returns. writeSteps() (write-steps.ts) writes them in order in one transaction. Each
// transition is a compare-and-set: when a row is not in the state that the step names, all is rolled back.

import type { Entry } from '../ledger/accounts.ts';
import type { Division } from '../payments/dispute-queries.ts';
import type { NewMovement } from '../payments/movement-queries.ts';
import type { CapturedHold, HoldUpdate } from '../payments/queries.ts';
import type { HoldStatus, MovementStatus } from '../payments/transitions.ts';
import type { CheckoutStatus, ShareStatus } from './transitions.ts';

export interface NewShare {
  readonly id: string;
  readonly position: number;
  readonly amount: number;
  readonly isOrganizer: boolean;
  readonly memberId: string;
  readonly displayName: string | null;
  /** The phone by which the organizer named the person; absent or null: named by id. */
  readonly invitedPhoneHash?: Buffer | null;
  /** True: the person has acted on an earlier share in this party. */
  readonly isAccepted?: boolean;
}

/** Why a share is dropped, if not by a new choice of the party: its guest said no, or the organizer removed its guest. */
export type DropReason = 'declined' | 'removed';

export interface NewHoldRow {
  readonly id: string;
  readonly shareId: string;
  readonly amount: number;
  readonly renews: string | null;
  readonly savesCard: boolean;
  readonly customerId: string | null;
  readonly payerId: string | null;
}

export type Step =
  | {
      readonly step: 'transition checkout';
      readonly from: CheckoutStatus;
      readonly to: CheckoutStatus;
      readonly reason?: string;
      readonly organizerId?: string;
    }
  | {
      readonly step: 'transition shares';
      readonly ids: readonly string[];
      readonly from: ShareStatus;
      readonly to: ShareStatus;
      readonly heldAt?: number;
    }
  | { readonly step: 'add shares'; readonly shares: readonly NewShare[] }
  | { readonly step: 'drop shares'; readonly ids: readonly string[]; readonly reason?: DropReason }
  | { readonly step: 'rename shares'; readonly names: ReadonlyMap<string, string> }
  | { readonly step: 'reorder shares'; readonly positions: ReadonlyMap<string, number> }
  /** A member takes an open seat of the party. */
  | {
      readonly step: 'claim seat';
      readonly shareId: string;
      readonly seatId: string;
      readonly memberId: string;
      readonly displayName: string | null;
    }
  | { readonly step: 'add hold'; readonly hold: NewHoldRow; readonly dueAt: number }
  | {
      readonly step: 'transition hold';
      readonly id: string;
      readonly from: HoldStatus;
      readonly to: HoldStatus;
      readonly update?: HoldUpdate;
      /** When a worker settles the hold next; null: only on request. */
      readonly dueAt: number | null;
    }
  | { readonly step: 'update hold'; readonly id: string; readonly update: HoldUpdate; readonly dueAt: number | null }
  /** The renewal becomes the share's hold, in place of the one that it renewed. */
  | { readonly step: 'activate renewal'; readonly id: string }
  | { readonly step: 'begin captures'; readonly ids: readonly string[] }
  /** The processor has stored a failure under the keys of these holds: the next calls use others. */
  | { readonly step: 'use next keys'; readonly ids: readonly string[] }
  /** The captures of a whole party in one statement. */
  | {
      readonly step: 'record captures';
      readonly holds: readonly CapturedHold[];
    }
  /** Leases the captures to the caller, which begins them at once: no other worker may claim them before. */
  | { readonly step: 'lease captures'; readonly until: number }
  /** `reason`: why the cards are not charged yet, for operators. */
  | { readonly step: 'schedule retry'; readonly at: number; readonly reason: string }
  | { readonly step: 'add movements'; readonly movements: readonly NewMovement[] }
  | { readonly step: 'open payout'; readonly id: string }
  /** A refund takes a part of a transfer that was not sent yet, or all of it. */
  | { readonly step: 'reduce transfer'; readonly id: string; readonly by: number }
  | { readonly step: 'drop transfer'; readonly id: string; readonly from: MovementStatus; readonly amount: number }
  | { readonly step: 'refund shares'; readonly amounts: ReadonlyMap<string, number> }
  | { readonly step: 'refund checkout'; readonly amount: number }
  /** A lost dispute has given the guest the money of a refund, which will never be sent. */
  | {
      readonly step: 'drop refund';
      readonly id: string;
      readonly from: MovementStatus;
      readonly shareId: string;
      readonly amount: number;
    }
  /** The loss of a dispute, and who bears it. It changes when the processor takes or gives back more. */
  | {
      readonly step: 'divide loss';
      readonly disputeId: string;
      readonly shareId: string;
      /** How much more the share has lost, below zero: less; 0: the charge was not the share's own. */
      readonly lostAmount: number;
      /** Null: the loss was not divided before. */
      readonly before: Division | null;
      readonly next: Division;
    }
  /** A venue owes again what was written off of a reversal. */
  | { readonly step: 'undo write-off'; readonly reversalId: string; readonly amount: number }
  | { readonly step: 'post entries'; readonly entries: readonly Entry[] }
  | {
      readonly step: 'record event';
      readonly type:
        | 'checkout.collecting'
        | 'share.held'
        | 'checkout.funded'
        | 'checkout.completed'
        | 'checkout.expired'
        | 'checkout.canceled'
        | 'refund.created'
        | 'refund.failed';
      readonly refund?: { readonly amount: number; readonly reason: string | null };
    };
