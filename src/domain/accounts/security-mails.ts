// Mails about the security of an account, which no person can switch off: a sign-in from a new device, and a role that was
// changed or ended. Queued in the transaction of the change.

import type { Clock } from '../../base/clock.ts';
import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { maskAddress } from '../../base/network.ts';
import { plainName } from '../../base/plain-name.ts';
import type { Seal } from '../../base/seal.ts';
import { DEFAULT_LANGUAGE, formatTime } from '../../base/translations.ts';
import { queueMail } from '../mail/mail.ts';
import type { CurrentSession } from './account.ts';
import type { Role } from './roles.ts';

export interface SecurityMailServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly hasMail: boolean;
  readonly consoleUrl: () => string;
}

export interface RoleChange {
  readonly email: string;
  readonly venue: string;
  /** The name of the person who made the change; null: it has none. */
  readonly by: string | null;
  readonly before: Role;
  /** Null: the person was removed. */
  readonly after: Role | null;
}

export async function queueRoleMail(
  tx: Queryable,
  services: SecurityMailServices,
  { email, venue: venueName, by, before, after }: RoleChange,
): Promise<void> {
  if (!services.hasMail) return;
  const venue = plainName(venueName) ?? 'a venue';
  const who = (by === null ? null : plainName(by)) ?? 'An owner';
  const what =
    after === null
      ? `${who} has removed you from ${venue} on Everyshare. Your role was ${before}.`
      : `${who} has changed your role in ${venue} on Everyshare from ${before} to ${after}.`;
  const lines = [what, '', 'If this is a mistake, ask an owner of the venue.', '', services.consoleUrl()];
  const title = after === null ? `You were removed from ${venue}` : `Your role in ${venue} is now ${after}`;
  await queueMail(tx, services, 'security', `role ${services.ids.uuid()}`, {
    to: email,
    title,
    text: lines.join('\n'),
  });
}

/** One for each session. */
export async function queueNewDeviceMail(
  tx: Queryable,
  services: SecurityMailServices,
  { email, session }: { readonly email: string; readonly session: CurrentSession },
): Promise<void> {
  if (!services.hasMail) return;
  const { id, createdAt, device, address } = session;
  const from = address === null ? '' : `, from the address ${maskAddress(address)}`;
  const lines = [
    `Your Everyshare account was used to sign in on a new device: ${device ?? 'an unknown browser'}${from}, on ${formatTime(DEFAULT_LANGUAGE, createdAt, 'UTC')}.`,
    '',
    'If it was you, there is nothing to do.',
    'If not, another person can read your mails or has your passkey: secure your mailbox, then end the session in the console.',
    '',
    `${services.consoleUrl()}/account`,
  ];
  const title = 'Your Everyshare account was used on a new device';
  await queueMail(tx, services, 'security', `session ${id}`, { to: email, title, text: lines.join('\n') });
}
