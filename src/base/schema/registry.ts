// The published schemas, read once from schemas/v1; later changes of the files do not affect a running program. References
// between files are made absolute to the folder ("fields.json#/$defs/time") on first use, so that any part of any schema can
// be resolved by itself. It also makes the published form: one self-contained document for each schema.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Schema = { readonly [keyword: string]: unknown };

export interface Registry {
  readonly names: readonly string[];
  /** The schema as in its file, with references made absolute to the folder. */
  get(name: string): Schema;
  /** What a reference leads to ("fields.json#/$defs/time"), not followed further. */
  at(ref: string): Schema;
  /**
   * Follows $ref until there is none; keywords beside a $ref win over those behind it. The result for one schema is
   * always the same object.
   */
  resolve(schema: Schema): Schema;
  /** Self-contained, with `$id` at the address where it is published. */
  published(name: string, schemaUrl: string): Schema;
}

export function readRegistry(folder: string): Registry {
  const written = new Map<string, unknown>();
  for (const file of readdirSync(folder).sort())
    if (file.endsWith('.json'))
      written.set(file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const names = [...written.keys()];
  const schemas = new Map<string, Schema>();
  const get = (name: string): Schema => {
    const known = schemas.get(name);
    if (known !== undefined) return known;
    if (!written.has(name)) throw new Error(`there is no schema "${name}" in ${folder}`);
    const schema = absolute(written.get(name), `${name}.json`) as Schema;
    schemas.set(name, schema);
    return schema;
  };
  const at = (ref: string): Schema => {
    const [file = '', pointer = ''] = ref.split('#');
    let found: unknown = get(file.slice(0, -'.json'.length));
    for (const token of pointer.split('/').slice(1)) {
      found = (found as Schema | undefined)?.[token.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    if (typeof found !== 'object' || found === null) throw new Error(`${ref} leads to nothing`);
    return found as Schema;
  };
  const resolved = new WeakMap<Schema, Schema>();
  const resolve = (schema: Schema): Schema => {
    if (typeof schema.$ref !== 'string') return schema;
    const known = resolved.get(schema);
    if (known !== undefined) return known;
    const { $ref, ...beside } = schema;
    const found = { ...resolve(at($ref as string)), ...beside };
    resolved.set(schema, found);
    return found;
  };
  return {
    names,
    get,
    at,
    resolve,
    published: (name, schemaUrl) => publish(name, get(name), schemaUrl, at),
  };
}

/** "#/$defs/fee" inside offering.json becomes "offering.json#/$defs/fee". */
function absolute(node: unknown, file: string): unknown {
  if (Array.isArray(node)) return node.map((item) => absolute(item, file));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    const isLocal = key === '$ref' && typeof value === 'string' && value.startsWith('#');
    copy[key] = isLocal ? `${file}${value}` : key === 'examples' ? value : absolute(value, file);
  }
  return copy;
}

/** The name of a referenced part inside the bundled document: "fields.json#/$defs/time" is "fields_time". */
function bundledName(ref: string): string {
  const [file = '', pointer = ''] = ref.split('#');
  const tail = pointer.split('/').filter((token) => token !== '' && token !== '$defs' && token !== 'properties');
  return [file.slice(0, -'.json'.length), ...tail].join('_');
}

function publish(name: string, schema: Schema, schemaUrl: string, at: (ref: string) => Schema): Schema {
  const bundled: Record<string, unknown> = {};
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') copy[key] = bundle(value);
      else copy[key] = key === 'examples' ? value : walk(value);
    }
    return copy;
  };
  const bundle = (ref: string): string => {
    const own = bundledName(ref);
    if (!Object.hasOwn(bundled, own)) {
      bundled[own] = null; // Reserved first, so that the recursion ends for a schema that refers to itself.
      const { $id, $schema, $defs, ...part } = at(ref);
      bundled[own] = walk(part);
    }
    return `#/$defs/${own}`;
  };
  const { $defs, ...top } = schema;
  // A file of definitions (fields.json) is published whole; every other schema bundles only what it refers to.
  const body = walk(top.type === undefined && $defs !== undefined ? schema : top) as Record<string, unknown>;
  const defs = { ...((body.$defs as object | undefined) ?? {}), ...bundled };
  return { ...body, $id: `${schemaUrl}/v1/${name}.json`, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) };
}
