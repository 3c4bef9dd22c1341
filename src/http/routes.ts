// Routes from the list of operations: paths as the router writes them, the methods of a path, and the path of an
// address.

import type { AppOperation } from '../run/app-operation.ts';

/** `/v1/boats/{id}` as the router writes it: `/v1/boats/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1');
}

const ORIGIN = /^https?:\/\/[^/?#]+/i;

/**
 * The address of a request without its origin. A request in absolute form, as to a proxy, is served by its path (RFC
 * 9112, 3.2.2), for any host it names: routes, 405, pages and links to a next page all read this address.
 */
export function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = url.replace(ORIGIN, '');
  return rest === url || rest.startsWith('/') ? rest : `/${rest}`;
}

/** The address without its query, which begins at `?`, or at a `#`, which a client should not send. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** Documents beside the operations. */
const PUBLISHED = [
  '/v1/openapi.json',
  '/console/openapi.json',
  '/schemas/v1/{file}',
  '/schemas/v1/mappings/{file}',
  '/.well-known/jwks.json',
  '/healthz',
  '/readyz',
].map((path) => ({ method: 'GET', path }));

/** The methods of a path, for 405 and its Allow header; none: there is no such route. */
export function makeAllowedMethods(operations: readonly AppOperation[]): (path: string) => readonly string[] {
  const heads = operations.filter(({ kind }) => kind === 'intake').map(({ path }) => ({ method: 'HEAD', path }));
  const slashed = operations
    .filter(({ kind }) => kind === 'tool server')
    .map((one) => ({ ...one, path: `${one.path}/` }));
  const routes = [...PUBLISHED, ...heads, ...operations, ...slashed].map(({ method, path }) => ({
    method,
    segments: path.split('/'),
  }));
  return (path) => {
    const given = decodeSegments(path);
    const methods = new Set<string>();
    for (const { method, segments } of routes) {
      if (given === null || !matches(segments, given)) continue;
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    return [...methods].sort();
  };
}

function decodeSegments(path: string): string[] | null {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return null; // Invalid percent-encoding: no route matches.
  }
}

function matches(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, i) => (segment.startsWith('{') ? given[i] !== '' : segment === given[i]))
  );
}
