// The texts of mails to people who use the console.

import type { Mail } from '../mail/mail.ts';
import type { ChallengePurpose } from './queries.ts';

const WHAT: Readonly<Record<ChallengePurpose, string>> = {
  sign_in: 'sign in to the Everyshare console',
  step_up: 'confirm a change in the Everyshare console',
};

export function codeMail(to: string, code: string, purpose: ChallengePurpose): Mail {
  const lines = [
    `${code} is your code to ${WHAT[purpose]}. It works for 10 minutes.`,
    '',
    'If you did not ask for it, ignore this mail, and give the code to no other person.',
  ];
  return { to, title: `${code} is your Everyshare code`, text: lines.join('\n') };
}
