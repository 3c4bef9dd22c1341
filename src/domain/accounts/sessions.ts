// Sessions of the console: a token of 256 random bits for the cookie, stored only as a hash. A session ends after 12 hours
// without a request, after 7 days, or when it is ended. It does not handle cookies.

import type { AccountSession } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import { type Ids, isUuid } from '../../base/ids.ts';
import { maskAddress, networkOf } from '../../base/network.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Random } from '../../base/random.ts';
import { sha256 } from '../../base/sha256.ts';
import type { AccountCaller, CurrentSession } from './account.ts';
import { endSession, type FoundSession, insertSession, listSessions, useSession } from './queries.ts';

export const SESSION_SECONDS = 7 * 24 * 3_600;
const TOKEN_BYTES = 32;
/** 32 bytes in base64url. Anything else is no session token, and no query is made. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** For how long a code that was entered proves who uses the session. */
export const STEP_UP_MS = 600_000;

export interface BegunSession {
  readonly session: CurrentSession;
  /** For the cookie. Only its hash is stored, so it cannot be read again. */
  readonly token: string;
}

/** Where a sign-in comes from. */
export interface SessionOrigin {
  readonly address: string | null;
  readonly device: string | null;
  readonly isNewDevice: boolean;
}

export async function beginSession(
  tx: Queryable,
  { ids, random, now }: { readonly ids: Ids; readonly random: Random; readonly now: number },
  accountId: string,
  origin: SessionOrigin,
): Promise<BegunSession> {
  const token = random.bytes(TOKEN_BYTES).toString('base64url');
  const id = ids.uuid();
  const expiresAt = now + SESSION_SECONDS * 1_000;
  const network = origin.address === null ? null : networkOf(origin.address);
  await insertSession(tx, { id, accountId, tokenHash: sha256(token), ...origin, network, expiresAt, now });
  const session = { id, createdAt: now, lastUsedAt: now, expiresAt, steppedUpAt: null, ...origin };
  return { session, token };
}

/** The open session of a cookie, and the role of its account in a venue. Null: there is none, or it is over. */
export async function findSession(
  db: Queryable,
  token: string,
  at: { readonly venueId: string | null; readonly address: string },
  now: number,
): Promise<FoundSession | null> {
  return TOKEN.test(token) ? useSession(db, sha256(token), at, now) : null;
}

export function sessionView(session: CurrentSession, current: CurrentSession): AccountSession {
  const time = (at: number): string => new Date(at).toISOString();
  return {
    id: session.id,
    created_at: time(session.createdAt),
    last_used_at: time(session.lastUsedAt),
    expires_at: time(session.expiresAt),
    stepped_up_until: session.steppedUpAt === null ? null : time(session.steppedUpAt + STEP_UP_MS),
    device: session.device,
    address: session.address === null ? null : maskAddress(session.address),
    is_new_device: session.isNewDevice,
    is_current: session.id === current.id,
  };
}

export async function listOwnSessions(
  { db }: { readonly db: Queryable },
  { account, session, now }: AccountCaller,
): Promise<OperationResult> {
  const sessions = await listSessions(db, account.id, now);
  return { status: 200, body: { data: sessions.map((one) => sessionView(one, session)) } };
}

/** Ending the session of the request signs out, and the cookie is deleted. */
export async function endOwnSession(
  { db }: { readonly db: Queryable },
  { account, session, now }: AccountCaller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  if (!isUuid(id) || !(await endSession(db, account.id, id, now))) throw notFound();
  const isCurrent = id.toLowerCase() === session.id;
  return { status: 200, body: endedView(id.toLowerCase()), ...(isCurrent ? { sessionToken: null } : {}) };
}

export async function signOut(
  { db }: { readonly db: Queryable },
  { account, session, now }: AccountCaller,
): Promise<OperationResult> {
  await endSession(db, account.id, session.id, now);
  return { status: 200, body: endedView(session.id), sessionToken: null };
}

function endedView(id: string): { id: string; ended: true } {
  return { id, ended: true };
}
