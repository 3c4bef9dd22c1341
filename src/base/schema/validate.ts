// The validator: a value against a published schema and the rules beside it, to the list of everything that is wrong,
// in document order, at most 100. Nothing is coerced, nothing is dropped, nothing is filled in.
// Schemas are compiled on first use and kept.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type FieldProblem, MAX_LISTED } from '../errors.ts';
import type { BadText, JsonValue } from '../json/parse.ts';
import { positionsOf } from '../json/positions.ts';
import { explain, withoutRepeats } from './explain.ts';
import { formats } from './formats.ts';
import type { Registry, Schema } from './registry.ts';

/** Adds what the rules between fields have to say about the value. */
export type RuleRun = (value: unknown, report: (problem: FieldProblem) => void) => void;

export interface Candidate {
  readonly value: JsonValue;
  /** The text it was parsed from, so that problems can be told in its order. */
  readonly text: string;
  readonly badStrings: readonly BadText[];
}

export interface Validator {
  /** An empty list: the value is right. */
  problems(schemaName: string, candidate: Candidate, rules?: RuleRun): FieldProblem[];
  /** The same for a schema written in place (a query, an empty body). */
  inlineProblems(schema: Schema, value: unknown): FieldProblem[];
  /** Compiles ahead of the first request. */
  warm(schemaNames: readonly string[]): void;
}

export function makeValidator(registry: Registry): Validator {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    verbose: true,
    messages: false,
    validateSchema: false,
    inlineRefs: false,
    formats,
  });
  const compiled = new Map<string | Schema, ValidateFunction>();
  const compile = (key: string | Schema): ValidateFunction => {
    let check = compiled.get(key);
    if (check === undefined) {
      if (compiled.size === 0)
        for (const name of registry.names) ajv.addSchema(bounded(registry.get(name)) as object, `${name}.json`);
      check = typeof key === 'string' ? ajv.getSchema(`${key}.json`) : ajv.compile(bounded(key) as object);
      if (check === undefined) throw new Error(`there is no schema "${key}"`);
      compiled.set(key, check);
    }
    return check;
  };
  const found = (check: ValidateFunction, value: unknown): FieldProblem[] => {
    if (check(value)) return [];
    return (check.errors as ErrorObject[])
      .map((error) => explain(registry, error))
      .filter((problem) => problem !== null);
  };
  return {
    problems(schemaName, candidate, rules) {
      const problems = [...candidate.badStrings.map(badText), ...found(compile(schemaName), candidate.value)];
      rules?.(candidate.value, (problem) => problems.push(problem));
      return problems.length === 0
        ? problems
        : inDocumentOrder(withoutRepeats(problems), candidate.text).slice(0, MAX_LISTED);
    },
    inlineProblems: (schema, value) => withoutRepeats(found(compile(schema), value)).slice(0, MAX_LISTED),
    warm: (schemaNames) => {
      for (const name of schemaNames) compile(name);
    },
  };
}

/**
 * The items of a list that is too long are not looked at one by one, nor the members of a map that is too large:
 * half a million wrong items in a megabyte would cost seconds and hundreds of megabytes to complain about.
 */
function bounded(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bounded);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === '$id') continue;
    copy[key] = key === 'examples' || key === 'const' || key === 'enum' ? value : bounded(value);
  }
  const most = copy.maxItems;
  if (typeof most === 'number' && copy.items !== undefined && copy.if === undefined) {
    const { items, uniqueItems, ...rest } = copy;
    const inside = { items, ...(uniqueItems === undefined ? {} : { uniqueItems }) };
    return { ...rest, if: { maxItems: most }, then: inside };
  }
  return copy;
}

function badText(bad: BadText): FieldProblem {
  const what = bad.problem === 'nul' ? 'the character U+0000' : 'half of a surrogate pair';
  return {
    code: 'invalid_format',
    field: bad.field,
    message: `The text holds ${what}, which cannot be stored.`,
    expected: 'text of whole Unicode characters without U+0000',
    example_fix: 'text',
  };
}

function inDocumentOrder(problems: FieldProblem[], text: string): FieldProblem[] {
  if (problems.length === 1) return problems;
  const positions = positionsOf(text);
  const place = (problem: FieldProblem): number => {
    const own = positions.startOf(problem.field);
    if (own !== undefined) return own;
    // A missing member stands after the present ones of its object: where that object ends.
    for (let cut = problem.field.lastIndexOf('/'); cut >= 0; cut = problem.field.lastIndexOf('/', cut - 1)) {
      const end = positions.endOf(problem.field.slice(0, cut));
      if (end !== undefined) return end;
    }
    return Number.MAX_SAFE_INTEGER;
  };
  return problems
    .map((problem, index) => ({ problem, index, place: place(problem) }))
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .map(({ problem }) => problem);
}
