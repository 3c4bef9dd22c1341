// Describes a schema in words ("an integer from 0 to 99999999") and makes a value that passes it, for the `expected` and
// `example_fix` of an error. Both come from the schema alone, so they cannot disagree with validation.

import type { Registry, Schema } from './registry.ts';

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time in ISO 8601 with an offset, such as 2027-06-12T09:30:00-04:00',
  date: 'a date, such as 2027-06-12',
  uuid: 'a UUID',
  uri: 'an address (URL) in ASCII, with anything else percent-encoded',
};

export function describe(registry: Pick<Registry, 'resolve'>, given: Schema): string {
  const schema = registry.resolve(given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return listed(schema.enum);
  const types = typeNames(schema);
  return types.map((type) => describeType(schema, type)).join(' or ') || 'any JSON value';
}

function typeNames(schema: Schema): string[] {
  if (Array.isArray(schema.type)) return schema.type as string[];
  return typeof schema.type === 'string' ? [schema.type] : [];
}

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const more = values.length > shown.length ? `, … (${values.length} in all)` : '';
  return values.length === 1 ? `${shown[0]}` : `one of ${shown.join(', ')}${more}`;
}

function describeType(schema: Schema, type: string): string {
  if (type === 'integer' || type === 'number') {
    return `${type === 'integer' ? 'an integer' : 'a number'}${range(schema)}`;
  }
  if (type === 'string') return describeString(schema);
  if (type === 'array') return `a list${between(schema.minItems, schema.maxItems, ' items')}`;
  if (type === 'object') return 'an object';
  if (type === 'boolean') return 'true or false';
  return type;
}

/** Every pattern of the schemas in words; a test finds a missing one. */
export const PATTERNS: Readonly<Record<string, string>> = {
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': 'a time of day from 00:00 to 23:59',
  '^[0-9]{6}$': 'six digits',
  '\\S': 'text with at least one letter, digit or sign',
  '^[A-Z]{2}$': 'two upper-case letters',
  '^[a-z][a-z0-9_]*$': 'lower-case letters, digits and "_", beginning with a letter',
  '^[a-z][a-z0-9_]{0,39}$': 'up to 40 lower-case letters, digits and "_", beginning with a letter',
  '^[\\x21-\\x7e]+$': 'printable ASCII characters without spaces',
  '^https://[a-z0-9.-]+(/[A-Za-z0-9._-]+)*$': 'an https address without a query',
  '^syn_[0-9A-Za-z]{1,64}$': 'the id of a catalogue run, such as syn_01jz3k8q7v5m2n9t4w6x8y0abc',
  '^[A-Za-z0-9_@]+(\\[\\])?(\\.[A-Za-z0-9_@]+(\\[\\])?)*$': 'a path of names with dots between them',
  '^[A-Za-z0-9_@]+(\\[\\])?(\\.[A-Za-z0-9_@]+(\\[\\])?)*(\\|[A-Za-z0-9_@]+(\\[\\])?(\\.[A-Za-z0-9_@]+(\\[\\])?)*)*$':
    'paths of names with dots between them, and | between the paths',
  '^[A-Za-z0-9_@]+(\\.[A-Za-z0-9_@]+)*(\\|[A-Za-z0-9_@]+(\\.[A-Za-z0-9_@]+)*)*$':
    'paths of names with dots between them, without lists, and | between the paths',
  '^[A-Za-z0-9_.-]{1,40}$': '1 to 40 letters, digits, "_", "." or "-"',
  '^[^\\s@<>()",;:\\\\\\[\\]]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$': 'a mail address',
  '^[a-z0-9_-]+$': 'lower-case letters, digits, "_" and "-"',
  '^[A-Za-z0-9_]+$': 'letters, digits and "_"',
  '^[a-z]{3}$': 'three lower-case letters',
  '^[a-z_]+$': 'lower-case letters and "_"',
  '^\\+[1-9][0-9]{6,14}$': 'a phone number with its country code',
  '^\\S+$': 'text without white space',
  '^\\S(.*\\S)?$': 'text without white space around it',
  '^[A-Za-z0-9_-]+$': 'text in base64url: letters, digits, - and _ alone',
  '^https://': 'an https:// address',
  '^https?://': 'an http:// or https:// address',
  '^whsec_[0-9A-Za-z_+/=-]+$': 'a secret that begins with whsec_',
};

function wordsFor(pattern: string): string {
  const id = /^\^([a-z]+_)\[0-9A-Za-z\]/.exec(pattern)?.[1];
  return id === undefined ? (PATTERNS[pattern] ?? 'text of another form') : `an id that begins with ${id}`;
}

function describeString(schema: Schema): string {
  const pattern = typeof schema.pattern === 'string' ? schema.pattern : undefined;
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  const length = between(schema.minLength, schema.maxLength, ' characters');
  if (pattern === undefined) return format ?? `a string${length}`;
  const example =
    Array.isArray(schema.examples) && format === undefined ? `, such as ${JSON.stringify(schema.examples[0])}` : '';
  return `${wordsFor(pattern)}${length}${example}`;
}

function range(schema: Schema): string {
  if (schema.exclusiveMinimum === undefined) return between(schema.minimum, schema.maximum, '');
  return ` above ${schema.exclusiveMinimum}${schema.maximum === undefined ? '' : `, up to ${schema.maximum}`}`;
}

function between(min: unknown, max: unknown, unit: string): string {
  if (min !== undefined && max !== undefined) return ` ${unit === '' ? 'from' : 'of'} ${min} to ${max}${unit}`;
  if (max !== undefined) return ` of at most ${max}${unit}`;
  return min === undefined ? '' : ` of at least ${min}${unit}`;
}

/** A value that passes the schema: its own example where it has one, else the smallest value that fits. Never null. */
export function sample(registry: Registry, given: Schema): NonNullable<unknown> {
  return sampleAt(registry, given, 0) ?? ANY_VALUE;
}

/** Where a schema allows any JSON. */
const ANY_VALUE = 'text';

function sampleAt(registry: Registry, given: Schema, depth: number): unknown {
  const schema = registry.resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (depth > 8) return null;
  if (schema.if !== undefined) return sampleAt(registry, (schema.then ?? schema.else ?? {}) as Schema, depth + 1);
  const type = typeNames(schema)[0];
  if (type === undefined && Array.isArray(schema.oneOf))
    return sampleAt(registry, schema.oneOf[0] as Schema, depth + 1);
  if (type === 'object') return sampleObject(registry, schema, depth);
  if (type === 'array') {
    const count = Math.max(1, typeof schema.minItems === 'number' ? schema.minItems : 0);
    return Array.from({ length: count }, () => sampleAt(registry, (schema.items ?? {}) as Schema, depth + 1));
  }
  if (type === 'integer' || type === 'number') return sampleNumber(schema);
  if (type === 'boolean') return true;
  return type === 'string' ? 'x'.repeat(typeof schema.minLength === 'number' ? schema.minLength : 1) : null;
}

function sampleNumber(schema: Schema): number {
  if (typeof schema.minimum === 'number') return schema.minimum;
  return typeof schema.exclusiveMinimum === 'number' ? schema.exclusiveMinimum + 1 : 1;
}

function sampleObject(registry: Registry, schema: Schema, depth: number): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const names = [...((schema.required ?? []) as string[])];
  const choice = (schema.oneOf as Schema[] | undefined)?.[0]?.required as string[] | undefined;
  const object: Record<string, unknown> = {};
  for (const name of [...names, ...(choice ?? [])])
    object[name] = sampleAt(registry, properties[name] ?? {}, depth + 1);
  return object;
}
