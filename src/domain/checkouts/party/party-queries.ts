// The SQL of the party as its organizer chose it.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import { overdueSql } from '../expire-queries.ts';

/** How a person of the current party was named. */
export interface CurrentInvite {
  readonly memberId: string;
  /** The name that was stored with the choice; null: none. */
  readonly displayName: string | null;
  readonly invitedPhoneHash: Buffer | null;
  readonly isAccepted: boolean;
}

export async function currentInvites(tx: Queryable, venueId: string, checkoutId: string): Promise<CurrentInvite[]> {
  return tx.query<CurrentInvite>(
    `select member_id as "memberId", display_name as "displayName", invited_phone_hash as "invitedPhoneHash",
       accepted_at is not null as "isAccepted"
     from shares where venue_id = $1 and checkout_id = $2 and dropped_at is null order by position`,
    [venueId, checkoutId],
  );
}

/** The checkout whose group may be proposed again. */
export interface EndedCheckout {
  readonly id: string;
}

/**
 * The latest checkout of this organizer at the venue, without `exceptId`, if it ended without a charge and its pay_by is not
 * longer ago than `since`. One whose pay_by has passed has ended, also before a worker has expired it.
 */
export async function lastEndedCheckout(
  db: Queryable,
  organizer: { readonly venueId: string; readonly mode: Mode; readonly memberId: string },
  exceptId: string | null,
  now: number,
  since: number,
): Promise<EndedCheckout | null> {
  const rows = await db.query<EndedCheckout>(
    `select id from (
       select checkout_id as id, status, expires_at from checkouts
       where venue_id = $1 and organizer_id = $2 and mode = $3 and checkout_id is distinct from $4
       order by created_at desc limit 1) latest
     where expires_at > to_timestamp($6 / 1000.0)
       and (status in ('expired', 'canceled') or ${overdueSql('$5', 'latest')})`,
    [organizer.venueId, organizer.memberId, organizer.mode, exceptId, now, since],
  );
  return rows[0] ?? null;
}
