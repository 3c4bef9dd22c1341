// What the hosted pages ask about a party: whom an invite is for, who is in the party, and what the processor says about a
// share that a browser believes to be paid.

import type { Queryable } from '../../../base/db.ts';
import { notFound, Problem } from '../../../base/errors.ts';
import type { Seal } from '../../../base/seal.ts';
import type { Guest } from '../../members/guest.ts';
import { openPhone } from '../../members/phone.ts';
import { findMembers } from '../../members/queries.ts';
import { settleHoldNow } from '../holds/settle-hold.ts';
import { holdOf, shareOf } from '../locked-checkout.ts';
import type { PaymentServices } from '../payment-services.ts';
import { readCheckout } from '../queries.ts';
import { partyVersion } from './choose-party.ts';
import { memberOfShare } from './invite-queries.ts';

export interface Invitee {
  readonly shareId: string;
  readonly memberId: string;
  readonly displayName: string | null;
  readonly isSeat: boolean;
  /** Where a code can be sent without typing it again; for us alone. */
  readonly phone: string | null;
}

/** Of the share as it is or was: the organizer may have changed the party since. */
export async function inviteeOf(db: Queryable, seal: Seal, venueId: string, shareId: string): Promise<Invitee | null> {
  const share = await memberOfShare(db, venueId, shareId);
  if (share === null) return null;
  const member = (await findMembers(db, [share.memberId])).get(share.memberId);
  const phone =
    member === undefined || member.phone === null || member.phoneHash === null
      ? null
      : openPhone(seal, { phone: member.phone, phoneHash: member.phoneHash });
  return {
    shareId,
    memberId: share.memberId,
    displayName: share.displayName ?? member?.displayName ?? null,
    isSeat: member?.isSeat === true,
    phone,
  };
}

export interface PartyMember {
  readonly id: string;
  readonly displayName: string | null;
  readonly amount: number;
  readonly isHeld: boolean;
  readonly isOrganizer: boolean;
  /** Nobody is named for it yet. */
  readonly isSeat: boolean;
}

export interface CurrentParty {
  /** The organizer first. */
  readonly members: readonly PartyMember[];
  /** What choosing again is compared with. */
  readonly version: string;
}

export async function currentParty(db: Queryable, venueId: string, checkoutId: string): Promise<CurrentParty> {
  const checkout = await readCheckout(db, venueId, checkoutId);
  const shares = checkout?.shares ?? [];
  const people = await findMembers(
    db,
    shares.map(({ memberId }) => memberId),
  );
  const members = shares.map(({ memberId, displayName, amount, status, isOrganizer }) => ({
    id: memberId,
    displayName,
    amount,
    isHeld: status === 'held',
    isOrganizer,
    isSeat: people.get(memberId)?.isSeat === true,
  }));
  return { members, version: partyVersion({ shares }) };
}

/** A browser's word is only a hint: the processor is asked, and what it says is recorded. */
export async function pollShare(
  services: PaymentServices,
  guest: Guest,
  venueId: string,
  checkoutId: string,
  shareId: string,
): Promise<void> {
  const checkout = await readCheckout(services.db, venueId, checkoutId);
  const share = checkout === null ? undefined : shareOf(checkout, shareId);
  if (checkout === null || share === undefined) throw notFound();
  if (share.memberId !== guest.memberId && checkout.organizerId !== guest.memberId)
    throw new Problem('share_not_yours');
  const hold = holdOf(checkout, shareId);
  if (hold?.status === 'open') await settleHoldNow(services, venueId, hold.id);
}
