// An invited member acts on the invite, signed in: reads the checkout, opens its page, pays, or takes a seat. From then on
// the share is the member's and shows the member's name, and the members of the party who have acted are friends. Before
// that nothing connects a phone that the organizer named with the member who has it.

import type { Db, Queryable } from '../../../base/db.ts';
import { addFriends } from '../../members/queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { lockCheckout } from '../queries.ts';
import { acceptedMembers, acceptPendingShare, hasPendingShare } from './accept-queries.ts';

/** Does nothing if no share of this checkout waits for the member. */
export async function acceptInvite(
  db: Db,
  now: number,
  venueId: string,
  checkoutId: string,
  memberId: string,
): Promise<void> {
  if (!(await hasPendingShare(db, venueId, checkoutId, memberId))) return;
  await db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    if (checkout !== null) await acceptUnderLock(tx, checkout, memberId, now);
  });
}

/** Returns the share that the member has accepted just now; null: there was none to accept. */
export async function acceptUnderLock(
  tx: Queryable,
  { venueId, id }: LockedCheckout,
  memberId: string,
  now: number,
): Promise<string | null> {
  const shareId = await acceptPendingShare(tx, venueId, id, memberId, now);
  if (shareId !== null) await addPartyAsFriends(tx, venueId, id, memberId, now);
  return shareId;
}

/** Makes the member a friend of everyone in the party who has acted. */
export async function addPartyAsFriends(
  tx: Queryable,
  venueId: string,
  checkoutId: string,
  memberId: string,
  now: number,
): Promise<void> {
  await addFriends(tx, memberId, await acceptedMembers(tx, venueId, checkoutId), now);
}
