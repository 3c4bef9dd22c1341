// One request to a hosted page: which page, in which language, who is signed in. Everything that the page shows is read
// from here on; nothing that the browser claims about the state of a payment is believed.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, Problem } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import { languageOf, type Translator, translatorFor } from '../../base/translations.ts';
import { hashOfToken } from '../../domain/checkouts/party/choose-party.ts';
import { findInvite, venueOf } from '../../domain/checkouts/party/invite-queries.ts';
import type { AnonymousCaller, Guest } from '../../domain/members/guest.ts';
import { findSession } from '../../domain/members/sessions.ts';
import { commandContext } from '../../run/context.ts';
import { operationNamed } from '../../run/operations.ts';
import type { HttpReply } from '../../run/perform.ts';
import type { HttpContext } from '../context.ts';
import { type PendingSignIn, readCookie, readPending, setCookie } from './cookies.ts';

/** `/c/<checkout_id>`, or `/s/<token>`, the invite of one share. */
export interface Place {
  readonly path: string;
  readonly venueId: string;
  readonly checkoutId: string;
  /** The share whose invite was opened. */
  readonly shareId: string | null;
}

export interface Signed {
  readonly id: string;
  readonly displayName: string | null;
}

export interface PageRequest {
  readonly http: HttpContext;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly translator: Translator;
  /** Cookies are for https alone. */
  readonly secure: boolean;
  readonly member: Signed | null;
  readonly pending: PendingSignIn | null;
}

const A_YEAR = 365 * 86_400;

export async function openPageRequest(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PageRequest> {
  const secure = http.urls().checkoutPages.startsWith('https:');
  const { app: context } = http;
  const wanted = (request.query as Record<string, unknown> | undefined)?.locale;
  const kept = readCookie(request, 'locale', secure);
  const asked = typeof wanted === 'string' ? wanted : kept;
  const language = languageOf(request.headers['accept-language'] ?? null, asked);
  if (typeof wanted === 'string' && language === wanted) setCookie(reply, 'locale', language, A_YEAR, secure);
  const token = readCookie(request, 'session', secure);
  const session = token === null ? null : await findSession(context.db, token, context.clock.now());
  return {
    http,
    request,
    reply,
    translator: translatorFor(language),
    secure,
    member: session === null ? null : { id: session.memberId, displayName: session.displayName },
    pending: session === null ? readPending(request, context.seal, secure) : null,
  };
}

/** Where a request goes; 404 for what is not there. Looking at an invite never uses it up: link previews look too. */
export async function placeOf(http: HttpContext, request: FastifyRequest): Promise<Place> {
  const { db } = http.app;
  const { id, token } = request.params as { id?: string; token?: string };
  if (token !== undefined) {
    const invite = await findInvite(db, hashOfToken(token));
    if (invite === null) throw notFound();
    return { path: `/s/${token}`, ...invite };
  }
  if (id === undefined || !/^chk_[0-9a-z]{1,64}$/.test(id)) throw notFound();
  const venueId = await venueOf(db, id);
  if (venueId === null) throw notFound();
  return { path: `/c/${id}`, venueId, checkoutId: id, shareId: null };
}

/** The one who is signed in, as the operations know them. */
export function guestOf({ http, request, member }: PageRequest): Guest {
  if (member === null) throw new Problem('unauthorized', { message: 'Sign in first.' });
  const by = { actor: `member ${member.id}`, via: 'http' as const, address: request.ip, requestId: request.id };
  return { ...commandContext(http.app, by), memberId: member.id };
}

/** Whoever is not signed in yet, as the operations of signing in know them. */
export function anonymousCallerOf({ http, request, translator }: PageRequest): AnonymousCaller {
  const by = { actor: 'guest', via: 'http' as const, address: request.ip, requestId: request.id };
  return { ...commandContext(http.app, by), address: request.ip, language: translator.language };
}

/** Runs an operation of the API with the fields of a form: the schema and the rules are those of the route. */
export function performForm(
  { http }: PageRequest,
  operationId: string,
  principal: Guest | AnonymousCaller,
  parsedBody: JsonValue,
  params: Readonly<Record<string, string>> = {},
): Promise<HttpReply> {
  return http.perform(operationNamed(operationId), principal, { params, query: {}, parsedBody });
}

/** A form of ours comes from our own page; what another site sends in somebody's name is refused. */
export function requireSameOrigin({ http, request }: PageRequest): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const urls = http.urls();
  const ours = [urls.base, urls.checkoutPages].map((url) => new URL(url).origin);
  // Our pages send no referrer, and so no origin either: "null", where the browser does not say it better.
  const isUnnamed = origin === undefined || origin === 'null';
  const isForeign = site !== undefined ? site !== 'same-origin' : !isUnnamed && !ours.includes(origin);
  if (isForeign) throw new Problem('origin_not_allowed', { message: 'This form was sent from another site.' });
}
