// The cookies of the hosted pages and of the console: the sessions, the mark of a browser, the chosen language, the
// bookings that were celebrated, for ten minutes the phone that a code was sent to, and for half a minute what was wrong
// with a form. Scripts cannot read them, other sites cannot send them with a form, and under https they are sent over https
// only.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Seal } from '../../base/seal.ts';

type Name = 'session' | 'console' | 'device' | 'sign_in' | 'locale' | 'form_error' | 'celebrated';

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

/** Longer than a code is valid: who comes late reads that it is too old, and can ask for another. */
const PENDING_SECONDS = 3_600;

export function setPendingSignIn(reply: FastifyReply, seal: Seal, pending: PendingSignIn, isSecure: boolean): void {
  setSealed(reply, seal, 'sign_in', pending, PENDING_SECONDS, isSecure);
}

/** Null: there is no cookie, or we did not seal it. */
export function readPendingSignIn(request: FastifyRequest, seal: Seal, isSecure: boolean): PendingSignIn | null {
  return readSealed<PendingSignIn>(request, seal, 'sign_in', isSecure);
}

/** What was wrong with the form that the guest sent last. The page that follows shows it. */
export interface StoredFormError {
  /** The checkout whose page shows it. */
  readonly checkoutId: string;
  readonly field: string | null;
  readonly message: string;
  readonly typed?: Readonly<Record<string, string>>;
}

/** Long enough for a page that polls: the message stays while the guest reads it. */
const FORM_ERROR_SECONDS = 30;

/** No field of these forms takes more, and browsers refuse large cookies. */
const MAX_TYPED_LENGTH = 100;

export function setFormError(reply: FastifyReply, seal: Seal, error: StoredFormError, isSecure: boolean): void {
  const typed = Object.fromEntries(
    Object.entries(error.typed ?? {}).map(([name, text]) => [name, text.slice(0, MAX_TYPED_LENGTH)]),
  );
  setSealed(reply, seal, 'form_error', { ...error, typed }, FORM_ERROR_SECONDS, isSecure);
}

export function readFormError(request: FastifyRequest, seal: Seal, isSecure: boolean): StoredFormError | null {
  return readSealed<StoredFormError>(request, seal, 'form_error', isSecure);
}

type SealedName = 'sign_in' | 'form_error';
const SEAL_CONTEXTS: Readonly<Record<SealedName, string>> = {
  sign_in: 'sign-in cookie',
  form_error: 'form error cookie',
};

function setSealed(
  reply: FastifyReply,
  seal: Seal,
  name: SealedName,
  value: PendingSignIn | StoredFormError,
  seconds: number,
  isSecure: boolean,
): void {
  const sealed = seal.seal(JSON.stringify(value), SEAL_CONTEXTS[name]).toString('base64url');
  setCookie(reply, name, sealed, seconds, isSecure);
}

function readSealed<T>(request: FastifyRequest, seal: Seal, name: SealedName, isSecure: boolean): T | null {
  const sealed = readCookie(request, name, isSecure);
  if (sealed === null || sealed === '') return null;
  try {
    return JSON.parse(seal.open(Buffer.from(sealed, 'base64url'), SEAL_CONTEXTS[name])) as T;
  } catch {
    // Manipulated, truncated, or sealed with another key: as if there were none.
    return null;
  }
}
