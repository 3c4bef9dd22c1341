// A person of the fixture who is signed in to the console in many browsers, since some requests sign out; and codes that
// were mailed to newcomers.

import { hashOfEmail, sealNameOfChallenge } from '../../src/domain/accounts/account.ts';
import { hashOfCode } from '../../src/domain/accounts/challenges.ts';
import { insertChallenge } from '../../src/domain/accounts/queries.ts';
import type { AppContext } from '../../src/run/context.ts';
import { createAccount, createSession } from '../support/console-client.ts';
import { type Pools, uniqueName } from './fixture.ts';

const SESSION_COUNT = 40;
const CHALLENGE_COUNT = 10;
/** That of the schema's example. */
const CODE = '000000';

export interface ConsolePerson {
  /** Tokens of the cookie. */
  readonly tokens: readonly string[];
  readonly own: Pools;
}

export async function createConsolePerson(context: AppContext, venueId: string, now: number): Promise<ConsolePerson> {
  const accountId = await createAccount(context, `${uniqueName('owner')}@harbor.example`, [[venueId, 'owner']]);
  const sessions = await Promise.all(Array.from({ length: SESSION_COUNT }, () => createSession(context, accountId)));
  const challenges = await Promise.all(Array.from({ length: CHALLENGE_COUNT }, () => createChallenge(context, now)));
  return {
    tokens: sessions.map(({ token }) => token),
    own: { sessions: sessions.map(({ id }) => id), console_challenges: challenges },
  };
}

async function createChallenge({ db, ids, seal }: AppContext, now: number): Promise<string> {
  const id = ids.uuid();
  const email = `${uniqueName('newcomer')}@harbor.example`;
  await insertChallenge(db, {
    id,
    purpose: 'sign_in',
    sessionId: null,
    email: seal.seal(email, sealNameOfChallenge(id)),
    emailHash: hashOfEmail(seal, email),
    codeHash: hashOfCode(seal, id, CODE),
    expiresAt: now + 86_400_000,
    now,
  });
  return id;
}
