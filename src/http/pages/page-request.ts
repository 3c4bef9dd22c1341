// One request to a hosted page: its route, its language and the signed-in member. The page shows only what the server
// reads from its own data; it never trusts what the browser claims about a payment.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  DeclinedInvite,
  GuestCheckout,
  PartyResult,
  Receipt,
  Reminder,
  SignedIn,
  SignInChallenge,
} from '../../../schemas/types.gen.ts';
import { notFound, Problem } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import { languageOf, type Translator, translatorFor } from '../../base/translations.ts';
import { hashOfToken } from '../../domain/checkouts/guests/create-invites.ts';
import { venueOf } from '../../domain/checkouts/guests/guest-queries.ts';
import { findInvite } from '../../domain/checkouts/guests/invite-queries.ts';
import type { AnonymousCaller, Guest } from '../../domain/members/guest.ts';
import { findSession } from '../../domain/members/sessions.ts';
import { commandContext } from '../../run/context.ts';
import { operationNamed } from '../../run/operations.ts';
import type { HttpContext } from '../context.ts';
import { type PendingSignIn, readCookie, readPendingSignIn, setCookie } from './cookies.ts';

/** `/c/<checkout_id>`, or `/s/<token>` for the invite of one share. */
export interface PageRoute {
  readonly path: string;
  readonly venueId: string;
  readonly checkoutId: string;
  /** The share of the opened invite. */
  readonly shareId: string | null;
}

export interface SignedInMember {
  readonly id: string;
  readonly displayName: string | null;
}

export interface PageRequest {
  readonly http: HttpContext;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly translator: Translator;
  /** Pages are served over https, so cookies are restricted to it. */
  readonly isSecure: boolean;
  readonly member: SignedInMember | null;
  readonly pending: PendingSignIn | null;
}

export function isSandbox({ http }: PageRequest): boolean {
  return http.app.processorAccess.sandboxUrl !== null;
}

const YEAR_SECONDS = 365 * 86_400;

export async function openPageRequest(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PageRequest> {
  const isSecure = http.urls().checkoutPages.startsWith('https:');
  const { app: context } = http;
  const requestedLocale = (request.query as Record<string, unknown> | undefined)?.locale;
  const storedLocale = readCookie(request, 'locale', isSecure);
  const locale = typeof requestedLocale === 'string' ? requestedLocale : storedLocale;
  const language = languageOf(request.headers['accept-language'] ?? null, locale);
  if (typeof requestedLocale === 'string' && language === requestedLocale)
    setCookie(reply, 'locale', language, YEAR_SECONDS, isSecure);
  const token = readCookie(request, 'session', isSecure);
  const session = token === null ? null : await findSession(context.db, token, context.clock.now());
  return {
    http,
    request,
    reply,
    translator: translatorFor(language),
    isSecure,
    member: session === null ? null : { id: session.memberId, displayName: session.displayName },
    pending: session === null ? readPendingSignIn(request, context.seal, isSecure) : null,
  };
}

/** Throws 404 if there is no such page. Opening an invite never uses it up, because link previews open it too. */
export async function findPageRoute(http: HttpContext, request: FastifyRequest): Promise<PageRoute> {
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

/** The signed-in member as the principal of an operation. */
export function guestOf({ http, request, member }: PageRequest): Guest {
  if (member === null) throw new Problem('unauthorized', { message: 'Sign in first.' });
  const actor = { name: `member ${member.id}`, via: 'http' as const, address: request.ip, requestId: request.id };
  return { ...commandContext(http.app, actor), memberId: member.id };
}

/** A guest who is not signed in, as the principal of the sign-in operations. */
export function anonymousCallerOf({ http, request, translator }: PageRequest): AnonymousCaller {
  const actor = { name: 'guest', via: 'http' as const, address: request.ip, requestId: request.id };
  return { ...commandContext(http.app, actor), address: request.ip, language: translator.language };
}

/** Runs an operation of the API with the fields of a form, under the same schema and rules as its route. */
export async function performForm<Id extends keyof FormResults>(
  { http }: PageRequest,
  operationId: Id,
  principal: Guest | AnonymousCaller,
  { body, params = {}, expectedVersion }: FormInput,
): Promise<FormResults[Id]> {
  const version = expectedVersion === undefined ? {} : { expectedVersion };
  const input = { params, query: {}, parsedBody: body, ...version };
  const reply = await http.perform(operationNamed(operationId), principal, input);
  return (reply.body ?? JSON.parse(reply.json)) as FormResults[Id];
}

/** The operations that forms run, and the type of the schema that each names for its response. */
interface FormResults {
  readonly signIn: SignInChallenge;
  readonly verifySignIn: SignedIn;
  readonly takeSeat: GuestCheckout;
  readonly declineShare: GuestCheckout;
  readonly removeShare: GuestCheckout;
  readonly declineInvite: DeclinedInvite;
  readonly chooseParty: PartyResult;
  readonly mailReceipt: Receipt;
  readonly remindShare: Reminder;
}

interface FormInput {
  readonly body: JsonValue;
  readonly params?: Readonly<Record<string, string>>;
  /** The version of the object that the form was rendered from. */
  readonly expectedVersion?: string;
}

/** Refuses a form that another site sends with a guest's cookies. */
export function requireSameOrigin({ http, request }: PageRequest): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const urls = http.urls();
  const ours = [urls.base, urls.checkoutPages].map((url) => new URL(url).origin);
  // Our pages send no referrer, so browsers send the origin "null" unless they also send sec-fetch-site.
  const isUnnamed = origin === undefined || origin === 'null';
  const isForeign = site !== undefined ? site !== 'same-origin' : !isUnnamed && !ours.includes(origin);
  if (isForeign) throw new Problem('origin_not_allowed', { message: 'This form was sent from another site.' });
}
