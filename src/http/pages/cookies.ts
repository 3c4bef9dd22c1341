// The two cookies of the hosted pages: who is signed in, and, for ten minutes, which phone a code was sent to. Scripts
// cannot read them, other sites cannot send them with a form, and over https they never leave it.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Seal } from '../../base/seal.ts';
import { CODE_SECONDS } from '../../domain/members/sign-in.ts';

type Name = 'session' | 'sign_in' | 'locale';

/** Over https the browser itself refuses one that another host or a plain connection has set. */
function fullName(name: Name, secure: boolean): string {
  return `${secure ? '__Host-' : ''}everyshare_${name}`;
}

export function readCookie(request: FastifyRequest, name: Name, secure: boolean): string | null {
  const wanted = `${fullName(name, secure)}=`;
  for (const one of (request.headers.cookie ?? '').split(';')) {
    const pair = one.trim();
    if (pair.startsWith(wanted)) return pair.slice(wanted.length);
  }
  return null;
}

export function setCookie(reply: FastifyReply, name: Name, value: string, seconds: number, secure: boolean): void {
  const parts = [`${fullName(name, secure)}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (secure) parts.push('Secure');
  reply.header('set-cookie', parts.join('; '));
}

/** A code was sent and is waited for. */
export interface PendingSignIn {
  readonly challengeId: string;
  readonly phone: string;
}

const ROW = 'sign-in cookie';

export function keepPending(reply: FastifyReply, seal: Seal, pending: PendingSignIn, secure: boolean): void {
  const sealed = seal.seal(JSON.stringify(pending), ROW).toString('base64url');
  setCookie(reply, 'sign_in', sealed, CODE_SECONDS, secure);
}

/** Null: there is none, or it is not one of ours. */
export function readPending(request: FastifyRequest, seal: Seal, secure: boolean): PendingSignIn | null {
  const sealed = readCookie(request, 'sign_in', secure);
  if (sealed === null || sealed === '') return null;
  try {
    return JSON.parse(seal.open(Buffer.from(sealed, 'base64url'), ROW)) as PendingSignIn;
  } catch {
    // Changed, cut, or sealed with another key: whoever comes with it begins again.
    return null;
  }
}
