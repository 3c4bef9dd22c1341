// The published schemas, read once from schemas/v1: what becomes of the files later is nothing to a program that runs. References
// between files are made absolute to the folder ("fields.json#/$defs/time"), so that any part of any schema can be resolved by
// itself; that is done when a schema is first asked for.
// It also makes the published form: one self-contained document for each schema, which compiles alone or with the rest.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Schema = { readonly [keyword: string]: unknown };

export interface Registry {
  readonly names: readonly string[];
  /** The schema as it stands in its file, references made absolute to the folder. */
  get(name: string): Schema;
  /** Follows $ref until there is none; keywords beside a $ref win over those behind it. Of one schema always the same object. */
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
    if (typeof found !== 'object' || found === null) throw new Error(`nothing stands at ${ref}`);
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

/** The name under which a referenced part is carried along: "fields.json#/$defs/time" is "fields_time". */
function carriedName(ref: string): string {
  const [file = '', pointer = ''] = ref.split('#');
  const tail = pointer.split('/').filter((token) => token !== '' && token !== '$defs' && token !== 'properties');
  return [file.slice(0, -'.json'.length), ...tail].join('_');
}

function publish(name: string, schema: Schema, schemaUrl: string, at: (ref: string) => Schema): Schema {
  const carried: Record<string, unknown> = {};
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') copy[key] = carry(value);
      else copy[key] = key === 'examples' ? value : walk(value);
    }
    return copy;
  };
  const carry = (ref: string): string => {
    const own = carriedName(ref);
    if (!Object.hasOwn(carried, own)) {
      carried[own] = null; // Reserved first, so that a schema that refers to itself ends.
      const { $id, $schema, $defs, ...part } = at(ref);
      carried[own] = walk(part);
    }
    return `#/$defs/${own}`;
  };
  const { $defs, ...top } = schema;
  // A page of definitions (fields.json) has nothing else to publish; elsewhere only what is referred to is carried.
  const body = walk(top.type === undefined && $defs !== undefined ? schema : top) as Record<string, unknown>;
  const defs = { ...((body.$defs as object | undefined) ?? {}), ...carried };
  return { ...body, $id: `${schemaUrl}/v1/${name}.json`, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) };
}
