// The schemas of the OpenAPI document. A published schema and a definition of fields.json become a component; a reference
// to the inside of another schema ("checkout.json#/properties/amount") is replaced by what is there, because generators
// of types cannot follow a pointer through `items`.

import type { SchemaRef } from '../base/operation.ts';
import type { Registry, Schema } from '../base/schema/registry.ts';

type Json = Record<string, unknown>;

/** The keywords that a component leaves out: they belong to the published file. */
const FILE_KEYWORDS = new Set(['$id', '$schema', '$defs']);

export function asSchema(schema: SchemaRef): Schema {
  return typeof schema === 'string' ? { $ref: `${schema}.json` } : schema;
}

/** "fields.json#/$defs/time" is the component "time", "offering.json" is "offering"; null for the inside of a schema. */
function componentName(ref: string): string | null {
  const [file = '', pointer = ''] = ref.split('#');
  if (pointer === '') return file.slice(0, -'.json'.length);
  return file === 'fields.json' && pointer.startsWith('/$defs/') ? pointer.slice('/$defs/'.length) : null;
}

export class Components {
  readonly #registry: Registry;
  readonly #schemas = new Map<string, unknown>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The schema as the document writes it. Every component that it refers to is added. */
  schemaOf(given: SchemaRef): Json {
    return this.#rewrite(asSchema(given)) as Json;
  }

  /** Every component that `schemaOf` has met, by name. */
  schemas(): Json {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #rewrite(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((item) => this.#rewrite(item));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...beside } = node as Json;
    const copy: Json = typeof $ref === 'string' ? this.#refer($ref) : {};
    for (const [key, value] of Object.entries(beside))
      if (!FILE_KEYWORDS.has(key)) copy[key] = key === 'examples' ? value : this.#rewrite(value);
    return copy;
  }

  #refer(ref: string): Json {
    const name = componentName(ref);
    if (name === null) return this.#rewrite(this.#registry.at(ref)) as Json;
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, null); // Reserved first, so that the recursion ends for a schema that refers to itself.
      this.#schemas.set(name, this.#rewrite(this.#registry.at(ref)));
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Where the document takes schemas and examples from. */
export interface Source {
  readonly registry: Registry;
  readonly components: Components;
}

/** The example with these values instead; objects are merged, everything else is replaced. */
export function mergeExample(example: unknown, values: Readonly<Json>): unknown {
  const merged: Json = { ...(isObject(example) ? example : {}) };
  for (const [name, value] of Object.entries(values))
    merged[name] = isObject(value) ? mergeExample(merged[name], value) : value;
  return merged;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
