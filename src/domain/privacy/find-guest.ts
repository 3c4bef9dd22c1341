// What is known about one person: found by a phone or a member id, with the members, shares and receipts that belong to it,
// or by a mail address, with the receipts that went there. A mail address is not verified, so it never leads to a member.
// Bookings whose free text has the phone or the mail address belong to the person too.

import type { Queryable } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';
import {
  checkoutsMentioning,
  type GuestShare,
  membersOfParties,
  sharesOfMembers,
} from '../checkouts/guests/privacy-queries.ts';
import { subjectsOf } from '../checkouts/guests/receipt.ts';
import { fingerprintOfAddress, sealNameOf } from '../mail/mail.ts';
import { receiptsOf } from '../mail/privacy-queries.ts';
import { hashOfPhone, openPhone } from '../members/phone.ts';
import { findGuestById, findGuestsByPhone, type StoredGuest } from '../members/privacy-queries.ts';
import { type GuestMarks, makeScrubs } from './scrub-json.ts';
import { type Identifiers, partsOfPhone } from './scrub-text.ts';

/** A phone in E.164 form, a mail address, or the id of a member: one of the operator's own issuer has no phone. */
export type Person = { readonly phone: string } | { readonly mail: string } | { readonly memberId: string };

export interface GuestCheckout {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly checkoutStatus: string;
  readonly bookingId: string;
}

export interface FoundGuest {
  readonly phoneHash: Buffer | null;
  readonly mailHash: Buffer | null;
  readonly members: readonly StoredGuest[];
  readonly shares: readonly GuestShare[];
  /** Those of the shares, and those that mention the person. */
  readonly checkouts: readonly GuestCheckout[];
  /** Of the guest's own receipts. */
  readonly receiptSubjects: readonly string[];
  readonly identifiers: Identifiers;
}

export async function findGuest(db: Queryable, seal: Seal, person: Person): Promise<FoundGuest> {
  if ('mail' in person) {
    const mail = person.mail.toLowerCase();
    const identifiers = { phone: null, mails: [mail], names: [] };
    const mailHash = fingerprintOfAddress(seal, mail);
    const checkouts = await mentions(db, identifiers);
    return { phoneHash: null, mailHash, members: [], shares: [], checkouts, receiptSubjects: [], identifiers };
  }
  const { phone, members } = await findMembers(db, seal, person);
  const shares = await sharesOfMembers(
    db,
    members.map(({ id }) => id),
  );
  const names = [...members.map((member) => member.displayName), ...shares.map((share) => share.displayName)];
  const receiptSubjects = shares.flatMap(({ checkoutId, memberId }) => subjectsOf(checkoutId, memberId));
  const identifiers = {
    phone,
    mails: await addressesOf(db, seal, receiptSubjects),
    names: [...new Set(names.filter((name) => name !== null))],
  };
  const mentioned = await mentions(db, identifiers);
  const byId = new Map([...mentioned, ...shares].map((each) => [`${each.venueId} ${each.checkoutId}`, each]));
  return {
    phoneHash: phone === null ? null : hashOfPhone(seal, phone),
    mailHash: null,
    members,
    shares,
    checkouts: [...byId.values()],
    receiptSubjects,
    identifiers,
  };
}

export const memberIdsOf = ({ members }: FoundGuest): string[] => members.map(({ id }) => id);

/** By which an erasure that has not ended is found again. */
export function hashOfPerson(seal: Seal, person: Person): Buffer {
  if ('mail' in person) return fingerprintOfAddress(seal, person.mail);
  return 'phone' in person ? hashOfPhone(seal, person.phone) : seal.fingerprint(person.memberId, 'member');
}

async function findMembers(
  db: Queryable,
  seal: Seal,
  person: Exclude<Person, { readonly mail: string }>,
): Promise<{ readonly phone: string | null; readonly members: readonly StoredGuest[] }> {
  if ('phone' in person) {
    const members = await findGuestsByPhone(db, hashOfPhone(seal, person.phone));
    return { phone: person.phone, members };
  }
  const member = await findGuestById(db, person.memberId);
  if (member === null) return { phone: null, members: [] };
  const { phone, phoneHash, ...stored } = member;
  if (phone === null || phoneHash === null) return { phone: null, members: [stored] };
  return { phone: openPhone(seal, { phone, phoneHash }), members: await findGuestsByPhone(db, phoneHash) };
}

/** To which the guest had receipts sent. One that opens with no key is left out: its row is deleted as a whole. */
async function addressesOf(db: Queryable, seal: Seal, subjects: readonly string[]): Promise<string[]> {
  const receipts = await receiptsOf(db, null, subjects);
  const addresses = receipts.flatMap(({ id, address }) => seal.tryOpen(address, sealNameOf('address', id)) ?? []);
  return [...new Set(addresses.map((address) => address.toLowerCase()))];
}

async function mentions(db: Queryable, identifiers: Identifiers): Promise<GuestCheckout[]> {
  const { phone, mails } = identifiers;
  if (phone === null && mails.length === 0) return [];
  const found = await checkoutsMentioning(db, mails, phone === null ? null : partsOfPhone(phone).national);
  const { contacts } = makeScrubs(identifiers);
  return found
    .filter(({ text }) => contacts(text) !== text)
    .map(({ venueId, checkoutId, checkoutStatus, bookingId }) => ({ venueId, checkoutId, checkoutStatus, bookingId }));
}

/** What finds the guest in values that no column leads to. */
export interface SweepMarks extends GuestMarks {
  readonly venueIds: readonly string[];
  readonly checkoutIds: readonly string[];
  /** Everyone who was in the parties: texts to them may name the guest. */
  readonly partyMemberIds: readonly string[];
}

export async function marksOf(db: Queryable, found: FoundGuest): Promise<SweepMarks> {
  const { shares, checkouts, identifiers } = found;
  const checkoutIds = checkouts.map(({ checkoutId }) => checkoutId);
  const shareIds = shares.map(({ shareId }) => shareId);
  const ownIds = [...memberIdsOf(found), ...shareIds];
  return {
    identifiers,
    ownIds,
    linkedIds: [...ownIds, ...checkoutIds, ...checkouts.map(({ bookingId }) => bookingId)],
    venueIds: [...new Set(checkouts.map(({ venueId }) => venueId))],
    checkoutIds: [...checkoutIds, ...shareIds],
    partyMemberIds: await membersOfParties(db, shares),
  };
}

/** The marks of an earlier run too: what it erased is known from them alone. */
export function joinMarks(one: SweepMarks, other: SweepMarks): SweepMarks {
  const join = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];
  return {
    identifiers: {
      phone: one.identifiers.phone ?? other.identifiers.phone,
      mails: join(one.identifiers.mails, other.identifiers.mails),
      names: join(one.identifiers.names, other.identifiers.names),
    },
    ownIds: join(one.ownIds, other.ownIds),
    linkedIds: join(one.linkedIds, other.linkedIds),
    venueIds: join(one.venueIds, other.venueIds),
    checkoutIds: join(one.checkoutIds, other.checkoutIds),
    partyMemberIds: join(one.partyMemberIds, other.partyMemberIds),
  };
}
