// Stepping up: a person who is signed in proves again who they are with a code, for calls that change people, roles, live
// secrets or real money. The code counts for ten minutes, and for the session that asked for it.

import type { ConsoleStepUp } from '../../../schemas/types.gen.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { areMailsDelayed } from '../mail/queries.ts';
import type { AccountCaller } from './account.ts';
import { type AccountServices, CODE_SECONDS, checkCode, requireMail, requireUnspent, sendCode } from './challenges.ts';
import { setSteppedUp } from './queries.ts';
import { sessionView } from './sessions.ts';

/** Only a session of the account can ask, so that no other caller uses them up. */
const CODES_PER_ACCOUNT_PER_HOUR = 10;

export async function beginStepUp(
  services: AccountServices,
  { account, session }: AccountCaller,
): Promise<OperationResult> {
  requireMail(services);
  const challenge_id = await services.db.transaction(async (tx) => {
    const rule = `An account gets at most ${CODES_PER_ACCOUNT_PER_HOUR} codes an hour to confirm changes.`;
    await requireHourlyUse(tx, `console step-up ${account.id}`, CODES_PER_ACCOUNT_PER_HOUR, rule);
    return sendCode(tx, services, { purpose: 'step_up', sessionId: session.id, email: account.email, isOwn: true });
  });
  const mail_delayed = await areMailsDelayed(services.db, services.clock.now());
  return { status: 200, body: { challenge_id, expires_in: CODE_SECONDS, mail_delayed } };
}

export async function verifyStepUp(
  services: AccountServices,
  { session, now }: AccountCaller,
  { body }: Input<ConsoleStepUp>,
): Promise<OperationResult> {
  await checkCode(services, { ...body, purpose: 'step_up', sessionId: session.id }, now);
  await services.db.transaction(async (tx) => {
    await requireUnspent(tx, body.challenge_id, now);
    await setSteppedUp(tx, session.id, now);
  });
  const steppedUp = { ...session, steppedUpAt: now };
  return { status: 200, body: sessionView(steppedUp, steppedUp) };
}
