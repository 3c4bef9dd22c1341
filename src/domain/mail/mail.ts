// A mail, and how it is queued: in the transaction of its cause, sealed, one for each kind and subject. Plain text: it reads
// the same in every program, and loads nothing from anywhere.

import type { Clock } from '../../base/clock.ts';
import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import { insertMail, type MailKind, type MailRow } from './queries.ts';

export interface Mail {
  readonly to: string;
  readonly title: string;
  readonly text: string;
}

/**
 * The kinds that a caller who does not own the address can cause. The others are not limited: another caller could fill the
 * limit, and so keep the mail about a new device or another role from its reader. Notices have a limit of their own.
 */
const LIMITED: ReadonlySet<MailKind> = new Set<MailKind>(['receipt', 'code', 'invitation']);

/** Returns false when the address has got too many mails of this kind in a day. */
export async function queueMail(
  tx: Queryable,
  services: { readonly ids: Ids; readonly seal: Seal; readonly clock: Clock },
  kind: MailKind,
  subject: string,
  { to, title, text }: Mail,
  { isLimited = LIMITED.has(kind) }: { readonly isLimited?: boolean } = {},
): Promise<boolean> {
  const id = services.ids.uuid();
  const address = services.seal.seal(to, sealNameOf('address', id));
  const content = services.seal.seal(JSON.stringify({ title, text }), sealNameOf('content', id));
  const addressHash = fingerprintOfAddress(services.seal, to);
  return insertMail(tx, { id, kind, subject, address, addressHash, content, isLimited, now: services.clock.now() });
}

/** A domain is the same in any case, and so is nearly every mailbox. */
export function fingerprintOfAddress(seal: Seal, address: string): Buffer {
  return seal.fingerprint(address.toLowerCase(), 'mail address');
}

export function openMail(seal: Seal, { id, address, content }: Pick<MailRow, 'id' | 'address' | 'content'>): Mail {
  const { title, text } = JSON.parse(seal.open(content, sealNameOf('content', id))) as Omit<Mail, 'to'>;
  return { to: seal.open(address, sealNameOf('address', id)), title, text };
}

/** Null: the mail opens with none of the keys. */
export function tryOpenMail(seal: Seal, mail: Parameters<typeof openMail>[1]): Mail | null {
  const isReadable = seal.tryOpen(mail.content, sealNameOf('content', mail.id)) !== null;
  return isReadable ? openMail(seal, mail) : null;
}

export function sealNameOf(what: 'address' | 'content', mailId: string): string {
  return `mail ${what} ${mailId}`;
}
