// Passkeys of the fixture's person, and answers that were signed ahead for challenges of the database: random bodies hold no
// valid signature.

import { createHash, randomBytes } from 'node:crypto';
import {
  insertPasskey,
  insertPasskeyChallenge,
  type PasskeyPurpose,
} from '../../src/domain/accounts/passkey-queries.ts';
import type { AppContext } from '../../src/run/context.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';

const PASSKEY_COUNT = 6;

/** By the id of an operation: members of its body that count for one session alone, and the token of that session. */
export type SessionCalls = Readonly<
  Record<string, readonly { readonly token: string; readonly body: Readonly<Record<string, unknown>> }[]>
>;

interface FuzzedPasskeys {
  readonly ids: readonly string[];
  readonly answers: SessionCalls;
}

interface Session {
  readonly id: string;
  readonly token: string;
}

export async function createPasskeys(
  context: AppContext,
  base: string,
  person: { readonly accountId: string; readonly sessions: readonly Session[]; readonly now: number },
): Promise<FuzzedPasskeys> {
  const { accountId, sessions, now } = person;
  const { port } = new URL(base);
  const newAuthenticator = () => new SoftwareAuthenticator(`http://localhost:${port}`, false);
  const store = async (authenticator: SoftwareAuthenticator): Promise<string> => {
    const id = context.ids.uuid();
    const credentialId = Buffer.from(authenticator.id, 'base64url');
    const key = { publicKey: authenticator.publicKey, counter: 0, isSynced: true, transports: ['internal'] };
    await insertPasskey(context.db, { id, accountId, credentialId, ...key, name: 'One', now });
    return id;
  };
  const ids = await Promise.all(Array.from({ length: PASSKEY_COUNT }, () => store(newAuthenticator())));
  const known = newAuthenticator();
  await store(known);
  const user = { id: Buffer.from(accountId.replaceAll('-', ''), 'hex').toString('base64url') };
  const answersFor = (purpose: PasskeyPurpose): Promise<SessionCalls[string]> =>
    Promise.all(
      sessions.map(async ({ id, token }) => {
        const challenge = randomBytes(32).toString('base64url');
        const hash = createHash('sha256').update(challenge).digest();
        const sessionId = purpose === 'sign_in' ? null : id;
        await insertPasskeyChallenge(context.db, { hash, purpose, sessionId }, now + 86_400_000);
        const credential =
          purpose === 'add'
            ? newAuthenticator().create({ rp: { id: 'localhost' }, user, challenge, excludeCredentials: [] })
            : known.get({ rpId: 'localhost', challenge, allowCredentials: [] }, { userHandle: user.id });
        return { token, body: { credential } };
      }),
    );
  const answers = {
    addPasskey: await answersFor('add'),
    verifyPasskeySignIn: await answersFor('sign_in'),
    verifyPasskeyStepUp: await answersFor('step_up'),
  };
  return { ids, answers };
}
