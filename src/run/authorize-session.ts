// Authorization of the console's people. A session counts from our own origin alone: 403 for another one before anything is
// looked up; then 401; 422 for the headers that name the venue and the mode; 404 for a venue without a role; 403 for the
// mode, the link, the role and the fresh code; then 429. At the desk: 403 for an account that is no operator, for the
// operator's role and the fresh code. An operator who looks at a venue reads what its viewers read, and writes nothing.

import { type FieldProblem, invalid, Problem } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { isLoopback } from '../base/network.ts';
import {
  type AccountCaller,
  actorNameOf,
  type DeskCaller,
  operatorNameOf,
  sealNameOfAccount,
  type TeamCaller,
} from '../domain/accounts/account.ts';
import { type OperatorRole, operatorRolesFor } from '../domain/accounts/operator-roles.ts';
import type { FoundSession } from '../domain/accounts/queries.ts';
import { type Role, rolesFor } from '../domain/accounts/roles.ts';
import { findSession, STEP_UP_MS } from '../domain/accounts/sessions.ts';
import { countSharedCalls } from '../domain/keys/queries.ts';
import { findVenue } from '../domain/venues/queries.ts';
import { venueInMode } from '../domain/venues/venue.ts';
import { type Admit, type RateLimit, rateLimitsFor } from './admission.ts';
import type { AppOperation } from './app-operation.ts';
import { type AppContext, commandContext } from './context.ts';
import type { AuthResult, IncomingRequest } from './incoming-request.ts';
import { rateLimited } from './rate-limited.ts';

export const READS_PER_HOUR = 3_600;
const WRITES_PER_HOUR = 600;
const VENUE_HEADER = 'Everyshare-Venue';
const MODE_HEADER = 'Everyshare-Mode';

/** Null: the request passes as one without a session. */
export async function authorizeConsole(
  context: AppContext,
  admit: Admit,
  request: IncomingRequest,
): Promise<AuthResult | null> {
  const { operation, console: headers } = request;
  if (!isFromOwnOrigin(context, request)) return refuseUncounted(admit, request, foreignOrigin(context));
  if (operation.auth === 'open') return null;
  // A key in Authorization always wins over a cookie, and a key is no session.
  const token = request.authorization === undefined ? (headers?.token ?? null) : null;
  const wanted = operation.auth === 'account' || operation.auth === 'desk' ? null : headersOf(request);
  const now = context.clock.now();
  const venueId = wanted === null ? null : wanted.venueId;
  const at = { venueId, address: request.address };
  const found = token === null ? null : await findSession(context.db.priority, token, at, now);
  if (found === null) return refuseUncounted(admit, request, signInNeeded());
  const rateLimit = await countCall(context, request, found.accountId);
  const account = accountCaller(context, request, found, now);
  if (operation.auth === 'desk') return authorizeDesk(operation, rateLimit, account, found.operatorRole);
  if (wanted === null) return resultOf(operation, rateLimit, account, refuseStepUp(operation, account, null));
  if (wanted.problems.length > 0) return resultOf(operation, rateLimit, account, invalid(wanted.problems));
  const role = found.role ?? (found.isViewing ? 'viewer' : null);
  const venue = venueId === null || role === null ? null : await findVenue(context.db.priority, venueId);
  if (venue === null || role === null || venue.revoked_at !== null)
    return resultOf(operation, rateLimit, account, unknownVenue());
  const { mode } = wanted;
  const caller: TeamCaller = { ...account, venue: venueInMode(venue, mode), mode, key: null, role };
  const isForViewing = operation.method === 'GET' && operation.effect === 'read';
  const refusal = found.role === null && !isForViewing ? viewingOnly() : refusalOf(context, request, caller);
  return resultOf(operation, rateLimit, caller, refusal);
}

function resultOf(
  { effect }: AppOperation,
  rateLimit: RateLimit,
  caller: AccountCaller,
  refusal: Problem | null,
): AuthResult {
  const limited = rateLimit.retryAfter === null ? null : rateLimited(rateLimit, effect);
  return { rateLimit, caller, refusal: refusal ?? limited };
}

