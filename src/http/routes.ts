// From the list of operations to the routes: which operation a method and path mean, and which methods a path takes.

import type { Operation } from '../base/operation.ts';
import type { Caller } from '../domain/keys/caller.ts';

/** `/v1/boats/{id}` as the router writes it: `/v1/boats/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1');
}

/** The methods that a path takes, for 405 and its Allow header; none: there is no such route. */
export function makeAllowed(operations: readonly Operation<Caller>[]): (path: string) => readonly string[] {
  const shapes = new Map<string, { readonly shape: RegExp; readonly methods: Set<string> }>();
  for (const { path, method } of operations) {
    const shape = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`);
    const known = shapes.get(path) ?? { shape, methods: new Set<string>() };
    known.methods.add(method);
    if (method === 'GET') known.methods.add('HEAD');
    shapes.set(path, known);
  }
  return (path) => {
    const methods = new Set<string>();
    for (const route of shapes.values())
      if (route.shape.test(path)) for (const method of route.methods) methods.add(method);
    return [...methods].sort();
  };
}
