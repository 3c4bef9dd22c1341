// The validator: checks a value against a published schema and its rules, and lists every problem in document order, at most
// 100. It coerces, drops and fills in nothing. Schemas are compiled on first use and cached.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type FieldProblem, MAX_LISTED } from '../errors.ts';
import type { BadText, JsonValue } from '../json/parse.ts';
import { splitPointer } from '../json/pointer.ts';
import { positionsOf } from '../json/positions.ts';
import { sample } from './describe.ts';
import { type LazyProblem, problemAt, withoutRepeats } from './explain.ts';
import { formats } from './formats.ts';
import type { Registry, Schema } from './registry.ts';

/** Reports the problems that the rules between fields find. */
export type RuleRun = (value: unknown, report: (problem: FieldProblem) => void) => void;

export interface Candidate {
  readonly value: JsonValue;
  /** The text it was parsed from, whose order the problems are listed in; null: the value did not come as text. */
  readonly text: string | null;
  readonly badTexts: readonly BadText[];
}

export interface Validator {
  /** Empty: the value is valid. */
  problems(schemaName: string, candidate: Candidate, rules?: RuleRun): FieldProblem[];
  /** The same for a schema written in place (a query, an empty body). */
  inlineProblems(schema: Schema, candidate: Candidate): FieldProblem[];
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
        for (const name of registry.names)
          ajv.addSchema(withBoundedLists(registry, registry.get(name)) as object, `${name}.json`);
      check =
        typeof key === 'string' ? ajv.getSchema(`${key}.json`) : ajv.compile(withBoundedLists(registry, key) as object);
      if (check === undefined) throw new Error(`there is no schema "${key}"`);
      compiled.set(key, check);
    }
    return check;
  };
  const found = (check: ValidateFunction, value: unknown): LazyProblem[] => {
    if (check(value)) return [];
    return (check.errors as ErrorObject[]).map((error) => problemAt(registry, error)).filter((one) => one !== null);
  };
  return {
    problems(schemaName, candidate, rules) {
      const broken = candidate.badTexts.map((bad) => badText(registry, schemaName, bad));
      const others = found(compile(schemaName), candidate.value);
      rules?.(candidate.value, (problem) =>
        others.push({ code: problem.code, field: problem.field, describe: () => problem }),
      );
      return listProblems(broken, others, candidate);
    },
    inlineProblems: (schema, candidate) =>
      listProblems(
        candidate.badTexts.map((bad) => badText(registry, null, bad)),
        found(compile(schema), candidate.value),
        candidate,
      ),
    warm: (schemaNames) => {
      for (const name of schemaNames) compile(name);
    },
  };
}

/** A field with bad text gets only that problem. Only the first hundred problems in document order are described. */
function listProblems(
  broken: readonly LazyProblem[],
  others: readonly LazyProblem[],
  candidate: Candidate,
): FieldProblem[] {
  const fields = new Set(broken.map(({ field }) => field));
  const all = withoutRepeats([...broken, ...others.filter(({ field }) => !fields.has(field))]);
  return inDocumentOrder(all, candidate)
    .slice(0, MAX_LISTED)
    .map(({ describe }) => describe());
}

/**
 * The items of a list that is too long are not validated one by one, nor the members of a map that is too large: half a
 * million wrong items in a megabyte would cost seconds and hundreds of megabytes to report.
 */
function withBoundedLists(registry: Registry, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => withBoundedLists(registry, item));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === '$id') continue;
    if (key === '$ref') copy[key] = guardedRef(registry, value as string);
    else
      copy[key] = key === 'examples' || key === 'const' || key === 'enum' ? value : withBoundedLists(registry, value);
  }
  if (!isGuarded(copy)) return copy;
  const { items, uniqueItems, ...rest } = copy;
  return { ...rest, if: { maxItems: copy.maxItems }, then: copy };
}

function isGuarded(schema: Schema): boolean {
  return typeof schema.maxItems === 'number' && schema.items !== undefined && schema.if === undefined;
}

/** A reference into the items of such a list must lead through its guard. */
function guardedRef(registry: Registry, ref: string): string {
  const [file = '', pointer = ''] = ref.split('#');
  let node: unknown = registry.get(file.slice(0, -'.json'.length));
  let path = '';
  for (const token of pointer.split('/').slice(1)) {
    path += token === 'items' && isGuarded(node as Schema) ? '/then/items' : `/${token}`;
    node = (node as Schema)[token];
  }
  return pointer === '' ? ref : `${file}#${path}`;
}

function badText(registry: Registry, schemaName: string | null, bad: BadText): LazyProblem {
  const what = bad.problem === 'nul' ? 'the character U+0000' : 'half of a surrogate pair';
  const describe = (): FieldProblem => {
    const schema = schemaName === null ? null : schemaAt(registry, registry.get(schemaName), bad.field);
    return {
      code: 'invalid_format',
      field: bad.field,
      message: `The text holds ${what}, which cannot be stored.`,
      expected: 'text of whole Unicode characters without U+0000',
      example_fix: schema === null ? null : sample(registry, schema),
    };
  };
  return { code: 'invalid_format', field: bad.field, describe };
}

/** The schema of the value at a pointer; null where none can be found by properties and items alone. */
function schemaAt(registry: Registry, root: Schema, pointer: string): Schema | null {
  let schema = registry.resolve(root);
  for (const token of splitPointer(pointer)) {
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    const map = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    const inside = schema.items ?? (Object.hasOwn(properties, token) ? properties[token] : map);
    if (inside === undefined || inside === null) return null;
    schema = registry.resolve(inside as Schema);
  }
  return schema;
}

function inDocumentOrder(problems: readonly LazyProblem[], { text, value }: Candidate): readonly LazyProblem[] {
  if (problems.length <= 1) return problems;
  const positions = positionsOf(text ?? JSON.stringify(value));
  const position = (problem: LazyProblem): number => {
    const own = positions.startOf(problem.field);
    if (own !== undefined) return own;
    // A missing member is sorted after the present ones: at the end of its object.
    for (let cut = problem.field.lastIndexOf('/'); cut >= 0; cut = problem.field.lastIndexOf('/', cut - 1)) {
      const end = positions.endOf(problem.field.slice(0, cut));
      if (end !== undefined) return end;
    }
    return Number.MAX_SAFE_INTEGER;
  };
  return problems
    .map((problem, index) => ({ problem, index, position: position(problem) }))
    .sort((a, b) => a.position - b.position || a.index - b.index)
    .map(({ problem }) => problem);
}
