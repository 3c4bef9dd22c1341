// Assigns an open seat of a party to a member: a compare-and-set, under the checkout's row lock.

import type { Queryable } from '../../../base/db.ts';

/** The share passes from the seat's placeholder to the member. Returns 0 if another member has claimed it already. */
export async function assignSeat(
  tx: Queryable,
  venueId: string,
  seat: {
    readonly shareId: string;
    readonly seatId: string;
    readonly memberId: string;
    readonly displayName: string | null;
  },
  invitedAt: number,
): Promise<number> {
  const rows = await tx.query(
    `update shares set member_id = $4, display_name = $5, invited_at = to_timestamp($6 / 1000.0), reminded_at = null
     where venue_id = $1 and share_id = $2 and member_id = $3 and dropped_at is null returning 1`,
    [venueId, seat.shareId, seat.seatId, seat.memberId, seat.displayName, invitedAt],
  );
  return rows.length;
}
