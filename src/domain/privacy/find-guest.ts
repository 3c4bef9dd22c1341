// What is known about one person: found by a phone, with the members, shares and receipts that belong to it, or by a mail
// address, with the receipts that went there. A mail address is not verified, so it never leads to a member.

import type { Queryable } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';
import { type GuestShare, sharesOfMembers } from '../checkouts/guests/privacy-queries.ts';
import { subjectsOf } from '../checkouts/guests/receipt.ts';
import { fingerprintOfAddress } from '../mail/mail.ts';
import { hashOfPhone } from '../members/phone.ts';
import { findGuestsByPhone, type StoredGuest } from '../members/privacy-queries.ts';
import type { Identifiers } from './scrub-text.ts';

/** A phone in E.164 form, or a mail address. */
export type Person = { readonly phone: string } | { readonly mail: string };

export interface FoundGuest {
  readonly phoneHash: Buffer | null;
  readonly mailHash: Buffer | null;
  readonly members: readonly StoredGuest[];
  readonly shares: readonly GuestShare[];
  /** Of the guest's own receipts. */
  readonly receiptSubjects: readonly string[];
  readonly identifiers: Identifiers;
}

export async function findGuest(db: Queryable, seal: Seal, person: Person): Promise<FoundGuest> {
  if ('mail' in person) {
    const mail = person.mail.toLowerCase();
    const identifiers = { phone: null, mail, names: [] };
    const mailHash = fingerprintOfAddress(seal, mail);
    return { phoneHash: null, mailHash, members: [], shares: [], receiptSubjects: [], identifiers };
  }
  const phoneHash = hashOfPhone(seal, person.phone);
  const members = await findGuestsByPhone(db, phoneHash);
  const shares = await sharesOfMembers(
    db,
    members.map(({ id }) => id),
  );
  const names = [...members.map((member) => member.displayName), ...shares.map((share) => share.displayName)];
  return {
    phoneHash,
    mailHash: null,
    members,
    shares,
    receiptSubjects: shares.flatMap(({ checkoutId, memberId }) => subjectsOf(checkoutId, memberId)),
    identifiers: { phone: person.phone, mail: null, names: [...new Set(names.filter((name) => name !== null))] },
  };
}

export const memberIdsOf = ({ members }: FoundGuest): string[] => members.map(({ id }) => id);
