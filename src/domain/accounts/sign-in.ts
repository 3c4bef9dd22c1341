// Sign-in to the console by a code that is mailed. The answer does not reveal whether the mail address is known: an unknown
// one gets a code too, and signs up with it. Limits: 5 codes an hour for a mail address, 30 for a network address. A browser
// and a network in which the account has signed in before have 5 of their own, so that another caller who uses up the codes
// of a mail address or of a network does not lock its owner out.

import type { ConsoleLinkSignIn, ConsoleSignIn, ConsoleSignInVerify } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { networkOf } from '../../base/network.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { normalizeName } from '../../base/plain-name.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { areMailsDelayed } from '../mail/queries.ts';
import { hashOfEmail, sealNameOfAccount, sealNameOfChallenge } from './account.ts';
import { type AccountServices, CODE_SECONDS, checkCode, requireMail, requireUnspent, sendCode } from './challenges.ts';
import { checkLink } from './console-link.ts';
import { isDeviceOf } from './device-queries.ts';
import { deviceHashOf } from './devices.ts';
import { openSession, type SignInCaller } from './open-session.ts';
import { type AccountRow, findAccountByEmail, hasSignedInFrom, insertAccount, type TriedChallenge } from './queries.ts';

const CODES_PER_EMAIL_PER_HOUR = 5;
const CODES_PER_ADDRESS_PER_HOUR = 30;

export async function signIn(
  services: AccountServices,
  caller: SignInCaller,
  { body }: Input<ConsoleSignIn>,
): Promise<OperationResult> {
  requireMail(services);
  const challenge_id = await services.db.transaction(async (tx) => {
    const isOwn = await countCodeRequest(tx, services, caller, body.email);
    return sendCode(tx, services, { purpose: 'sign_in', sessionId: null, email: body.email, isOwn });
  });
  const mail_delayed = await areMailsDelayed(services.db, services.clock.now());
  return { status: 200, body: { challenge_id, expires_in: CODE_SECONDS, mail_delayed } };
}

/** Whether the account has signed in in this browser, or from this network, before. Throws 429 over a limit. */
async function countCodeRequest(
  tx: Queryable,
  { seal, clock }: AccountServices,
  { address, browser }: SignInCaller,
  email: string,
): Promise<boolean> {
  const hash = hashOfEmail(seal, email);
  const subject = `console sign-in mail ${hash.toString('hex')}`;
  const device = deviceHashOf(browser);
  if (device !== null && (await isDeviceOf(tx, hash, device, clock.now()))) {
    await requireHourlyUse(tx, `${subject} ${device.toString('hex')}`, CODES_PER_EMAIL_PER_HOUR, BY_EMAIL);
    return true;
  }
  const network = networkOf(address);
  await requireHourlyUse(tx, `console sign-in address ${network}`, CODES_PER_ADDRESS_PER_HOUR, BY_ADDRESS);
  const isOwn = await hasSignedInFrom(tx, hash, network, clock.now());
  if (isOwn) await requireHourlyUse(tx, `${subject} ${network}`, CODES_PER_EMAIL_PER_HOUR, BY_EMAIL);
  else await requireHourlyUse(tx, subject, CODES_PER_EMAIL_PER_HOUR, BY_EMAIL);
  return isOwn;
}

/** One text for every way of counting: two would say whether the address belongs to an account. */
const BY_EMAIL = `A mail address gets at most ${CODES_PER_EMAIL_PER_HOUR} codes an hour; one that was sent in the last ten minutes still works, and so does a passkey. A browser or a network in which you have signed in before has ${CODES_PER_EMAIL_PER_HOUR} codes of its own.`;
const BY_ADDRESS = `At most ${CODES_PER_ADDRESS_PER_HOUR} codes an hour can be asked for from one network address.`;

export async function verifySignIn(
  services: AccountServices,
  caller: SignInCaller,
  { body }: Input<ConsoleSignInVerify>,
): Promise<OperationResult> {
  const now = services.clock.now();
  const challenge = await checkCode(services, { ...body, purpose: 'sign_in', sessionId: null }, now);
  const { challenge_id, name, venue_name: venueName } = body;
  return signInByProof(services, caller, { id: challenge_id.toLowerCase(), challenge, name, venueName, now });
}

/** With the link that `everyshare console link` prints. */
export async function signInByLink(
  services: AccountServices,
  caller: SignInCaller,
  { body }: Input<ConsoleLinkSignIn>,
): Promise<OperationResult> {
  const now = services.clock.now();
  return signInByProof(services, caller, { ...(await checkLink(services, body.token, now)), now });
}

/** A challenge that was answered rightly: its mail address belongs to the caller. */
interface Proof {
  readonly id: string;
  readonly challenge: TriedChallenge;
  readonly name?: string | undefined;
  readonly venueName?: string | undefined;
  readonly now: number;
}

async function signInByProof(services: AccountServices, caller: SignInCaller, proof: Proof): Promise<OperationResult> {
  const { id, venueName, now } = proof;
  return services.db.transaction(async (tx) => {
    await requireUnspent(tx, id, now);
    const { account, isNew } = await findOrCreateAccount(tx, services, proof);
    return openSession(tx, services, { ...caller, now }, { account, isNew, venueName });
  });
}

/** Two sign-ups with one address at once make one account: the second waits for the first, and finds its account. */
async function findOrCreateAccount(
  tx: Queryable,
  { ids, seal }: AccountServices,
  { id: challengeId, challenge: { email: sealed, emailHash }, name, now }: Proof,
): Promise<{ readonly account: AccountRow; readonly isNew: boolean }> {
  const known = await findAccountByEmail(tx, emailHash);
  if (known !== null) return { account: known, isNew: false };
  const id = ids.uuid();
  const email = seal.seal(seal.open(sealed, sealNameOfChallenge(challengeId)), sealNameOfAccount(id));
  const created = await insertAccount(tx, {
    id,
    email,
    emailHash,
    name: name === undefined ? null : normalizeName(name),
    now,
  });
  const account = created ?? (await findAccountByEmail(tx, emailHash));
  if (account === null) throw new Error('the account of a mail address was neither found nor created');
  return { account, isNew: created !== null };
}
