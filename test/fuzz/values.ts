// Values that fit a JSON Schema, drawn by chance: at the bounds more often than between them, from the schema's own examples
// where words alone do not say what is meant (patterns, formats). And examples with a few places drawn anew.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Contract, Schema } from './contract.ts';
import { type At, type Json, placesOf, valueAt, withValueAt } from './mutations.ts';

const DEEPEST = 7;
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2027-06-12T13:30:00Z', '2026-12-01T00:00:00.123456+14:00', '2027-02-28T23:59:59-12:00'],
  date: ['2027-06-12', '2028-02-29'],
  uuid: ['0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10'],
  uri: ['https://harbor.example/a?b=c#d'],
};
const LETTERS = ['x', 'é', '漢', '😀', ' ', '-', '0'];

export function valueFor(random: SeededRandom, contract: Contract, given: Schema, depth = 0): Json {
  const schema = contract.resolve(given);
  if ('const' in schema) return schema.const as Json;
  const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (choices !== undefined) return valueFor(random, contract, random.pick(choices), depth + 1);
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as Json[]);
  const examples = schema.examples as Json[] | undefined;
  if (examples !== undefined && examples.length > 0 && random.often(depth === 0 ? 0.8 : 0.5))
    return random.pick(examples);
  const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
  if (type === 'object' || schema.properties !== undefined) return objectFor(random, contract, schema, depth);
  if (type === 'array') return listFor(random, contract, schema, depth);
  if (type === 'integer' || type === 'number') return numberFor(random, schema);
  if (type === 'boolean') return random.often(0.5);
  return type === 'null' ? null : textFor(random, schema);
}

function objectFor(random: SeededRandom, contract: Contract, schema: Schema, depth: number): Json {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = (schema.required ?? []) as string[];
  const wanted = depth >= DEEPEST ? 0 : random.pick([0, 0.3, 1]);
  const made: { [name: string]: Json } = {};
  for (const [name, of] of Object.entries(properties)) {
    if (required.includes(name) || random.often(wanted)) made[name] = valueFor(random, contract, of, depth + 1);
  }
  return made;
}

function listFor(random: SeededRandom, contract: Contract, schema: Schema, depth: number): Json {
  const least = Number(schema.minItems ?? 0);
  const most = Math.min(Number(schema.maxItems ?? 4), depth > 2 ? 4 : 30);
  const length = random.weighed([
    [6, Math.min(least + 1, most)],
    [3, least],
    [1, Math.max(least, most)],
  ]);
  const items = (schema.items ?? {}) as Schema;
  return Array.from({ length }, () => valueFor(random, contract, items, depth + 1));
}

function numberFor(random: SeededRandom, schema: Schema): number {
  const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1_000);
  const most = Number(schema.maximum ?? schema.exclusiveMaximum ?? 1_000_000);
  const drawn = random.pick([
    least,
    most,
    Math.min(least + 1, most),
    random.between(Math.ceil(least), Math.floor(most)),
  ]);
  return schema.type === 'integer' ? Math.round(drawn) : drawn;
}

function textFor(random: SeededRandom, schema: Schema): string {
  const known = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (known !== undefined) return random.pick(known);
  const examples = (schema.examples ?? []) as Json[];
  const [example] = examples.filter((one) => typeof one === 'string');
  if (schema.pattern !== undefined && example !== undefined) return String(example);
  const least = Number(schema.minLength ?? 0);
  const most = Math.min(Number(schema.maxLength ?? 40), 5_000);
  const length = random.pick([least, most, Math.min(Math.max(least, 6), most)]);
  const letter = random.pick(LETTERS);
  return letter.repeat(length);
}

/** An example with up to three of its places drawn anew from what the schema says of them. */
export function varied(random: SeededRandom, contract: Contract, example: Json, schema: Schema): Json {
  let value = example;
  for (let times = random.pick([0, 0, 1, 1, 2, 3]); times > 0; times--) {
    const at = random.pick(placesOf(value));
    const of = at.length === 0 ? null : schemaAt(contract, schema, value, at);
    if (of !== null) value = withValueAt(value, at, valueFor(random, contract, of, at.length));
  }
  return value;
}

/** Null: the schema says nothing of this place. */
export function schemaAt(contract: Contract, schema: Schema, value: Json, at: At): Schema | null {
  const own = contract.resolve(schema);
  const [step, ...rest] = at;
  if (step === undefined) return own;
  const branches = [own, ...((own.anyOf ?? own.oneOf ?? []) as Schema[]).map((one) => contract.resolve(one))];
  for (const branch of branches) {
    const next = (typeof step === 'number' ? branch.items : (branch.properties as Record<string, Schema>)?.[step]) as
      | Schema
      | undefined;
    if (next !== undefined) return schemaAt(contract, next, valueAt(value, [step]) ?? null, rest);
  }
  return null;
}