/** A request without a valid session is counted for its address. */
async function refuseUncounted(admit: Admit, request: IncomingRequest, refusal: Problem): Promise<AuthResult> {
  const { effect } = request.operation;
  const { rateLimit } = await admit({ hash: null, effect, address: request.address, origin: '' });
  const limited = rateLimit.retryAfter === null ? null : rateLimited(rateLimit, effect);
  return { rateLimit, caller: null, refusal: limited ?? refusal };
}

/**
 * One of the two headers must say so, and neither may say otherwise: a page of another site cannot leave out or change
 * them, and a request without either does not show where it comes from.
 */
function isFromOwnOrigin({ address }: AppContext, { origin, console: headers }: IncomingRequest): boolean {
  const site = headers?.fetchSite;
  if (origin === undefined) return site === 'same-origin';
  const given = comparable(origin);
  const isOwn = given !== null && given === comparable(address.base);
  return isOwn && (site === undefined || site === 'same-origin');
}

/** The names of this machine itself count as one: a developer opens the console by any of them. */
function comparable(origin: string): string | null {
  if (!URL.canParse(origin)) return null;
  const { protocol, hostname, port } = new URL(origin);
  return `${protocol}//${isLoopback(hostname) ? 'loopback' : hostname}:${port}`;
}

function foreignOrigin({ address }: AppContext): Problem {
  return new Problem('origin_not_allowed', {
    message: `A session of the console works from its own pages alone, at ${address.base}. A program sends an API key instead.`,
  });
}

function signInNeeded(): Problem {
  return new Problem('unauthorized', {
    message:
      'The session of the console is missing or over: sign in with POST /console/api/sign_in. A request with an Authorization header uses no session.',
    headers: { 'www-authenticate': 'Bearer realm="everyshare"' },
  });
}

interface WantedVenue {
  /** Null: the header is missing or wrong. */
  readonly venueId: string | null;
  readonly mode: 'test' | 'live';
  readonly problems: readonly FieldProblem[];
}

function headersOf({ console: headers }: IncomingRequest): WantedVenue {
  const { venue, mode } = headers ?? { venue: undefined, mode: undefined };
  const venueId = venue !== undefined && isUuid(venue) ? venue.toLowerCase() : null;
  const isMode = mode === 'test' || mode === 'live';
  const problems = [
    ...(venueId === null ? [headerProblem(VENUE_HEADER, venue, 'the id of a venue', EXAMPLE_VENUE)] : []),
    ...(isMode ? [] : [headerProblem(MODE_HEADER, mode, '"test" or "live"', 'test')]),
  ];
  return { venueId, mode: isMode ? mode : 'test', problems };
}

const EXAMPLE_VENUE = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';

function headerProblem(name: string, given: string | undefined, expected: string, example_fix: string): FieldProblem {
  const isMissing = given === undefined;
  return {
    code: isMissing ? 'missing_field' : 'invalid_value',
    field: `/header/${name}`,
    message: `The header ${name} ${isMissing ? 'is missing' : 'is not right'}: a session names its venue and mode. Send ${expected}.`,
    expected,
    example_fix,
  };
}

/** The same for a venue that does not exist, one of other people, and a revoked one. */
function unknownVenue(): Problem {
  return new Problem('not_found', {
    field: `/header/${VENUE_HEADER}`,
    message: 'There is no such venue, or you have no role in it. GET /console/api/session lists yours.',
  });
}

/** The roles in venues do not count here: a person can be a partner and an operator. */
function authorizeDesk(
  operation: AppOperation,
  rateLimit: RateLimit,
  account: AccountCaller,
  operatorRole: OperatorRole | null,
): AuthResult {
  if (operatorRole === null) return resultOf(operation, rateLimit, account, operatorNeeded());
  const actor = { ...account.actor, name: operatorNameOf(account.account.id) };
  const caller: DeskCaller = { ...account, actor, operatorRole };
  const roles = operatorRolesFor(operation);
  const refusal = roles.includes(operatorRole)
    ? refuseStepUp(operation, caller, null)
    : new Problem('role_not_allowed', {
        message: `Your role at the desk is ${operatorRole}, and this call needs ${roles.join(' or ')}. Ask an admin.`,
      });
  return resultOf(operation, rateLimit, caller, refusal);
}

