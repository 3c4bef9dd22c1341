// Draws random values that match a JSON Schema: at its limits more often than between them, and from its examples where
// it has patterns or formats. Also varies examples at a few paths.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Contract, Schema } from './contract.ts';
import { type Json, type JsonPath, pathsOf, valueAt, withValueAt } from './mutations.ts';

const MAX_DEPTH = 7;
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2027-06-12T13:30:00Z', '2026-12-01T00:00:00.123456+14:00', '2027-02-28T23:59:59-12:00'],
  date: ['2027-06-12', '2028-02-29'],
  uuid: ['0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10'],
  uri: ['https://harbor.example/a?b=c#d'],
};
const LETTERS = ['x', 'é', '漢', '😀', ' ', '-', '0'];

export function drawValue(random: SeededRandom, contract: Contract, given: Schema, depth = 0): Json {
  const schema = contract.resolve(given);
  if ('const' in schema) return schema.const as Json;
  const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (choices !== undefined) return drawValue(random, contract, random.pick(choices), depth + 1);
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as Json[]);
  const examples = schema.examples as Json[] | undefined;
  if (examples !== undefined && examples.length > 0 && random.often(depth === 0 ? 0.8 : 0.5))
    return random.pick(examples);
  const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
  if (type === 'object' || schema.properties !== undefined) return drawObject(random, contract, schema, depth);
  if (type === 'array') return drawList(random, contract, schema, depth);
  if (type === 'integer' || type === 'number') return drawNumber(random, schema);
  if (type === 'boolean') return random.often(0.5);
  return type === 'null' ? null : drawText(random, schema);
}

function drawObject(random: SeededRandom, contract: Contract, schema: Schema, depth: number): Json {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = (schema.required ?? []) as string[];
  const optionalRate = depth >= MAX_DEPTH ? 0 : random.pick([0, 0.3, 1]);
  const drawn: { [name: string]: Json } = {};
  for (const [name, of] of Object.entries(properties)) {
    if (required.includes(name) || random.often(optionalRate)) drawn[name] = drawValue(random, contract, of, depth + 1);
  }
  return drawn;
}

function drawList(random: SeededRandom, contract: Contract, schema: Schema, depth: number): Json {
  const min = Number(schema.minItems ?? 0);
  const max = Math.min(Number(schema.maxItems ?? 4), depth > 2 ? 4 : 30);
  const length = random.weighed([
    [6, Math.min(min + 1, max)],
    [3, min],
    [1, Math.max(min, max)],
  ]);
  const items = (schema.items ?? {}) as Schema;
  return Array.from({ length }, () => drawValue(random, contract, items, depth + 1));
}

function drawNumber(random: SeededRandom, schema: Schema): number {
  const min = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1_000);
  const max = Number(schema.maximum ?? schema.exclusiveMaximum ?? 1_000_000);
  const drawn = random.pick([min, max, Math.min(min + 1, max), random.between(Math.ceil(min), Math.floor(max))]);
  return schema.type === 'integer' ? Math.round(drawn) : drawn;
}

function drawText(random: SeededRandom, schema: Schema): string {
  const known = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (known !== undefined) return random.pick(known);
  const examples = (schema.examples ?? []) as Json[];
  const [example] = examples.filter((one) => typeof one === 'string');
  if (schema.pattern !== undefined && example !== undefined) return String(example);
  const min = Number(schema.minLength ?? 0);
  const max = Math.min(Number(schema.maxLength ?? 40), 5_000);
  const length = random.pick([min, max, Math.min(Math.max(min, 6), max)]);
  const letter = random.pick(LETTERS);
  return letter.repeat(length);
}

/** An example with new values at up to three paths. */
export function varyExample(random: SeededRandom, contract: Contract, example: Json, schema: Schema): Json {
  let value = example;
  for (let times = random.pick([0, 0, 1, 1, 2, 3]); times > 0; times--) {
    const at = random.pick(pathsOf(value));
    const of = at.length === 0 ? null : schemaAt(contract, schema, value, at);
    if (of !== null) value = withValueAt(value, at, drawValue(random, contract, of, at.length));
  }
  return value;
}

/** The schema at a path; null if the schema does not describe it. */
export function schemaAt(contract: Contract, schema: Schema, value: Json, at: JsonPath): Schema | null {
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
