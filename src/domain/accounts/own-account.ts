// What a person changes about their own account: the name, and the mail address. A new address is proved by a code that is
// mailed to it, needs a fresh proof before that, and is reported to the old address. An account belongs to no venue: changes
// are in the installation's audit log.

import type { Account, AccountEmail, AccountUpdate, ConsoleStepUp } from '../../../schemas/types.gen.ts';
import { sqlState } from '../../base/db.ts';
import { conflict, invalid, type Problem } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { normalizeName } from '../../base/plain-name.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { queueMail } from '../mail/mail.ts';
import { areMailsDelayed } from '../mail/queries.ts';
import { auditInstallation } from '../venues/audit.ts';
import { type AccountCaller, hashOfEmail, sealNameOfAccount, sealNameOfChallenge } from './account.ts';
import {
  type AccountServices,
  CODE_SECONDS,
  checkCode,
  countCodeTo,
  requireMail,
  requireUnspent,
  sendCode,
} from './challenges.ts';
import { emailChangedMail } from './mails.ts';
import { findAccountByEmail, setAccountEmail, setAccountName } from './queries.ts';

/** For an account, and beyond two codes of each for all accounts that name a mail address. */
const CODES_PER_HOUR = 5;

export async function updateAccount(
  { db }: Pick<AccountServices, 'db'>,
  caller: AccountCaller,
  { body }: Input<AccountUpdate>,
): Promise<OperationResult> {
  const { account } = caller;
  const name = normalizeName(body.name);
  await db.transaction(async (tx) => {
    const isChanged = await setAccountName(tx, account.id, name);
    if (isChanged) await auditInstallation(tx, caller, { action: 'account.rename', subject: account.id });
  });
  const changed: Account = { ...account, name };
  return { status: 200, body: changed };
}

/** Mails a code to the new address. The answer does not reveal whether an account has it already. */
export async function changeAccountEmail(
  services: AccountServices,
  { account, session }: AccountCaller,
  { body: { email } }: Input<AccountEmail>,
): Promise<OperationResult> {
  requireMail(services);
  const hash = hashOfEmail(services.seal, email);
  if (hash.equals(hashOfEmail(services.seal, account.email))) throw invalid([sameEmail(email)]);
  const challenge_id = await services.db.transaction(async (tx) => {
    const rule = `At most ${CODES_PER_HOUR} codes an hour can be asked for to change a mail address.`;
    await requireHourlyUse(tx, `console email ${account.id}`, CODES_PER_HOUR, rule);
    const code = { caller: `account ${account.id}`, target: `console email to ${hash.toString('hex')}` };
    const isOwn = await countCodeTo(tx, code, CODES_PER_HOUR, rule);
    return sendCode(tx, services, { purpose: 'email', sessionId: session.id, email, isOwn });
  });
  const mail_delayed = await areMailsDelayed(services.db, services.clock.now());
  return { status: 200, body: { challenge_id, expires_in: CODE_SECONDS, mail_delayed } };
}

function sameEmail(email: string) {
  return {
    code: 'invalid_value',
    field: '/email',
    message: 'This is the mail address of your account already.',
    expected: 'another mail address',
    example_fix: email.toLowerCase() === 'ada@harbor.example' ? 'ben@harbor.example' : 'ada@harbor.example',
  } as const;
}

/** The right code proves that the new address is the person's. */
export async function verifyAccountEmail(
  services: AccountServices & { readonly consoleUrl: () => string },
  caller: AccountCaller,
  { body }: Input<ConsoleStepUp>,
): Promise<OperationResult> {
  const { seal, db } = services;
  const { account, session, now } = caller;
  const challenge = await checkCode(services, { ...body, purpose: 'email', sessionId: session.id }, now);
  const id = body.challenge_id.toLowerCase();
  const email = seal.open(challenge.email, sealNameOfChallenge(id));
  const change = {
    email: seal.seal(email, sealNameOfAccount(account.id)),
    emailHash: challenge.emailHash,
    previousHash: hashOfEmail(seal, account.email),
  };
  try {
    await db.transaction(async (tx) => {
      await requireUnspent(tx, id, now);
      if ((await findAccountByEmail(tx, challenge.emailHash)) !== null) throw emailInUse();
      if (!(await setAccountEmail(tx, account.id, change))) throw emailChanged();
      await auditInstallation(tx, caller, { action: 'account.email', subject: account.id });
      if (!services.hasMail) return;
      const mail = emailChangedMail(account.email, email, services.consoleUrl());
      await queueMail(tx, services, 'account', `${id} email`, mail);
    });
  } catch (error) {
    // A sign-up with this address was faster.
    throw sqlState(error) === UNIQUE_VIOLATION ? emailInUse() : error;
  }
  const changed: Account = { ...account, email };
  return { status: 200, body: changed };
}

const UNIQUE_VIOLATION = '23505';

function emailInUse(): Problem {
  return conflict('email_in_use', 'Another account has this mail address: sign in with it, or use another address.');
}

function emailChanged(): Problem {
  return conflict('email_changed', 'The mail address of the account was changed in the meantime: read it again.');
}
