// The contract as commands use it: validate a value, normalize it, and compare it with another. HTTP, the tool server, the
// command line and the hooks of venue systems share this code.

import { createHash } from 'node:crypto';
import type { FieldProblem } from '../errors.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonValue } from '../json/parse.ts';
import { sample } from './describe.ts';
import { timesInUtc, withDefaultsFilled } from './normalize.ts';
import { newProblemBudget, type ProblemBudget } from './problem-budget.ts';
import type { Registry } from './registry.ts';
import type { Candidate, Validator } from './validate.ts';

/** A rule between fields: see schemas/rules. */
export type FieldRule<Facts> = (
  value: unknown,
  at: string,
  report: (problem: FieldProblem) => void,
  facts: Facts,
) => void;

export interface RuleSet<Facts> {
  readonly always: Readonly<Record<string, FieldRule<Facts>>>;
  /** Rules about what changes later: the time, the venue's origins. Only for new objects, so that a replay stays valid. */
  readonly whenNew: Readonly<Record<string, FieldRule<Facts>>>;
}

export interface ValidationResult {
  /** The problems that hold whether the object exists or not; at most as many as the answer may list. */
  readonly problems: readonly FieldProblem[];
  /** How many there are, listed or not. */
  readonly count: number;
  /** All problems of a new object, including those above. */
  readonly whenNew: readonly FieldProblem[];
}

export interface Contract<Facts> {
  /** Without a budget the result may list as many problems as an answer. */
  validate(schema: string, candidate: Candidate, facts: Facts, budget?: ProblemBudget): ValidationResult;
  /** A valid value. */
  sample(schema: string): NonNullable<unknown>;
  /** With every time in UTC. */
  normalize(schema: string, value: JsonValue): JsonValue;
  /** Equal for two values with the same meaning: member order and explicit defaults do not matter. */
  fingerprint(schema: string, value: JsonValue): Buffer;
}

export function makeContract<Facts>(registry: Registry, validator: Validator, rules: RuleSet<Facts>): Contract<Facts> {
  return {
    validate(schema, candidate, facts, budget = newProblemBudget()) {
      const always = rules.always[schema];
      const whenNew = rules.whenNew[schema];
      const check = (fieldRules: readonly (FieldRule<Facts> | undefined)[], spent: ProblemBudget): FieldProblem[] =>
        validator.problems(
          schema,
          candidate,
          (value, report) => {
            for (const rule of fieldRules) rule?.(value, '', report, facts);
          },
          spent,
        );
      const before = { ...budget };
      const problems = check([always], budget);
      const count = budget.found - before.found;
      return { problems, count, whenNew: whenNew === undefined ? problems : check([always, whenNew], before) };
    },
    sample: (schema) => sample(registry, registry.get(schema)),
    normalize: (schema, value) => timesInUtc(registry, schema, value),
    fingerprint: (schema, value) =>
      createHash('sha256')
        .update(canonicalJson(withDefaultsFilled(registry, schema, value)))
        .digest(),
  };
}

/** For a value that was not parsed from a request's text. */
export function candidateFrom(value: JsonValue): Candidate {
  return { value, text: null, badTexts: [] };
}
