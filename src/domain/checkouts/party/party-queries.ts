// The SQL of the party as its organizer chose it.

import type { Queryable } from '../../../base/db.ts';

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
