// The texts of mails to people who use the console. Names that people typed are shown without links and long numbers.

import { plainName } from '../../base/plain-name.ts';
import type { Mail } from '../mail/mail.ts';
import type { ChallengePurpose } from './queries.ts';
import type { Role } from './roles.ts';

/** What a code that is mailed is for. */
export type CodeUse =
  | { readonly purpose: Exclude<ChallengePurpose, 'link' | 'domain'> }
  | { readonly purpose: 'domain'; readonly what: { readonly domain: string; readonly venue: string } };

function useOf(use: CodeUse): string {
  switch (use.purpose) {
    case 'sign_in':
      return 'sign in to the Everyshare console';
    case 'step_up':
      return 'confirm a change in the Everyshare console';
    case 'email':
      return 'use this mail address for your Everyshare account';
    case 'domain':
      return `confirm that ${use.what.domain} belongs to ${plainName(use.what.venue) ?? 'a venue'} on Everyshare`;
  }
}

export function codeMail(to: string, code: string, use: CodeUse): Mail {
  const lines = [
    `${code} is your code to ${useOf(use)}. It works for 10 minutes.`,
    '',
    'If you did not ask for it, ignore this mail, and give the code to no other person.',
  ];
  return { to, title: `${code} is your Everyshare code`, text: lines.join('\n') };
}

interface Inviter {
  readonly person: string | null;
  readonly venue: string;
  readonly url: string;
}

export function invitationMail(to: string, role: Role, { person, venue, url }: Inviter): Mail {
  const who = (person === null ? null : plainName(person)) ?? 'An owner';
  const where = plainName(venue) ?? 'a venue';
  const lines = [
    `${who} invites you to ${where} on Everyshare, with the role ${role}.`,
    '',
    `Sign in with this mail address within 7 days to accept: ${url}`,
    '',
    'If you do not know what this is about, ignore this mail.',
  ];
  return { to, title: `You are invited to ${where} on Everyshare`, text: lines.join('\n') };
}

interface ChangedPasskey {
  readonly change: 'added' | 'removed';
  readonly name: string;
  readonly url: string;
}

export function passkeyMail(to: string, { change, name, url }: ChangedPasskey): Mail {
  const shown = plainName(name);
  const which = shown === null ? 'A passkey' : `The passkey "${shown}"`;
  const lines = [
    change === 'added'
      ? `${which} was added to your Everyshare account. It signs in to the console without a code.`
      : `${which} was removed from your Everyshare account.`,
    '',
    `If this was not you, sign in at ${url}, end the sessions that you do not know, and remove what was added.`,
  ];
  return { to, title: `A passkey was ${change}`, text: lines.join('\n') };
}

/** The new address is shown only in part: the old mailbox may be another person's by now. */
export function emailChangedMail(to: string, email: string, url: string): Mail {
  const at = email.lastIndexOf('@');
  const lines = [
    `The mail address of your Everyshare account was changed to ${email.slice(0, 1)}…${email.slice(at)}.`,
    'From now on the account is signed in to with that address. Passkeys of the account work as before.',
    '',
    `If this was not you, sign in with a passkey at ${url}, or tell the owner of your venue or the operator of this service.`,
  ];
  return { to, title: 'Your mail address was changed', text: lines.join('\n') };
}