function operatorNeeded(): Problem {
  return new Problem('role_not_allowed', {
    message:
      'The desk is for operators, and your account is none. `everyshare operator add MAIL --role ROLE` makes one.',
  });
}

function viewingOnly(): Problem {
  return new Problem('role_not_allowed', {
    message: 'You look at this venue as an operator: you can read everything in it and change nothing.',
  });
}

async function countCall(context: AppContext, request: IncomingRequest, accountId: string): Promise<RateLimit> {
  const { effect } = request.operation;
  const limit = effect === 'read' ? READS_PER_HOUR : WRITES_PER_HOUR;
  const calls = request.isUncounted === true ? 0 : 1;
  const [counted] = await countSharedCalls(context.db.priority, limit, [
    { subject: `account ${accountId} ${effect}`, calls },
  ]);
  if (counted === undefined) throw new Error('count_calls_each() answers one row for each subject');
  const rateLimit = rateLimitsFor('account', limit, counted)(0);
  return calls === 0 ? { ...rateLimit, retryAfter: null } : rateLimit;
}

function accountCaller(
  context: AppContext,
  { via, address, requestId }: IncomingRequest,
  found: FoundSession,
  now: number,
): AccountCaller {
  const { id, createdAt, expiresAt, lastUsedAt, steppedUpAt, address: lastAddress, device, isNewDevice } = found;
  const actor = { name: actorNameOf(found.accountId), via, address, requestId };
  return {
    ...commandContext(context, actor),
    now,
    account: {
      id: found.accountId,
      email: context.seal.open(found.email, sealNameOfAccount(found.accountId)),
      name: found.name,
    },
    session: { id, createdAt, expiresAt, lastUsedAt, steppedUpAt, address: lastAddress, device, isNewDevice },
  };
}

function refusalOf({ config }: AppContext, { operation }: IncomingRequest, caller: TeamCaller): Problem | null {
  const { mode, role, venue } = caller;
  if (operation.keyOnly === true) {
    const message = 'This call is about an API key: send one as "Authorization: Bearer <key>".';
    return new Problem('wrong_key_kind', { message });
  }
  if (!config.modes.includes(mode)) {
    const message = `This installation has no card processor for ${mode} mode.`;
    return new Problem('mode_not_available', { message });
  }
  if (operation.testOnly === true && mode !== 'test')
    return new Problem('mode_not_available', { message: 'Test helpers work in test mode alone.' });
  if (!venue.linked && (mode === 'live' || operation.linkedOnly === true)) return new Problem('venue_not_linked');
  return rolesFor(operation).includes(role) ? refuseStepUp(operation, caller, mode) : roleNotAllowed(operation, role);
}

function roleNotAllowed(operation: AppOperation, role: Role): Problem {
  const message = `Your role in this venue is ${role}, and this call needs ${rolesFor(operation).join(' or ')}. Ask an owner of the venue.`;
  return new Problem('role_not_allowed', { message });
}

/** A passkey or a code of the last ten minutes: that of the sign-in counts too. The mode is null outside of a venue. */
function refuseStepUp(
  { stepUp }: AppOperation,
  { session, now }: AccountCaller,
  mode: 'test' | 'live' | null,
): Problem | null {
  const provedAt = Math.max(session.createdAt, session.steppedUpAt ?? 0);
  const isNeeded = stepUp === 'always' || (stepUp === 'live' && mode === 'live');
  if (!isNeeded || now - provedAt < STEP_UP_MS) return null;
  return new Problem('step_up_required', {
    message:
      'This call needs a passkey or a code of the last ten minutes: POST /console/api/step_up/passkey asks for a passkey, POST /console/api/step_up mails a code.',
  });
}
