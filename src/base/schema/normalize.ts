// Two forms of a valid value, made by walking its schema: with every time in UTC (how it is stored and shown), and with
// every default written out (how two values are compared, so that left out and given as the default are the same).

import type { JsonValue } from '../json/parse.ts';
import type { Registry, Schema } from './registry.ts';

type JsonObject = { [name: string]: JsonValue };

export function timesInUtc(registry: Registry, schemaName: string, value: JsonValue): JsonValue {
  return walk(registry, registry.get(schemaName), value, (schema, part) =>
    schema.format === 'date-time' && typeof part === 'string' ? utc(part) : part,
  );
}

export function withDefaultsFilled(registry: Registry, schemaName: string, value: JsonValue): JsonValue {
  return walk(registry, registry.get(schemaName), value, (schema, part) => withDefaults(registry, schema, part));
}

/** The same instant with `Z`; a fraction is kept to the microsecond, without trailing zeros. */
export function utc(text: string): string {
  const fraction = (/\.(\d+)/.exec(text)?.[1] ?? '').slice(0, 6).replace(/0+$/, '');
  const whole = new Date(text.replace(/\.\d+/, '').toUpperCase()).toISOString().slice(0, 19);
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`;
}

function withDefaults(registry: Registry, schema: Schema, part: JsonValue): JsonValue {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const defaults = defaultsOf(registry, schema);
  if (defaults.length === 0) return part;
  const filled: JsonObject = { ...part };
  for (const [name, fallback] of defaults) if (!Object.hasOwn(filled, name)) filled[name] = fallback;
  return filled;
}

type Defaults = readonly (readonly [name: string, fallback: JsonValue])[];

const known = new WeakMap<Schema, Defaults>();

/** The defaults of an object's members, in their order. */
function defaultsOf(registry: Registry, schema: Schema): Defaults {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const defaults = properties.flatMap(([name, property]) => {
    const fallback = registry.resolve(property).default;
    return fallback === undefined ? [] : [[name, fallback as JsonValue] as const];
  });
  known.set(schema, defaults);
  return defaults;
}

function walk(
  registry: Registry,
  given: Schema,
  value: JsonValue,
  change: (schema: Schema, part: JsonValue) => JsonValue,
): JsonValue {
  const schema = registry.resolve(given);
  if (Array.isArray(value)) {
    const items = schema.items as Schema | undefined;
    return items === undefined ? value : value.map((item) => walk(registry, items, item, change));
  }
  // Without `properties` (a map, or any JSON value) there is nothing inside to change.
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return change(schema, value);
  const properties = schema.properties as Record<string, Schema>;
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const changed = property === undefined ? member : walk(registry, property, member, change);
    if (name !== '__proto__') copy[name] = changed;
    // Defined, not assigned, so that __proto__ stays an ordinary member.
    else Object.defineProperty(copy, name, { value: changed, enumerable: true, writable: true, configurable: true });
  }
  return change(schema, copy);
}
