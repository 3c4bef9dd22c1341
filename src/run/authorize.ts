// Who is calling, and may they: the checks in one fixed order. 401; then 403 for the kind of key, the mode, the
// address, the origin, the scope and the link; then 429. The result carries the rate limit even when it refuses, since
// every response has the headers of the limit. authorize-session.ts has the order for people in the console.

import { addressIn } from '../base/address-range.ts';
import { bearer, hasBearerToken } from '../base/bearer-token.ts';
import type { Actor } from '../base/command-context.ts';
import { notFound, Problem } from '../base/errors.ts';
import { languageOf } from '../base/translations.ts';
import { tokenHash } from '../domain/hooks/integrations.ts';
import { canShareHooks, PROVIDERS } from '../domain/hooks/providers.ts';
import { admitHook } from '../domain/hooks/queries.ts';
import { type IntegrationCaller, type SharedHookCaller, UNKNOWN_HOOK } from '../domain/hooks/receive.ts';
import { admitSharedHook } from '../domain/hooks/shared-hook-queries.ts';
import type { Caller, PrefetchedCheckout } from '../domain/keys/caller.ts';
import { hashTextOfKey } from '../domain/keys/key.ts';
import { type AdmittedKey, countSharedCalls } from '../domain/keys/queries.ts';
import type { AnonymousCaller, Guest } from '../domain/members/guest.ts';
import { MEMBER_READS_PER_HOUR, MEMBER_WRITES_PER_HOUR } from '../domain/members/limits.ts';
import { storeIssuerMember } from '../domain/members/queries.ts';
import { normalOrigin } from '../domain/venues/venue.ts';
import { type Admit, rateLimitsFor } from './admission.ts';
import type { AppOperation } from './app-operation.ts';
import { authorizeConsole } from './authorize-session.ts';
import { type AppContext, commandContext } from './context.ts';
import type { AuthResult, IncomingRequest } from './incoming-request.ts';
import { rateLimited } from './rate-limited.ts';

export async function authorize(context: AppContext, admit: Admit, request: IncomingRequest): Promise<AuthResult> {
  const { operation } = request;
  if (operation.auth === 'operator') return authorizeOperator(context, request);
  if (operation.auth === 'hook') return authorizeHook(context, admit, request);
  if (operation.auth === 'guest' || operation.auth === 'member') {
    const member = await authorizeMember(context, request);
    if (member !== null) return member;
  }
  const isConsole = operation.audience !== undefined || (operation.auth === 'secret' && hasSession(request));
  const byConsole = isConsole ? await authorizeConsole(context, admit, request) : null;
  if (byConsole !== null) return byConsole;
  const needsKey = operation.auth === 'secret' || operation.auth === 'guest' || operation.auth === 'member';
  const token = needsKey ? bearer(request.authorization) : null;
  const origin = originOf(request.origin);
  const checkoutId = prefetchIdOf(request);
  const { key, rateLimit, prefetched } = await admit({
    hash: token === null ? null : hashTextOfKey(token),
    effect: operation.effect,
    address: request.address,
    origin,
    checkoutId,
    isUncounted: request.isUncounted === true,
  });
  const limited = rateLimit.retryAfter === null ? null : rateLimited(rateLimit, operation.effect);
  if (!needsKey) return { rateLimit, caller: anonymousCallerFrom(context, request), refusal: limited };
  if (key === null) return { rateLimit, caller: null, refusal: limited ?? unauthorized(remedyFor(operation)) };
  const caller = callerFrom(context, request, key, checkoutId === null ? undefined : prefetched);
  return { rateLimit, caller, refusal: refusalOf(context, request, key, origin) ?? limited };
}

/** A key in Authorization always wins over a cookie. */
function hasSession({ authorization, console: headers }: IncomingRequest): boolean {
  return authorization === undefined && headers !== undefined && headers.token !== null;
}

const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;
const MAX_JWT_LENGTH = 4096;

