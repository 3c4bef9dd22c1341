// What a decision answers with: steps, written in their order in one transaction (write.ts). Each move is a compare and
// set: when a row is not where the step says, the whole transaction is undone.

import type { Entry } from '../ledger/accounts.ts';
import type { NewMovement } from '../payments/movement-queries.ts';
import type { HoldUpdate } from '../payments/queries.ts';
import type { HoldStatus } from '../payments/transitions.ts';
import type { CheckoutStatus, ShareStatus } from './transitions.ts';

export interface NewShare {
  readonly id: string;
  readonly place: number;
  readonly amount: number;
  readonly isOrganizer: boolean;
  readonly memberId: string;
  readonly displayName: string | null;
}

export interface NewHoldRow {
  readonly id: string;
  readonly shareId: string;
  readonly amount: number;
  readonly renews: string | null;
  readonly keepsCard: boolean;
  readonly customerId: string | null;
  readonly payerId: string | null;
}

export type NewMovementAlias = NewMovement;

export type { HoldUpdate as HoldNews };

export type Step =
  | {
      readonly step: 'move checkout';
      readonly from: CheckoutStatus;
      readonly to: CheckoutStatus;
      readonly reason?: string;
      readonly organizerId?: string;
    }
  | {
      readonly step: 'move shares';
      readonly ids: readonly string[];
      readonly from: ShareStatus;
      readonly to: ShareStatus;
      readonly heldAt?: number;
    }
  | { readonly step: 'add shares'; readonly shares: readonly NewShare[] }
  | { readonly step: 'drop shares'; readonly ids: readonly string[] }
  | { readonly step: 'reorder shares'; readonly places: ReadonlyMap<string, number> }
  /** Somebody takes a seat that nobody was named for. */
  | {
      readonly step: 'take seat';
      readonly shareId: string;
      readonly seatId: string;
      readonly memberId: string;
      readonly displayName: string | null;
    }
  | { readonly step: 'add hold'; readonly hold: NewHoldRow; readonly dueAt: number }
  | {
      readonly step: 'move hold';
      readonly id: string;
      readonly from: HoldStatus;
      readonly to: HoldStatus;
      readonly news?: HoldUpdate;
      /** When it is looked at next; null: not by itself. */
      readonly dueAt: number | null;
    }
  | { readonly step: 'update hold'; readonly id: string; readonly news: HoldUpdate; readonly dueAt: number | null }
  /** Takes the place of the hold that it renewed. */
  | { readonly step: 'activate renewal'; readonly id: string }
  | { readonly step: 'begin captures'; readonly ids: readonly string[] }
  /** Answered with "not now": the next try takes another key. */
  | { readonly step: 'count capture attempt'; readonly ids: readonly string[] }
  /** A whole party at once. */
  | {
      readonly step: 'holds captured';
      readonly holds: readonly { readonly id: string; readonly from: HoldStatus; readonly chargeId: string | null }[];
    }
  | { readonly step: 'schedule retry'; readonly at: number }
  | { readonly step: 'add movements'; readonly movements: readonly NewMovement[] }
  | { readonly step: 'open payout'; readonly id: string }
  | { readonly step: 'shrink transfer'; readonly id: string; readonly by: number }
  | { readonly step: 'refund shares'; readonly amounts: ReadonlyMap<string, number> }
  | { readonly step: 'refund checkout'; readonly amount: number }
  | { readonly step: 'post'; readonly entries: readonly Entry[] }
  | {
      readonly step: 'record event';
      readonly type:
        | 'checkout.collecting'
        | 'share.held'
        | 'checkout.funded'
        | 'checkout.completed'
        | 'checkout.expired'
        | 'checkout.canceled'
        | 'refund.created';
      readonly refund?: { readonly amount: number; readonly reason: string | null };
    };
