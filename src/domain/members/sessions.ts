// Sessions of browsers on the hosted pages: a token of 256 random bits for the cookie, stored only as a hash, valid for
// 30 days from the sign-in and never extended. It does not handle cookies.

import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Random } from '../../base/random.ts';
import { sha256 } from '../../base/sha256.ts';
import { deleteSession, findSessionRow, insertSession, type SessionRow } from './queries.ts';

export const SESSION_SECONDS = 30 * 24 * 3_600;
const TOKEN_BYTES = 32;
/** 32 bytes in base64url. Anything else is no session token, and no query is made. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface SessionServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly random: Random;
}

/** Returns the token for the cookie. Only its hash is stored, so it cannot be read again. */
export async function beginSession({ db, clock, random }: SessionServices, memberId: string): Promise<string> {
  const token = random.bytes(TOKEN_BYTES).toString('base64url');
  const now = clock.now();
  await insertSession(db, { tokenHash: sha256(token), memberId, expiresAt: now + SESSION_SECONDS * 1_000, now });
  return token;
}

/** The member who is signed in with this token; null: there is no such session, or it has expired. */
export async function findSession(db: Queryable, token: string, now: number): Promise<SessionRow | null> {
  return TOKEN.test(token) ? findSessionRow(db, sha256(token), now) : null;
}

/** Signs out, which also ends the member's tokens. Ending an ended session succeeds. */
export async function endSession(db: Db, token: string): Promise<void> {
  if (TOKEN.test(token)) await db.transaction((tx) => deleteSession(tx, sha256(token)));
}
