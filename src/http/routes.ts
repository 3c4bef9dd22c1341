// From the list of operations to the routes: how the router writes a path, which methods a path takes, and where an address leads.

import type { AppOperation } from '../run/app-operation.ts';

/** `/v1/boats/{id}` as the router writes it: `/v1/boats/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1');
}

const ORIGIN = /^https?:\/\/[^/?#]+/i;

/**
 * The address of a request, as the router and everybody behind it read it. One with an origin in front, as to a proxy, leads where its path
 * leads (RFC 9112, 3.2.2), whoever is named there, and in every respect: routes, 405, pages, links to a next page.
 */
export function ownAddress(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = url.replace(ORIGIN, '');
  return rest === url || rest.startsWith('/') ? rest : `/${rest}`;
}

/** Without its query, which begins at `?`, or at a `#` that no client should have sent. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** Routes that are no operations: what is published under /v1. */
const PUBLISHED = [{ method: 'GET', path: '/v1/openapi.json' }];

/** The methods that a path takes, for 405 and its Allow header; none: there is no such route. */
export function makeAllowed(operations: readonly AppOperation[]): (path: string) => readonly string[] {
  const heads = operations.filter(({ kind }) => kind === 'intake').map(({ path }) => ({ method: 'HEAD', path }));
  const slashed = operations
    .filter(({ kind }) => kind === 'tool server')
    .map((one) => ({ ...one, path: `${one.path}/` }));
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
