// Cross-origin answers: on the guests' routes and nowhere else, for the registered origins of the venue that a path is about
// (for signing in, of any venue). A secret key's routes never carry such a header, errors and preflights included.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/errors.ts';
import type { Operation } from '../base/operation.ts';
import { routeOf } from '../domain/checkouts/invites/queries.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { isRegisteredOrigin } from '../domain/venues/queries.ts';
import { normalOrigin } from '../domain/venues/venue.ts';
import { routerPath } from './routes.ts';
import type { Door } from './server.ts';

export const isGuestRoute = ({ path }: Operation<Caller>): boolean => path.startsWith('/v1/public/');

const MAX_AGE = '600';
const SHOWN = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';

/** The origin, as long as the venue of this path has registered it. */
async function registered(door: Door, request: FastifyRequest): Promise<string | null> {
  const { origin } = request.headers;
  const normal = origin === undefined || origin.length > 300 ? null : normalOrigin(origin);
  if (normal === null) return null;
  const params = request.params as { id?: string; share_id?: string };
  const id = params.id ?? params.share_id;
  const venueId = id === undefined ? null : await routeOf(door.house.db, id);
  if (id !== undefined && venueId === null) return null;
  return (await isRegisteredOrigin(door.house.db, normal, venueId)) ? normal : null;
}

/** Before the answer, whatever it will be; a refused origin is told nothing that its page could read. */
export async function allowOrigin(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Problem | null,
): Promise<void> {
  if (request.headers.origin === undefined) return;
  reply.header('vary', 'Origin');
  if (refusal?.code === 'origin_not_allowed') return;
  const origin = await registered(door, request);
  if (origin !== null)
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', SHOWN);
}

export function registerPreflights(app: FastifyInstance, door: Door, operations: readonly Operation<Caller>[]): void {
  const paths = new Map<string, string[]>();
  for (const operation of operations) {
    if (isGuestRoute(operation)) paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation.method]);
  }
  for (const [path, methods] of paths) {
    app.options(routerPath(path), async (request, reply) => {
      request.operation = 'preflight';
      const origin = await registered(door, request);
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
