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

export interface OrganizedCheckout {
  readonly id: string;
  readonly status: string;
  /** In milliseconds. */
  readonly createdAt: number;
}

/** The latest checkout of this organizer at the same venue and in the same mode, without `checkoutId` itself. */
export async function lastOrganizedCheckout(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  organizerId: string,
): Promise<OrganizedCheckout | null> {
  const rows = await db.query<OrganizedCheckout>(
    `select c.checkout_id as "id", c.status, (extract(epoch from c.created_at) * 1000)::float8 as "createdAt"
     from checkouts c
     where c.venue_id = $1 and c.organizer_id = $3 and c.checkout_id <> $2
       and c.mode = (select mode from checkouts where venue_id = $1 and checkout_id = $2)
     order by c.created_at desc limit 1`,
    [venueId, checkoutId, organizerId],
  );
  return rows[0] ?? null;
}
