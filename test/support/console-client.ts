// A browser of the console: it sends the cookie and the origin of our own pages, and reads codes from the queued mails.

import { hashOfEmail, sealNameOfAccount } from '../../src/domain/accounts/account.ts';
import { insertPerson } from '../../src/domain/accounts/people-queries.ts';
import { insertAccount } from '../../src/domain/accounts/queries.ts';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { beginSession } from '../../src/domain/accounts/sessions.ts';
import { openMail } from '../../src/domain/mail/mail.ts';
import type { AppContext } from '../../src/run/context.ts';
import { recordSecret } from './record-logs.ts';
import type { CallOptions, HttpResponse, TestWorld } from './test-world.ts';

export interface ConsoleCall extends Omit<CallOptions, 'key'> {
  /** Absent: no cookie. */
  readonly token?: string;
  readonly venue?: string;
  readonly mode?: 'test' | 'live';
}

export interface SignedIn {
  readonly token: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  readonly json: any;
}

/** The headers of a page of the console. */
export function consoleHeaders(
  world: TestWorld,
  { token, venue, mode, headers = {}, server = 0 }: ConsoleCall,
): Record<string, string> {
  const origin = world.context.config.baseUrl ?? world.urls[server] ?? '';
  const prefix = origin.startsWith('https:') ? '__Host-' : '';
  return {
    origin,
    ...(token === undefined ? {} : { cookie: `${prefix}everyshare_console=${token}` }),
    ...(venue === undefined ? {} : { 'everyshare-venue': venue, 'everyshare-mode': mode ?? 'test' }),
    ...headers,
  };
}

export function callConsole(
  world: TestWorld,
  method: string,
  path: string,
  call: ConsoleCall = {},
): Promise<HttpResponse> {
  const { body, server } = call;
  const headers = consoleHeaders(world, call);
  return world.call(method, path, {
    headers,
    ...(body === undefined ? {} : { body }),
    ...(server === undefined ? {} : { server }),
  });
}

/** The six digits that were mailed for a challenge. */
export async function mailedCode({ db, context }: TestWorld, challengeId: string): Promise<string> {
  const [row] = await db.query<{ id: string; address: Buffer; content: Buffer }>(
    `select mail_id as "id", address, content from mails where kind = 'code' and subject = $1`,
    [challengeId],
  );
  if (row === undefined) throw new Error(`challenge ${challengeId} has no mail`);
  return /^(\d{6}) /.exec(openMail(context.seal, row).text)?.[1] ?? '';
}

/** The token of the cookie that an answer sets; null: it sets none. */
export function tokenOf({ headers }: HttpResponse): string | null {
  return /everyshare_console=([^;]+);/.exec(headers.get('set-cookie') ?? '')?.[1] ?? null;
}

/** Signs in with a code, and signs up where the address is new. */
export async function signInToConsole(world: TestWorld, email: string, body: object = {}): Promise<SignedIn> {
  const asked = await callConsole(world, 'POST', '/console/api/sign_in', { body: { email } });
  if (asked.status !== 200) throw new Error(`asking for a code got ${asked.status}: ${asked.text}`);
  const { challenge_id } = asked.json;
  const code = await mailedCode(world, challenge_id);
  const signedIn = await callConsole(world, 'POST', '/console/api/sign_in/verify', {
    body: { challenge_id, code, ...body },
  });
  const token = tokenOf(signedIn);
  if (token === null) throw new Error(`signing in got ${signedIn.status}: ${signedIn.text}`);
  recordSecret('session', token);
  return { token, json: signedIn.json };
}

/** An account with these roles, made without a mail. */
export async function createAccount(
  { db, ids, seal, clock }: AppContext,
  email: string,
  roles: readonly (readonly [venueId: string, role: Role])[] = [],
): Promise<string> {
  const id = ids.uuid();
  const now = clock.now();
  await db.transaction(async (tx) => {
    const sealed = seal.seal(email, sealNameOfAccount(id));
    await insertAccount(tx, { id, email: sealed, emailHash: hashOfEmail(seal, email), name: null, now });
    for (const [venueId, role] of roles) await insertPerson(tx, { venueId, accountId: id, role, now });
  });
  return id;
}

/** A session of an account, signed in at this moment. */
export async function createSession(
  { db, ids, random, clock }: AppContext,
  accountId: string,
): Promise<{ readonly id: string; readonly token: string }> {
  const { session, token } = await beginSession(db, { ids, random, now: clock.now() }, accountId, {
    address: null,
    device: null,
    isNewDevice: false,
  });
  recordSecret('session', token);
  return { id: session.id, token };
}
