// What the history of a checkout reads of the checkout itself and of everyone who was ever in its party.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import { shareName } from '../share-name.ts';

export interface PastCheckout {
  readonly createdBy: string | null;
  readonly amount: number;
  readonly cancellationReason: string | null;
}

export async function findPastCheckout(
  db: Queryable,
  venueId: string,
  mode: Mode,
  id: string,
): Promise<PastCheckout | null> {
  const rows = await db.query<PastCheckout>(
    `select created_by as "createdBy", amount, cancellation_reason as "cancellationReason" from checkouts
     where venue_id = $1 and checkout_id = $2 and mode = $3`,
    [venueId, id, mode],
  );
  return rows[0] ?? null;
}

export interface PastShare {
  readonly id: string;
  readonly displayName: string | null;
  readonly amount: number;
  readonly isOrganizer: boolean;
  readonly droppedAt: string | null;
  readonly dropReason: 'declined' | 'removed' | null;
  /** When its hold was lost last. */
  readonly lostAt: string | null;
}

const SHARE = `share_id as "id", ${shareName('shares')} as "displayName", amount, is_organizer as "isOrganizer", position,
  utc_micros(dropped_at) as "droppedAt", drop_reason as "dropReason", utc_micros(lost_at) as "lostAt"`;

/** Those that left the party too. Present and past shares have an index each. */
export async function pastShares(db: Queryable, venueId: string, checkoutId: string): Promise<PastShare[]> {
  return db.query<PastShare>(
    `select ${SHARE} from shares where venue_id = $1 and checkout_id = $2 and dropped_at is null
     union all
     select ${SHARE} from shares where venue_id = $1 and checkout_id = $2 and dropped_at is not null
     order by position, "id" limit 1000`,
    [venueId, checkoutId],
  );
}
