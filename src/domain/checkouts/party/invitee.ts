// What the hosted pages read about a party: the member whom an invite is for, and the members of the party.

import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';
import { openPhone } from '../../members/phone.ts';
import { findMembers } from '../../members/queries.ts';
import { memberOfShare } from '../guests/guest-queries.ts';
import { readCheckout } from '../queries.ts';
import { partyVersion } from './choose-party.ts';

export interface Invitee {
  readonly shareId: string;
  readonly memberId: string;
  readonly displayName: string | null;
  readonly isSeat: boolean;
  /** Lets the page send a sign-in code without asking for the number. Never shown to the visitor. */
  readonly phone: string | null;
  /** The organizer typed the phone. Otherwise not even its last digits are shown, because the organizer has the link too. */
  readonly isNamedByPhone: boolean;
  /** The guest of this invite said no. */
  readonly hasDeclined: boolean;
}

/** Works for a dropped share too: the organizer may have changed the party since the invite. */
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
    displayName: share.displayName,
    isSeat: member?.isSeat === true,
    phone,
    isNamedByPhone: share.isNamedByPhone,
    hasDeclined: share.hasDeclined,
  };
}

export interface PartyMember {
  readonly id: string;
  readonly shareId: string;
  readonly displayName: string | null;
  readonly amount: number;
  readonly isHeld: boolean;
  readonly isOrganizer: boolean;
  /** True: an open seat that no member has claimed yet. */
  readonly isSeat: boolean;
}

export interface CurrentParty {
  /** The organizer first. */
  readonly members: readonly PartyMember[];
  /** Sent back when the organizer changes the party, to detect changes in between. */
  readonly version: string;
}

export async function currentParty(db: Queryable, venueId: string, checkoutId: string): Promise<CurrentParty> {
  const checkout = await readCheckout(db, venueId, checkoutId);
  const shares = checkout?.shares ?? [];
  const members = await findMembers(
    db,
    shares.map(({ memberId }) => memberId),
  );
  const party = shares.map(({ id: shareId, memberId, displayName, amount, status, isOrganizer }) => ({
    id: memberId,
    shareId,
    displayName,
    amount,
    isHeld: status === 'held',
    isOrganizer,
    isSeat: members.get(memberId)?.isSeat === true,
  }));
  return { members: party, version: partyVersion({ shares }) };
}
