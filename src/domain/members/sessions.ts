// A browser that stays signed in on the hosted pages: a token of 256 random bits for its cookie, kept only as a hash, good
// for 30 days from the sign-in and never longer. It does not know cookies, and it does not prolong anything.

import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Queryable } from '../../base/db.ts';
import type { Random } from '../../base/random.ts';
import { deleteSession, findSessionRow, insertSession, type SessionRow } from './queries.ts';

export const SESSION_SECONDS = 30 * 24 * 3_600;
const TOKEN_BYTES = 32;
/** 32 bytes in base64url; anything else is no token of ours, and the database is not asked. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface SessionServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly random: Random;
}

/** The token for the cookie; it is told here once and cannot be found again. */
export async function beginSession({ db, clock, random }: SessionServices, memberId: string): Promise<string> {
  const token = random.bytes(TOKEN_BYTES).toString('base64url');
  const now = clock.now();
  await insertSession(db, { tokenHash: hashOf(token), memberId, expiresAt: now + SESSION_SECONDS * 1_000, now });
  return token;
}

/** Who is signed in with this token; null: nobody, or not any more. */
export async function findSession(db: Queryable, token: string, now: number): Promise<SessionRow | null> {
  return TOKEN.test(token) ? findSessionRow(db, hashOf(token), now) : null;
}

/** Signing out; ending what has ended is no failure. */
export async function endSession(db: Queryable, token: string): Promise<void> {
  if (TOKEN.test(token)) await deleteSession(db, hashOf(token));
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
