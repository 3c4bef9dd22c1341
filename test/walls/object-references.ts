// What an operation, or a tool, can be handed that looks like the name of an object: read from its path, its query and the
// schemas of its body, so that nothing new escapes the matrix.

import type { SchemaRef } from '../../src/base/operation.ts';
import type { Registry, Schema } from '../../src/base/schema/registry.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';

/** `id`, `share_id`, `external_id`; and a filter that is called by the kind of its object. */
const LOOKS_LIKE_ONE = /(^|_)ids?$|^(checkout|share|offering|experience|boat|event|endpoint|integration|member|venue)$/;

export function referencesIn(operation: AppOperation, registry: Registry): string[] {
  const inPath = [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => `path ${name}`);
  const query = Object.keys((operation.query?.properties ?? {}) as object).filter((name) => LOOKS_LIKE_ONE.test(name));
  const bodies = (operation.body ?? []).flatMap(({ schema }) => referencesInSchema(schema, registry));
  return [...new Set([...inPath, ...query.map((name) => `query ${name}`), ...bodies])].sort();
}

export function referencesInSchema(ref: SchemaRef, registry: Registry): string[] {
  const found = new Set<string>();
  const visit = (given: Schema, at: string): void => {
    const schema = registry.resolve(given);
    for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
      const isObject = registry.resolve(member).properties !== undefined;
      if (LOOKS_LIKE_ONE.test(name) && !isObject) found.add(`body ${at}/${name}`);
      visit(member, `${at}/${name}`);
    }
    if (typeof schema.items === 'object') visit(schema.items as Schema, `${at}/*`);
    const parts = ['if', 'then', 'else'].map((keyword) => schema[keyword]);
    const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (schema[keyword] ?? []) as unknown[]);
    for (const part of [...parts, ...lists]) if (typeof part === 'object' && part !== null) visit(part as Schema, at);
  };
  visit(typeof ref === 'string' ? registry.get(ref) : (ref as Schema), '');
  return [...found].sort();
}
