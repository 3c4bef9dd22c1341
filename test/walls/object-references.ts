// Finds every place of an operation or a tool that looks like a reference to an object, in its path, its query and the
// schemas of its body, so that no new reference is missing in the matrix.

import type { SchemaRef } from '../../src/base/operation.ts';
import type { Registry, Schema } from '../../src/base/schema/registry.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';

/** `id`, `share_id`, `external_id`, and filters named after a kind of object. */
const OBJECT_REFERENCE =
  /(^|_)ids?$|^(checkout|share|offering|experience|boat|event|endpoint|integration|member|venue)$/;

export function referencesIn(operation: AppOperation, registry: Registry): string[] {
  const inPath = [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => `path ${name}`);
  const query = Object.keys((operation.query?.properties ?? {}) as object).filter((name) =>
    OBJECT_REFERENCE.test(name),
  );
  const bodies = (operation.body ?? []).flatMap(({ schema }) => referencesInSchema(schema, registry));
  return [...new Set([...inPath, ...query.map((name) => `query ${name}`), ...bodies])].sort();
}

export function referencesInSchema(ref: SchemaRef, registry: Registry): string[] {
  const found = new Set<string>();
  const visit = (schemaOrRef: Schema, pointer: string): void => {
    const schema = registry.resolve(schemaOrRef);
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
      const isObject = registry.resolve(property).properties !== undefined;
      if (OBJECT_REFERENCE.test(name) && !isObject) found.add(`body ${pointer}/${name}`);
      visit(property, `${pointer}/${name}`);
    }
    if (typeof schema.items === 'object') visit(schema.items as Schema, `${pointer}/*`);
    const parts = ['if', 'then', 'else'].map((keyword) => schema[keyword]);
    const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (schema[keyword] ?? []) as unknown[]);
    for (const part of [...parts, ...lists])
      if (typeof part === 'object' && part !== null) visit(part as Schema, pointer);
  };
  visit(typeof ref === 'string' ? registry.get(ref) : (ref as Schema), '');
  return [...found].sort();
}
