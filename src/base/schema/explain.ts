// Turns a validator error into a problem that a person can act on: an error code, a pointer, the expectation, and a value
// that would pass. HTTP, the tool server and the pages share this code.

import type { ErrorObject } from 'ajv';
import type { ErrorCode, FieldProblem } from '../errors.ts';
import { printable, printablePointer, printablePointerTo, splitPointer } from '../json/pointer.ts';
import { describe, sample } from './describe.ts';
import { nearestName } from './nearest-name.ts';
import type { ProblemBudget } from './problem-budget.ts';
import type { Registry, Schema } from './registry.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  required: 'missing_field',
  dependentRequired: 'missing_field',
  additionalProperties: 'unknown_field',
  type: 'invalid_type',
  enum: 'invalid_value',
  const: 'invalid_value',
  pattern: 'invalid_format',
  format: 'invalid_format',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  maxLength: 'too_long',
  minLength: 'too_short',
  maxItems: 'too_many_items',
  maxProperties: 'too_many_items',
  minItems: 'too_few_items',
  minProperties: 'too_few_items',
  uniqueItems: 'not_unique',
  oneOf: 'not_allowed',
};

/** Of several problems with one scalar only one is reported: the earlier in this list, the closer to the cause. */
const RANK: readonly ErrorCode[] = [
  'invalid_type',
  'too_long',
  'too_short',
  'invalid_format',
  'invalid_value',
  'out_of_range',
  'not_unique',
  'not_allowed',
];

/** A problem that is not described yet: a body can have a hundred thousand, and at most a hundred are reported. */
export interface LazyProblem {
  readonly code: ErrorCode;
  readonly field: string;
  readonly describe: (budget: ProblemBudget) => FieldProblem;
}

/** Null for an error that repeats another one: the branches of a choice, and the wrapper of a bad member name. */
export function problemAt(registry: Registry, error: ErrorObject): LazyProblem | null {
  const code = CODES[error.keyword];
  if (code === undefined || /\/oneOf\/\d/.test(error.schemaPath)) return null;
  const describeError = (budget: ProblemBudget): FieldProblem => explain(registry, error, code, budget);
  if (error.propertyName !== undefined) {
    return {
      code: 'invalid_format',
      field: printablePointerTo(error.instancePath, error.propertyName),
      describe: describeError,
    };
  }
  const params = error.params as { missingProperty?: unknown; additionalProperty?: unknown };
  const member = params.missingProperty ?? params.additionalProperty;
  const field =
    member === undefined
      ? printablePointer(error.instancePath)
      : printablePointerTo(error.instancePath, String(member));
  return { code, field, describe: describeError };
}

function explain(registry: Registry, error: ErrorObject, code: ErrorCode, budget: ProblemBudget): FieldProblem {
  const parent = (error.parentSchema ?? {}) as Schema;
  if (error.propertyName !== undefined) return badName(error, error.propertyName);
  if (code === 'missing_field') return missing(registry, error, parent);
  if (code === 'unknown_field') return unknown(error, budget);
  if (code === 'not_allowed') return choice(registry, error, parent);
  const expected = describe(registry, parent);
  return {
    code,
    field: printablePointer(error.instancePath),
    message: `${label(error.instancePath)} ${sentence(error, expected)}`,
    expected,
    example_fix: sample(registry, parent),
  };
}

function label(pointer: string): string {
  const tokens = splitPointer(pointer);
  const last = tokens.at(-1);
  if (last === undefined) return 'The body';
  return /^\d+$/.test(last) && tokens.length > 1 ? `${cut(tokens.at(-2) ?? '')}[${last}]` : cut(last);
}

/** Names come from the caller: a message shows the beginning of a long one. */
function cut(name: string): string {
  return printable(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}

function sentence(error: ErrorObject, expected: string): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'type':
      return `must be ${expected}, not ${nounFor(error.data)}.`;
    case 'maxLength':
      return `has more than ${params.limit} characters.`;
    case 'minLength':
      return Number(params.limit) === 1 ? 'must not be empty.' : `has fewer than ${params.limit} characters.`;
    case 'maxItems':
    case 'maxProperties':
      return `has more than ${params.limit} items.`;
    case 'minItems':
    case 'minProperties':
      return `needs at least ${params.limit} ${params.limit === 1 ? 'item' : 'items'}.`;
    case 'uniqueItems':
      return `has the same item twice (items ${params.j} and ${params.i}).`;
    default:
      return `must be ${expected}.`;
  }
}

function nounFor(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number with a fraction';
  return typeof value === 'boolean' ? 'a boolean' : `a ${typeof value}`;
}

function missing(registry: Registry, error: ErrorObject, parent: Schema): FieldProblem {
  const name = String((error.params as { missingProperty?: unknown }).missingProperty);
  const property = ((parent.properties ?? {}) as Record<string, Schema>)[name] ?? {};
  const because =
    error.keyword === 'dependentRequired' ? `, since ${(error.params as { property: string }).property} is given` : '';
  return {
    code: 'missing_field',
    field: printablePointerTo(error.instancePath, name),
    message: `${name} is required${because}.`,
    expected: describe(registry, property),
    example_fix: sample(registry, property),
  };
}

function unknown(error: ErrorObject, budget: ProblemBudget): FieldProblem {
  const params = error.params as { additionalProperty?: unknown; known?: ReadonlySet<string> };
  const name = String(params.additionalProperty);
  const known = [...(params.known ?? [])];
  const near = budget.nearMisses > 0 ? nearestName(name, known) : null;
  budget.nearMisses--;
  return {
    code: 'unknown_field',
    field: printablePointerTo(error.instancePath, name),
    message: `${shorten(name)} is not a known field${near === null ? '; leave it out.' : `: did you mean ${near}?`}`,
    expected: near === null ? (known.length === 0 ? 'no member here' : `only ${known.slice(0, 30).join(', ')}`) : near,
    example_fix: null,
  };
}

const MAX_NAME_LENGTH = 40;

function badName(error: ErrorObject, name: string): FieldProblem {
  return {
    code: 'invalid_format',
    field: printablePointerTo(error.instancePath, name),
    message: `${shorten(name)} is not a valid name here: use 1 to 40 letters, digits, "_", "." or "-".`,
    expected: 'a name of 1 to 40 letters, digits, "_", "." or "-"',
    example_fix: name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_NAME_LENGTH) || 'name',
  };
}

function choice(registry: Registry, error: ErrorObject, parent: Schema): FieldProblem {
  const names = ((parent.oneOf ?? []) as Schema[]).flatMap((branch) => (branch.required ?? []) as string[]);
  return {
    code: 'not_allowed',
    field: printablePointer(error.instancePath),
    message: `${label(error.instancePath)} needs exactly one of ${names.join(' and ')}.`,
    expected: `exactly one of ${names.join(' and ')}`,
    example_fix: sample(registry, parent),
  };
}

function shorten(text: string): string {
  return JSON.stringify(cut(text));
}

/** One problem for each scalar; a list or an object may have one of each code. */
export function withoutRepeats(problems: readonly LazyProblem[]): LazyProblem[] {
  const chosen = new Map<string, LazyProblem>();
  for (const one of problems) {
    const rank = RANK.indexOf(one.code);
    const key = rank >= 0 ? `${one.field}\n` : `${one.field}\n${one.code}`;
    const before = chosen.get(key);
    if (before === undefined || rank < RANK.indexOf(before.code)) chosen.set(key, one);
  }
  return [...chosen.values()];
}
