// The group that a new checkout proposes to its organizer: that of their last checkout at the venue, if it expired or was
// canceled. A group that failed once is invited again without typing its numbers, and no page shows a number again.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';
import type { Friend } from '../../members/friend-queries.ts';
import { openPhone } from '../../members/phone.ts';
import { findMembers } from '../../members/queries.ts';
import { currentInvites, lastEndedCheckout } from './party-queries.ts';

const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** A person without a name is known by the last digits of the number that the organizer typed. */
const SHOWN_DIGITS = 2;

/** Without the organizer, and without people who left or were removed. */
export interface PreviousParty {
  readonly checkoutId: string;
  readonly people: readonly Friend[];
  /** The people whom the organizer named by phone, by id: they are invited by that phone and name again. */
  readonly phones: ReadonlyMap<string, { readonly phone: string; readonly name: string | null }>;
  readonly openSeats: number;
}

interface Organizer {
  readonly venueId: string;
  readonly mode: Mode;
  readonly memberId: string;
}

/** Null: there is none, its pay_by is more than 30 days ago, it did not end without a charge, or it had no people. */
export async function previousParty(
  db: Queryable,
  seal: Seal,
  organizer: Organizer,
  exceptId: string | null,
  now: number,
): Promise<PreviousParty | null> {
  const last = await lastEndedCheckout(db, organizer, exceptId, now, now - MAX_AGE_MS);
  if (last === null) return null;
  const invites = (await currentInvites(db, organizer.venueId, last.id)).filter(
    ({ memberId }) => memberId !== organizer.memberId,
  );
  const found = await findMembers(
    db,
    invites.map(({ memberId }) => memberId),
  );
  const people: Friend[] = [];
  const phones = new Map<string, { phone: string; name: string | null }>();
  let openSeats = 0;
  for (const { memberId: id, displayName: name, invitedPhoneHash, isAccepted } of invites) {
    const member = found.get(id);
    if (member === undefined) continue;
    if (member.isSeat) {
      openSeats++;
      continue;
    }
    const { phone: sealed, phoneHash } = member;
    const isNamedByPhone = invitedPhoneHash !== null && phoneHash !== null && invitedPhoneHash.equals(phoneHash);
    const phone = isNamedByPhone && sealed !== null ? openPhone(seal, { phone: sealed, phoneHash }) : null;
    if (phone !== null) phones.set(id, { phone, name });
    // Members' own names are seen once they have acted.
    const shown = name ?? (isAccepted ? member.displayName : null);
    people.push({ id, displayName: shown ?? (phone === null ? null : `\u2026${phone.slice(-SHOWN_DIGITS)}`) });
  }
  return people.length === 0 ? null : { checkoutId: last.id, people, phones, openSeats };
}