/** A signed-in member, with a rate limit of their own; null: the request has no valid token of a member. */
async function authorizeMember(context: AppContext, request: IncomingRequest): Promise<AuthResult | null> {
  const { operation, authorization } = request;
  const token =
    authorization === undefined || authorization.length > MAX_JWT_LENGTH ? null : JWT.exec(authorization)?.[1];
  const memberId = token == null ? null : await context.tokens.verify(token);
  if (memberId === null) return null;
  if (context.config.memberIssuer !== null) await storeIssuerMember(context.db, memberId, context.clock.now());
  const limit = operation.effect === 'read' ? MEMBER_READS_PER_HOUR : MEMBER_WRITES_PER_HOUR;
  const subject = `member ${memberId} ${operation.effect}`;
  const calls = request.isUncounted === true ? 0 : 1;
  const [counted] = await countSharedCalls(context.db.priority, limit, [{ subject, calls }]);
  if (counted === undefined) throw new Error('count_calls_each() answers one row for each subject');
  const limitNow = rateLimitsFor('member', limit, counted)(0);
  const rateLimit = calls === 0 ? { ...limitNow, retryAfter: null } : limitNow;
  const caller: Guest = { ...commandContext(context, actorOf(request, `member ${memberId}`)), memberId };
  return {
    rateLimit,
    caller,
    refusal: rateLimit.retryAfter === null ? null : rateLimited(rateLimit, operation.effect),
  };
}

function anonymousCallerFrom(context: AppContext, request: IncomingRequest): AnonymousCaller {
  const { address, acceptLanguage, console: headers } = request;
  const language = acceptLanguage === undefined ? null : languageOf(acceptLanguage);
  const { deviceToken = null, userAgent = null } = headers ?? {};
  const browser = { deviceToken, userAgent };
  return { ...commandContext(context, actorOf(request, 'guest')), address, language, browser };
}

function actorOf({ via, address, requestId }: IncomingRequest, name: string): Actor {
  return { name, via, address, requestId };
}

/** A host name has at most 253 characters: a longer text is no origin. */
function originOf(header: string | undefined): string {
  return header === undefined || header.length > 300 ? '' : (normalOrigin(header) ?? '');
}

const OPERATOR_REMEDY = 'This address needs the operator token, sent as "Authorization: Bearer <token>".';

/** A guest's page has no API key to check: the remedy is to sign in. */
function remedyFor({ auth }: AppOperation): string | undefined {
  const signIn =
    'sign in with POST /v1/public/sign_in, then send the token of the answer as "Authorization: Bearer <token>"';
  if (auth === 'member')
    return `This call is for a signed-in guest, and the sign-in is missing, over or not valid: ${signIn}.`;
  return auth === 'guest'
    ? `This call is for a signed-in guest, or for a page with a publishable key (pk_…), and neither was found: ${signIn}.`
    : undefined;
}

/** The message of the catalogue is about API keys; `remedy` replaces it where another proof is needed. */
function unauthorized(remedy?: string): Problem {
  const headers = remedy === UNKNOWN_HOOK ? {} : { 'www-authenticate': 'Bearer realm="everyshare"' };
  return new Problem('unauthorized', remedy === undefined ? { headers } : { headers, message: remedy });
}

/** Deliveries of an integration: ten a second. */
const HOOK_CALLS_PER_HOUR = 36_000;
/** Deliveries at an address that several venues share: a hundred a second. */
const SHARED_HOOK_CALLS_PER_HOUR = 360_000;

/**
 * The token in the address is the credential: 404 for an unknown provider, then 401, then 429. A request without a
 * valid token is counted for its address. Unknown tokens, revoked tokens and tokens of another provider get the same
 * answer.
 */
async function authorizeHook(context: AppContext, admit: Admit, request: IncomingRequest): Promise<AuthResult> {
  const { provider = '', token = '' } = request.params;
  const isKnown = PROVIDERS.includes(provider);
  const hook = isKnown ? await admitHook(context.db.priority, tokenHash(token), provider, HOOK_CALLS_PER_HOUR) : null;
  if (hook === null) {
    const shared = canShareHooks(provider) ? await authorizeSharedHook(context, provider, token) : null;
    if (shared !== null) return shared;
    const { rateLimit } = await admit({ hash: null, effect: 'write', address: request.address, origin: '' });
    const limited = rateLimit.retryAfter === null ? null : rateLimited(rateLimit, 'write');
    return { rateLimit, caller: null, refusal: isKnown ? (limited ?? unauthorized(UNKNOWN_HOOK)) : notFound() };
  }
  const rateLimit = rateLimitsFor('integration', HOOK_CALLS_PER_HOUR, hook)(0);
  const caller: IntegrationCaller = {
    integrationId: hook.integration_id,
    venueId: hook.venue_id,
    mode: hook.mode,
    provider,
    url: `${hook.address}${token}`,
    secret: hook.secret,
  };
  return { rateLimit, caller, refusal: rateLimit.retryAfter === null ? null : rateLimited(rateLimit, 'write') };
}

