// Sign-in to the console by a code that is mailed. The answer does not reveal whether the mail address is known: an unknown
// one gets a code too, and signs up with it. Limits: 5 codes an hour for a mail address, 30 for a network address. A
// network from which the account has signed in before has 5 of its own, so that another caller who uses up the codes of a
// mail address does not lock its owner out.

import type {
  ConsoleLinkSignIn,
  ConsoleSignedIn,
  ConsoleSignIn,
  ConsoleSignInVerify,
} from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { networkOf } from '../../base/network.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { normalizeName } from '../../base/plain-name.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { createVenueWithKeys, FIRST_ORIGIN } from '../keys/sandbox-venue.ts';
import { areMailsDelayed } from '../mail/queries.ts';
import { type AccountCaller, actorNameOf, hashOfEmail, sealNameOfAccount, sealNameOfChallenge } from './account.ts';
import { type AccountServices, CODE_SECONDS, checkCode, requireMail, requireUnspent, sendCode } from './challenges.ts';
import { checkLink } from './console-link.ts';
import { joinInvitedVenues } from './invitations.ts';
import { insertPerson } from './people-queries.ts';
import { type AccountRow, findAccountByEmail, hasSignedInFrom, insertAccount, type TriedChallenge } from './queries.ts';
import { beginSession } from './sessions.ts';
import { sessionBody } from './show-session.ts';

const CODES_PER_EMAIL_PER_HOUR = 5;
const CODES_PER_ADDRESS_PER_HOUR = 30;
const STILL_WORKS = 'one that was sent in the last ten minutes still works.';

/** A caller who is not signed in. */
export interface SignInCaller extends CommandContext {
  readonly address: string;
}

export async function signIn(
  services: AccountServices,
  { address }: SignInCaller,
  { body }: Input<ConsoleSignIn>,
): Promise<OperationResult> {
  requireMail(services);
  const challenge_id = await services.db.transaction(async (tx) => {
    const isOwn = await countCodeRequest(tx, services, body.email, address);
    return sendCode(tx, services, { purpose: 'sign_in', sessionId: null, email: body.email, isOwn });
  });
  const mail_delayed = await areMailsDelayed(services.db, services.clock.now());
  return { status: 200, body: { challenge_id, expires_in: CODE_SECONDS, mail_delayed } };
}

/** Whether the account has signed in from this network before. Throws 429 over a limit. */
async function countCodeRequest(
  tx: Queryable,
  { seal, clock }: AccountServices,
  email: string,
  address: string,
): Promise<boolean> {
  const network = networkOf(address);
  const byAddress = `At most ${CODES_PER_ADDRESS_PER_HOUR} codes an hour can be asked for from one address.`;
  await requireHourlyUse(tx, `console sign-in address ${network}`, CODES_PER_ADDRESS_PER_HOUR, byAddress);
  const hash = hashOfEmail(seal, email);
  const isOwn = await hasSignedInFrom(tx, hash, network, clock.now());
  const subject = `console sign-in mail ${hash.toString('hex')}${isOwn ? ` ${network}` : ''}`;
  const byEmail = `A mail address gets at most ${CODES_PER_EMAIL_PER_HOUR} codes an hour; ${STILL_WORKS}`;
  await requireHourlyUse(tx, subject, CODES_PER_EMAIL_PER_HOUR, byEmail);
  return isOwn;
}

export async function verifySignIn(
  services: AccountServices,
  caller: SignInCaller,
  { body }: Input<ConsoleSignInVerify>,
): Promise<OperationResult> {
  const now = services.clock.now();
  const challenge = await checkCode(services, { ...body, purpose: 'sign_in', sessionId: null }, now);
  const { challenge_id, name, venue_name: venueName } = body;
  return openSession(services, caller, { id: challenge_id.toLowerCase(), challenge, name, venueName, now });
}

/** With the link that `everyshare console link` prints. */
export async function signInByLink(
  services: AccountServices,
  caller: SignInCaller,
  { body }: Input<ConsoleLinkSignIn>,
): Promise<OperationResult> {
  const now = services.clock.now();
  return openSession(services, caller, { ...(await checkLink(services, body.token, now)), now });
}

/** A challenge that was answered rightly: its mail address belongs to the caller. */
interface Proof {
  readonly id: string;
  readonly challenge: TriedChallenge;
  readonly name?: string | undefined;
  readonly venueName?: string | undefined;
  readonly now: number;
}

async function openSession(services: AccountServices, caller: SignInCaller, proof: Proof): Promise<OperationResult> {
  const { id, challenge, venueName, now } = proof;
  const { signedIn, token } = await services.db.transaction(async (tx) => {
    await requireUnspent(tx, id, now);
    const { account, isNew } = await findOrCreateAccount(tx, services, proof);
    const actor = { ...caller.actor, name: actorNameOf(account.id) };
    const command: CommandContext = { ...caller, actor, now };
    const joined = await joinInvitedVenues(tx, command, account.id, challenge.emailHash);
    // A person who was invited has a venue already, and gets one of their own if they name it.
    const needsVenue = isNew && (joined === 0 || venueName !== undefined);
    const keys = needsVenue ? await createFirstVenue(tx, command, account.id, venueName) : null;
    const begun = await beginSession(tx, command, account.id, caller.address);
    const signedInCaller: AccountCaller = {
      ...command,
      account: { ...account, email: services.seal.open(account.email, sealNameOfAccount(account.id)) },
      session: begun.session,
    };
    const signedIn: ConsoleSignedIn = { ...(await sessionBody(tx, signedInCaller)), keys };
    return { signedIn, token: begun.token };
  });
  return { status: 200, body: signedIn, sessionToken: token };
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

const FIRST_VENUE_NAME = 'Sandbox venue';

async function createFirstVenue(
  tx: Queryable,
  command: CommandContext,
  accountId: string,
  name: string = FIRST_VENUE_NAME,
): Promise<ConsoleSignedIn['keys']> {
  const made = await createVenueWithKeys(tx, command, { name, origins: [FIRST_ORIGIN], sandbox: true });
  await insertPerson(tx, { venueId: made.venue.id, accountId, role: 'owner', now: command.now });
  return { venue_id: made.venue.id, secret_test: made.secretTest, publishable_test: made.publishableTest };
}
