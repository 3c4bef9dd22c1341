// Cross-origin answers: on the guests' routes and nowhere else, for the registered origins of the venue that a path is about
// (for signing in, of any venue). Whoever comes with a publishable key is answered for that key's venue, so that the header
// does not tell whether somebody else's checkout exists. A secret key's routes never carry one, errors and preflights included.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/errors.ts';
import { venueOf } from '../domain/checkouts/party/invite-queries.ts';
import { isRegisteredOrigin } from '../domain/venues/queries.ts';
import { normalOrigin } from '../domain/venues/venue.ts';
import type { AppOperation } from '../run/app-operation.ts';
import { isPartner } from '../run/principal.ts';
import type { HttpContext } from './context.ts';
import { routerPath } from './routes.ts';

export const isGuestRoute = ({ path }: AppOperation): boolean => path.startsWith('/v1/public/');

const MAX_AGE = '600';
const SHOWN = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';

/** The origin, as long as the venue of this path has registered it. */
async function registered(http: HttpContext, request: FastifyRequest): Promise<string | null> {
  const { origin } = request.headers;
  const normal = origin === undefined || origin.length > 300 ? null : normalOrigin(origin);
  if (normal === null) return null;
  const params = request.params as { id?: string; share_id?: string };
  const id = params.id ?? params.share_id;
  const venueId = id === undefined ? null : await venueOf(http.app.db, id);
  if (id !== undefined && venueId === null) return null;
  return (await isRegisteredOrigin(http.app.db, normal, venueId)) ? normal : null;
}

/** Before the answer, whatever it will be; a refused origin is told nothing that its page could read. */
export async function allowOrigin(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Problem | null,
): Promise<void> {
  if (request.headers.origin === undefined) return;
  reply.header('vary', 'Origin');
  if (refusal?.code === 'origin_not_allowed') return;
  const origin = passedWithKey(request, refusal) ?? (await registered(http, request));
  if (origin !== null)
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', SHOWN);
}

/** A publishable key's origin was compared with those of its venue already: the gate lets it pass, or counts it. */
function passedWithKey({ caller, headers: { origin } }: FastifyRequest, refusal: Problem | null): string | null {
  const passed = refusal === null || refusal.code === 'rate_limited';
  return passed && isPartner(caller) ? normalOrigin(origin ?? '') : null;
}

export function registerPreflights(app: FastifyInstance, http: HttpContext, operations: readonly AppOperation[]): void {
  const paths = new Map<string, string[]>();
  for (const operation of operations) {
    if (isGuestRoute(operation)) paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation.method]);
  }
  for (const [path, methods] of paths) {
    app.options(routerPath(path), async (request, reply) => {
      request.operation = 'preflight';
      const origin = await registered(http, request);
      reply.header('vary', 'Origin');
      if (origin === null) throw new Problem('origin_not_allowed');
      return reply
        .code(204)
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', methods.join(', '))
        .header('access-control-allow-headers', 'Authorization, Content-Type')
        .header('access-control-max-age', MAX_AGE)
        .send();
    });
  }
}
