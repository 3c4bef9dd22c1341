// What a person does about their own account: its name and mail address, the state of a mail with a code, leaving a venue.

import { getCodeMail } from '../../domain/accounts/code-mail.ts';
import { changeAccountEmail, updateAccount, verifyAccountEmail } from '../../domain/accounts/own-account.ts';
import { leaveVenue } from '../../domain/accounts/people.ts';
import type { AppOperation } from '../app-operation.ts';
import { only, plain } from './shapes.ts';

const CONSOLE = { kind: 'external', audience: 'console', tag: 'Console' } as const;

export const consoleAccount: readonly AppOperation[] = [
  {
    ...CONSOLE,
    id: 'getCodeMail',
    method: 'GET',
    path: '/console/api/codes/{challenge_id}',
    summary: 'Get whether the mail with a code was sent',
    description:
      'For every code: of a sign-in, a step-up, a new mail address. `delayed` when the mail server has not taken the mail within 10 seconds. The same for known and unknown mail addresses.',
    auth: 'open',
    effect: 'read',
    responses: { 200: plain('The state of the mail.', 'code_mail') },
    errors: ['not_found'],
    run: getCodeMail,
  },
  {
    ...CONSOLE,
    id: 'updateAccount',
    method: 'POST',
    path: '/console/api/account',
    summary: 'Change the name of the signed-in person',
    auth: 'account',
    effect: 'write',
    body: only('account_update'),
    responses: { 200: plain('The account with its new name.', 'account') },
    run: updateAccount,
  },
  {
    ...CONSOLE,
    id: 'changeAccountEmail',
    method: 'POST',
    path: '/console/api/account/email',
    summary: 'Ask for a code to change the mail address',
    description: 'The code goes to the new address, and is valid for 10 minutes and 5 tries. At most 5 codes an hour.',
    auth: 'account',
    effect: 'write',
    stepUp: 'always',
    body: only('account_email'),
    responses: { 200: plain('The code is on its way.', 'console_challenge') },
    run: changeAccountEmail,
  },
  {
    ...CONSOLE,
    id: 'verifyAccountEmail',
    method: 'POST',
    path: '/console/api/account/email/verify',
    summary: 'Change the mail address with the code',
    description:
      'From now on the new address signs in, and the old one gets a mail that says so. 409 `email_in_use`: another account has the new address.',
    auth: 'account',
    effect: 'write',
    body: only('console_step_up'),
    responses: { 200: plain('The account with its new mail address.', 'account') },
    errors: ['conflict'],
    run: verifyAccountEmail,
  },
  {
    ...CONSOLE,
    id: 'leaveVenue',
    method: 'POST',
    path: '/console/api/leave',
    summary: 'Leave the venue',
    description:
      'Ends the role of the signed-in person in the venue. The last owner cannot leave (409 `last_owner`). Keys that the person made stay.',
    auth: 'team',
    effect: 'write',
    responses: { 200: plain('The role is ended; `id` is that of the account.', 'console_ended') },
    errors: ['conflict'],
    run: leaveVenue,
  },
];
