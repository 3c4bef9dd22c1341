// A person of the fixture who is signed in to the console in many browsers, since some requests sign out; and codes that
// were mailed to newcomers.

import { hashOfEmail, sealNameOfChallenge } from '../../src/domain/accounts/account.ts';
import { hashOfCode } from '../../src/domain/accounts/challenges.ts';
import { createConsoleLink } from '../../src/domain/accounts/console-link.ts';
import { insertInvitation } from '../../src/domain/accounts/invitation-queries.ts';
import { sealNameOfInvitation } from '../../src/domain/accounts/invitations.ts';
import { setOperator } from '../../src/domain/accounts/operator-queries.ts';
import { insertChallenge } from '../../src/domain/accounts/queries.ts';
import { setDomain } from '../../src/domain/go-live/queries.ts';
import { issueKey } from '../../src/domain/keys/issue-key.ts';
import { queueMail } from '../../src/domain/mail/mail.ts';
import { type AppContext, commandContext } from '../../src/run/context.ts';
import { insertLoggedRequest } from '../requests/support.ts';
import { createAccount, createSession } from '../support/console-client.ts';
import { type Pools, uniqueName } from './fixture.ts';
import { createPasskeys, type SessionCalls } from './passkeys.ts';

const SESSION_COUNT = 40;
const CHALLENGE_COUNT = 10;
const PEOPLE_COUNT = 20;
const LINK_COUNT = 10;
const KEY_COUNT = 40;
const REQUEST_COUNT = 10;
const LEAVING_COUNT = 10;
/** That of the schema's example. */
const CODE = '000000';
/** That of the schema's example. */
const DOMAIN = 'covepine.example';

/** The terms of the schema's example, and no name server, so that no request leaves this machine. */
export const GO_LIVE_ENV = { TERMS_URL: 'https://everyshare.example/terms', DNS_SERVERS: '127.0.0.1:9' };

export interface ConsolePerson {
  /** Tokens of the cookie. */
  readonly tokens: readonly string[];
  readonly sessionCalls: SessionCalls;
  readonly own: Pools;
}

export async function createConsolePerson(
  context: AppContext,
  base: string,
  venueId: string,
  now: number,
): Promise<ConsolePerson> {
  const accountId = await createAccount(context, `${uniqueName('owner')}@harbor.example`, [[venueId, 'owner']]);
  await setOperator(context.db, { accountId, role: 'admin', now });
  const sessions = await Promise.all(Array.from({ length: SESSION_COUNT }, () => createSession(context, accountId)));
  const challenges = await Promise.all(
    Array.from({ length: CHALLENGE_COUNT }, () => createChallenge(context, now, 'sign_in', null)),
  );
  await setDomain(context.db, venueId, { domain: DOMAIN, token: '0123456789abcdef0123456789abcdef' });
  const challengesFor = (purpose: 'step_up' | 'email' | 'domain') =>
    Promise.all(
      sessions.map(async ({ id, token }) => ({
        token,
        body: { challenge_id: await createChallenge(context, now, purpose, id) },
      })),
    );
  const links = await Promise.all(Array.from({ length: LINK_COUNT }, () => createLink(context, venueId)));
  const people = await Promise.all(
    Array.from({ length: PEOPLE_COUNT }, () =>
      createAccount(context, `${uniqueName('viewer')}@harbor.example`, [[venueId, 'viewer']]),
    ),
  );
  const invitations = await Promise.all(
    Array.from({ length: PEOPLE_COUNT }, () => createInvitation(context, venueId, accountId, now)),
  );
  const keys = await Promise.all(Array.from({ length: KEY_COUNT }, () => createKey(context, venueId)));
  const requests = await Promise.all(
    keys.slice(0, REQUEST_COUNT).map((keyId) => insertLoggedRequest(context, { venueId, mode: 'test', keyId })),
  );
  // An owner who leaves would end the run's other calls.
  const leaving = await Promise.all(people.slice(0, LEAVING_COUNT).map((id) => createSession(context, id)));
  const passkeys = await createPasskeys(context, base, { accountId, sessions, now });
  return {
    tokens: sessions.map(({ token }) => token),
    sessionCalls: {
      ...passkeys.answers,
      verifyStepUp: await challengesFor('step_up'),
      verifyAccountEmail: await challengesFor('email'),
      verifyDomainCode: await challengesFor('domain'),
      leaveVenue: leaving.map(({ token }) => ({ token, body: {} })),
    },
    own: {
      passkeys: passkeys.ids,
      sessions: sessions.map(({ id }) => id),
      console_challenges: challenges,
      codes: challenges,
      console_links: links,
      people,
      invitations,
      keys,
      requests,
    },
  };
}

async function createKey(context: AppContext, venueId: string): Promise<string> {
  const values = { scopes: [], expiresAt: null, allowIps: [], writesPerHour: null, readsPerHour: null };
  const request = { ...values, venueId, kind: 'secret', mode: 'test' } as const;
  return (await context.db.transaction((tx) => issueKey(tx, commandOf(context), request))).id;
}

const commandOf = (context: AppContext) =>
  commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });

async function createLink(context: AppContext, venueId: string): Promise<string> {
  const command = commandOf(context);
  const email = `${uniqueName('linked')}@harbor.example`;
  const { token } = await context.db.transaction((tx) => createConsoleLink(tx, command, { email, venueId }));
  return token;
}

async function createInvitation(
  { db, ids, seal }: AppContext,
  venueId: string,
  invitedBy: string,
  now: number,
): Promise<string> {
  const id = ids.uuid();
  const email = `${uniqueName('invited')}@harbor.example`;
  await insertInvitation(db, {
    id,
    venueId,
    email: seal.seal(email, sealNameOfInvitation(id)),
    emailHash: hashOfEmail(seal, email),
    role: 'viewer',
    invitedBy,
    expiresAt: now + 86_400_000,
    now,
  });
  return id;
}

/** To sign in, or for a session: to step up, to change the mail address of its account, or to show the domain of its venue. */
async function createChallenge(
  context: AppContext,
  now: number,
  purpose: 'sign_in' | 'step_up' | 'email' | 'domain',
  sessionId: string | null,
): Promise<string> {
  const { db, ids, seal } = context;
  const id = ids.uuid();
  const email = `${uniqueName('newcomer')}@${purpose === 'domain' ? DOMAIN : 'harbor.example'}`;
  await insertChallenge(db, {
    id,
    purpose,
    sessionId,
    email: seal.seal(email, sealNameOfChallenge(id)),
    emailHash: hashOfEmail(seal, email),
    codeHash: hashOfCode(seal, id, CODE),
    expiresAt: now + 86_400_000,
    now,
  });
  await queueMail(db, context, 'code', id, { to: email, title: 'A code', text: 'A code.' });
  return id;
}
