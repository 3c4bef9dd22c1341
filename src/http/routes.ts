// From the list of operations to the routes: how the router writes a path, and which methods a path takes.

import type { Operation } from '../base/operation.ts';
import type { Caller } from '../domain/keys/caller.ts';

/** `/v1/boats/{id}` as the router writes it: `/v1/boats/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1');
}

/** Routes that are no operations: what is published under /v1. */
const PUBLISHED = [{ method: 'GET', path: '/v1/openapi.json' }];

/** The methods that a path takes, for 405 and its Allow header; none: there is no such route. */
export function makeAllowed(operations: readonly Operation<Caller>[]): (path: string) => readonly string[] {
  const heads = operations.filter(({ intake }) => intake !== undefined).map(({ path }) => ({ method: 'HEAD', path }));
  const slashed = operations.filter(({ byTools }) => byTools === true).map((one) => ({ ...one, path: `${one.path}/` }));
  const routes = [...PUBLISHED, ...heads, ...operations, ...slashed].map(({ method, path }) => ({
    method,
    segments: path.split('/'),
  }));
  return (path) => {
    const given = decoded(path);
    const methods = new Set<string>();
    for (const { method, segments } of routes) {
      if (given === null || !fits(segments, given)) continue;
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    return [...methods].sort();
  };
}

function decoded(path: string): string[] | null {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return null; // Not percent-encoding: no route can be meant.
  }
}

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, i) => (segment.startsWith('{') ? given[i] !== '' : segment === given[i]))
  );
}
