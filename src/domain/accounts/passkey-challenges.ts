// Challenges for passkeys: 32 random bytes, valid for 5 minutes and one answer, for one purpose and for the session that
// asked. Only their hash is stored. A wrong answer uses a challenge up too.

import type { PasskeyAdd, PasskeyAnswer } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import { sha256 } from '../../base/sha256.ts';
import type { AccountServices } from './challenges.ts';
import { challengeSpent, notRight, otherOrigin, unknownPasskey } from './passkey-problems.ts';
import {
  insertPasskeyChallenge,
  type PasskeyPurpose,
  type PasskeyRow,
  takePasskeyChallenge,
} from './passkey-queries.ts';
import {
  CHALLENGE_SECONDS,
  isHandleOf,
  readClientData,
  relyingPartyAt,
  type VerifiedAnswer,
  type VerifiedCredential,
  verifyAnswer,
  verifyCreation,
} from './webauthn.ts';

export interface PasskeyServices extends AccountServices {
  readonly log: Log;
  /** The address of the console. */
  readonly consoleUrl: () => string;
}

const CHALLENGE_BYTES = 32;

/** What an answer is for, and the session that asked; null: a sign-in. */
interface Use {
  readonly purpose: PasskeyPurpose;
  readonly sessionId: string | null;
}

export async function issueChallenge(
  tx: Queryable,
  { random, clock }: Pick<PasskeyServices, 'random' | 'clock'>,
  use: Use,
): Promise<Buffer> {
  const challenge = random.bytes(CHALLENGE_BYTES);
  const hash = hashOf(challenge.toString('base64url'));
  await insertPasskeyChallenge(tx, { ...use, hash }, clock.now() + CHALLENGE_SECONDS * 1_000);
  return challenge;
}

function hashOf(challenge: string): Buffer {
  return sha256(challenge);
}

/** A new passkey whose answer is right. Throws 422 at /credential. */
export async function acceptCreation(
  services: PasskeyServices,
  use: Use,
  credential: PasskeyAdd['credential'],
): Promise<VerifiedCredential> {
  const { challenge, rp } = await takeChallenge(services, use, credential.response.clientDataJSON);
  return verified(services, use.purpose, () => verifyCreation(rp, credential, challenge));
}

/**
 * The answer of a known passkey, if it is right. Throws 422 at /credential. `accountId` is the account that must own it; null:
 * the passkey says which account signs in.
 */
export async function acceptAnswer(
  services: PasskeyServices,
  use: Use,
  { credential, passkey, accountId }: AnswerOfPasskey,
): Promise<{ readonly passkey: PasskeyRow; readonly answer: VerifiedAnswer }> {
  const { challenge, rp } = await takeChallenge(services, use, credential.response.clientDataJSON);
  if (passkey === null || (accountId !== null && passkey.accountId !== accountId)) throw unknownPasskey();
  const handle = credential.response.userHandle ?? null;
  // In a step-up the account is known, and browsers may leave the handle out.
  const isHandleMissing = handle === null && accountId === null;
  if (isHandleMissing || (handle !== null && !isHandleOf(handle, passkey.accountId))) throw unknownPasskey();
  const answer = await verified(services, use.purpose, () =>
    verifyAnswer(rp, credential, challenge, passkey.publicKey),
  );
  return { passkey, answer };
}

interface AnswerOfPasskey {
  readonly credential: PasskeyAnswer['credential'];
  /** Null: its id is not known. */
  readonly passkey: PasskeyRow | null;
  readonly accountId: string | null;
}

async function takeChallenge(services: PasskeyServices, use: Use, clientDataJSON: string) {
  const rp = relyingPartyAt(services.consoleUrl());
  const data = readClientData(clientDataJSON);
  if (data === null) throw notRight(use.purpose);
  const hash = hashOf(data.challenge);
  if (!(await takePasskeyChallenge(services.db, { ...use, hash }, services.clock.now())))
    throw challengeSpent(use.purpose);
  if (data.origin !== rp.origin || data.crossOrigin) throw otherOrigin(use.purpose, services.consoleUrl());
  return { challenge: data.challenge, rp };
}

/** The library throws for every answer that is not right, also for one that it cannot read. */
async function verified<T>({ log }: PasskeyServices, purpose: PasskeyPurpose, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    log.info({ err: error instanceof Error ? error.message : String(error) }, 'an answer of a passkey was refused');
    throw notRight(purpose);
  }
}