/** Null: the token is not that of a shared address. */
async function authorizeSharedHook(context: AppContext, provider: string, token: string): Promise<AuthResult | null> {
  const limit = SHARED_HOOK_CALLS_PER_HOUR;
  const hook = await admitSharedHook(context.db.priority, tokenHash(token), provider, limit);
  if (hook === null) return null;
  const rateLimit = rateLimitsFor('integration', limit, hook)(0);
  const caller: SharedHookCaller = { sharedHookId: hook.shared_hook_id, mode: hook.mode, provider };
  return { rateLimit, caller, refusal: rateLimit.retryAfter === null ? null : rateLimited(rateLimit, 'write') };
}

function refusalOf(context: AppContext, request: IncomingRequest, row: AdmittedKey, origin: string): Problem | null {
  const { operation } = request;
  const wanted = operation.auth === 'secret' ? 'secret' : 'publishable';
  if (operation.auth === 'member' || row.kind !== wanted)
    return new Problem('wrong_key_kind', { message: kindMessage(operation, row) });
  if (!context.config.modes.includes(row.mode)) {
    return new Problem('mode_not_available', {
      message: `This installation has no card processor for ${row.mode} mode.`,
    });
  }
  if (operation.testOnly === true && row.mode !== 'test') {
    return new Problem('mode_not_available', { message: 'Test helpers work with test keys alone.' });
  }
  if (row.allow_ips !== null && !addressIn(request.address, row.allow_ips)) return new Problem('ip_not_allowed');
  if (operation.auth === 'guest' && !row.venue_origins.includes(origin)) {
    const missing = 'A publishable key is used from a browser: the Origin header is missing.';
    return new Problem('origin_not_allowed', request.origin === undefined ? { message: missing } : {});
  }
  if (request.isForeignOrigin === true) {
    const message =
      'The tool server is not for web pages: call it from a program, without another site’s Origin or Host.';
    return new Problem('origin_not_allowed', { message });
  }
  const scopes = operation.scopes ?? [];
  if (row.mode === 'live' && scopes.length > 0 && !scopes.some((scope) => row.scopes.includes(scope))) {
    return new Problem('insufficient_scope', {
      message: `This call needs the scope ${scopes.join(' or ')}. Ask for a key that carries it.`,
    });
  }
  if (operation.linkedOnly === true && !row.venue_linked) return new Problem('venue_not_linked');
  return null;
}

function kindMessage(operation: AppOperation, row: AdmittedKey): string {
  if (operation.auth === 'secret')
    return 'This call needs a secret key (svc_…), sent from a server. A publishable key cannot make it.';
  if (operation.auth === 'member') return 'This call needs a signed-in member, not an API key.';
  return row.kind === 'secret'
    ? 'A secret key must never reach a browser: use a publishable key (pk_…) here.'
    : 'Use a publishable key here.';
}

/** The form of an id. A path with anything else is not looked up in the statement that other requests share. */
const PLAIN_ID = /^\w{1,64}$/;

function prefetchIdOf({ operation, params }: IncomingRequest): string | null {
  const id = operation.kind === 'query' && operation.prefetchesCheckout === true ? (params.id ?? '') : '';
  return PLAIN_ID.test(id) ? id : null;
}

/** Every field is named: a spread of the command context takes 7 microseconds here, for each call with a key. */
function callerFrom(
  context: AppContext,
  request: IncomingRequest,
  row: AdmittedKey,
  prefetched: PrefetchedCheckout | null | undefined,
): Caller {
  const command = commandContext(context, actorOf(request, row.key_id));
  return {
    ids: command.ids,
    random: command.random,
    seal: command.seal,
    contract: command.contract,
    docUrl: command.docUrl,
    checkoutUrl: command.checkoutUrl,
    hookUrl: command.hookUrl,
    readers: command.readers,
    readsPerDay: command.readsPerDay,
    retention: command.retention,
    actor: command.actor,
    now: command.now,
    venue: { id: row.venue_id, name: row.venue_name, linked: row.venue_linked, origins: row.venue_origins },
    mode: row.mode,
    key: {
      id: row.key_id,
      kind: row.kind,
      scopes: row.scopes,
      writesPerHour: row.writes_per_hour,
      readsPerHour: row.reads_per_hour,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    },
    prefetched,
  };
}

function authorizeOperator(context: AppContext, request: IncomingRequest): AuthResult {
  const isKnown = hasBearerToken(context.operatorToken, request.authorization);
  const caller = isKnown ? ({ isOperator: true } as const) : null;
  return { rateLimit: null, caller, refusal: isKnown ? null : unauthorized(OPERATOR_REMEDY) };
}
