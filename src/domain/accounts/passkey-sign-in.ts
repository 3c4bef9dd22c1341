// Signing in and stepping up with a passkey: no mail is needed. A sign-in names no account: the passkey does. Limits: 120
// challenges an hour for a network address, since the page of the sign-in asks for one each time it is opened.

import type { PasskeyAnswer } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict } from '../../base/errors.ts';
import { networkOf } from '../../base/network.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import type { AccountCaller } from './account.ts';
import { openSession, type SignInCaller } from './open-session.ts';
import { acceptAnswer, issueChallenge, type PasskeyServices } from './passkey-challenges.ts';
import { counterWentBack, unknownPasskey } from './passkey-problems.ts';
import { findPasskey, listPasskeysOf, type PasskeyRow, usePasskey } from './passkey-queries.ts';
import { findAccount, setSteppedUp } from './queries.ts';
import { sessionView } from './sessions.ts';
import { CHALLENGE_SECONDS, relyingPartyAt, requestOptions, type VerifiedAnswer } from './webauthn.ts';

const SIGN_INS_PER_ADDRESS_PER_HOUR = 120;
const STEP_UPS_PER_ACCOUNT_PER_HOUR = 60;

export async function beginPasskeySignIn(
  services: PasskeyServices,
  { address }: SignInCaller,
): Promise<OperationResult> {
  const rp = relyingPartyAt(services.consoleUrl());
  const challenge = await services.db.transaction(async (tx) => {
    const rule = `At most ${SIGN_INS_PER_ADDRESS_PER_HOUR} sign-ins by passkey an hour can be begun from one network address; a code by mail works.`;
    await requireHourlyUse(tx, `console passkey address ${networkOf(address)}`, SIGN_INS_PER_ADDRESS_PER_HOUR, rule);
    return issueChallenge(tx, services, { purpose: 'sign_in', sessionId: null });
  });
  const public_key = await requestOptions(rp, challenge, []);
  return { status: 200, body: { public_key, expires_in: CHALLENGE_SECONDS } };
}

export async function verifyPasskeySignIn(
  services: PasskeyServices,
  caller: SignInCaller,
  { body: { credential } }: Input<PasskeyAnswer>,
): Promise<OperationResult> {
  const known = await findPasskey(services.db, Buffer.from(credential.id, 'base64url'));
  const use = { purpose: 'sign_in', sessionId: null } as const;
  const { passkey, answer } = await acceptAnswer(services, use, { credential, passkey: known, accountId: null });
  const now = services.clock.now();
  return services.db.transaction(async (tx) => {
    await requireUse(tx, services, passkey, answer, now);
    const account = await findAccount(tx, passkey.accountId);
    if (account === null) throw unknownPasskey();
    return openSession(tx, services, { ...caller, now }, { account, isNew: false });
  });
}

/** Stores the counter. Throws if it went back, or if the passkey was removed in the meantime. */
async function requireUse(
  tx: Queryable,
  { log }: PasskeyServices,
  passkey: PasskeyRow,
  answer: VerifiedAnswer,
  now: number,
): Promise<void> {
  if (await usePasskey(tx, { id: passkey.id, ...answer }, now)) return;
  if ((await findPasskey(tx, passkey.credentialId)) === null) throw unknownPasskey();
  const { id, accountId } = passkey;
  log.warn({ passkey: id, account: accountId }, 'the counter of a passkey went back; its answer was refused');
  throw counterWentBack();
}

export async function beginPasskeyStepUp(
  services: PasskeyServices,
  { account, session }: AccountCaller,
): Promise<OperationResult> {
  const rp = relyingPartyAt(services.consoleUrl());
  const { known, challenge } = await services.db.transaction(async (tx) => {
    const known = await listPasskeysOf(tx, account.id);
    if (known.length === 0)
      throw conflict('no_passkey', 'The account has no passkey: ask for a code with POST /console/api/step_up.');
    const rule = `At most ${STEP_UPS_PER_ACCOUNT_PER_HOUR} challenges an hour can be asked for to confirm changes.`;
    await requireHourlyUse(tx, `console passkey step-up ${account.id}`, STEP_UPS_PER_ACCOUNT_PER_HOUR, rule);
    return { known, challenge: await issueChallenge(tx, services, { purpose: 'step_up', sessionId: session.id }) };
  });
  const public_key = await requestOptions(rp, challenge, known);
  return { status: 200, body: { public_key, expires_in: CHALLENGE_SECONDS } };
}

/** Counts for this session and for ten minutes, as a code does. */
export async function verifyPasskeyStepUp(
  services: PasskeyServices,
  { account, session, now }: AccountCaller,
  { body: { credential } }: Input<PasskeyAnswer>,
): Promise<OperationResult> {
  const known = await findPasskey(services.db, Buffer.from(credential.id, 'base64url'));
  const use = { purpose: 'step_up', sessionId: session.id } as const;
  const proof = { credential, passkey: known, accountId: account.id };
  const { passkey, answer } = await acceptAnswer(services, use, proof);
  await services.db.transaction(async (tx) => {
    await requireUse(tx, services, passkey, answer, now);
    await setSteppedUp(tx, session.id, now);
  });
  const steppedUp = { ...session, steppedUpAt: now };
  return { status: 200, body: sessionView(steppedUp, steppedUp) };
}
