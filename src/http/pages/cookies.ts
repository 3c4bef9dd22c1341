// The cookies of the hosted pages: the session, the chosen language and, for ten minutes, the phone that a code was sent
// to. Scripts cannot read them, other sites cannot send them with a form, and under https they are sent over https only.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Seal } from '../../base/seal.ts';
import { CODE_SECONDS } from '../../domain/members/sign-in.ts';

type Name = 'session' | 'sign_in' | 'locale';

/** With the prefix `__Host-`, the browser refuses a cookie that another host or a plain connection has set. */
function fullName(name: Name, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}everyshare_${name}`;
}

export function readCookie(request: FastifyRequest, name: Name, isSecure: boolean): string | null {
  const wanted = `${fullName(name, isSecure)}=`;
  for (const one of (request.headers.cookie ?? '').split(';')) {
    const pair = one.trim();
    if (pair.startsWith(wanted)) return pair.slice(wanted.length);
  }
  return null;
}

export function setCookie(reply: FastifyReply, name: Name, value: string, seconds: number, isSecure: boolean): void {
  const parts = [`${fullName(name, isSecure)}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure) parts.push('Secure');
  reply.header('set-cookie', parts.join('; '));
}

/** A code was sent and the guest has not entered it yet. */
export interface PendingSignIn {
  readonly challengeId: string;
  readonly phone: string;
  /** The page may show the last digits: the visitor, or the organizer who has the same link, typed the phone. */
  readonly showsEnding: boolean;
}

const SEAL_CONTEXT = 'sign-in cookie';

export function setPendingSignIn(reply: FastifyReply, seal: Seal, pending: PendingSignIn, isSecure: boolean): void {
  const sealed = seal.seal(JSON.stringify(pending), SEAL_CONTEXT).toString('base64url');
  setCookie(reply, 'sign_in', sealed, CODE_SECONDS, isSecure);
}

/** Null: there is no cookie, or we did not seal it. */
export function readPendingSignIn(request: FastifyRequest, seal: Seal, isSecure: boolean): PendingSignIn | null {
  const sealed = readCookie(request, 'sign_in', isSecure);
  if (sealed === null || sealed === '') return null;
  try {
    return JSON.parse(seal.open(Buffer.from(sealed, 'base64url'), SEAL_CONTEXT)) as PendingSignIn;
  } catch {
    // Manipulated, truncated, or sealed with another key: the guest starts the sign-in again.
    return null;
  }
}
