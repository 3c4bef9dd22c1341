// The validator: checks a value against a published schema and its rules, and lists every problem in document order, at most
// 100. It coerces, drops and fills in nothing. Schemas are compiled on first use and cached. The work for a wrong value
// is bounded, since a megabyte has room for a hundred thousand problems.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { FieldProblem } from '../errors.ts';
import type { BadText, JsonValue } from '../json/parse.ts';
import { splitPointer } from '../json/pointer.ts';
import { MAX_AMOUNT } from '../money.ts';
import { describe, sample } from './describe.ts';
import { inDocumentOrder } from './document-order.ts';
import { type LazyProblem, problemAt, withoutRepeats } from './explain.ts';
import { formats } from './formats.ts';
import { newProblemBudget, type ProblemBudget } from './problem-budget.ts';
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
  /**
   * Empty: the value is valid, unless the budget was used up before; its `found` then tells whether there are problems.
   */
  problems(schemaName: string, candidate: Candidate, rules?: RuleRun, budget?: ProblemBudget): FieldProblem[];
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
  const unknownMembers = addMemberCheck(ajv);
  const compiled = new Map<string | Schema, ValidateFunction>();
  const compile = (key: string | Schema): ValidateFunction => {
    let check = compiled.get(key);
    if (check === undefined) {
      if (compiled.size === 0)
        for (const name of registry.names)
          ajv.addSchema(withBoundedWork(registry, registry.get(name)) as object, `${name}.json`);
      check =
        typeof key === 'string' ? ajv.getSchema(`${key}.json`) : ajv.compile(withBoundedWork(registry, key) as object);
      if (check === undefined) throw new Error(`there is no schema "${key}"`);
      compiled.set(key, check);
    }
    return check;
  };
  const found = (check: ValidateFunction, value: unknown, budget: ProblemBudget): LazyProblem[] => {
    // One more than can be listed: a body with an unknown member is wrong, whether it is listed or not.
    unknownMembers.left = budget.problems + 1;
    unknownMembers.unreported = 0;
    if (check(value)) return [];
    const errors = check.errors as ErrorObject[];
    budget.found += unknownMembers.unreported + Math.max(0, errors.length - MAX_SORTED);
    const sorted = errors.slice(0, MAX_SORTED);
    return sorted.map((error) => problemAt(registry, error)).filter((one) => one !== null);
  };
  return {
    problems(schemaName, candidate, rules, budget = newProblemBudget()) {
      const broken = badTextsIn(registry, schemaName, candidate);
      const others = found(compile(schemaName), candidate.value, budget);
      rules?.(candidate.value, (problem) => {
        if (others.length < MAX_SORTED)
          others.push({ code: problem.code, field: problem.field, describe: () => problem });
        else budget.found++;
      });
      return listProblems(broken, others, candidate, budget);
    },
    inlineProblems(schema, candidate) {
      const budget = newProblemBudget();
      const broken = badTextsIn(registry, null, candidate);
      return listProblems(broken, found(compile(schema), candidate.value, budget), candidate, budget);
    },
    warm: (schemaNames) => {
      for (const name of schemaNames) compile(name);
    },
  };
}

/** Of a value with more problems, only the first ones that the validator meets are sorted in document order. */
const MAX_SORTED = 1_000;

/** A field with bad text gets only that problem. Only those that are listed are described. */
function listProblems(
  broken: readonly LazyProblem[],
  others: readonly LazyProblem[],
  { value, text }: Candidate,
  budget: ProblemBudget,
): FieldProblem[] {
  const fields = new Set(broken.map(({ field }) => field));
  const all = withoutRepeats([...broken, ...others.filter(({ field }) => !fields.has(field))]);
  budget.found += all.length;
  if (budget.problems === 0) return [];
  const listed = inDocumentOrder(all, value, text).slice(0, budget.problems);
  budget.problems -= listed.length;
  return listed.map(({ describe }) => describe(budget));
}

/** How many unknown members the running validation may still report, and how many it did not. */
interface UnknownMembers {
  left: number;
  unreported: number;
}

const KNOWN_MEMBERS_ONLY = 'knownMembersOnly';

/**
 * Adds a keyword that means the same as `additionalProperties: false`, and stops reporting when enough is reported.
 * Validation is synchronous, so that all validations share one counter. An object that reports nothing any more counts as
 * valid, so no condition or choice of a schema may depend on it: a test looks for one.
 */
function addMemberCheck(ajv: Ajv2020): UnknownMembers {
  const counter: UnknownMembers = { left: 0, unreported: 0 };
  ajv.addKeyword({
    keyword: KNOWN_MEMBERS_ONLY,
    type: 'object',
    schemaType: 'boolean',
    errors: true,
    compile(_schema: boolean, parentSchema: Schema) {
      const known = new Set(Object.keys((parentSchema.properties ?? {}) as object));
      const check: DataValidateFunction = (value: object) => {
        const errors: Partial<ErrorObject>[] = [];
        for (const name of Object.keys(value)) {
          if (known.has(name)) continue;
          if (errors.length < counter.left)
            errors.push({ keyword: 'additionalProperties', params: { additionalProperty: name, known } });
          else counter.unreported++;
        }
        counter.left -= errors.length;
        check.errors = errors;
        return errors.length === 0;
      };
      return check;
    },
  });
  return counter;
}

