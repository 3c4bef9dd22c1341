// CORS headers: only on the routes of guests, for the origins that the venue of the path has registered for the mode of the
// checkout (for signing in, those of any venue). A request with a publishable key gets the header by the venue of the key, so that the header does not
// reveal whether another venue's checkout exists. Routes for secret keys never have the header, errors and preflights
// included. A preflight of a read is answered for the origins of every venue: then the page of a partner can read the 404
// for a wrong id, and the preflight says nothing about the checkout.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/errors.ts';
import { modeOfRoute, venueOf } from '../domain/checkouts/guests/guest-queries.ts';
import { isOriginOfAnyVenue, isRegisteredOrigin } from '../domain/venues/queries.ts';
import { normalOrigin } from '../domain/venues/venue.ts';
import type { AppOperation } from '../run/app-operation.ts';
import { isPartner } from '../run/principal.ts';
import { isDatabaseAway, unavailableProblem } from '../run/problem.ts';
import type { HttpContext } from './context.ts';
import { routerPath } from './routes.ts';

export const isGuestRoute = ({ path }: AppOperation): boolean => path.startsWith('/v1/public/');

const MAX_AGE_SECONDS = '600';
const EXPOSED_HEADERS =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed';

function originOf({ headers: { origin } }: FastifyRequest): string | null {
  return origin === undefined || origin.length > 300 ? null : normalOrigin(origin);
}

/** The origin of the request, if any venue has registered it. */
async function originOfAnyVenue(http: HttpContext, request: FastifyRequest): Promise<string | null> {
  const normal = originOf(request);
  return normal !== null && (await isOriginOfAnyVenue(http.app.db, normal)) ? normal : null;
}

/** Without the database any page may ask: it reads that the service is unavailable, and nothing else. */
async function originOfRead(http: HttpContext, request: FastifyRequest): Promise<string | null> {
  try {
    return await originOfAnyVenue(http, request);
  } catch (error) {
    if (unavailableProblem(error) === null) throw error;
    return '*';
  }
}

/** The origin of the request, if the venue of the path has registered it for the mode of the checkout. */
async function registeredOrigin(http: HttpContext, request: FastifyRequest): Promise<string | null> {
  const normal = originOf(request);
  if (normal === null) return null;
  const params = request.params as { id?: string; share_id?: string };
  const id = params.id ?? params.share_id;
  if (id === undefined) return originOfAnyVenue(http, request);
  const { db } = http.app;
  const venueId = await venueOf(db, id);
  const mode = venueId === null ? null : await modeOfRoute(db, venueId, id);
  if (venueId === null || mode === null) return null;
  return (await isRegisteredOrigin(db, normal, { venueId, mode })) ? normal : null;
}

/** Runs before every response, errors included. A page of a refused origin can read nothing. */
export async function allowOrigin(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Problem | null,
): Promise<void> {
  if (request.headers.origin === undefined) return;
  reply.header('vary', 'Origin');
  if (refusal?.code === 'origin_not_allowed') return;
  const origin = originAdmittedWithKey(request, refusal) ?? (await registeredOrigin(http, request));
  if (origin !== null)
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED_HEADERS);
}

/**
 * Every page may read that the database is away: whose origin it is cannot be looked up then, and a page that could not read
 * it would take its own origin for refused.
 */
export function letOutageBeRead(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  const isOfGuests = request.url.startsWith('/v1/public/') && request.headers.origin !== undefined;
  if (isOfGuests && isDatabaseAway(problem) && !reply.hasHeader('access-control-allow-origin'))
    reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', EXPOSED_HEADERS);
}

/** Authorization has compared the origin of a publishable key with those of its venue already. */
function originAdmittedWithKey(
  { caller, headers: { origin } }: FastifyRequest,
  refusal: Problem | null,
): string | null {
  const isAllowed = refusal === null || refusal.code === 'rate_limited';
  return isAllowed && isPartner(caller) ? normalOrigin(origin ?? '') : null;
}

export function registerPreflights(app: FastifyInstance, http: HttpContext, operations: readonly AppOperation[]): void {
  const paths = new Map<string, string[]>();
  for (const operation of operations) {
    if (isGuestRoute(operation)) paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation.method]);
  }
  for (const [path, methods] of paths) {
    app.options(routerPath(path), async (request, reply) => {
      request.operation = 'preflight';
      const isRead = methods.every((method) => method === 'GET');
      const origin = await (isRead ? originOfRead : registeredOrigin)(http, request);
      reply.header('vary', 'Origin');
      if (origin === null) throw new Problem('origin_not_allowed');
      return reply
        .code(204)
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', methods.join(', '))
        .header('access-control-allow-headers', 'Authorization, Content-Type, Idempotency-Key')
        .header('access-control-max-age', origin === '*' ? '0' : MAX_AGE_SECONDS)
        .send();
    });
  }
}
