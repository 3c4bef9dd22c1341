// `everyshare guest export`: everything that is stored about one person, as one JSON document. What belongs to others, such
// as the names of friends, is counted and not listed.

import type { Db } from '../../base/db.ts';
import type { Seal, SealedColumn } from '../../base/seal.ts';
import { tryOpenMail } from '../mail/mail.ts';
import { receiptsOf } from '../mail/privacy-queries.ts';
import { connectionsOf, messagesToPhone } from '../members/privacy-queries.ts';
import { findHolds } from '../payments/privacy-queries.ts';
import { findGuest, marksOf, memberIdsOf, type Person } from './find-guest.ts';
import { sweepSealed } from './sweep-sealed.ts';

export interface GuestExport {
  readonly phone: string | null;
  /** The address that was asked for, or those of the guest's receipts. */
  readonly mail_addresses: readonly string[];
  readonly people: readonly unknown[];
  readonly shares: readonly unknown[];
  readonly cards: readonly unknown[];
  readonly texts: readonly unknown[];
  readonly mails: readonly unknown[];
  readonly connections: unknown;
  /** Found by reading: what venue systems delivered, stored answers, failed requests, drafts, texts and mails to others. */
  readonly mentions: readonly unknown[];
  /** Checkouts whose description, metadata, location or addresses may name the guest. */
  readonly bookings: readonly unknown[];
  /** Rows that open with none of the keys of ENCRYPTION_KEY: they may be about the guest. */
  readonly unreadable: readonly string[];
}

export async function exportGuest(
  db: Db,
  seal: Seal,
  person: Person,
  sealedColumns: readonly SealedColumn[],
): Promise<GuestExport> {
  const found = await findGuest(db, seal, person);
  const { phoneHash, mailHash, members, shares, identifiers } = found;
  const sweep = { db, seal, marks: await marksOf(db, found), sealed: sealedColumns };
  const messages = phoneHash === null ? [] : await messagesToPhone(db, phoneHash);
  const mails = await receiptsOf(db, mailHash, found.receiptSubjects);
  const holds = await findHolds(db, shares);
  const mentions: unknown[] = [];
  const own = new Set(messages.map(({ id }) => id));
  const unreadable = await sweepSealed(sweep, async ({ table }, { names }, text) => {
    if (table === 'messages' && own.has(names.message_id ?? '')) return;
    mentions.push({ table, row: names, text });
  });
  return {
    phone: identifiers.phone,
    mail_addresses: identifiers.mails,
    people: members.map(({ id, displayName, language, joinedAt, createdAt, isInvitedPhone }) => ({
      id,
      display_name: displayName,
      language,
      joined_at: joinedAt,
      created_at: createdAt,
      was_only_invited: isInvitedPhone,
    })),
    shares: shares.map((share) => ({
      id: share.shareId,
      checkout: share.checkoutId,
      venue: share.venueId,
      mode: share.mode,
      description: share.description,
      display_name: share.displayName,
      is_organizer: share.isOrganizer,
      amount: share.amount,
      refunded_amount: share.refundedAmount,
      currency: share.currency,
      status: share.status,
      checkout_status: share.checkoutStatus,
      invited_at: share.invitedAt,
      held_at: share.heldAt,
    })),
    cards: holds.map(({ shareId, brand, last4, status, createdAt }) => ({
      share: shareId,
      brand,
      last4,
      status,
      created_at: createdAt,
    })),
    texts: messages.map(({ id, kind, body, status, createdAt }) => ({
      kind,
      text: seal.tryOpen(body, `message ${id}`),
      status,
      created_at: createdAt,
    })),
    mails: mails.map((mail) => ({ ...tryOpenMail(seal, mail), status: mail.status, created_at: mail.createdAt })),
    connections: members.length === 0 ? null : await connectionsOf(db, memberIdsOf(found), phoneHash),
    mentions,
    bookings: found.checkouts.map(({ venueId, checkoutId }) => ({ venue: venueId, checkout: checkoutId })),
    unreadable,
  };
}