/**
 * The items of a list that is too long are not validated one by one, nor the members of a map that is too large: half a
 * million wrong items in a megabyte would cost seconds and hundreds of megabytes to report.
 */
function withBoundedWork(registry: Registry, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => withBoundedWork(registry, item));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === '$id') continue;
    if (key === '$ref') copy[key] = guardedRef(registry, value as string);
    else if (key === 'additionalProperties' && value === false) copy[KNOWN_MEMBERS_ONLY] = true;
    else copy[key] = key === 'examples' || key === 'const' || key === 'enum' ? value : withBoundedWork(registry, value);
  }
  if (isGuardedList(copy)) {
    const { items, uniqueItems, ...rest } = copy;
    return { ...rest, if: { maxItems: copy.maxItems }, then: copy };
  }
  if (isGuardedMap(copy)) {
    const { additionalProperties, propertyNames, ...rest } = copy;
    return { ...rest, if: { maxProperties: copy.maxProperties }, then: copy };
  }
  return copy;
}

function isGuardedList(schema: Schema): boolean {
  return typeof schema.maxItems === 'number' && schema.items !== undefined && schema.if === undefined;
}

function isGuardedMap(schema: Schema): boolean {
  const isMap = typeof schema.additionalProperties === 'object' || schema.propertyNames !== undefined;
  return typeof schema.maxProperties === 'number' && isMap && schema.if === undefined;
}

/** A reference into the items of such a list must lead through its guard. */
function guardedRef(registry: Registry, ref: string): string {
  const [file = '', pointer = ''] = ref.split('#');
  let node: unknown = registry.get(file.slice(0, -'.json'.length));
  let path = '';
  for (const token of pointer.split('/').slice(1)) {
    path += token === 'items' && isGuardedList(node as Schema) ? '/then/items' : `/${token}`;
    node = (node as Schema)[token];
  }
  return pointer === '' ? ref : `${file}#${path}`;
}

/** An amount of money is written in digits alone; a whole number written in another way is accepted elsewhere. */
function badTextsIn(registry: Registry, schemaName: string | null, { badTexts }: Candidate): LazyProblem[] {
  return badTexts.flatMap((bad) => {
    if (bad.problem !== 'pointed') return [badText(registry, schemaName, bad)];
    const schema = schemaName === null ? null : schemaAt(registry, registry.get(schemaName), bad.field);
    return isMoney(schema) ? [pointedAmount(registry, schema, bad.field)] : [];
  });
}

/** Every amount of money has the same maximum, and nothing else has it: a test compares the schemas. */
function isMoney(schema: Schema | null): schema is Schema {
  return schema?.maximum === MAX_AMOUNT;
}

function pointedAmount(registry: Registry, schema: Schema, field: string): LazyProblem {
  const describeProblem = (): FieldProblem => ({
    code: 'invalid_type',
    field,
    message: `${splitPointer(field).at(-1)} must be written in digits alone, without a point or an exponent.`,
    expected: `${describe(registry, schema)}, in digits alone`,
    example_fix: sample(registry, schema),
  });
  return { code: 'invalid_type', field, describe: describeProblem };
}

function badText(registry: Registry, schemaName: string | null, bad: BadText): LazyProblem {
  const what = bad.problem === 'nul' ? 'the character U+0000' : 'half of a surrogate pair';
  const describe = (): FieldProblem => {
    const schema = schemaName === null ? null : schemaAt(registry, registry.get(schemaName), bad.field);
    return {
      code: 'invalid_format',
      field: bad.field,
      message: `The ${bad.isName ? 'name' : 'text'} holds ${what}, which cannot be stored.`,
      expected: `${bad.isName ? 'a name' : 'text'} of whole Unicode characters without U+0000`,
      example_fix: bad.isName ? 'name' : sample(registry, schema ?? {}),
    };
  };
  return { code: 'invalid_format', field: bad.field, describe };
}

/** The schema of the value at a pointer, through the branches of a choice too; null where none can be found. */
function schemaAt(registry: Registry, root: Schema, pointer: string): Schema | null {
  let schema: Schema | null = registry.resolve(root);
  for (const token of splitPointer(pointer)) {
    schema = schema === null ? null : memberSchema(registry, schema, token);
    if (schema === null) return null;
  }
  return schema;
}

function memberSchema(registry: Registry, schema: Schema, token: string): Schema | null {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const map = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const inside = schema.items ?? (Object.hasOwn(properties, token) ? properties[token] : map);
  if (inside !== undefined && inside !== null) return registry.resolve(inside as Schema);
  for (const branch of [schema.then, schema.else]) {
    const found = branch === undefined ? null : memberSchema(registry, registry.resolve(branch as Schema), token);
    if (found !== null) return found;
  }
  return null;
}
