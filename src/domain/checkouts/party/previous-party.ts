// The group that a new checkout proposes to its organizer: that of their last checkout at the venue, if it expired or was
// canceled. A group that failed once is invited again without typing its numbers.

import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';
import type { Friend } from '../../members/friend-queries.ts';
import { openPhone } from '../../members/phone.ts';
import { findMembers } from '../../members/queries.ts';
import { readCheckout } from '../queries.ts';
import { lastOrganizedCheckout } from './party-queries.ts';

const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Without the organizer, open seats, and people who left or were removed. */
export interface PreviousParty {
  /** With the name that the last group showed. */
  readonly members: readonly Friend[];
  /** The people whom the organizer named by phone and who never signed in: the organizer typed these numbers. */
  readonly phones: readonly { readonly name: string; readonly phone: string }[];
}

/** Null: there is none, it is older than 30 days, or it did not end without a charge. */
export async function previousParty(
  db: Queryable,
  seal: Seal,
  checkout: { readonly venueId: string; readonly checkoutId: string },
  organizerId: string,
  now: number,
): Promise<PreviousParty | null> {
  const { venueId, checkoutId } = checkout;
  const last = await lastOrganizedCheckout(db, venueId, checkoutId, organizerId);
  if (last === null || last.createdAt < now - MAX_AGE_MS) return null;
  if (last.status !== 'expired' && last.status !== 'canceled') return null;
  const shares = (await readCheckout(db, venueId, last.id))?.shares.filter(({ isOrganizer }) => !isOrganizer) ?? [];
  const found = await findMembers(
    db,
    shares.map(({ memberId }) => memberId),
  );
  const members: Friend[] = [];
  const phones: { name: string; phone: string }[] = [];
  for (const { memberId, displayName } of shares) {
    const member = found.get(memberId);
    if (member === undefined || member.isSeat) continue;
    if (!member.isInvitedPhone) members.push({ id: memberId, displayName });
    else if (member.phone !== null && member.phoneHash !== null)
      phones.push({
        name: displayName ?? '',
        phone: openPhone(seal, { phone: member.phone, phoneHash: member.phoneHash }),
      });
  }
  return members.length + phones.length === 0 ? null : { members, phones };
}
