// Reads what happened to the money of one checkout: its holds, movements and disputes, oldest first. For its history in the
// console; nothing is decided on it.

import type { Queryable } from '../../base/db.ts';
import { IS_LOST } from './dispute-queries.ts';
import type { HoldStatus, MovementStatus } from './transitions.ts';

export interface PastHold {
  readonly id: string;
  readonly shareId: string;
  readonly status: HoldStatus;
  readonly amount: number;
  readonly createdAt: string;
  readonly isHeld: boolean;
  readonly renewalRefusedAt: string | null;
  /** Why the hold, or its renewal, was refused. */
  readonly refusal: string | null;
}

export async function holdsOfCheckout(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  limit: number,
): Promise<PastHold[]> {
  return db.query<PastHold>(
    `select hold_id as "id", share_id as "shareId", status, amount, utc_micros(created_at) as "createdAt",
       held_at is not null as "isHeld", utc_micros(renewal_refused_at) as "renewalRefusedAt", refusal
     from holds where venue_id = $1 and checkout_id = $2 order by created_at, hold_id limit $3`,
    [venueId, checkoutId, limit],
  );
}

export interface PastMovement {
  readonly id: string;
  readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
  readonly shareId: string;
  readonly status: MovementStatus;
  readonly amount: number;
  /** What was sent to the venue, or taken back from it. */
  readonly sentAmount: number;
  readonly owedAmount: number;
  readonly createdAt: string;
  readonly firstDueAt: string;
  readonly doneAt: string | null;
  readonly lastError: string | null;
}

export async function movementsOfCheckout(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  limit: number,
): Promise<PastMovement[]> {
  return db.query<PastMovement>(
    `select movement_id as "id", kind, share_id as "shareId", status, amount, coalesce(sent_amount, amount) as "sentAmount",
       owed_amount as "owedAmount", utc_micros(created_at) as "createdAt", utc_micros(first_due_at) as "firstDueAt",
       utc_micros(done_at) as "doneAt", last_error as "lastError"
     from movements where venue_id = $1 and checkout_id = $2 order by created_at, movement_id limit $3`,
    [venueId, checkoutId, limit],
  );
}

export interface PastDispute {
  readonly id: string;
  readonly shareId: string;
  readonly amount: number;
  readonly status: string;
  /** It has cost money, also where a refund at the card network has prevented it. */
  readonly isLost: boolean;
  readonly reason: string;
  readonly openedAt: string;
  readonly changedAt: string;
}

export async function disputesOfCheckout(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  limit: number,
): Promise<PastDispute[]> {
  return db.query<PastDispute>(
    `select dispute_id as "id", share_id as "shareId", amount, status, ${IS_LOST} as "isLost", reason,
       utc_micros(opened_at) as "openedAt", utc_micros(changed_at) as "changedAt"
     from disputes where venue_id = $1 and checkout_id = $2 order by opened_at, dispute_id limit $3`,
    [venueId, checkoutId, limit],
  );
}
